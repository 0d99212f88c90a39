# The scripts of the training page, run as a user pastes them: PyTorch makes the same data, and finds the losses that the
# page has found.

import re

import judge
import pytest
import torch

LAST = 20
TOLERANCE = 1e-4
SAID = re.compile(r"step (\d+): loss (\S+), held-out loss (\S+), accuracy \S+; on the page (\S+) and (\S+)")


def differs(script):
    """Whether this PyTorch draws other dropout than the page."""
    return script["dropout"] and torch.backends.mkl.is_available()


def test_a_script_finds_the_losses_of_the_page_and_says_ok(run_script, capsys):
    assert judge.exit_code(run_script["after"]) == 0
    *lines, last = capsys.readouterr().out.splitlines()
    assert last == "OK"
    said = [SAID.fullmatch(line).groups() for line in lines]
    assert [int(step) for step, *_ in said] == [0, 5, 10, 15, LAST]
    for step, *losses in said:
        loss, held, page, held_page = map(float, losses)
        if step == "0" or not differs(run_script):
            assert abs(loss - page) <= TOLERANCE and abs(held - held_page) <= TOLERANCE, step


def test_a_script_of_a_run_that_is_still_to_come_trains_and_claims_nothing(run_script, capsys):
    assert judge.exit_code(run_script["before"]) == 0
    *lines, last = capsys.readouterr().out.splitlines()
    assert "OK" not in last and "nothing to hold this against" in last
    assert lines[-1].startswith("step 2: ")


@pytest.mark.parametrize("at", [0, 1])
def test_a_script_with_another_loss_says_mismatch(index, at, capsys):
    script = index.run_scripts[0]["after"]
    first = re.search(r"EXPECTED = {\s*0: \((\S+), (\S+)\)", script)[1 + at]
    assert judge.exit_code(script.replace(first, str(float(first) + 0.01), 1)) == "MISMATCH"


def test_every_task_has_its_script(index):
    tasks = {script["title"].split("&")[0] for script in index.run_scripts}
    assert tasks == {"task=recall", "task=brackets", "task=marker", "task=random", "task=table"}
    assert any("mask=" in script["after"] for script in index.run_scripts)
