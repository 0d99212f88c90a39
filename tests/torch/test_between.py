# Every tensor between the steps of a layer, against the local variables of the module that is printed for it.

import pytest
import torch

import between
import judge


def hidden(tensors):
    return {name: tensor.isneginf() for name, tensor in tensors.items()}


def seen(tensors):
    """0 in place of -inf, whose differences are no numbers."""
    return {name: tensor.masked_fill(tensor.isneginf(), 0) for name, tensor in tensors.items()}


@torch.no_grad()
@pytest.mark.between
def test_every_tensor_between_the_steps_is_what_pytorch_makes(case):
    far, runs = [], [run for run in case.runs if "between" in run.entry]
    assert runs
    for run in runs:
        right = between.in_double(case.printed, run.state, run.inputs)
        expected = right()
        for executor, ours in run.between.items():
            title = f"{run.name}, {executor}"
            assert case.outside(ours) == expected.keys(), title
            ours = {name: ours[name] for name in expected}
            places = hidden(expected)
            far += [f"{title}: {name} hides others" for name, own in hidden(ours).items() if not own.equal(places[name])]
            if executor == "reference":
                far += judge.differences(title, seen(ours), seen(expected), judge.REFERENCE)
            else:
                far += judge.float32_differences(title, seen(ours), seen(expected), lambda: seen(right()))
    assert not far, "\n".join(far)
