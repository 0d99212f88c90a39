# The memory of a step of training, if Python let go of a local variable after its last use: until forward() returns, an
# eager PyTorch module holds every tensor that it has given a name to, which no compiled or fused code does.

import ast
import functools

import judge
import torch
import torch.nn.functional as F
from torch import nn
from torch.distributed._tools.mem_tracker import MemTracker
from torch.utils.checkpoint import checkpoint


class _Releases(ast.NodeTransformer):
    """Deletes each local variable of a function after the last of its statements that names it."""

    def visit_FunctionDef(self, node):
        arguments = {argument.arg for argument in node.args.args} - {"self"}
        stored = {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
        last = {}
        for i, statement in enumerate(node.body):
            for one in ast.walk(statement):
                if isinstance(one, ast.Name) and one.id in arguments | stored:
                    last[one.id] = i
        body = []
        for i, statement in enumerate(node.body):
            body.append(statement)
            unused = [ast.Name(id=name, ctx=ast.Del()) for name in sorted(last) if last[name] == i]
            if unused and not isinstance(statement, (ast.Return, ast.For)):
                body.append(ast.Delete(targets=unused))
        node.body = body
        return node


def without_idle_locals(source):
    tree = ast.parse(source)
    for one in (node for node in tree.body if isinstance(node, ast.ClassDef)):
        for function in (node for node in one.body if isinstance(node, ast.FunctionDef) and node.name == "forward"):
            _Releases().visit_FunctionDef(function)
    return ast.unparse(ast.fix_missing_locations(tree))


def peak_of_a_step(printed, estimate, dtype, checkpointing=False):
    """The most bytes that are alive at once in a step of training with mse_loss and Adam, once that has its moments;
    without Adam's step counters, 4 bytes a parameter tensor."""
    released = type(printed)(without_idle_locals(printed.source), "released")
    module = released.module(0).to(dtype).train()
    for blocks in (one for one in module.modules() if checkpointing and isinstance(one, nn.ModuleList)):
        for block in blocks:
            block.forward = functools.partial(checkpoint, block.forward, use_reentrant=False)
    optimizer = torch.optim.Adam(module.parameters(), foreach=False)
    given = (one for one in estimate["inputs"] if not one["optional"])
    inputs = {one["name"]: judge.random_input(one, dtype).detach() for one in given}
    target = torch.zeros(estimate["output_shape"], dtype=dtype)

    def step():
        output = lambda: judge.as_tuple(module(**inputs))[0]
        F.mse_loss(output(), target).backward()
        optimizer.step()

    step()
    optimizer.zero_grad()
    tracker = MemTracker()
    tracker.track_external(module, optimizer, *inputs.values(), target)
    with judge.plain(), tracker:
        step()
    peak = sum(kinds["Total"] for kinds in tracker.get_tracker_snapshot("peak").values())
    return peak - sum(state["step"].nbytes for state in optimizer.state.values())


def distance_of_peaks(measured, said, output_bytes):
    """On a CPU the loss of mse_loss keeps the memory of the squares from which it was made, and may be alive at the peak
    or not; so may the loss and its gradient by itself, a number each."""
    difference = measured - said
    rest = min(difference, difference - output_bytes, key=abs)
    return 0 if abs(rest) <= 8 else rest
