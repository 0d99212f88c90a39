# The printed file as a user has it: run by itself it says OK, and notices any figure that is wrong.

import ast
import contextlib
import io
import runpy
import subprocess
import sys

import torch

import judge


def figures(source):
    """Where each number of EXPECTED stands: [(key, start, end)], as offsets into the source."""
    (table,) = [
        node.value for node in ast.parse(source).body
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "EXPECTED"
    ]
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    return [
        (key.value, starts[number.lineno - 1] + number.col_offset, starts[number.end_lineno - 1] + number.end_col_offset)
        for key, value in zip(table.keys, table.values)
        for number in ast.walk(value)
        if isinstance(number, ast.Constant) and isinstance(number.value, int)
    ]


def run_here(path):
    """What `python3 path` prints, and its exit code, without the seconds that PyTorch takes to start."""
    printed = io.StringIO()
    onednn = torch.backends.mkldnn.enabled  # which a file may switch off for its process
    with contextlib.redirect_stdout(printed):
        try:
            runpy.run_path(str(path), run_name="__main__")
            code = 0
        except SystemExit as exit:
            code = exit.code
    torch.backends.mkldnn.enabled = onednn
    return printed.getvalue(), code


def start_alone(path, source):
    path.write_text(source)
    return subprocess.Popen([sys.executable, "-B", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def with_wrong(source, start, end):
    return source[:start] + str(int(source[start:end]) + 1) + source[end:]


def test_every_file_says_ok(case, tmp_path):
    path = tmp_path / "layer.py"
    path.write_text(case.entry["pytorch"])
    assert run_here(path) == ("OK\n", 0)


def test_every_file_without_masks_says_ok(case, tmp_path):
    path = tmp_path / "layer.py"
    path.write_text(case.entry["unmasked"])
    assert run_here(path) == ("OK\n", 0)


@torch.no_grad()
def test_without_masks_the_module_gives_what_it_gives_with_them_left_out(case):
    namespace = {"__name__": "printed"}
    exec(compile(case.entry["unmasked"], case.id, "exec"), namespace)
    module = namespace[case.printed.module_class.__name__]()
    module.load_state_dict(case.state, strict=True)
    plain = case.runs[0]
    results, expected = (judge.as_tuple(one.eval()(**plain.inputs)) for one in (module, plain.module))
    assert all(torch.equal(*both) for both in zip(results, expected, strict=True))


def test_each_wrong_figure_is_a_mismatch(index, tmp_path):
    """In the file of one config of each layer: each figure costs a run of the file."""
    path = tmp_path / "layer.py"
    for case in {case.config["layer"]: case for case in index.cases}.values():
        source = case.entry["pytorch"]
        keys = {key for key, _, _ in figures(source)}
        assert keys == set(case.printed.namespace["EXPECTED"]), case.id
        for key, start, end in figures(source):
            path.write_text(with_wrong(source, start, end))
            printed, code = run_here(path)
            assert (printed.split(":")[0], code) == (f"MISMATCH {key}", 1), f"{case.id}: {printed}"


def test_run_by_itself_a_right_file_exits_with_0_and_a_wrong_one_with_1(index, tmp_path):
    """Three at once, and no more: PyTorch takes seconds to start."""
    first, last = index.cases[0].entry["pytorch"], index.cases[-1].entry["pytorch"]
    key, start, end = figures(last)[-1]
    right = [start_alone(tmp_path / "first.py", first), start_alone(tmp_path / "last.py", last)]
    wrong = start_alone(tmp_path / "wrong.py", with_wrong(last, start, end))

    for run in right:
        assert (*run.communicate(), run.returncode) == ("OK\n", "", 0)
    printed, errors = wrong.communicate()
    assert (printed.split(":")[0], errors, wrong.returncode) == (f"MISMATCH {key}", "", 1)


def test_without_its_check_the_file_is_the_module_alone(case):
    namespace = {"__name__": "__main__"}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(case.entry["module_only"], case.id, "exec"), namespace)
    assert printed.getvalue() == ""
    assert "EXPECTED" not in namespace
    torch.manual_seed(case.seed)
    module = namespace[case.printed.module_class.__name__]()
    expected = case.module.state_dict()
    assert module.state_dict().keys() == expected.keys()
    assert all(torch.equal(tensor, expected[name]) for name, tensor in module.state_dict().items())
    assert module.forward.__code__.co_code == case.printed.module_class.forward.__code__.co_code
