# One attention weight with the numbers that it is made of, against the local variables of the module that is printed.

import pytest
import torch

import between
import judge

HIDDEN = -torch.inf
OPS = {"scale": "multiply"}  # by a learned factor


class Cell:
    """One cell of the attention weights, as PyTorch computes it."""

    def __init__(self, case, run, entry, made):
        self.entry, self.made = entry, made
        self.state, self.given = run.state, {**run.state, **run.inputs}
        self.steps = {step["output"]: step for step in case.estimate["steps"]}
        self.softmax = self.steps[entry["softmax"]]
        self.at = dict(zip(self.softmax["axes"], entry["place"], strict=True))
        self.at.setdefault("key", self.at.get("position"))

    def tensor(self, name):
        made = self.entry["names"].get(name)
        return self.made[made] if made else self.given[name].double()

    def place(self, step):
        """Of the cell in what a step makes."""
        return tuple(self.at["key"] if axis == "position" else self.at.get(axis, 0) for axis in step["axes"])

    def row(self, step):
        """What a step makes for all keys: the cell is one of them."""
        keys = [self.at["key"] if axis in ("key", "position") else None for axis in step["axes"]]
        keys = [slice(None) if key is not None else at for key, at in zip(keys, self.place(step), strict=True)]
        return self.tensor(step["output"])[tuple(keys)]

    def chain(self):
        """The steps from the products of features to the scores, or from a score of the position alone."""
        step, steps = self.steps[self.entry["scores"]], []
        while step["op"] not in ("matmul", "linear", "each_sequence"):
            steps.insert(0, step)
            step = self.steps[step["inputs"][0]]
        return step, steps

    def factors(self, step):
        if step["op"] == "each_sequence":
            return torch.zeros(2, 0, dtype=torch.float64)
        left, right = step["inputs"][:2]
        x, y, place = self.tensor(left), self.tensor(right), self.place(step)
        x = x[place[:-1]]
        if step["op"] == "linear":
            return x, y[0]
        return (x, y[:, 0]) if right in self.state else (x, y[(*place[:-2], self.at["key"])])

    def value(self):
        """The values of all keys, and the row of the output, of the step that puts them together; None where none does."""
        weights = {self.entry["softmax"]}
        for step in self.steps.values():
            if step["inputs"][0] not in weights:
                continue
            if step["op"] == "dropout":
                weights.add(step["output"])
            elif step["op"] in ("matmul", "weighted_sum", "weigh"):
                place = self.place(step)[:-1]
                of_values = place if step["op"] == "weighted_sum" else place[:-1]
                return self.tensor(step["inputs"][1])[of_values], self.tensor(step["output"])[place]
        return None

    def right(self):
        """All numbers of the explanation; those of one key among those of all, by whose magnitude their rounding is judged."""
        multiply, links = self.chain()
        x, y = self.factors(multiply)
        links = [step for step in links if step["op"] != "squeeze"]
        masked = self.tensor(self.entry["masked"])[self.place(self.softmax)[:-1]]
        visible = not masked.isneginf().all()
        exponentials = (masked - masked.max()).exp() if visible else torch.zeros_like(masked)
        weights = self.row(self.softmax)
        numbers = {"left": x, "right": y, "products": x * y, "sum": torch.cat([(x @ y)[None], x * y])}
        if len(multiply["inputs"]) > 2 or multiply["op"] == "each_sequence":
            numbers["bias"] = self.row(multiply)
        numbers |= {f"{step['op']} {i}": self.row(step) for i, step in enumerate(links)}
        numbers |= {"masked": masked, "total": exponentials.sum()[None], "exponential": exponentials, "weight": weights}
        if value := self.value():
            features, total = value
            numbers |= {"value": features[self.at["key"]], "added": weights[:, None] * features, "output": total}
        return numbers

    def ours(self, cell, right):
        """The same of the explanation, whose single numbers take their place in the row."""
        number = lambda value: HIDDEN if value is None else value
        placed = lambda name, value: right[name].index_put((torch.tensor(self.at["key"]),), torch.tensor(number(value), dtype=torch.float64))
        products = sorted(cell["products"], key=lambda one: one["feature"])
        tensor = lambda values: torch.tensor([number(value) for value in values], dtype=torch.float64)
        each = tensor([one["product"] for one in products])
        numbers = {
            "left": tensor([one["left"]["value"] for one in products]),
            "right": tensor([one["right"]["value"] for one in products]),
            "products": each,
            "sum": torch.cat([tensor([cell["sum"]]), each]),
            "masked": tensor(cell["row"]["scores"]),
            "total": tensor([cell["row"]["sum"]]),
            "exponential": placed("exponential", cell["exponential"]),
            "weight": placed("weight", cell["weight"]),
        }
        lines = [name for name in right if name not in numbers and name not in ("value", "added", "output")]
        numbers |= {name: placed(name, line["value"]) for name, line in zip(lines, cell["lines"], strict=True)}
        assert all(name.split()[0] in (OPS.get(line["op"]), line["op"], "add") for name, line in zip(lines, cell["lines"], strict=True))
        if cell["value"]:
            value = cell["value"]
            added = right["added"].index_put((torch.tensor(self.at["key"]),), tensor(value["added"]))
            numbers |= {"value": tensor(value["features"]), "added": added, "output": tensor(value["total"])}
        return numbers


def seen(numbers):
    """0 in place of -inf, whose differences are no numbers."""
    return {name: tensor.masked_fill(tensor.isneginf(), 0) for name, tensor in numbers.items()}


@torch.no_grad()
@pytest.mark.between
def test_every_line_of_an_explained_weight_is_what_pytorch_computes(case):
    far, runs = [], [run for run in case.runs if "explained" in run.entry]
    attends = any(step["op"] == "softmax" for step in case.estimate["steps"])
    assert runs and all(bool(run.entry["explained"]) == attends for run in runs)
    for run in runs:
        right = between.in_double(case.printed, run.state, run.inputs)
        made = right()
        for entry in run.entry["explained"]:
            again = lambda: seen(Cell(case, run, entry, right()).right())
            cell = Cell(case, run, entry, made)
            expected = cell.right()
            for build, explanation in entry["cells"].items():
                title, ours = f"{run.name}, {build}, {cell.at}", cell.ours(explanation, expected)
                assert ours.keys() == expected.keys(), title
                assert ours["masked"].isneginf().equal(expected["masked"].isneginf()), f"{title} hides others"
                far += judge.float32_differences(title, seen(ours), seen(expected), again)
    assert not far, "\n".join(far)
