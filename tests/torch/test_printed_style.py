# What is printed is as short as a careful person would write it for one config: nothing stands there that is not used.

import ast
import tokenize
from collections import Counter
from io import StringIO

WIDTH = 100  # columns of code, comments left out


def functions_of(tree):
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]


def names_read(node):
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)}


def defined(tree):
    """The names of the imports, functions and classes of a file, as often as they are defined."""
    imported = [alias.asname or alias.name for one in tree.body if isinstance(one, (ast.Import, ast.ImportFrom)) for alias in one.names]
    return imported + [one.name for one in tree.body if isinstance(one, (ast.FunctionDef, ast.ClassDef))]


def unused_definitions(tree, given):
    read = Counter(name for one in tree.body for name in names_read(one) - {getattr(one, "name", None)})
    return [f"{name} is not used" for name in defined(tree) if name not in given and not read[name]]


def unused_locals(function):
    stored = {one.id for one in ast.walk(function) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    arguments = {one.arg for one in function.args.args} - {"self"}
    return [f"{name} of {function.name}() is not used" for name in sorted((stored | arguments) - {"_"} - names_read(function))]


def path_of(node):
    """"self.mlp.up_proj" of an attribute; "" of anything else."""
    names = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(names)]) if names and isinstance(node, ast.Name) else ""


def paths_in(path, value):
    """The paths of what is assigned to one: those of the modules in an nn.ModuleDict."""
    if not isinstance(value, ast.Call) or path_of(value.func) != "nn.ModuleDict":
        return {path}
    (modules,) = value.args
    return {inner for key, one in zip(modules.keys, modules.values) for inner in paths_in(f"{path}.{key.value}", one)}


def unused_attributes(one):
    attributes = [node for node in ast.walk(one) if isinstance(node, ast.Attribute)]
    read = {path_of(node) for node in attributes if isinstance(node.ctx, ast.Load)}
    assigned = [(target, node.value) for node in ast.walk(one) if isinstance(node, ast.Assign) for target in node.targets]
    made = {path for target, value in assigned if isinstance(target, ast.Attribute) for path in paths_in(path_of(target), value)}
    is_read = lambda path: any(used == path or used.startswith(f"{path}.") for used in read)
    return [f"{path} of {one.name} is not used" for path in sorted(made) if not is_read(path)]


def arguments_never_given(tree):
    """Parameters of a helper for which no call in the file gives a value."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
    called = {id(call.func) for call in calls}
    handed_on = {one.id for one in ast.walk(tree) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load) and id(one) not in called}
    found = []
    for helper in (one for one in tree.body if isinstance(one, ast.FunctionDef) and one.name not in handed_on):
        own = [call for call in calls if call.func.id == helper.name]
        given = {keyword.arg for call in own for keyword in call.keywords}
        most = max((len(call.args) for call in own), default=0)
        found += [f"{name.arg} of {helper.name}() is never given" for name in helper.args.args[most:] if name.arg not in given]
    return found


def wide_lines(source):
    comments = {token.start for token in tokenize.generate_tokens(StringIO(source).readline) if token.type == tokenize.COMMENT}
    starts = dict(comments)
    code = [line[: starts.get(number, len(line))].rstrip() for number, line in enumerate(source.splitlines(), 1)]
    return [f"line {number} has {len(line)} columns" for number, line in enumerate(code, 1) if len(line) > WIDTH]


def complaints(source, layer=None):
    """What a reader would cross out. `layer`: the class that the file is printed for, which nothing in it uses."""
    tree = ast.parse(source)
    found = unused_definitions(tree, {layer}) + arguments_never_given(tree) + wide_lines(source)
    found += [f"{name} is defined {times} times" for name, times in Counter(defined(tree)).items() if times > 1]
    found += [one for function in functions_of(tree) for one in unused_locals(function)]
    found += [one for node in tree.body if isinstance(node, ast.ClassDef) for one in unused_attributes(node)]
    return found


def test_nothing_is_printed_that_is_not_used(case):
    assert complaints(case.entry["module_only"], case.printed.module_class.__name__) == []


def test_nothing_of_masks_is_printed_where_they_are_left_out(case):
    assert complaints(case.entry["unmasked"]) == []
    tree = ast.parse(case.entry["unmasked"])
    assert not [name for name in names_read(tree) if name.endswith("mask")]
    assert not [one.arg for one in ast.walk(tree) if isinstance(one, ast.arg) and one.arg.endswith("mask")]


def test_no_module_is_only_a_name_for_others(case):
    assert "nn.Module()" not in case.entry["unmasked"]


def test_nothing_of_the_self_check_is_printed_that_is_not_used(case):
    assert complaints(case.entry["pytorch"]) == []


def test_nothing_of_a_script_of_training_is_printed_that_is_not_used(training):
    assert complaints(training.entry["script"]) == []


FAULTY = '''import math
import torch
from torch import nn


def shift(x, by, twice=False):
    y = x + by
    return x + by if twice else x


def idle(x):
    return x


def shift(x):
    return x


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.mlp = nn.ModuleDict({
            "up": nn.Linear(4, 4),
            "down": nn.Linear(4, 4),
        })

    def forward(self, x, mask=None):
        return shift(torch.relu(self.mlp.up(x)), 1) + torch.zeros_like(x) + torch.zeros_like(x) + torch.ones_like(x)  # (4, 4)
'''


def test_the_check_finds_each_fault():
    assert complaints(FAULTY, "Layer") == [
        "math is not used",
        "idle is not used",
        "twice of shift() is never given",
        "x of idle() is never given",
        "line 28 has 116 columns",
        "shift is defined 2 times",
        "y of shift() is not used",
        "mask of forward() is not used",
        "self.mlp.down of Layer is not used",
    ]
