# The cases that write_cases.js wrote: a test that takes `case` runs for every config, and its id is that
# config.

import json
import sys
from functools import cached_property
from pathlib import Path

sys.dont_write_bytecode = True  # the checkout stays clean

import numpy
import pytest
import torch

import judge

torch.set_num_threads(1)  # the tensors are small


def pytest_addoption(parser):
    parser.addoption("--cases", required=True, help="the folder that write_cases.js wrote")
    parser.addoption("--part", default="1/1", help="K/N: the K-th of N parts; tests without a case are in the first")


def pytest_configure(config):
    folder = Path(config.invocation_params.dir, config.getoption("--cases"))
    config.index = Index(folder)


def pytest_report_header(config):
    index = config.index
    return f"PyTorch {torch.__version__} judges {len(index.cases)} configs, builds: {', '.join(index.builds)}"


class Index:
    def __init__(self, folder):
        data = json.loads((folder / "index.json").read_text())
        self._numbers = numpy.memmap(folder / "tensors.f32", dtype="<f4", mode="r")
        self.builds, self.figures = data["builds"], data["figures"]
        self.randn, self.rounding = data["randn"], data["rounding"]
        self.families, self.family_defaults = data["families"], data["family_defaults"]
        self.cases = [Case(self, entry) for entry in data["cases"]]

    def tensor(self, place):
        """A copy of the numbers at `place`, in the format that they had."""
        count = numpy.prod(place["shape"], dtype=int)
        numbers = numpy.array(self._numbers[place["offset"] : place["offset"] + count])
        tensor = torch.from_numpy(numbers).reshape(place["shape"])
        return tensor.to({"boolean": torch.bool, "integer": torch.int64}.get(place.get("kind"), tensor.dtype))

    def tensors(self, places):
        return {name: self.tensor(place) for name, place in places.items()}


class Case:
    """One config: what attnscope says of it, and the module that it prints."""

    def __init__(self, index, entry):
        self.index, self.entry = index, entry
        self.config, self.estimate, self.seed = entry["config"], entry["estimate"], entry["seed"]
        self.id = "-".join(f"{name}={value}" for name, value in self.config.items()).removeprefix("layer=")
        self.runs = [Run(self, run) for run in entry["runs"]]

    @cached_property
    def printed(self):
        return judge.Printed(self.entry["pytorch"], self.id)

    @cached_property
    def module(self):
        """As PyTorch makes it from the seed."""
        return self.printed.module(self.seed)

    @cached_property
    def loaded(self):
        """The module with attnscope's weights: a wrong draw fails its own test and no other."""
        return self.printed.loaded(self.state)

    @cached_property
    def measured(self):
        return judge.measure(self.printed, self.estimate)

    @cached_property
    def state(self):
        return self.index.tensors(self.entry["state"])


class Run:
    """One forward pass: its inputs, and the results of the reference executor and of each build."""

    def __init__(self, case, entry):
        self.case, self.entry, self.name = case, entry, entry["name"]
        self.builds = [executor for executor in entry["results"] if executor != "reference"]

    @cached_property
    def inputs(self):
        return self.case.index.tensors(self.entry["inputs"])

    @cached_property
    def module(self):
        if "state" not in self.entry:
            return self.case.loaded
        return self.case.printed.loaded(self.case.index.tensors(self.entry["state"]))

    def results(self, executor):
        return self.case.index.tensors(self.entry["results"][executor]["tensors"])


def part_of(config, cases):
    part, parts = map(int, config.getoption("--part").split("/"))
    return cases[part - 1 :: parts]


def pytest_collection_modifyitems(config, items):
    if config.getoption("--part").startswith("1/"):
        return
    items[:] = [item for item in items if "case" in getattr(item, "fixturenames", ())]


def pytest_generate_tests(metafunc):
    """A test marked `layer(name)` gets the cases of that layer alone."""
    if "case" not in metafunc.fixturenames:
        return
    mark = metafunc.definition.get_closest_marker("layer")
    cases = [case for case in part_of(metafunc.config, metafunc.config.index.cases) if not mark or case.config["layer"] in mark.args]
    metafunc.parametrize("case", cases, ids=lambda case: case.id)


@pytest.fixture(scope="session")
def index(request):
    return request.config.index


@pytest.fixture(scope="session")
def some_cases(index):
    """A few configs of each layer, one of each number format at the least."""
    some = {}
    for case in index.cases:
        some.setdefault((case.config["layer"], case.config["dtype"]), case)
    return list(some.values())
