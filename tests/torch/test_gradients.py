# The backward pass: gradients by every parameter and every input of numbers.

import judge
import torch


def gradients(module, inputs, given):
    """A function that gives PyTorch's in float64, by inputs and parameters together; None where nothing depends."""
    compute = judge.in_double(module, inputs, given)

    def again():
        module, inputs = compute.module, compute.inputs
        wanted = {name: t.requires_grad_() for name, t in inputs.items() if t.is_floating_point() and name != "mask"}
        wanted = {**wanted, **dict(module.named_parameters())}
        results = compute()
        total = sum((results[name] * gradient.double()).sum() for name, gradient in given.items())
        made = torch.autograd.grad(total, list(wanted.values()), allow_unused=True)
        return {name: gradient for name, gradient in zip(wanted, made, strict=True) if gradient is not None}

    return again


def test_gradients_are_those_of_autograd(case):
    far = []
    judged = [run for run in case.runs if run.gradients]
    assert judged
    for run in judged:
        given, results = run.gradients
        assert len(results) > 1, "no kernels"
        right = gradients(run.module, run.inputs, given)
        expected = right()
        for executor, ours in results.items():
            title = f"{run.name}, {executor}"
            extra = {name for name in ours.keys() - expected.keys() if ours[name].any()}
            missing = {name for name in expected.keys() - ours.keys() if expected[name].any()}
            far += [f"{title}: {name} has a gradient here alone" for name in extra]
            far += [f"{title}: {name} has a gradient in PyTorch alone" for name in missing]
            both = {name: gradient for name, gradient in expected.items() if name in ours}
            if executor == "reference":
                far += judge.differences(title, ours, both, judge.REFERENCE)
            else:
                again = lambda: {name: gradient for name, gradient in right().items() if name in ours}
                far += judge.float32_differences(title, ours, both, again)
    assert not far, "\n".join(far)
