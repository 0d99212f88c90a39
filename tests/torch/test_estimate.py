# Every figure of an estimate that PyTorch can count, exactly.

from collections import Counter

import judge
import torch
import torch.nn.functional as F
from torch.utils.flop_counter import FlopCounterMode


def expected_by_step(case, key):
    times = lambda step: 1 if key == "saved_bytes" else step["repeat"]
    found = Counter()
    for step in case.estimate["steps"]:
        name = case.printed.called[step["within"]] if "within" in step else step["output"]
        found[name] += step[key] * times(step)
    return dict(+found)


def test_parameters_are_those_of_the_module(case):
    assert case.estimate["parameters"] == sum(p.numel() for p in case.module.parameters())


def test_state_dict_has_the_names_and_shapes_of_the_module(case):
    expected = {name: tuple(tensor.shape) for name, tensor in case.module.state_dict().items()}
    assert {name: tuple(tensor.shape) for name, tensor in case.state.items()} == expected


def test_every_intermediate_has_the_shape_that_the_estimate_says(case):
    shapes = {name: tuple(shape) for name, shape in case.estimate["shapes"].items() if name not in case.inside}
    made = {name: tuple(case.measured.locals[name].shape) for name in shapes}
    assert shapes == made
    assert tuple(case.estimate["output_shape"]) == tuple(case.measured.results[0].shape)


def test_flops_are_those_of_the_flop_counter_in_total_and_in_each_step(case):
    assert case.estimate["flops"] == case.measured.flops
    assert case.estimate["flops"] == 2 * case.estimate["macs"]
    steps = {name: 2 * macs for name, macs in expected_by_step(case, "macs").items()}
    assert steps == +case.measured.flops_by_step


def test_saved_bytes_are_those_that_autograd_keeps_in_total_and_in_each_step(case):
    if case.config["dtype"] == "int8":
        assert case.estimate["memory"]["saved_for_backward"] is None
        return
    assert case.estimate["memory"]["saved_for_backward"] == judge.storage_bytes(case.measured.saved)
    assert expected_by_step(case, "saved_bytes") == dict(case.measured.saved_by_step)


def test_what_is_kept_for_backward_is_what_is_alive_when_the_forward_pass_ends(case):
    memory, measured = case.estimate["memory"], case.measured
    if case.config["dtype"] == "int8":
        assert [memory[key] for key in ("gradients", "kept_for_backward")] == [None] * 2
        return
    gradients = [p.grad.clone() for p in measured.parameters]  # some are views of a larger one
    assert memory["parameters"] == judge.storage_bytes(measured.parameters)
    assert memory["gradients"] == judge.storage_bytes(gradients)
    alive = [*measured.parameters, *gradients, *measured.inputs, *measured.saved, *measured.results]
    assert memory["kept_for_backward"] == judge.storage_bytes(alive)


def test_inputs_and_results_take_the_bytes_that_the_estimate_says(case):
    memory, measured = case.estimate["memory"], case.measured
    share = 4 if case.config["dtype"] == "int8" else 1  # measured in float32
    ids = sum(tensor.nbytes for tensor in measured.inputs if not tensor.is_floating_point())
    assert (memory["inputs"] - ids) * share + ids == sum(tensor.nbytes for tensor in measured.inputs)
    assert memory["output"] * share == sum(tensor.nbytes for tensor in measured.results)


def elements_that_adam_keeps(module):
    """Without its step counters, 4 bytes a parameter tensor, whatever its size. Changes no parameter."""
    optimizer = torch.optim.Adam(module.parameters(), lr=0)
    optimizer.step()
    states = optimizer.state.values()
    return sum(tensor.numel() for state in states for key, tensor in state.items() if key != "step")


def test_flops_of_a_training_step_are_those_of_the_flop_counter_forward_and_backward(case):
    training = case.entry["training"]
    if training is None:
        assert not case.measured.parameters or case.config["dtype"] == "int8"
        return
    module = case.module.float().train()
    module.zero_grad()
    inputs = {
        one["name"]: judge.random_input(one, torch.float32).detach()
        for one in case.estimate["inputs"]
        if not one["optional"]
    }
    with judge.plain(), FlopCounterMode(display=False) as forward:
        output = judge.as_tuple(module(**inputs))[0]
        loss = F.mse_loss(output, torch.zeros_like(output))
    with FlopCounterMode(display=False) as backward:
        loss.backward()
    moments = elements_that_adam_keeps(module)
    module.zero_grad()
    phases = training["phases"]
    assert phases["forward"]["flops"] == forward.get_total_flops()
    assert phases["backward"]["flops"] == backward.get_total_flops()
    assert training["flops"] == forward.get_total_flops() + backward.get_total_flops()
    size = sum(p.numel() for p in module.parameters()) * case.estimate["bytes_per_element"]
    assert training["memory"]["parameters"] == size
    assert training["memory"]["optimizer"] == moments * case.estimate["bytes_per_element"]
