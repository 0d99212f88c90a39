# The sequence classifier against a construction of PyTorch's own modules.

import pytest
import torch
from torch import nn

from peers import added, assert_agree, kept, sinusoids, softmax, without_fast_path  # noqa: F401, a fixture
from test_modules_recurrent import CELLS, by_sequences, layer as recurrent_layer
from test_modules_transformer import layer_of_pytorch

ACTIVATIONS = {"none": nn.Identity, "tanh": nn.Tanh, "relu": nn.ReLU, "gelu": nn.GELU}


class WithWeights(nn.TransformerEncoderLayer):
    """PyTorch's layer, which keeps the weights of its last pass."""

    def _sa_block(self, x, attn_mask, key_padding_mask, is_causal=False):
        x, self.weights = self.self_attn(
            x, x, x, attn_mask=attn_mask, key_padding_mask=key_padding_mask, need_weights=True, average_attn_weights=False
        )
        return self.dropout1(x.nan_to_num(0))


class SequenceClassifier(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        K, E, A, T, bias = (config[name] for name in ("input_size", "hidden_size", "attn_dim", "seq_len", "bias"))
        encoder, pooling = config["encoder"], config["pooling"]
        placed = E if encoder == "transformer" else K
        width = K if encoder == "none" else 2 * E if config["bidirectional"] else E
        if config["input"] == "tokens":
            self.embedding = nn.Embedding(config["vocab_size"], K, padding_idx=config["padding_idx"])
        if encoder == "transformer" and K != E:
            self.input_proj = nn.Linear(K, E, bias)
        if config["position"] == "learned":
            self.positions = nn.Parameter(torch.zeros(T, placed))
        if encoder == "dense":
            self.encoder = nn.Linear(K, E, bias)
        if encoder == "transformer":
            self.encoder = nn.ModuleList(layer_of_pytorch(WithWeights, config) for _ in range(config["num_layers"]))
        if encoder in CELLS:
            self.encoder = recurrent_layer(self.of_encoder())
        if pooling == "linear":
            self.score = nn.Linear(width, 1, bias)
        if pooling == "additive":
            self.project, self.score = nn.Linear(width, A, bias), nn.Linear(A, 1, bias)
        if pooling == "gated":
            self.attention_v, self.attention_u = nn.Linear(width, A, bias), nn.Linear(width, A, bias)
            self.attention_w = nn.Linear(A, 1, bias)
        if pooling == "timestep":
            if config["score_by"] == "content_and_position":
                self.score_weight = nn.Parameter(torch.zeros(width, 1))
            self.score_bias = nn.Parameter(torch.zeros(T, 1))
            if config["score_activation"] == "scaled_tanh":
                self.score_factor = nn.Parameter(torch.ones(1))
        if pooling == "multihead":
            self.query = nn.Parameter(torch.zeros(1, width))
            self.query_proj, self.key_proj, self.value_proj, self.output_proj = (nn.Linear(width, width, bias) for _ in range(4))
        width *= T if pooling == "flatten" else 1
        if config["head_size"] is not None:
            self.hidden = nn.Linear(width, config["head_size"], bias)
            width = config["head_size"]
        self.head = nn.Linear(width, config["num_classes"], bias)
        self.activation = ACTIVATIONS[config["activation"]]()

    def of_encoder(self):
        """The config of the encoder by itself, if it is recurrent."""
        one_layer = self.config["num_layers"] == 1
        own = {"cell": self.config["encoder"], "proj_size": None, "dropout": 0 if one_layer else self.config["dropout"]}
        return self.config | own

    def forward(self, mask=None, **inputs):
        config = self.config
        x = self.embedding(inputs["tokens"]) if config["input"] == "tokens" else inputs["features"]
        hidden = torch.zeros(x.shape[:2], dtype=x.dtype)  # what is added to the scores of each step
        if mask is not None:
            hidden = hidden + added(kept(mask), x.dtype)
        x, found = self.encoded(x, hidden, mask)
        pooled, weights = self.pooled(x, hidden)
        if config["head_size"] is not None:
            pooled = self.activation(self.hidden(pooled))
        found["output"] = self.head(pooled)
        return found if weights is None else found | {"weights": weights}

    def encoded(self, x, hidden, mask):
        config = self.config
        if hasattr(self, "input_proj"):
            x = self.input_proj(x)
        if config["position"] == "learned":
            x = x + self.positions
        if config["position"] == "sinusoidal":
            x = x + sinusoids(torch.arange(x.size(1)), x.size(2)).to(x.dtype)
        if config["encoder"] == "dense":
            return self.activation(self.encoder(x)), {}
        if config["encoder"] == "none":
            return x, {}
        if config["encoder"] in CELLS:
            return by_sequences(self.of_encoder(), self.encoder, {"hidden_states": x, "mask": mask})["output"], {}
        B, T = hidden.shape
        scores = hidden[:, None, None].expand(B, config["num_heads"], T, T).flatten(0, 1)
        for layer in self.encoder:
            x = layer(x, src_mask=scores)
        return x, {"encoder_weights": layer.weights.nan_to_num(0)}

    def pooled(self, x, hidden):
        """Each sequence by itself."""
        pooling = self.config["pooling"]
        left = ~hidden.isneginf()
        if pooling == "mean":
            return torch.stack([softmax(row) @ one for one, row in zip(x, hidden)]), None
        if pooling in ("last", "max"):
            take = (lambda some: some[-1]) if pooling == "last" else (lambda some: some.amax(dim=0))
            return torch.stack([take(one[keep]) if keep.any() else torch.zeros_like(one[0]) for one, keep in zip(x, left)]), None
        if pooling == "flatten":
            return torch.stack([torch.where(keep[:, None], one, 0).reshape(-1) for one, keep in zip(x, left)]), None
        if pooling == "multihead":
            return self.by_heads(x, hidden)
        weights = softmax(self.scores(x) + hidden)
        return torch.einsum("bt,bte->be", weights, x), weights

    def scores(self, x):
        pooling, activation = self.config["pooling"], self.config["score_activation"]
        if pooling == "linear":
            return self.score(x).squeeze(-1)
        if pooling == "additive":
            return self.score(torch.tanh(self.project(x))).squeeze(-1)
        if pooling == "gated":
            return self.attention_w(torch.tanh(self.attention_v(x)) * torch.sigmoid(self.attention_u(x))).squeeze(-1)
        scores = self.score_bias.squeeze(-1).expand(x.shape[:2])
        if self.config["score_by"] == "content_and_position":
            scores = scores + torch.einsum("bte,eo->bt", x, self.score_weight)
        if activation != "none":
            scores = torch.tanh(scores)
        return scores * self.score_factor if activation == "scaled_tanh" else scores

    def by_heads(self, x, hidden):
        heads = lambda y: y.unflatten(-1, (self.config["num_heads"], -1))
        query, key, value = heads(self.query_proj(self.query)), heads(self.key_proj(x)), heads(self.value_proj(x))
        scores = torch.einsum("thd,bshd->bhts", query, key) * query.size(-1) ** -0.5
        weights = softmax(scores + hidden[:, None, None])
        attended = torch.einsum("bhts,bshd->bthd", weights, value).flatten(2)
        return self.output_proj(attended).squeeze(1), weights


@pytest.mark.layer("sequence_classifier")
def test_sequence_classifier(case):
    assert_agree(case, lambda: SequenceClassifier(case.config), lambda module, inputs: module(**inputs))
