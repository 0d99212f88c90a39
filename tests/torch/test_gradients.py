# The backward pass: gradients by every parameter, every input of numbers and, of some runs, all that steps make.

from collections import Counter

import between
import judge
import torch


def gradients(run, given):
    """A function that gives PyTorch's in float64, by inputs, parameters and variables of forward() together; without
    those that are None. Its `left_out` names the variables of which autograd has no gradient of their own: constant
    tables, several that are one tensor (what a dropout is given and makes here), and masked scores, which are no steps."""
    compute = between.in_double(run.case.printed, run.state, run.inputs)
    optional = {one["name"] for one in run.case.estimate["inputs"] if one["optional"]}
    floats = {name: t for name, t in compute.inputs.items() if t.is_floating_point() and name not in optional}
    wanted = {**{name: t.requires_grad_() for name, t in floats.items()}, **dict(compute.module.named_parameters())}

    def again():
        made = compute()
        total = sum((result * by.double()).sum() for result, by in zip(compute.results, given.values(), strict=True))
        times = Counter(id(tensor) for tensor in [*made.values(), *wanted.values()])
        is_own = lambda name, tensor: tensor.requires_grad and times[id(tensor)] == 1 and "masked_" not in name
        again.left_out = {name for name, tensor in made.items() if not is_own(name, tensor)}
        variables = {name: made[name] for name in made.keys() - again.left_out}
        asked = {**wanted, **(variables if "between" in run.entry else {})}
        found = torch.autograd.grad(total, list(asked.values()), allow_unused=True)
        return {name: gradient for name, gradient in zip(asked, found, strict=True) if gradient is not None}

    return again


def largest(gradients):
    return {name: gradient.abs().max().item() for name, gradient in gradients.items()}


def distances(ours, expected):
    return largest({name: ours[name].double() - right for name, right in expected.items()})


def beyond(title, found, allowed):
    return [
        f"{title}: {name} is {found[name]:.1e} from what is right, {allowed[name]:.1e} is allowed"
        for name in found
        if not found[name] <= allowed[name]
    ]


def gradient_differences(title, ours, expected, again):
    """Each number of a gradient is a sum, and some are 0 by theory: the bias of keys, which a softmax takes away. What
    is left of those is the rounding of terms as large as the layer's other gradients. again() is None for the
    reference, which is rounded once; as of other results in float32, three times what such rounding moves is allowed,
    the most of three draws."""
    most, found = largest(expected), distances(ours, expected)
    terms = max(most.values())
    relative, of_terms = (judge.REFERENCE, 1e-13) if again is None else (judge.FLOAT32, 2.0**-22)
    allowed = {name: relative * size + of_terms * terms for name, size in most.items()}
    if again is None or not beyond(title, found, allowed):
        return beyond(title, found, allowed)
    for seed in range(3):
        with judge.RoundingErrors(seed):
            moved = again()
        for name, size in distances(moved, expected).items():
            allowed[name] = max(allowed[name], 3 * size)
    return beyond(title, found, allowed)


def test_gradients_are_those_of_autograd(case):
    far = []
    judged = [run for run in case.runs if run.gradients]
    assert judged
    for run in judged:
        given, results = run.gradients
        assert len(results) > 1, "no kernels"
        right = gradients(run, given)
        expected = right()
        assert not any(gradient.isnan().any() for gradient in expected.values()), "PyTorch gives NaN"
        for executor, ours in results.items():
            title = f"{run.name}, {executor}"
            alone = case.outside(ours.keys() - expected.keys()) - right.left_out
            extra = {name for name in alone if ours[name].any()}
            missing = {name for name in expected.keys() - ours.keys() if expected[name].any()}
            far += [f"{title}: {name} has a gradient here alone" for name in extra]
            far += [f"{title}: {name} has a gradient in PyTorch alone" for name in missing]
            both = {name: gradient for name, gradient in expected.items() if name in ours}
            far += gradient_differences(title, ours, both, None if executor == "reference" else right)
    assert not far, "\n".join(far)
