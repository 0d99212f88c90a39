# Recurrent layers against PyTorch's own.

import pytest
import torch
from torch import nn

import judge
from peers import assert_agree


CELLS = {"lstm": (nn.LSTM, nn.LSTMCell), "gru": (nn.GRU, nn.GRUCell), "rnn_tanh": (nn.RNN, nn.RNNCell),
         "rnn_relu": (nn.RNN, nn.RNNCell)}


def constructed(pytorch_class, config, **options):
    if config["cell"] == "rnn_relu":
        options["nonlinearity"] = "relu"
    return pytorch_class(config["input_size"], config["hidden_size"], bias=config["bias"], **options)


def states(config, state):
    """The state by its names: of an LSTM PyTorch has a tuple, of other cells the hidden state alone."""
    return dict(zip(["hidden", "cell"], state if config["cell"] == "lstm" else [state]))


@pytest.mark.layer("recurrent_encoder")
def test_recurrent_encoder(case):
    def call(module, inputs):
        output, last = module(inputs["hidden_states"])
        return {"output": output, **{f"last_{name}": state for name, state in states(case.config, last).items()}}

    layer, _ = CELLS[case.config["cell"]]
    assert_agree(case, lambda: constructed(layer, case.config, batch_first=True), call)


@pytest.mark.layer("recurrent_encoder")
def test_last_states_are_those_of_the_last_position(case):
    for run in case.runs:
        for results in (run.results(executor) for executor in ["reference", *run.builds]):
            assert torch.equal(results["output"][:, -1], results["last_hidden"][0])


@torch.no_grad()
@pytest.mark.layer("recurrent_encoder")
@pytest.mark.between
def test_state_of_each_position_is_that_of_the_cell(case):
    config, far = case.config, []
    _, cell_class = CELLS[config["cell"]]
    for run in (run for run in case.runs if "between" in run.entry):
        cell = constructed(cell_class, config).double()
        cell.load_state_dict({name.removesuffix("_l0"): tensor for name, tensor in run.state.items()})
        x = run.inputs["hidden_states"].double()
        state, expected = None, {}
        for t in range(x.shape[1]):
            state = cell(x[:, t], state)
            expected.update({f"positions.{t}.{name}": value for name, value in states(config, state).items()})
        for executor, ours in run.between.items():
            allowed = judge.REFERENCE if executor == "reference" else judge.FLOAT32
            far += judge.differences(f"{run.name}, {executor}", ours, expected, allowed)
    assert not far, "\n".join(far)
