"""Steps of training in eager PyTorch: `pytorch_steps.py THREADS`, an order a line on stdin, an answer a line on stdout.

Tensors come and go in files of little-endian float32; what stands where is in the order.
"""

import json
import sys
import time

import numpy as np
import torch
import torch.nn.functional as F


def tensors_of(order):
    """Every tensor of the file, by group ("inputs", "weights") and name; those named in "ids" as integers."""
    numbers = torch.from_numpy(np.fromfile(order["file"], dtype="<f4"))
    groups, at = {}, 0
    for group, name, shape in order["tensors"]:
        length = int(np.prod(shape))
        tensor = numbers[at : at + length].reshape(shape)
        groups.setdefault(group, {})[name] = tensor.long() if group == "ids" else tensor
        at += length
    return groups


def steps(order, groups):
    """Each call makes a step and gives its loss."""
    namespace = {}
    exec(compile(order["source"], "module", "exec"), namespace)
    module = namespace[order["class"]]()
    module.load_state_dict(groups["weights"])
    module.train()
    optimizer = torch.optim.Adam(module.parameters(), **order["adam"])
    inputs = groups.get("inputs", {}) | groups.get("ids", {})
    target, labels = inputs.pop("target", None), inputs.pop("labels", None)

    def loss_of(output):
        if target is not None:
            return F.mse_loss(output, target)
        if labels is not None:
            return F.cross_entropy(output, labels)
        return F.cross_entropy(output[:, :-1].flatten(0, 1), inputs["tokens"][:, 1:].flatten())

    def step():
        optimizer.zero_grad()
        made = module(**inputs)
        loss = loss_of(made[0] if isinstance(made, tuple) else made)
        loss.backward()
        optimizer.step()
        return [loss.detach()]

    return step


def gradients(groups):
    """Each call gives those of attention by its inputs."""
    *inputs, gradient = (groups["inputs"][name] for name in ("query", "key", "value", "gradient"))
    inputs = [tensor.clone().requires_grad_() for tensor in inputs]
    return lambda: torch.autograd.grad(F.scaled_dot_product_attention(*inputs), inputs, gradient)


def main():
    torch.set_num_threads(int(sys.argv[1]))
    run, count, file = None, 1, None
    for line in sys.stdin:
        order = json.loads(line)
        value = None
        try:
            if order["order"] == "prepare":
                groups = tensors_of(order)
                run = steps(order, groups) if order["source"] else gradients(groups)
                count, file = order["steps"], order["file"]
            elif order["order"] == "result":
                made = [tensor.flatten() for _ in range(count) for tensor in run()]
                torch.cat(made).numpy().astype("<f4").tofile(file)
            elif order["order"] == "time":
                value = []
                for _ in range(order["runs"]):
                    start = time.perf_counter()
                    run()
                    value.append(1000 * (time.perf_counter() - start))
            answer = {"value": value}
        except Exception as error:  # goes to who asked
            answer = {"error": str(error)}
        print(json.dumps(answer), flush=True)


main()
