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
    parser.addoption("--name", help="the only test to run, with its parameters in brackets")


def pytest_configure(config):
    folder = Path(config.invocation_params.dir, config.getoption("--cases"))
    config.index = Index(folder)


seconds, failed = {}, []


def pytest_runtest_logreport(report):
    file = f"tests/torch/{report.location[0].rsplit('/', 1)[-1]}"
    seconds[file] = seconds.get(file, 0) + report.duration
    if report.failed:
        failed.append({"name": report.nodeid.split("::", 1)[-1], "file": file})


def pytest_terminal_summary(terminalreporter):
    """Which tests failed and how long each file took, for `npm test` (tools/counts.js)."""
    if failed:
        terminalreporter.write_line(f"failed {json.dumps(failed)}")
    rounded = {file: round(took, 1) for file, took in seconds.items()}
    terminalreporter.write_line(f"seconds {json.dumps(rounded)}")


def pytest_sessionfinish(session, exitstatus):
    if session.config.getoption("--name") and exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
        session.exitstatus = pytest.ExitCode.OK  # another part has it


def pytest_report_header(config):
    index = config.index
    return f"PyTorch {torch.__version__} judges {len(index.cases)} configs, builds: {', '.join(index.builds)}"


class Index:
    def __init__(self, folder):
        data = json.loads((folder / "index.json").read_text())
        self._numbers = numpy.memmap(folder / "tensors.f32", dtype="<f4", mode="r")
        self.folder = folder
        self.builds, self.layers, self.gate = data["builds"], data["layers"], data["gate"]
        self.cases = [Case(self, entry) for entry in data["cases"]]
        rest = lambda key: data.get(key, [])  # configs of chosen layers come without all else
        self.randn, self.randint, self.rounding = rest("randn"), rest("randint"), rest("rounding")
        self.figures, self.families, self.family_defaults = rest("figures"), rest("families"), rest("family_defaults")
        self.headless, self.other_caches = rest("headless"), rest("other_caches")
        self.model_types = data.get("model_types")
        self.peers = [Case(self, entry) for entry in rest("peers")]
        self.decodings = [Decoding(self, entry) for entry in rest("decodings")]
        self.checkpoints = [Checkpoint(self, entry, folder) for entry in rest("checkpoints")]
        self.trainings = [Training(self, entry) for entry in rest("trainings")]
        self.run_scripts, self.peaks, self.lab_runs = rest("run_scripts"), rest("peaks"), rest("lab_runs")
        self.snippets, self.presets, self.long_sums = rest("snippets"), rest("presets"), rest("long_sums")
        self.mask_calls = rest("mask_calls")
        self.demonstrations, self.tutorial, self.guide = rest("demonstrations"), rest("tutorial"), rest("guide")

    def tensor(self, place):
        """A copy of the numbers at `place`, in the format that they had."""
        count = numpy.prod(place["shape"], dtype=int)
        numbers = numpy.array(self._numbers[place["offset"] : place["offset"] + count])
        tensor = torch.from_numpy(numbers).reshape(place["shape"])
        return tensor.to({"boolean": torch.bool, "integer": torch.int64}.get(place.get("kind"), tensor.dtype))

    def tensors(self, places):
        return {name: self.tensor(place) for name, place in places.items()}


def id_of(config):
    return "-".join(f"{name}={value}" for name, value in config.items()).removeprefix("layer=")


class Case:
    """One config: what attnscope says of it, and the module that it prints."""

    def __init__(self, index, entry):
        self.index, self.entry = index, entry
        self.config, self.estimate, self.seed = entry["config"], entry["estimate"], entry["seed"]
        self.id = id_of(self.config)
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

    @property
    def packed(self):
        """The file of its weights, which not every case has."""
        return self.index.folder / "packed" / self.entry["packed"]["name"]

    @cached_property
    def measured(self):
        return judge.measure(self.printed, self.estimate)

    @cached_property
    def inside(self):
        """Names of what is made within one call of PyTorch's, which printed code does not see."""
        steps = [step for step in self.estimate["steps"] if "within" in step]
        made = {one for step in steps for one in [step["output"], *(f["name"] for f in step.get("further_outputs", []))]}
        return {*made, *(f"stacked_{name}" for name in made)} - self.printed.variables

    def outside(self, names):
        """Those of these names of tensors, "positions.3.hidden" of "hidden", that printed code sees."""
        return {name for name in names if name.rpartition(".")[2] not in self.inside}

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
    def state(self):
        return self.case.index.tensors(self.entry["state"]) if "state" in self.entry else self.case.state

    @cached_property
    def module(self):
        return self.case.printed.loaded(self.state) if "state" in self.entry else self.case.loaded

    @property
    def gradients(self):
        """(gradients by the results, gradients by inputs and parameters of each executor), or None."""
        entry = self.entry.get("gradients")
        if not entry:
            return None
        tensors = self.case.index.tensors
        results = {executor: tensors(one["tensors"]) for executor, one in entry["results"].items()}
        return tensors(entry["given"]), results

    @property
    def between(self):
        """Every tensor between the steps, of each executor."""
        tensors = self.case.index.tensors
        return {executor: tensors(one["tensors"]) for executor, one in self.entry["between"].items()}

    def results(self, executor):
        return self.case.index.tensors(self.entry["results"][executor]["tensors"])


class Decoding:
    """One sequence, in one forward pass and in steps of several sizes with a KV cache."""

    def __init__(self, index, entry):
        self.index, self.entry = index, entry
        self.config = entry["config"]
        self.id = id_of(self.config)

    @cached_property
    def state(self):
        return self.index.tensors(self.entry["state"])

    @cached_property
    def inputs(self):
        return self.index.tensors(self.entry["inputs"])

    @cached_property
    def whole(self):
        return self.index.tensors(self.entry["whole"]["tensors"])

    @cached_property
    def in_double(self):
        """The pass over all of it, by PyTorch in float64: a function."""
        module = judge.Printed(self.entry["pytorch"], self.id).loaded(self.state)
        return judge.in_double(module, self.inputs, self.whole)

    def steps(self):
        """For each size of steps (where each starts and the last one ends, the results of each)."""
        return [
            (one["positions"], [self.index.tensors(step["tensors"]) for step in one["steps"]]) for one in self.entry["chunks"]
        ]


class Training:
    """A training run: what attnscope was given and what it made of it."""

    def __init__(self, index, entry):
        self.index, self.entry, self.config = index, entry, entry["config"]
        self.id = f"{id_of(entry['options'])}-{self.config['layer']}"

    @cached_property
    def printed(self):
        return judge.Printed(self.entry["pytorch"], self.id)

    @cached_property
    def data(self):
        return [self.index.tensors(batch) for batch in self.entry["data"]]

    def __getattr__(self, name):
        if name not in ("initial", "parameters", "moments", "gradients"):
            raise AttributeError(name)
        return self.index.tensors(self.entry[name])


class Checkpoint(Case):
    """A model of transformers, sized by its config.json, with its own weights."""

    def __init__(self, index, entry, folder):
        super().__init__(index, entry)
        self.id, self.folder = entry["name"], folder / "checkpoints" / entry["folder"]
        self.model_type, self.renamed, self.differs = entry["model_type"], entry["renamed"], entry["differs"]

    def steps(self):
        """For each size of steps their outputs, one after another."""
        tensors = lambda step: self.index.tensor(step["tensors"]["output"])
        return {one["size"]: torch.cat([tensors(step) for step in one["steps"]], dim=1) for one in self.entry["chunks"]}


def part_of(config, cases):
    """Of N processes each judges every N-th case, in all of its tests, so that a module is made once."""
    part, parts = map(int, config.getoption("--part").split("/"))
    return [case for position, case in enumerate(cases) if position % parts == part - 1]


def pytest_collection_modifyitems(config, items):
    if config.index.layers:
        params = lambda item: item.callspec.params if hasattr(item, "callspec") else {}
        items[:] = [item for item in items if isinstance(params(item).get("case"), Case)]
    if config.index.gate:
        items[:] = [item for item in items if not item.get_closest_marker("full")]
    name = config.getoption("--name")
    if name:
        items[:] = [item for item in items if item.nodeid.split("::", 1)[-1] == name]
    if not config.getoption("--part").startswith("1/"):
        items[:] = [item for item in items if {"case", "decoding", "checkpoint", "snippet", "training", "run_script", "lab_run"} & set(getattr(item, "fixturenames", ()))]


def pytest_generate_tests(metafunc):
    """A test marked `layer(name)` gets the cases of that layer alone, with `only` those whose config it holds for; one
    marked `peer(name)` gets those drawn for that peer, one marked `packed` those that are written as a file too, one
    marked `between` those of which every tensor between the steps is there."""
    index, definition = metafunc.config.index, metafunc.definition
    part = lambda cases: part_of(metafunc.config, cases)
    layer, peer, packed, between = map(definition.get_closest_marker, ("layer", "peer", "packed", "between"))

    def chosen(case):
        only = layer.kwargs.get("only", bool) if layer else None
        if packed and "packed" not in case.entry:
            return False
        if between and "between" not in case.entry["runs"][0]:
            return False
        return not layer or (case.config["layer"] in layer.args and only(case.config))

    if "case" in metafunc.fixturenames:
        of_peer = lambda case: case.entry["peer"] in peer.args
        cases = filter(of_peer, part(index.peers)) if peer else filter(chosen, part(index.cases))
        if between:  # of few cases each part takes its share
            cases = part([case for case in index.cases if chosen(case)])
        metafunc.parametrize("case", list(cases), ids=lambda case: case.id)
    if "checkpoint" in metafunc.fixturenames:
        metafunc.parametrize("checkpoint", part(index.checkpoints), ids=lambda one: one.id)
    if "training" in metafunc.fixturenames:
        metafunc.parametrize("training", part(index.trainings), ids=lambda one: one.id)
    if "run_script" in metafunc.fixturenames:
        metafunc.parametrize("run_script", part(index.run_scripts), ids=lambda one: one["title"])
    if "lab_run" in metafunc.fixturenames:
        metafunc.parametrize("lab_run", part(index.lab_runs), ids=lambda one: one["title"])
    if "snippet" in metafunc.fixturenames:
        metafunc.parametrize("snippet", part(index.snippets), ids=lambda one: f"{one['title']}, {one['mask']}")
    if "decoding" in metafunc.fixturenames:
        metafunc.parametrize("decoding", list(filter(chosen, part(index.decodings))), ids=lambda one: one.id)


@pytest.fixture(scope="session")
def index(request):
    return request.config.index
