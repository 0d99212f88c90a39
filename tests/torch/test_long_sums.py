# Sums of many numbers of one sign: kernels round at most four times as much as PyTorch's own float32, forward and
# backward, of every build and with two threads.

import copy

import judge
import torch

TIMES = 4


def least(entry):
    """What PyTorch's sums are off where chance does not help. Numbers that are all alike are rounded the same way at
    each addition: 1e-6 in products of 65,536 terms, 1.6e-5 in attention to 2^20 keys."""
    return 2.0**-22 if entry["numbers"] == "random" else 1e-6 * max(1.0, 4 * entry["terms"] / 2**20)


def results_of(module, inputs, names):
    """Forward and the gradients by its output's sum, of inputs and parameters, by name."""
    wanted = {**inputs, **dict(module.named_parameters())}
    for tensor in wanted.values():
        tensor.requires_grad_()
    results = dict(zip(names, judge.as_tuple(module(**inputs)), strict=True))
    found = torch.autograd.grad(results["output"].sum(), list(wanted.values()), allow_unused=True)
    gradients = {name: by for name, by in zip(wanted, found, strict=True) if by is not None}
    return {name: result.detach() for name, result in results.items()}, gradients


def largest(tensors):
    return max(tensor.abs().max().item() for tensor in tensors.values())


def distances(tensors, expected, scale):
    """By name, relative to the tensor's largest number. Gradients of which some are 0 by theory are what is left of
    terms as large as the largest of all, `scale`."""
    return {
        name: (tensors[name].double() - right).abs().max().item() / max(right.abs().max().item(), 1e-3 * scale)
        for name, right in expected.items()
    }


def test_sums_of_many_numbers_round_like_those_of_pytorch(index):
    far = []
    for entry in index.long_sums:
        module = judge.Printed(entry["pytorch"], entry["title"]).loaded(index.tensors(entry["state"]))
        inputs = index.tensors(entry["inputs"])
        names = list(next(iter(entry["results"].values()))["forward"])
        exact = results_of(copy.deepcopy(module).double(), {name: t.double() for name, t in inputs.items()}, names)
        own = results_of(module, {name: t.clone() for name, t in inputs.items()}, names)
        for build, places in entry["results"].items():
            for kind, expected, theirs in zip(("forward", "gradients"), exact, own, strict=True):
                scale = largest(expected)
                allowed = distances(theirs, expected, scale)
                found = distances(index.tensors(places[kind]), expected, scale)
                far += [
                    f"{entry['title']}, {build}, {kind}: {name} is {found[name]:.1e} off, PyTorch {allowed[name]:.1e}"
                    for name in expected
                    if not found[name] <= TIMES * max(allowed[name], least(entry))
                ]
    assert not far, "\n".join(far)
