# The numbers of every forward pass: masked, with loaded weights, with huge scores, rounded.

import copy
import math

import pytest
import torch

import judge

# Kernels in float32 against PyTorch in float64: sums of up to a few hundred products, where float32 resolves
# 6e-8. What is relative to what: judge.distance.
FLOAT32 = 1e-5

# The reference executor against PyTorch in float64: of both doubles only ours is rounded to float32 at
# the end, by half a ULP.
REFERENCE = 1.001 * 2.0**-24


def compared(run, ours, expected, tolerance, executor):
    """What differs: lines that name the run, the executor and the result."""
    far = []
    for name, result in zip(ours, judge.as_tuple(expected), strict=True):
        distance = judge.distance(ours[name], result)
        if not distance <= tolerance:
            far.append(f"{run.name}: {name} of {executor} is {distance:.1e} from PyTorch's")
        if name == "weights" and "mask" in run.inputs and (ours[name][result == 0] != 0).any():
            far.append(f"{run.name}: {executor} gives a hidden position a weight")
    return far


def ill_conditioned(module, inputs, expected):
    """Whether PyTorch's own float32 is off too: a norm over few features enlarges whatever was rounded before it. A
    quarter: other orders of the same sums are easily off by four times as much."""
    with torch.no_grad():
        own = judge.as_tuple(module(**inputs))
    return any(not judge.distance(a, b) <= FLOAT32 / 4 for a, b in zip(own, judge.as_tuple(expected)))


def in_double(module, inputs):
    """What PyTorch makes of the same numbers in float64, where its own rounding is out of the picture."""
    inputs = {name: t.double() if t.is_floating_point() else t for name, t in inputs.items()}
    with torch.no_grad():
        return copy.deepcopy(module).double()(**inputs)


@torch.no_grad()
def test_kernels_and_reference_executor_agree_with_pytorch(case):
    far = []
    for run in case.runs:
        assert run.builds
        expected = in_double(run.module, run.inputs)
        # Added to numbers that large, scores vanish in float32 and not in float64.
        nearest = run.module(**run.inputs) if run.name.endswith("lowest numbers") else expected
        off = [line for build in run.builds for line in compared(run, run.results(build), nearest, FLOAT32, build)]
        if off and not ill_conditioned(run.module, run.inputs, expected):
            far += off
        far += compared(run, run.results("reference"), expected, REFERENCE, "the reference")
    assert not far, "\n".join(far)


def rounded(tensor, format):
    """The nearest numbers of a format, as float32; int8 as cpp/run/rounding.h says."""
    if not tensor.is_floating_point():
        return tensor  # token ids
    if format != "int8":
        return tensor.to(getattr(torch, format)).float()
    step = tensor.abs().amax(dim=-1, keepdim=True) / 127  # a row of the last dimension
    return torch.where(step > 0, (tensor / step).round() * step, tensor)


def rounded_module(module, format):
    module = copy.deepcopy(module)
    with torch.no_grad():
        for parameter in module.parameters():
            if format == "int8" and parameter.dim() < 2:
                continue  # int8 leaves biases
            parameter.copy_(rounded(parameter, format))
    return module


@pytest.mark.parametrize("format", ["float16", "bfloat16", "int8"])
def test_rounded_runs_are_those_of_rounded_weights_and_inputs(case, format):
    plain = case.runs[0]
    inputs = {name: rounded(tensor, format) for name, tensor in plain.inputs.items()}
    module = rounded_module(case.loaded, format)
    expected = in_double(module, inputs)
    entry = case.entry["rounded"][format]
    ours = case.index.tensors(entry["tensors"])
    far = compared(plain, ours, expected, FLOAT32, format)
    assert not far or ill_conditioned(module, inputs, expected), "\n".join(far)
    exact = plain.results(plain.builds[0])["output"].double()
    difference = ours["output"].double() - exact
    error = entry["rounding_error"]
    assert error["max_absolute"] == difference.abs().max().item()
    relative = (difference.norm() / exact.norm()).item() if difference.any() else 0  # a relu may leave nothing
    assert math.isclose(error["relative"], relative, rel_tol=1e-12)


@pytest.mark.parametrize("format", ["float16", "bfloat16"])
def test_each_number_is_rounded_exactly_as_pytorch_does(index, format):
    for probe in index.rounding:
        values, ours = index.tensor(probe["values"]).flatten(), index.tensor(probe["rounded"][format]).flatten()
        expected = rounded(values, format)
        wrong = [f"{v.item()!r} -> {o.item()!r}, not {e.item()!r}" for v, o, e in zip(values, ours, expected) if o != e]
        assert not wrong, f"{probe['what']}: {len(wrong)} of {len(values)}, {wrong[:5]}"
