# The numbers of every forward pass: masked, with loaded weights, with huge scores, rounded.

import copy
import math

import pytest
import torch

import judge


def weights_where_hidden(title, run, ours, expected):
    if "mask" not in run.inputs or "weights" not in ours or not ours["weights"][expected["weights"] == 0].any():
        return []
    return [f"{title} gives a hidden position a weight"]


@torch.no_grad()
def test_kernels_and_reference_executor_agree_with_pytorch(case):
    far = []
    for run in case.runs:
        assert run.builds
        results = {executor: run.results(executor) for executor in ["reference", *run.builds]}
        right = judge.in_double(run.module, run.inputs, results["reference"])
        expected = right()
        # Added to numbers that large, scores vanish in float32 and not in float64.
        lowest = run.name.endswith("lowest numbers")
        nearest = dict(zip(expected, judge.as_tuple(run.module(**run.inputs)))) if lowest else expected
        for executor, ours in results.items():
            title = f"{run.name}, {executor}"
            if executor == "reference":
                far += judge.differences(title, ours, expected, judge.REFERENCE)
            else:
                far += judge.float32_differences(title, ours, nearest, right)
            far += weights_where_hidden(title, run, ours, expected if executor == "reference" else nearest)
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


@torch.no_grad()
@pytest.mark.parametrize("format", ["float16", "bfloat16", "int8"])
def test_rounded_runs_are_those_of_rounded_weights_and_inputs(case, format):
    plain = case.runs[0]
    inputs = {name: rounded(tensor, format) for name, tensor in plain.inputs.items()}
    module = rounded_module(case.loaded, format)
    entry = case.entry["rounded"][format]
    ours = case.index.tensors(entry["tensors"])
    right = judge.in_double(module, inputs, ours)
    far = judge.float32_differences(format, ours, right(), right)
    assert not far, "\n".join(far)
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
