# What PyTorch itself makes of a printed module: shapes, FLOPs, saved bytes, gradients.
# Measured here and not by the printed file's own check, so that neither can cover for the other.

import ast
import copy
import sys
from collections import Counter
from contextlib import contextmanager
from types import SimpleNamespace

import torch
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import FlopCounterMode

# Kernels in float32 against PyTorch in float64: sums of up to a few hundred products, where float32 resolves
# 6e-8. What is relative to what: distance().
FLOAT32 = 1e-5

# The reference executor against PyTorch in float64: of both doubles only ours is rounded to float32 at
# the end, by half a ULP.
REFERENCE = 1.001 * 2.0**-24


class Printed:
    """The text that attnscope prints, executed."""

    def __init__(self, source, name):
        self.source = source
        self.namespace = {"__name__": "printed"}
        exec(compile(source, name, "exec"), self.namespace)
        classes = [one for one in self.namespace.values() if isinstance(one, type) and issubclass(one, nn.Module)]
        assert classes, f"{name}: prints no module"
        self.module_class = classes[-1]  # the ones before are its repeated blocks
        # Not a norm's own: what it does belongs to the line that calls it.
        self.forward_codes = {one.forward.__code__ for one in classes if not issubclass(one, (nn.LayerNorm, nn.RMSNorm))}
        self._assigned = assigned_lines(source)
        self.variables = {name for _, names in self._assigned.values() for name in names}
        self.called = called_names(source)

    def module(self, seed):
        torch.manual_seed(seed)
        return self.module_class()

    def loaded(self, state):
        module = self.module_class()
        module.load_state_dict(state, strict=True)
        return module.eval()

    def tensor_of_line(self, line):
        """The variable that the statement of forward() on this line makes, the first of several, or None."""
        return self._assigned[line][1][0] if line in self._assigned else None

    def made_by(self, class_name):
        """The variables that statements of its own make, not what a call of another module returns beside others."""
        return {name for owner, names in self._assigned.values() for name in names if owner == class_name}


PREFIXES = {
    "WindowedDecoderLayer": "window_", "NopeDecoderLayer": "nope_",
    "NopeWindowedDecoderLayer": "nope_window_", "SequenceEncoderLayer": "encoder_",
}


def name_in_estimate(class_name, variable):
    """Where another class has variables of the same names, the estimate tells those of a class by a prefix."""
    return PREFIXES.get(class_name, "") + variable


def assigned_lines(source):
    lines = {}
    for one in (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ClassDef)):
        for forward in (node for node in one.body if isinstance(node, ast.FunctionDef) and node.name == "forward"):
            for node in ast.walk(forward):
                names = [name_in_estimate(one.name, name) for name in made_names(node)]
                for line in range(node.lineno, node.end_lineno + 1) if names else ():
                    lines[line] = one.name, names
    return lines


RECURRENT = {"nn.LSTM", "nn.GRU", "nn.RNN"}


def called_names(source):
    """By the class of PyTorch's whose forward() does several steps at once, "nn.LSTM", the first variable that it gives.
    The printed class inherits from it, or has a module of it."""
    called = {}
    if not any(name in source for name in RECURRENT):
        return called
    for one in (node for node in ast.parse(source).body if isinstance(node, ast.ClassDef)):
        assignments = [(node, ast.unparse(node.value)) for node in ast.walk(one) if isinstance(node, ast.Assign)]
        functions = {"super().forward": ast.unparse(one.bases[0])} | {
            ast.unparse(node.targets[0]): value.partition("(")[0] for node, value in assignments
        }
        for function, name in functions.items():
            calls = f"{function}(", f"call_packed({function},"
            made = [made_names(node) for node, value in assignments if value.startswith(calls)]
            if name in RECURRENT and made:
                called[name] = made[0][0]
    return called


@contextmanager
def plain():
    """Without oneDNN, whose own LSTM hides its products from the counter, and keeps what no formula knows."""
    before = torch.backends.mkldnn.enabled
    torch.backends.mkldnn.enabled = False
    try:
        yield
    finally:
        torch.backends.mkldnn.enabled = before


def made_names(statement):
    """The variables that a step's statement assigns: none of a statement that unpacks a parameter, calls a layer of a
    stack or reads a mask."""
    if not isinstance(statement, ast.Assign):
        return []
    (target,), value = statement.targets, statement.value
    if isinstance(target, ast.Name):
        return [] if ast.unparse(value).startswith("padding_mask(") else [target.id]
    if not isinstance(target, ast.Tuple) or not isinstance(value, ast.Call):
        return []
    called = ast.unparse(value.func)
    names = [one.id for one in ast.walk(target) if isinstance(one, ast.Name)]
    return [] if called == "layer" or called.startswith("self.") else names


def exit_code(script):
    """What a printed script that is run ends with: 0, or what it gives to sys.exit()."""
    namespace = {"__name__": "printed"}
    exec(compile(script, "script", "exec"), namespace)
    try:
        namespace["main"]()
    except SystemExit as stopped:
        return stopped.code
    return 0


def as_tuple(results):
    return (results,) if torch.is_tensor(results) else tuple(results)


def in_double(module, inputs, names):
    """What PyTorch makes of the same numbers in float64, where its own rounding is out of the picture: a function."""
    module = copy.deepcopy(module).double()
    inputs = {name: t.double() if t.is_floating_point() else t for name, t in inputs.items()}
    compute = lambda: dict(zip(names, as_tuple(module(**inputs)), strict=True))
    compute.module, compute.inputs = module, inputs
    return compute


def storage_bytes(tensors):
    """Bytes of these tensors, each storage once."""
    return sum({t.untyped_storage().data_ptr(): t.untyped_storage().nbytes() for t in tensors}.values())


def random_input(one, dtype):
    if one.get("integer"):
        return torch.randint(0, one["limit"], one["shape"])
    return torch.randn(one["shape"]).to(dtype).requires_grad_()


def measure(printed, estimate):
    """One training step in the config's format; int8, which PyTorch does not train, in float32."""
    name = estimate["config"]["dtype"]
    dtype = torch.float32 if name == "int8" else getattr(torch, name)
    module = printed.module(0).to(dtype)
    inputs = {one["name"]: random_input(one, dtype) for one in estimate["inputs"] if not one["optional"]}
    measured = SimpleNamespace()
    measured.parameters = list(module.parameters())
    measured.inputs = list(inputs.values())
    kept = {p.untyped_storage().data_ptr() for p in measured.parameters}
    saved, saved_by_step = {}, Counter()

    def keep(tensor):
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in kept:
            kept.add(storage.data_ptr())
            saved[storage.data_ptr()] = tensor  # held, so that no other storage gets its address
            saved_by_step[printed.tensor_of_line(line_of(printed.forward_codes))] += storage.nbytes()
        return tensor

    counter = FlopCounterMode(display=False)
    with plain(), counter, torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        with traced(printed, counter) as trace:
            results = as_tuple(module(**inputs))
    measured.flops, measured.flops_by_step = counter.get_total_flops(), trace.flops
    measured.locals = trace.locals
    measured.results = results
    measured.saved, measured.saved_by_step = list(saved.values()), saved_by_step

    if measured.parameters:
        sum(result.float().sum() for result in results).backward()
    return measured


def line_of(codes):
    """The line on which the innermost running call of one of `codes` is."""
    frame = sys._getframe(1)
    while frame and frame.f_code not in codes:
        frame = frame.f_back
    return frame and frame.f_lineno


@contextmanager
def traced(printed, counter):
    """Follows forward(): the FLOPs that each of its statements adds, and its variables at the end."""
    trace = SimpleNamespace()
    trace.flops, trace.locals = Counter(), {}
    last = (None, 0)

    def inside(frame, event, _):
        nonlocal last
        total = counter.get_total_flops()
        trace.flops[printed.tensor_of_line(last[0])] += total - last[1]
        last = (frame.f_lineno, total)
        if event == "return":
            owner = type(frame.f_locals["self"]).__name__
            made = {name_in_estimate(owner, name): value for name, value in frame.f_locals.items()}
            trace.locals.update({name: made[name] for name in printed.made_by(owner) & made.keys()})
        return inside

    before = sys.gettrace()
    sys.settrace(lambda frame, *_: inside if frame.f_code in printed.forward_codes else None)
    try:
        yield trace
    finally:
        sys.settrace(before)


def distance(actual, expected):
    """The largest difference, relative to the largest magnitude of the tensor that is expected.

    Not element by element: an element near zero is a difference of large terms, and has their rounding.
    """
    assert actual.shape == expected.shape, f"shape {tuple(actual.shape)}, PyTorch has {tuple(expected.shape)}"
    if expected.numel() == 0 or torch.equal(actual.double(), expected.double()):
        return 0.0
    difference = (actual.double() - expected.double()).abs().max().item()
    return difference / max(expected.double().abs().max().item(), torch.finfo(torch.float32).tiny)


class RoundingErrors(TorchDispatchMode):
    """Moves the result of every operation in float64 by what float32 may err there: each number by up to two ULP, and
    sums of products by as much of the sum of their magnitudes, whatever cancels (Higham 2002, section 3.1). Attention is
    computed by its parts meanwhile: as one operation it would hide what large scores make of their rounding."""

    SUMS = {"mm", "bmm", "addmm", "baddbmm", "sum", "mean"}
    SIZE = 2.0**-22

    def __init__(self, seed=0):
        super().__init__()
        self._generator = torch.Generator().manual_seed(seed)
        self._parts = sdpa_kernel(SDPBackend.MATH)

    def __enter__(self):
        self._parts.__enter__()
        return super().__enter__()

    def __exit__(self, *raised):
        super().__exit__(*raised)
        self._parts.__exit__(*raised)

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        if func.is_view or not torch.is_tensor(result) or result.dtype != torch.float64:
            return result
        magnitude = result.abs()
        if func.overloadpacket.__name__ in self.SUMS:
            absolute = [a.abs() if torch.is_tensor(a) and a.is_floating_point() else a for a in args]
            magnitude = func(*absolute, **(kwargs or {}))
        noise = torch.rand(result.shape, generator=self._generator, dtype=torch.float64) * 2 - 1
        return torch.where(magnitude.isfinite(), result + self.SIZE * magnitude * noise, result)


def differences(title, ours, expected, tolerance):
    """A line for each result in `expected` from which ours is farther than `tolerance`, a number or one by name."""
    far = []
    for name, result in expected.items():
        if name not in ours and name.endswith("weights"):
            continue  # left out, as was asked for
        allowed = tolerance[name] if isinstance(tolerance, dict) else tolerance
        found = distance(ours[name], result)
        if not found <= allowed:
            far.append(f"{title}: {name} is {found:.1e} from what is right, {allowed:.1e} is allowed")
    return far


def float32_differences(title, ours, expected, again):
    """The same for results in float32. A layer may enlarge rounding errors: a norm over two features that are nearly
    equal, a score of thousands. So what is farther than FLOAT32 is held to three times as far as such errors move
    what again() makes in float64: the right result, or that of a module which has the same numbers."""
    found = differences(title, ours, expected, FLOAT32)
    if not found:
        return []
    exact = again()  # not what is expected: a difference between the two would allow itself
    with RoundingErrors():
        moved = again()
    allowed = {name: max(FLOAT32, 3 * distance(moved[name], exact[name])) for name in expected}
    return differences(title, ours, expected, allowed)
