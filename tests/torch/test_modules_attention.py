# Attention layers against PyTorch's own, and against the constructions of papers and tutorials.

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.attention.bias import causal_lower_right

from peers import added, assert_agree, kept, keys_of, multihead_mask, restricted, seen, softmax, without_fast_path  # noqa: F401, a fixture


def forward(module, inputs):
    return module(**inputs)


# scaled_dot_product_attention


def band_of(config):
    T, S = config["seq_len"], keys_of(config)
    offset = S - T if config["causal_alignment"] == "lower_right" else 0
    return seen(T, S, config["is_causal"], config["window"], offset)


def masking(config, mask, dtype):
    """The arguments of F.scaled_dot_product_attention that hide what a config and a mask hide: its own words for it
    where it has some."""
    if mask is None and config["is_causal"] and config["window"] is None:
        if config["causal_alignment"] == "upper_left":
            return {"is_causal": True}
        if config["seq_len"] <= keys_of(config):  # it makes NaN of queries before the first key
            return {"attn_mask": causal_lower_right(config["seq_len"], keys_of(config))}
    band = band_of(config)
    if mask is None or mask.dtype == torch.bool:
        return {"attn_mask": band if mask is None else band & mask}
    return {"attn_mask": restricted(mask, band, dtype)}


def attend_capped(config, query, key, value, mask):
    """What F.scaled_dot_product_attention does, which caps nothing, with the soft cap of Gemma 2 in between."""
    times = query.size(1) // key.size(1)
    key, value = (heads.repeat_interleave(times, dim=1) for heads in (key, value))
    scale = query.size(-1) ** -0.5 if config["scale"] is None else config["scale"]
    scores = torch.tanh(query @ key.transpose(-2, -1) * scale / config["softcap"]) * config["softcap"]
    hidden = restricted(mask, band_of(config), query.dtype)
    weights = softmax(scores if hidden is None else scores + hidden)
    return {"output": weights @ value, "weights": weights}


@pytest.mark.layer("scaled_dot_product_attention")
def test_scaled_dot_product_attention(case):
    config = case.config

    def attend(_, inputs):
        query, key, value = (inputs[name] for name in ("query", "key", "value"))
        if config["softcap"] is not None:
            return attend_capped(config, query, key, value, inputs.get("mask"))
        hidden = masking(config, inputs.get("mask"), query.dtype)
        output = F.scaled_dot_product_attention(query, key, value, **hidden, scale=config["scale"], enable_gqa=True)
        # It returns no weights: those are what it makes of an identity matrix.
        identity = torch.eye(keys_of(config), dtype=query.dtype).expand(*key.shape[:2], -1, -1)
        weights = F.scaled_dot_product_attention(query, key, identity, **hidden, scale=config["scale"], enable_gqa=True)
        return {"output": output, "weights": weights}

    assert_agree(case, nn.Module, attend)


# multihead_attention, packed: nn.MultiheadAttention


def own_multihead(config):
    names = ("bias", "add_bias_kv", "add_zero_attn", "kdim", "vdim", "dropout")
    options = {name: config[name] for name in names}
    return nn.MultiheadAttention(config["hidden_size"], config["num_heads"], batch_first=True, **options)


def attend_as_pytorch(config, module, inputs):
    query = inputs.get("hidden_states", inputs.get("query"))
    key, value = inputs.get("key", query), inputs.get("value", query)
    T, S = query.size(1), key.size(1)
    shape = (config["batch_size"], config["num_heads"], T, S)
    mask = multihead_mask(inputs.get("mask"), seen(T, S, config["is_causal"]), shape, query.dtype)
    # Without weights it calls F.scaled_dot_product_attention, with them its own softmax: of a row in which nothing may
    # be attended to the one makes zeros, the other NaN.
    output, _ = module(query, key, value, attn_mask=mask, need_weights=False)
    average = config["average_attn_weights"]
    weights = module(query, key, value, attn_mask=mask, average_attn_weights=average)[1]
    if weights.isnan().any():
        weights = module(query, key, value, attn_mask=mask, average_attn_weights=False)[1].nan_to_num(0)
        weights = weights.mean(dim=1) if average else weights
    return {"output": output, "weights": weights}


# The tutorial's own form: modules of four projections each, which larger modules contain.


def attention(query, key, value, mask):
    """Rows in which nothing may be attended to get zeros: adding -1e9 there, as is often done, weighs all alike."""
    scores = query @ key.mT / key.size(-1) ** 0.5
    weights = softmax(scores if mask is None else scores + mask)
    return weights @ value, weights


class Projected(nn.Module):
    def __init__(self, width, kdim, vdim, bias):
        super().__init__()
        self.query_proj = nn.Linear(width, width, bias)
        self.key_proj = nn.Linear(kdim, width, bias)
        self.value_proj = nn.Linear(vdim, width, bias)
        self.output_proj = nn.Linear(width, width, bias)


class AttentionLayer(Projected):
    def forward(self, query, key, value, mask=None):
        mask = added(mask, query.dtype)
        context, weights = attention(self.query_proj(query), self.key_proj(key), self.value_proj(value), mask)
        return {"output": self.output_proj(context), "weights": weights}


class MultiHead(Projected):
    """One head after the other, each with its share of the features."""

    def __init__(self, width, heads, kdim, vdim, bias, dropout):
        super().__init__(width, kdim, vdim, bias)
        self.heads, self.dropout = heads, nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        shape = (query.size(0), self.heads, query.size(1), key.size(1))
        masks = [None] * self.heads if mask is None else added(mask, query.dtype).expand(shape).unbind(dim=1)
        projected = self.query_proj(query), self.key_proj(key), self.value_proj(value)
        shares = zip(*(features.chunk(self.heads, dim=-1) for features in projected))
        contexts, weights = zip(*(attention(*share, one) for share, one in zip(shares, masks)))
        return self.output_proj(torch.cat(contexts, dim=-1)), torch.stack(weights, dim=1)


class SelfAttention(nn.Module):
    def __init__(self, width, bias, dropout):
        super().__init__()
        self.attention = AttentionLayer(width, width, width, bias)
        self.dropout = nn.Dropout(dropout)
        self.layer_norm = nn.LayerNorm(width)

    def forward(self, hidden_states, mask=None):
        attended = self.attention(hidden_states, hidden_states, hidden_states, mask)
        output = self.layer_norm(hidden_states + self.dropout(attended["output"]))
        return {"output": output, "weights": attended["weights"]}


class AttentionClassifier(nn.Module):
    def __init__(self, config):
        super().__init__()
        width, bias = config["hidden_size"], config["bias"]
        self.embedding = nn.Embedding(config["vocab_size"], width, padding_idx=config["padding_idx"])
        self.mha = MultiHead(width, config["num_heads"], width, width, bias, config["dropout"])
        self.layer_norm = nn.LayerNorm(width)
        self.fc = nn.Linear(width, config["num_classes"], bias)
        self.dropout = nn.Dropout(config["dropout"])

    def forward(self, tokens, mask=None):
        x = self.embedding(tokens)
        share = torch.zeros(tokens.shape, dtype=x.dtype) + (0 if mask is None else added(kept(mask), x.dtype))
        attended, weights = self.mha(x, x, x, share[:, None, None])
        x = self.layer_norm(x + self.dropout(attended))
        mean = torch.einsum("bt,bte->be", softmax(share), x)  # of the tokens that the mask leaves
        return {"output": self.fc(mean), "weights": weights}


def attend_separately(config, module, inputs):
    query = inputs.get("hidden_states", inputs.get("query"))
    key, value = inputs.get("key", query), inputs.get("value", query)
    mask = restricted(inputs.get("mask"), seen(query.size(1), key.size(1), config["is_causal"]), query.dtype)
    output, weights = module(query, key, value, mask)
    return {"output": output, "weights": weights.mean(dim=1) if config["average_attn_weights"] else weights}


@pytest.mark.layer("multihead_attention")
def test_multihead_attention(case):
    config = case.config
    if config["projections"] == "packed":
        assert_agree(case, lambda: own_multihead(config), lambda *run: attend_as_pytorch(config, *run))
        return
    width = config["hidden_size"]
    kdim, vdim = config["kdim"] or width, config["vdim"] or width
    make = lambda: MultiHead(width, config["num_heads"], kdim, vdim, config["bias"], config["dropout"])
    assert_agree(case, make, lambda *run: attend_separately(config, *run))


@pytest.mark.layer("attention_layer")
def test_attention_layer(case):
    width = case.config["hidden_size"]
    assert_agree(case, lambda: AttentionLayer(width, width, width, case.config["bias"]), forward)


@pytest.mark.layer("self_attention")
def test_self_attention(case):
    config = case.config
    assert_agree(case, lambda: SelfAttention(config["hidden_size"], config["bias"], config["dropout"]), forward)


@pytest.mark.layer("attention_classifier")
def test_attention_classifier(case):
    assert_agree(case, lambda: AttentionClassifier(case.config), forward)


# Bahdanau et al. 2015 and Luong et al. 2015


def combined(scores, key, mask):
    weights = softmax(scores if mask is None else scores + added(mask, scores.dtype))
    return {"output": torch.einsum("bts,bsk->btk", weights, key), "weights": weights}


class Bahdanau(nn.Module):
    """One query after the other, as a recurrent decoder would ask."""

    def __init__(self, config):
        super().__init__()
        width, A = config["hidden_size"], config["attn_dim"]
        self.query_proj = nn.Linear(width, A, config["bias"])
        self.key_proj = nn.Linear(config["kdim"] or width, A, config["bias"])
        self.score = nn.Linear(A, 1, bias=False)

    def forward(self, query, key, mask=None):
        keys = self.key_proj(key)
        asked = [self.score(torch.tanh(self.query_proj(one)[:, None] + keys)).squeeze(-1) for one in query.unbind(dim=1)]
        return combined(torch.stack(asked, dim=1), key, mask)


class Luong(nn.Module):
    def __init__(self, config):
        super().__init__()
        width, kdim = config["hidden_size"], config["kdim"] or config["hidden_size"]
        self.kind, self.width = config["score"], width
        if self.kind == "general":
            self.key_proj = nn.Linear(kdim, width, bias=False)
        if self.kind == "concat":
            self.project = nn.Linear(width + kdim, config["attn_dim"], bias=False)
            self.score = nn.Linear(config["attn_dim"], 1, bias=False)

    def scores(self, query, key):
        if self.kind == "dot":
            return torch.einsum("bte,bse->bts", query, key)
        if self.kind == "general":
            return torch.einsum("bte,bse->bts", query, self.key_proj(key))
        for_query, for_key = self.project.weight.split([self.width, key.size(-1)], dim=1)
        pairs = F.linear(query, for_query)[:, :, None] + F.linear(key, for_key)[:, None]
        return self.score(torch.tanh(pairs)).squeeze(-1)

    def forward(self, query, key, mask=None):
        return combined(self.scores(query, key), key, mask)


@pytest.mark.layer("bahdanau_attention")
def test_bahdanau_attention(case):
    assert_agree(case, lambda: Bahdanau(case.config), forward)


@pytest.mark.layer("luong_attention")
def test_luong_attention(case):
    assert_agree(case, lambda: Luong(case.config), forward)
