# Scorers and pooling against the lines of PyTorch that they stand for.

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from peers import added, assert_agree, kept, softmax


class Scorer(nn.Module):
    """Any module that scores positions, and what a config asks of the scores."""

    def __init__(self, output, parts):
        super().__init__()
        self.output = output
        for name, part in parts.items():
            setattr(self, name, part)

    def scores(self, x):
        return self.score(x)

    def forward(self, hidden_states, mask=None):
        scores = self.scores(hidden_states)
        if self.output == "scores":
            return {"output": scores}
        row = scores.squeeze(-1)
        weights = softmax(row if mask is None else row + added(mask, row.dtype))
        if self.output == "weights":
            return {"output": weights}
        weighted = hidden_states * weights.unsqueeze(-1)
        return {"output": weighted if self.output == "weighted" else weighted.sum(dim=1), "weights": weights}


class AdditiveScorer(Scorer):
    def scores(self, x):
        return self.score(torch.tanh(self.project(x)))


class GatedAttention(Scorer):
    """Equation 9 of Ilse et al. 2018: w^T (tanh(V h) * sigm(U h)) for each instance h of a bag."""

    def scores(self, x):
        return self.attention_w(self.attention_v(x).tanh() * self.attention_u(x).sigmoid())


class TimestepScorer(Scorer):
    """Keras's form: c = tanh(X W + b), a bias for each time step."""

    def scores(self, x):
        return torch.tanh(torch.einsum("bte,eo->bto", x, self.weight) + getattr(self, "bias", 0))


def call(module, inputs):
    return module(**inputs)


@pytest.mark.layer("linear_scorer")
def test_linear_scorer(case):
    config = case.config
    linear = lambda: {"score": nn.Linear(config["hidden_size"], 1, config["bias"])}
    assert_agree(case, lambda: Scorer(config["output"], linear()), call)


@pytest.mark.layer("additive_scorer")
def test_additive_scorer(case):
    config = case.config
    width, bias = config["attn_dim"], config["bias"]
    parts = lambda: {"project": nn.Linear(config["hidden_size"], width, bias), "score": nn.Linear(width, 1, bias)}
    assert_agree(case, lambda: AdditiveScorer(config["output"], parts()), call)


@pytest.mark.layer("gated_attention_pooling")
def test_gated_attention_pooling(case):
    config = case.config
    width, bias = config["attn_dim"], config["bias"]

    def parts():
        branch = lambda: nn.Linear(config["hidden_size"], width, bias)
        return {"attention_v": branch(), "attention_u": branch(), "attention_w": nn.Linear(width, 1, bias)}

    assert_agree(case, lambda: GatedAttention(config["output"], parts()), call)


@pytest.mark.layer("timestep_attention")
def test_timestep_attention(case):
    config = case.config

    def parts():
        weight = {"weight": nn.Parameter(torch.zeros(config["hidden_size"], 1))}
        return weight | ({"bias": nn.Parameter(torch.zeros(config["seq_len"], 1))} if config["bias"] else {})

    assert_agree(case, lambda: TimestepScorer(config["output"], parts()), call)


@pytest.mark.layer("dense")
def test_dense(case):
    config = case.config
    activation = {"none": nn.Identity, "tanh": nn.Tanh, "relu": nn.ReLU, "sigmoid": nn.Sigmoid, "gelu": nn.GELU}[config["activation"]]

    def make():
        return nn.ModuleDict({"dense": nn.Linear(config["hidden_size"], config["out_features"], config["bias"]), "f": activation()})

    assert_agree(case, make, lambda module, inputs: {"output": module["f"](module["dense"](inputs["hidden_states"]))})


def rows_of(inputs):
    """[(hidden states of one sequence, which of its positions its mask keeps)]"""
    x = inputs["hidden_states"]
    mask = inputs.get("mask", torch.ones(1, dtype=torch.bool))
    return zip(x, kept(mask).expand(x.shape[:2]))


def mean(_, inputs):
    """Of the positions that are kept, by themselves; of none zeros."""
    pooled = [x[keep].sum(dim=0) / keep.sum().clamp(min=1) for x, keep in rows_of(inputs)]
    return {"output": torch.stack(pooled)}


@pytest.mark.layer("mean_pooling")
def test_mean_pooling(case):
    assert_agree(case, nn.Module, mean)


def maximum(_, inputs):
    """Of the positions that are kept, by themselves; of none zeros."""
    pooled = []
    for x, keep in rows_of(inputs):
        left = x[keep]
        pooled.append(left.amax(dim=0) if len(left) else torch.zeros_like(x[0]))
    return {"output": torch.stack(pooled)}


@pytest.mark.layer("max_pooling")
def test_max_pooling(case):
    assert_agree(case, nn.Module, maximum)


@pytest.mark.layer("max_pooling")
def test_printed_padding_mask(case):
    """What hides in each format, and what is refused."""
    padding_mask = case.printed.namespace["padding_mask"]
    for dtype in (torch.float16, torch.bfloat16, torch.float32, torch.float64):
        hiding = [-1e4, torch.finfo(dtype).min, -torch.inf] + ([] if dtype == torch.float16 else [-1e9])
        assert padding_mask(torch.tensor([0.0, -0.0, *hiding], dtype=dtype)).tolist() == [True, True] + [False] * len(hiding)
        for number in (-1.0, -9000.0, 1.0, torch.inf, torch.nan):
            with pytest.raises(ValueError, match="^mask must hold 0 to keep or at most -1e4 to hide$"):
                padding_mask(torch.tensor([0.0, number], dtype=dtype))
