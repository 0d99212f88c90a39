# Recurrent layers against PyTorch's own.

import pytest
import torch
from torch import nn

import judge
from peers import assert_agree, kept


CELLS = {"lstm": (nn.LSTM, nn.LSTMCell), "gru": (nn.GRU, nn.GRUCell), "rnn_tanh": (nn.RNN, nn.RNNCell),
         "rnn_relu": (nn.RNN, nn.RNNCell)}


def layer(config):
    projected = {} if config["proj_size"] is None else {"proj_size": config["proj_size"]}
    return constructed(
        CELLS[config["cell"]][0],
        config,
        config["input_size"],
        num_layers=config["num_layers"],
        bidirectional=config["bidirectional"],
        dropout=config["dropout"],
        batch_first=True,
        **projected,
    )


def constructed(pytorch_class, config, input_size, **options):
    if config["cell"] == "rnn_relu":
        options["nonlinearity"] = "relu"
    return pytorch_class(input_size, config["hidden_size"], bias=config["bias"], **options)


def states(config, state):
    """The state by its names: of an LSTM PyTorch has a tuple, of other cells the hidden state alone."""
    return dict(zip(["hidden", "cell"], state if config["cell"] == "lstm" else [state]))


def initial(inputs):
    """The first state as PyTorch's classes take it; None for zeros."""
    given = [inputs[f"initial_{name}"] for name in ["hidden", "cell"] if f"initial_{name}" in inputs]
    return tuple(given) if len(given) > 1 else given[0] if given else None


def visible(inputs):
    """(B, T): the positions that are not hidden."""
    batch, length, _ = inputs["hidden_states"].shape
    mask = inputs.get("mask")
    return torch.ones(batch, length, dtype=torch.bool) if mask is None else kept(mask).expand(batch, length)


def of_sequence(state, b):
    if state is None:
        return None
    return tuple(of_sequence(one, b) for one in state) if isinstance(state, tuple) else state[:, b : b + 1].contiguous()


def by_sequences(config, module, inputs):
    """Each sequence by itself, cut down to its visible positions: what a packed sequence stands for."""
    x, shown, first = inputs["hidden_states"], visible(inputs), initial(inputs)
    directions, size = 2 if config["bidirectional"] else 1, config["proj_size"] or config["hidden_size"]
    output, lasts = x.new_zeros(*x.shape[:2], directions * size), []
    for b in range(x.shape[0]):
        state = of_sequence(first, b)
        if shown[b].any():
            made, state = module(x[b : b + 1, shown[b]], state)
            output[b, shown[b]] = made[0]
        elif state is None:  # PyTorch takes no sequence of length 0: it stays at zeros
            places = directions * config["num_layers"]
            zeros = [x.new_zeros(places, 1, width) for width in [size, config["hidden_size"]]]
            state = tuple(zeros) if config["cell"] == "lstm" else zeros[0]
        lasts.append(states(config, state))
    return {"output": output, **{f"last_{name}": torch.cat([last[name] for last in lasts], 1) for name in lasts[0]}}


@pytest.mark.layer("recurrent_encoder")
def test_recurrent_encoder(case):
    assert_agree(case, lambda: layer(case.config), lambda module, inputs: by_sequences(case.config, module, inputs))


@pytest.mark.layer("recurrent_encoder")
def test_last_states_are_those_of_the_last_visible_position_and_backward_of_the_first(case):
    size, directions = case.config["proj_size"] or case.config["hidden_size"], 2 if case.config["bidirectional"] else 1
    for run in case.runs:
        shown = visible(run.inputs)
        some = shown.any(1)
        first, last = shown.int().argmax(1), shown.shape[1] - 1 - shown.flip(1).int().argmax(1)
        for results in (run.results(executor) for executor in ["reference", *run.builds]):
            output, state = results["output"], results["last_hidden"][-directions:]
            rows = torch.arange(len(output))
            assert torch.equal(output[rows, last, :size][some], state[0][some])
            if directions > 1:
                assert torch.equal(output[rows, first, size:][some], state[1][some])
            assert not output[~shown].any()


def projecting_cell(own, x, state):
    """nn.LSTM with proj_size, one position: PyTorch has no cell of that."""
    hidden, cell = state
    gates = nn.functional.linear(x, own["weight_ih"], own.get("bias_ih"))
    gates = gates + nn.functional.linear(hidden, own["weight_hh"], own.get("bias_hh"))
    in_gate, forget, new, out_gate = gates.chunk(4, 1)
    cell = forget.sigmoid() * cell + in_gate.sigmoid() * new.tanh()
    return (out_gate.sigmoid() * cell.tanh()) @ own["weight_hr"].T, cell


def cell_of(config, own, input_size):
    """(x, state) -> the state after a position, by its names."""
    if config["proj_size"] is not None:
        return lambda x, state: states(config, projecting_cell(own, x, tuple(state.values())))
    cell = constructed(CELLS[config["cell"]][1], config, input_size).double()
    cell.load_state_dict(own)
    return lambda x, state: states(config, cell(x, tuple(state.values()) if len(state) > 1 else state["hidden"]))


def states_by_position(config, parameters, inputs):
    """By PyTorch's cells, one position after the other: the state of each position, by its name in a run."""
    suffixes = ["", "_reverse"] if config["bidirectional"] else [""]
    x, shown = inputs["hidden_states"].double(), visible(inputs)
    widths = {"hidden": config["proj_size"] or config["hidden_size"], "cell": config["hidden_size"]}
    named, length = {}, x.shape[1]
    for number in range(config["num_layers"]):
        outputs = []
        for suffix in suffixes:
            of_direction = f"_l{number}{suffix}"
            own = {name: tensor for name, tensor in parameters.items() if name.endswith(of_direction)}
            own = {name.removesuffix(of_direction): tensor.double() for name, tensor in own.items()}
            cell = cell_of(config, own, x.shape[2])
            single = config["num_layers"] == 1 and len(suffixes) == 1
            prefix = "" if single else of_direction[1:] + "_"
            place = number * len(suffixes) + (suffix != "")
            state = {
                name: inputs[f"initial_{name}"][place].double() if f"initial_{name}" in inputs else x.new_zeros(len(x), width)
                for name, width in widths.items()
                if name == "hidden" or config["cell"] == "lstm"
            }
            by_position = [None] * length
            for t in reversed(range(length)) if suffix else range(length):
                after = cell(x[:, t], state)
                state = {name: torch.where(shown[:, t, None], after[name], state[name]) for name in state}
                named.update({f"positions.{t}.{prefix}{name}": value for name, value in state.items()})
                by_position[t] = state["hidden"]
            outputs.append(torch.stack(by_position, 1))
        x = torch.cat(outputs, -1)
    return named


@torch.no_grad()
@pytest.mark.layer("recurrent_encoder")
@pytest.mark.between
def test_state_of_each_position_is_that_of_the_cell(case):
    far = []
    for run in (run for run in case.runs if "between" in run.entry):
        expected = states_by_position(case.config, run.state, run.inputs)
        for executor, ours in run.between.items():
            allowed = judge.REFERENCE if executor == "reference" else judge.FLOAT32
            far += judge.differences(f"{run.name}, {executor}", ours, expected, allowed)
    assert not far, "\n".join(far)
