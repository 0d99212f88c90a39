# What PyTorch makes between the steps of a printed module, by the names by which attnscope's forward() returns it.

import ast

import judge
import torch
from torch import nn


class _Records(ast.NodeTransformer):
    """Has each statement of a forward() that makes a variable tell what it is, and masked_softmax what it exponentiates."""

    def visit_FunctionDef(self, node):
        if node.name == "masked_softmax":
            node.body = [line for one in node.body for line in self._masked(one)]
        if node.name == "forward":
            node.body = [line for one in node.body for line in (one, *self._told(one))]
        return node

    def _masked(self, statement):
        """What goes into softmax is there when no mask came, and when the mask has been added."""
        added = ast.parse("masked.append(scores)").body
        if ast.unparse(statement).startswith("if mask is None:"):
            statement.body[:0] = added
        elif ast.unparse(statement).startswith("hidden = "):
            yield from added
        yield statement

    def _told(self, statement):
        for made in judge.made_names(statement):
            if isinstance(statement.value, ast.Call) and ast.unparse(statement.value.func).endswith("_softmax"):
                scores = statement.value.args[0].id
                yield from ast.parse(f"tell(self, 'masked_{scores}', masked.pop())").body
            yield from ast.parse(f"tell(self, '{made}', {made})").body


def recorded(printed):
    tree = _Records().visit(ast.parse(printed.source))
    return type(printed)(ast.unparse(ast.fix_missing_locations(tree)), "recorded")


def in_double(printed, state, inputs):
    """A function that gives every variable in float64: "scores", or "model.layers.3.scores" of a layer of a stack."""
    recording = recorded(printed)
    again = judge.in_double(recording.loaded(state), inputs, [])
    paths = {owner: path for path, owner in again.module.named_modules()}

    def compute():
        made = {}

        def tell(owner, name, value):
            # Not a norm's own: what it does belongs to the line that calls it.
            if torch.is_tensor(value) and not isinstance(owner, nn.RMSNorm):
                made[f"{paths[owner]}.{name}".removeprefix(".")] = value

        recording.namespace.update(tell=tell, masked=[])
        compute.results = judge.as_tuple(again.module(**again.inputs))
        return made

    compute.module, compute.inputs = again.module, again.inputs
    return compute
