# Recurrent layers against PyTorch's own.

import pytest
import torch
from torch import nn

import judge
from peers import assert_agree


def lstm(config):
    return nn.LSTM(config["input_size"], config["hidden_size"], bias=config["bias"], batch_first=True)


@pytest.mark.layer("recurrent_encoder")
def test_recurrent_encoder(case):
    def call(module, inputs):
        output, (hidden, cell) = module(inputs["hidden_states"])
        return {"output": output, "last_hidden": hidden, "last_cell": cell}

    assert_agree(case, lambda: lstm(case.config), call)


@pytest.mark.layer("recurrent_encoder")
def test_last_states_are_those_of_the_last_position(case):
    for run in case.runs:
        for results in (run.results(executor) for executor in ["reference", *run.builds]):
            assert torch.equal(results["output"][:, -1], results["last_hidden"][0])


@torch.no_grad()
@pytest.mark.layer("recurrent_encoder")
@pytest.mark.between
def test_state_of_each_position_is_that_of_nn_lstm_cell(case):
    config, far = case.config, []
    for run in (run for run in case.runs if "between" in run.entry):
        cell = nn.LSTMCell(config["input_size"], config["hidden_size"], bias=config["bias"]).double()
        cell.load_state_dict({name.removesuffix("_l0"): tensor for name, tensor in run.state.items()})
        x = run.inputs["hidden_states"].double()
        state, expected = None, {}
        for t in range(x.shape[1]):
            state = cell(x[:, t], state)
            expected.update({f"positions.{t}.hidden": state[0], f"positions.{t}.cell": state[1]})
        for executor, ours in run.between.items():
            allowed = judge.REFERENCE if executor == "reference" else judge.FLOAT32
            far += judge.differences(f"{run.name}, {executor}", ours, expected, allowed)
    assert not far, "\n".join(far)
