# The lines of PyTorch that the page shows, executed as they stand there, for the numbers that it shows beside them.

import contextlib
import io
import re

import pytest
import torch

import judge

SHOWN = 6  # decimals


def executed(source, name):
    """The names that a text leaves behind, and what it printed."""
    namespace, printed = {"__name__": "printed"}, io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(source, name, "exec"), namespace)
    return namespace, printed.getvalue()


@torch.no_grad()
def test_the_file_under_a_run_gives_its_numbers_and_prints_those_that_are_shown(snippet, index):
    namespace, printed = executed(snippet["python"], snippet["title"])
    result = namespace["result"]
    assert list(result.shape) == snippet["shape"]
    sampled = lambda whole: {"output": whole.flatten()[:: snippet["step"]]}
    again = lambda: sampled(judge.as_tuple(namespace["module"].double()(**in_double(namespace)))[0])
    far = judge.float32_differences(snippet["title"], {"output": index.tensor(snippet["output"])}, sampled(result), again)
    assert not far, far
    count = len(snippet["shown"])
    shown = torch.tensor([float(text) for text in snippet["shown"]])
    near = max(judge.FLOAT32 * result.abs().max().item(), 10.0**-SHOWN)
    assert (shown - result.flatten()[:count]).abs().max() <= near
    said = torch.tensor([float(text) for text in printed.split("  ")])
    assert printed.endswith("\n") and len(said) == count and (said - shown).abs().max() <= near + 10.0**-SHOWN


def in_double(namespace):
    """The arguments of the line that calls the module, which are all tensors that a line has made before."""
    names = namespace["module"].forward.__code__.co_varnames[1 : namespace["module"].forward.__code__.co_argcount]
    tensors = {name: namespace[name] for name in names if torch.is_tensor(namespace.get(name))}
    return {name: one.double() if one.is_floating_point() else one for name, one in tensors.items()}


def test_every_preset_is_there_and_some_with_dropout(index):
    presets = [snippet for snippet in index.snippets if snippet["preset"]]
    assert {snippet["title"] for snippet in presets} == set(index.presets)
    assert {snippet["config"]["layer"] for snippet in index.snippets if not snippet["preset"]} >= {case.config["layer"] for case in index.cases}
    assert sum(snippet["config"].get("dropout", 0) > 0 for snippet in presets) >= 4
    assert any("mask=mask" in snippet["python"] for snippet in presets)


# The arguments for masks that stand above the module


@torch.no_grad()
def test_the_masks_of_a_tokenizer_as_the_page_gives_them_hide_padding(index):
    assert len(index.mask_calls) >= 20
    for shown in index.mask_calls:
        module = judge.Printed(shown["source"], shown["layer"]).module(0).eval()
        inputs = {one["name"]: drawn(one) for one in shown["inputs"]}
        (length,) = {one["shape"][step_axis(one)] for one in shown["inputs"]}
        mask = (torch.arange(length) >= torch.tensor([[0], [length // 3]])).int()  # the second text begins with padding
        others = {one["name"]: with_other_padding(one, inputs[one["name"]], mask) for one in shown["inputs"]}
        arguments = eval(f"dict({', '.join(shown['arguments'])})", {"attention_mask": mask, "memory_attention_mask": mask})
        seen = lambda given: visible(judge.as_tuple(module(**given))[0], length)
        assert torch.allclose(seen(inputs | arguments), seen(others | arguments), atol=judge.FLOAT32), shown["layer"]
        assert not torch.allclose(seen(inputs), seen(others), atol=judge.FLOAT32), shown["layer"]


def drawn(an_input):
    return torch.randint(an_input["limit"], an_input["shape"]) if an_input.get("integer") else torch.randn(an_input["shape"])


def with_other_padding(an_input, tensor, mask):
    """Other numbers where a text has padding; queries have none."""
    if "query" in an_input["axes"]:
        return tensor
    shape = [1] * tensor.dim()
    shape[0], shape[step_axis(an_input)] = mask.shape
    return torch.where(mask.bool().view(shape), tensor, drawn(an_input))


def step_axis(an_input):
    return next(i for i, axis in enumerate(an_input["axes"]) if axis in ("query", "key", "position"))


def visible(output, length):
    """Without the steps of padding, where the output has steps."""
    return output[:, length // 3 :] if output.dim() == 3 and output.shape[1] == length else output


# The mistakes


def scored(demonstration):
    """The names that the lines of the first three mistakes use."""
    namespace, _ = executed(demonstration["sources"]["plain"], "scorer")
    torch.manual_seed(demonstration["seed"])
    module = namespace["LinearScorer"]().eval()
    torch.manual_seed(demonstration["seed"] + 1)
    hidden_states = torch.randn(2, 6, 8)
    scores = module.score(hidden_states)
    row = scores.squeeze(-1)
    mask = torch.arange(6).expand(2, -1) < 3
    return dict(torch=torch, scores=scores, row=row, weights=row.softmax(dim=1), mask=mask, hidden_states=hidden_states)


def squared(demonstration):
    """Those of the last: weights without the dimension that is missing, or with it."""
    namespace, _ = executed(demonstration["sources"]["square"], "scorer")
    torch.manual_seed(demonstration["seed"])
    module = namespace["LinearScorer"]().eval()
    torch.manual_seed(demonstration["seed"] + 1)
    hidden_states = torch.randn(4, 4, 4)
    return dict(torch=torch, weights=module(hidden_states)[1], hidden_states=hidden_states)


def shown_number(pattern, text):
    return float(re.search(pattern, text)[1].replace(",", ""))


def assert_shown(values, tensor):
    assert torch.allclose(torch.tensor(values, dtype=torch.float32), tensor.flatten(), rtol=judge.FLOAT32, atol=judge.FLOAT32)


@torch.no_grad()
@pytest.mark.parametrize("side", ["wrong", "right"])
def test_the_lines_of_each_mistake_give_the_numbers_beside_them(index, side):
    for demonstration in index.demonstrations:
        for demo in demonstration["demos"]:
            one, kind = demo[side], demo["id"]
            names = squared(demonstration) if kind == "shapes" else scored(demonstration)
            exec(one["code"], names | {"nn": torch.nn}, names)
            if kind in ("dimension", "mask"):
                assert_shown(one["values"], names["weights"][0])
            elif kind == "shapes":
                assert_shown(one["values"], names["pooled"][0])
            elif kind == "scores":
                assert_shown(one["values"], names["row" if side == "wrong" else "weights"][0])
                pooled = shown_number(r"first pooled value (-?[\d.]+\d)", one["verdict"])
                assert abs(pooled - names["pooled"][0, 0].item()) <= 6e-4
            else:
                parameters = sum(parameter.numel() for parameter in names["scorer"].parameters())
                assert shown_number(r"([\d,]+) parameters", one["verdict"]) == parameters


# The tutorial

NUMBER = r"-?\d+\.\d*"


def test_each_chapter_of_the_tutorial_prints_what_its_page_says(index):
    assert len({chapter["title"] for chapter in index.tutorial}) == 6
    for chapter in index.tutorial:
        _, printed = executed(chapter["python"], chapter["title"])
        said = chapter["printed"] + "\n"
        words = lambda text: re.sub(r"\s+", "", re.sub(NUMBER, "#", text))
        assert words(printed) == words(said), chapter["title"]
        numbers = lambda text: torch.tensor([float(one) for one in re.findall(NUMBER, text)])
        assert torch.allclose(numbers(printed), numbers(said), rtol=0, atol=1.01e-4), (printed, said)


# The guide


@torch.no_grad()
def test_the_lines_of_the_guide_give_what_the_module_gives(index):
    demonstration = index.demonstrations[0]
    namespace, _ = executed(demonstration["sources"]["plain"], "scorer")
    module, hidden_states = namespace["LinearScorer"]().eval(), torch.randn(2, 6, 8)
    mask = torch.arange(6).expand(2, -1) < torch.tensor([4, 6])[:, None]
    output, weights = module(hidden_states, mask=mask)
    names = {"self": module, "torch": torch, "hidden_states": hidden_states, "mask": mask}
    pooled = []
    for line in index.guide:
        exec(line, names) if re.match(r"\w+ = ", line) else pooled.append(eval(line, names))
    assert len(pooled) == 2
    assert torch.allclose(names["weights"], weights, atol=judge.FLOAT32)
    for one in [names["output"], *pooled]:
        assert torch.allclose(one, output, atol=judge.FLOAT32)
