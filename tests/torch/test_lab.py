# The runs of the lab "Attention or dense", each repeated by the script that the page prints: PyTorch makes the same data,
# layer and order, and finds every loss and the score.

import re

import pytest

TOLERANCE = 1e-4


def run(script, capsys):
    namespace = {"__name__": "printed"}
    exec(compile(script, "script", "exec"), namespace)
    try:
        losses = namespace["main"]()
    except SystemExit as stopped:
        return stopped.code, capsys.readouterr().out
    return losses, capsys.readouterr().out


def test_a_script_finds_every_loss_and_the_score(lab_run, capsys):
    losses, said = run(lab_run["script"], capsys)
    assert losses != "MISMATCH", said
    if "CERTAIN = 0 " in lab_run["script"]:
        return  # rounding decides
    far = [
        f"step {step + 1}: {loss} and not {page}"
        for step, (loss, page) in enumerate(zip(losses, lab_run["losses"], strict=True))
        if not abs(loss - page) <= TOLERANCE * max(1, abs(page))
    ]
    assert not far
    score = float(re.search(r"(?:right|error) on held-out \w+: (\S+) %", said)[1])
    page = lab_run["score"] if "error" in said.splitlines()[-1] else 100 * lab_run["score"]
    # an example that lies on the border of two classes may fall to either side
    assert abs(score - page) <= 0.16


def test_a_script_with_another_loss_says_mismatch(index, capsys):
    script = index.lab_runs[0]["script"]
    loss = re.search(r"EXPECTED = {\s*\d+: \((\S+),", script)[1]
    assert run(script.replace(loss, str(float(loss) + 0.01), 1), capsys)[0] == "MISMATCH"


def test_every_task_and_every_change_of_rate_is_there(index):
    tasks = {one["title"].split()[0] for one in index.lab_runs}
    assert len(tasks) == 10
    assert any(re.search(r"RATES = {0: \S+, \d+: ", one["script"]) for one in index.lab_runs)
