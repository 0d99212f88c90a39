# Transformer layers against PyTorch's own, the encoder against transformers' BERT.

import pytest
import torch
from torch import nn
from transformers import BertConfig, BertModel, RobertaPreLayerNormConfig, RobertaPreLayerNormModel

from peers import added, alibi, assert_agree, keys_of, multihead_mask, seen, sinusoids, t5_bias, without_fast_path  # noqa: F401, a fixture

ACTIVATIONS = {"gelu_tanh": "gelu_pytorch_tanh"}  # those whose name differs in transformers


# PyTorch's layers


def layer_of_pytorch(kind, config):
    return kind(
        config["hidden_size"], config["num_heads"], dim_feedforward=config["intermediate_size"], dropout=config["dropout"],
        activation=config["activation"], layer_norm_eps=config["norm_eps"], batch_first=True,
        norm_first=config["norm_first"], bias=config["bias"],
    )


def mask_of(config, mask, kv_len, is_causal, dtype):
    shape = (config["batch_size"], config["num_heads"], config["seq_len"], kv_len)
    return multihead_mask(mask, seen(config["seq_len"], kv_len, is_causal), shape, dtype)


class WeightsOf:
    """The weights of an attention inside a layer, which asks it for none: it is called once more with the same
    arguments. Of a row in which nothing may be attended to they are NaN there, zeros here."""

    def __init__(self, attention):
        self._handle = attention.register_forward_hook(self._again, with_kwargs=True)

    def _again(self, attention, args, kwargs, _):
        asked = kwargs | {"need_weights": True, "average_attn_weights": False}
        self.value = attention.forward(*args, **asked)[1].nan_to_num(0)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._handle.remove()


def encode(config, layer, inputs):
    x = inputs["hidden_states"]
    mask = mask_of(config, inputs.get("mask"), config["seq_len"], False, x.dtype)
    with WeightsOf(layer.self_attn) as weights:
        output = layer(x, src_mask=mask)
    return {"output": output, "weights": weights.value}


def decode(config, layer, inputs):
    x, memory = inputs["hidden_states"], inputs["memory"]
    masks = {
        "tgt_mask": mask_of(config, inputs.get("mask"), config["seq_len"], config["is_causal"], x.dtype),
        "memory_mask": mask_of(config, inputs.get("memory_mask"), keys_of(config), False, x.dtype),
    }
    with WeightsOf(layer.self_attn) as weights, WeightsOf(layer.multihead_attn) as cross_weights:
        output = layer(x, memory, **masks)
    return {"output": output, "weights": weights.value, "cross_weights": cross_weights.value}


@pytest.mark.layer("transformer_encoder_layer")
def test_transformer_encoder_layer(case):
    make = lambda: layer_of_pytorch(nn.TransformerEncoderLayer, case.config)
    assert_agree(case, make, lambda *run: encode(case.config, *run))


@pytest.mark.layer("transformer_decoder_layer")
def test_transformer_decoder_layer(case):
    make = lambda: layer_of_pytorch(nn.TransformerDecoderLayer, case.config)
    assert_agree(case, make, lambda *run: decode(case.config, *run))


# The encoder


class Encoder:
    """BertModel, or where norms come first RobertaPreLayerNormModel, with what a config changes of it."""

    def __init__(self, config):
        self.config = config

    def make(self):
        config, norm_first = self.config, self.config["norm_first"]
        sizes = dict(
            vocab_size=config["vocab_size"], hidden_size=config["hidden_size"], num_hidden_layers=config["num_layers"],
            num_attention_heads=config["num_heads"], intermediate_size=config["intermediate_size"],
            hidden_act=ACTIVATIONS.get(config["activation"], config["activation"]), layer_norm_eps=config["norm_eps"],
            max_position_embeddings=self._positions(), type_vocab_size=max(1, config["type_vocab_size"]),
            hidden_dropout_prob=config["dropout"], attention_probs_dropout_prob=config["dropout"], pad_token_id=0,
        )
        own = RobertaPreLayerNormConfig(**sizes) if norm_first else BertConfig(**sizes)
        model = (RobertaPreLayerNormModel if norm_first else BertModel)(own, add_pooling_layer=config["pooler"])
        if not config["bias"]:
            for linear in (module for module in model.modules() if isinstance(module, nn.Linear)):
                linear.bias = None
        return model

    def _positions(self):
        learned = self.config["position"] == "learned"
        return self.config["max_positions"] if learned else self.config["position_offset"] + self.config["seq_len"]

    def adapt(self, state):
        """Under the names of the model, with zeros where the config has no vectors of types or positions."""
        config = self.config
        state = {self._name(name): tensor for name, tensor in state.items()}
        self.table = state.pop("encoder.relative_attention_bias.weight", None)
        if config["type_vocab_size"] == 0:
            state["embeddings.token_type_embeddings.weight"] = torch.zeros(1, config["hidden_size"])
        if config["position"] == "sinusoidal":
            state["embeddings.position_embeddings.weight"] = sinusoids(torch.arange(self._positions()), config["hidden_size"])
        elif config["position"] != "learned":
            state["embeddings.position_embeddings.weight"] = torch.zeros(self._positions(), config["hidden_size"])
        return state

    def _name(self, name):
        if self.config["norm_first"]:
            name = name.replace(".attention.output.LayerNorm.", ".attention.LayerNorm.")
            if name.startswith("encoder.layer."):
                name = name.replace(".output.LayerNorm.", ".intermediate.LayerNorm.")
            name = name.replace("encoder.norm.", "LayerNorm.")
        return name

    def call(self, model, inputs):
        config, T = self.config, self.config["seq_len"]
        scores = torch.zeros(1, 1, T, T, dtype=model.dtype)  # what is added to them
        if "mask" in inputs:
            scores = scores + added(inputs["mask"], model.dtype)
        if config["position"] == "alibi":
            scores = scores + alibi(config["num_heads"], T, T).to(model.dtype)
        if config["position"] == "relative":
            scores = scores + t5_bias(self.table.to(model.dtype), T, T)
        positions = config["position_offset"] + torch.arange(T)[None]
        asked = {"input_ids": inputs["tokens"], "attention_mask": scores, "position_ids": positions}
        # Of a row in which nothing may be attended to the one attention makes NaN, the other zeros and no weights.
        eager = not scores.isneginf().all(dim=-1).any()
        model.set_attn_implementation("eager" if eager else "sdpa")
        results = model(**asked, output_attentions=eager)
        found = {"output": results.last_hidden_state}
        if config["pooler"]:
            found["pooled"] = results.pooler_output
        return found | ({"weights": results.attentions[-1]} if eager else {})


@pytest.mark.layer("encoder")
def test_encoder(case):
    encoder = Encoder(case.config)
    assert_agree(case, encoder.make, encoder.call, encoder.adapt)


@pytest.mark.peer("BertModel")
def test_encoder_is_bert(case):
    """As it comes: the state dict fits without a change."""
    encoder = Encoder(case.config)
    assert encoder.adapt(case.state).keys() == case.state.keys()
    assert_agree(case, encoder.make, encoder.call)
