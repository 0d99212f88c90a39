# Recurrent layers against PyTorch's own.

import pytest
import torch
from torch import nn

import judge
from peers import assert_agree


CELLS = {"lstm": (nn.LSTM, nn.LSTMCell), "gru": (nn.GRU, nn.GRUCell), "rnn_tanh": (nn.RNN, nn.RNNCell),
         "rnn_relu": (nn.RNN, nn.RNNCell)}


def layer(config):
    return constructed(
        CELLS[config["cell"]][0],
        config,
        config["input_size"],
        num_layers=config["num_layers"],
        bidirectional=config["bidirectional"],
        dropout=config["dropout"],
        batch_first=True,
    )


def constructed(pytorch_class, config, input_size, **options):
    if config["cell"] == "rnn_relu":
        options["nonlinearity"] = "relu"
    return pytorch_class(input_size, config["hidden_size"], bias=config["bias"], **options)


def states(config, state):
    """The state by its names: of an LSTM PyTorch has a tuple, of other cells the hidden state alone."""
    return dict(zip(["hidden", "cell"], state if config["cell"] == "lstm" else [state]))


@pytest.mark.layer("recurrent_encoder")
def test_recurrent_encoder(case):
    def call(module, inputs):
        output, last = module(inputs["hidden_states"])
        return {"output": output, **{f"last_{name}": state for name, state in states(case.config, last).items()}}

    assert_agree(case, lambda: layer(case.config), call)


@pytest.mark.layer("recurrent_encoder")
def test_last_states_are_those_after_the_last_position_and_backward_after_the_first(case):
    units, directions = case.config["hidden_size"], 2 if case.config["bidirectional"] else 1
    for run in case.runs:
        for results in (run.results(executor) for executor in ["reference", *run.builds]):
            output, last = results["output"], results["last_hidden"][-directions:]
            assert torch.equal(output[:, -1, :units], last[0])
            if directions > 1:
                assert torch.equal(output[:, 0, units:], last[1])


def states_by_position(config, parameters, x):
    """By PyTorch's cells, one position after the other: the state of each position, by its name in a run."""
    _, cell_class = CELLS[config["cell"]]
    suffixes = ["", "_reverse"] if config["bidirectional"] else [""]
    named, length = {}, x.shape[1]
    for number in range(config["num_layers"]):
        outputs = []
        for suffix in suffixes:
            of_direction = f"_l{number}{suffix}"
            cell = constructed(cell_class, config, x.shape[2]).double()
            own = {name: tensor for name, tensor in parameters.items() if name.endswith(of_direction)}
            cell.load_state_dict({name.removesuffix(of_direction): tensor for name, tensor in own.items()})
            single = config["num_layers"] == 1 and len(suffixes) == 1
            prefix = "" if single else of_direction[1:] + "_"
            state, by_position = None, [None] * length
            for t in reversed(range(length)) if suffix else range(length):
                state = cell(x[:, t], state)
                of_position = states(config, state)
                named.update({f"positions.{t}.{prefix}{name}": value for name, value in of_position.items()})
                by_position[t] = of_position["hidden"]
            outputs.append(torch.stack(by_position, 1))
        x = torch.cat(outputs, -1)
    return named


@torch.no_grad()
@pytest.mark.layer("recurrent_encoder")
@pytest.mark.between
def test_state_of_each_position_is_that_of_the_cell(case):
    far = []
    for run in (run for run in case.runs if "between" in run.entry):
        expected = states_by_position(case.config, run.state, run.inputs["hidden_states"].double())
        for executor, ours in run.between.items():
            allowed = judge.REFERENCE if executor == "reference" else judge.FLOAT32
            far += judge.differences(f"{run.name}, {executor}", ours, expected, allowed)
    assert not far, "\n".join(far)
