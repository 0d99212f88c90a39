# Attention and models of decoders against transformers'.

from itertools import repeat
from types import SimpleNamespace

import pytest
import torch
import torch.nn.functional as F
import transformers
from torch import nn
from transformers import DynamicCache
from transformers.models.deepseek_v3.modeling_deepseek_v3 import DeepseekV3Attention
from transformers.models.llama.modeling_llama import LlamaAttention, LlamaRotaryEmbedding
from transformers.models.mistral.modeling_mistral import MistralAttention
from transformers.models.qwen3.modeling_qwen3 import Qwen3Attention

from peers import added, alibi, assert_agree, assert_agree_in_float32, restricted, rotation, seen, sinusoids, softmax, t5_bias

ACTIVATIONS = {"gelu_tanh": "gelu_pytorch_tanh"}  # those whose name differs in transformers


def head_dim_of(config):
    return config["head_dim"] or config["hidden_size"] // config["num_heads"]


def cached_of(config, full=False):
    """How much of the past the cache still has: a window needs no more than its next query sees."""
    past, window = config["past_len"], config["window"]
    return past if window is None or full else min(past, window - 1)


def is_full(config, index):
    """Whether a layer attends to everything, whatever the window."""
    return config["window"] is None or bool(config["full_every"]) and (index + 1) % config["full_every"] == 0


def has_both(config):
    return len({is_full(config, index) for index in range(config["num_layers"])}) == 2


def is_turned(config, index):
    """Whether rotary positions turn the queries and keys of a layer."""
    return not config["nope_every"] or (index + 1) % config["nope_every"] != 0


def pasts_of(config, inputs):
    """Each layer's keys and values, or None: layers with a window and layers without have a stack each, and of these
    layers that positions turn and others."""
    kinds = [(is_full(config, index), is_turned(config, index)) for index in range(config["num_layers"])]

    def prefix(full, turned):
        nope = "" if turned or (full, True) not in kinds else "nope_"
        return nope + ("window_" if has_both(config) and not full else "")

    def stack(prefix):
        keys = f"{prefix}past_keys"
        return iter(zip(inputs[keys], inputs[f"{prefix}past_values"])) if keys in inputs else repeat(None)

    stacks = {kind: stack(prefix(*kind)) for kind in set(kinds)}
    return [next(stacks[kind]) for kind in kinds]


def mask_of(config, inputs, full):
    """Layers with a window have a mask of their own where they keep less of the past than the others."""
    own = has_both(config) and not full and cached_of(config) < config["past_len"]
    return inputs.get("window_mask" if own else "mask")


def positions_of(config):
    return torch.arange(config["seq_len"]) + config["past_len"]


def cache_with(layers):
    """transformers' cache, filled with each layer's keys and values."""
    cache = DynamicCache()
    for layer, past in enumerate(layers):
        if past:
            cache.update(*past, layer)
    return cache


# grouped_query_attention


class Grouped:
    """Llama's attention, Qwen3's where queries and keys are normed: with positions and masks of any kind, which they are
    given as angles and as an additive mask."""

    def __init__(self, config):
        self.config = config

    def own_config(self):
        config = self.config
        return SimpleNamespace(
            hidden_size=config["hidden_size"], num_attention_heads=config["num_heads"], head_dim=head_dim_of(config),
            num_key_value_heads=config["num_kv_heads"], attention_bias=config["bias"], attention_dropout=0.0,
            rms_norm_eps=config["norm_eps"], sliding_window=config["window"], layer_types=["full_attention"],
            max_position_embeddings=4096, rope_parameters={"rope_type": "default", "rope_theta": float(config["rope_theta"])},
        )

    def make(self):
        config = self.config
        attention = (Qwen3Attention if config["qk_norm"] else LlamaAttention)(self.own_config(), 0)
        if config["output_bias"] != config["bias"]:
            attention.o_proj = nn.Linear(attention.o_proj.in_features, config["hidden_size"], config["output_bias"])
        if config["scale"] is not None:
            attention.scaling = config["scale"]
        return attention

    def make_in_double(self):
        """With PyTorch's norm: that of transformers is in float32."""
        attention, width, eps = self.make(), head_dim_of(self.config), self.config["norm_eps"]
        if self.config["qk_norm"]:
            attention.q_norm, attention.k_norm = nn.RMSNorm(width, eps), nn.RMSNorm(width, eps)
        return attention

    def adapt(self, state):
        state = dict(state)
        self.table = state.pop("relative_attention_bias.weight", None)
        return state

    def scores(self, mask, dtype):
        """What is added to them, (..., T, S)."""
        config, T, cached = self.config, self.config["seq_len"], cached_of(self.config)
        band = seen(T, cached + T, config["is_causal"], config["window"], cached)
        scores = torch.zeros(1, 1, T, cached + T, dtype=dtype)
        if config["position"] == "alibi":
            scores = scores + alibi(config["num_heads"], T, cached + T, cached).to(dtype)
        if config["position"] == "relative":
            scores = scores + t5_bias(self.table.to(dtype), T, cached + T, cached, config["is_causal"])
        hidden = restricted(mask, band, dtype)
        return scores if hidden is None else scores + hidden

    def rotation(self, x):
        config = self.config
        if config["position"] == "rope":
            return rotation(positions_of(config), head_dim_of(config), float(config["rope_theta"]), x.dtype)
        still = x.new_zeros(1, config["seq_len"], head_dim_of(config))
        return still + 1, still

    def call(self, attention, inputs):
        x = inputs["hidden_states"]
        scores = self.scores(inputs.get("mask"), x.dtype)
        # Only F.scaled_dot_product_attention makes zeros of a row in which nothing may be attended to; and the other
        # softmax is in float32.
        eager = x.dtype == torch.float32 and not scores.isneginf().all(dim=-1).any()
        attention.config._attn_implementation = "eager" if eager else "sdpa"
        past = [(inputs["past_key"], inputs["past_value"])] if "past_key" in inputs else []
        output, weights = attention(
            x, position_embeddings=self.rotation(x), attention_mask=scores, past_key_values=cache_with(past)
        )
        return {"output": output} | ({"weights": weights} if eager else {})


@pytest.mark.layer("grouped_query_attention")
def test_grouped_query_attention(case):
    grouped = Grouped(case.config)
    assert_agree_in_float32(case, grouped.make, grouped.call, grouped.adapt)
    assert_agree(case, grouped.make_in_double, grouped.call, grouped.adapt)


class Family(Grouped):
    """One of transformers' classes as it comes, with its own rotary embedding."""

    def make(self):
        return self.kind(self.own_config(), 0)

    def rotation(self, x):
        return LlamaRotaryEmbedding(self.own_config())(x, positions_of(self.config)[None])


@pytest.mark.peer("LlamaAttention", "MistralAttention", "Qwen3Attention")
def test_grouped_query_attention_is_that_of_a_family(case):
    family = Family(case.config)
    family.kind = {"LlamaAttention": LlamaAttention, "MistralAttention": MistralAttention, "Qwen3Attention": Qwen3Attention}[case.entry["peer"]]
    assert_agree_in_float32(case, family.make, family.call)


# latent_attention


class Latent:
    """DeepSeek's, whose cache has the keys and values that attnscope's makes from its latent."""

    def __init__(self, config):
        self.config = config

    def make(self):
        config = self.config
        names = ("hidden_size", "q_lora_rank", "kv_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim")
        own = SimpleNamespace(
            **{name: config[name] for name in names}, num_attention_heads=config["num_heads"],
            num_key_value_heads=config["num_heads"], qk_head_dim=config["qk_nope_head_dim"] + config["qk_rope_head_dim"],
            attention_bias=config["bias"], attention_dropout=0.0, rope_parameters={"rope_type": "default"},
            rope_interleave=config["rope_interleave"],
        )
        attention = DeepseekV3Attention(own, 0)
        for norm in self._norms(attention):
            getattr(attention, norm).variance_epsilon = config["norm_eps"]  # always 1e-6 there
        return attention

    def make_in_double(self):
        """With PyTorch's norm: that of transformers is in float32."""
        attention = self.make()
        for norm in self._norms(attention):
            setattr(attention, norm, nn.RMSNorm(getattr(attention, norm).weight.shape, self.config["norm_eps"]))
        return attention

    def _norms(self, attention):
        return [name for name in ("q_a_layernorm", "kv_a_layernorm") if hasattr(attention, name)]

    def _past(self, attention, latent, key):
        H, nope = self.config["num_heads"], self.config["qk_nope_head_dim"]
        heads = attention.kv_b_proj(latent).unflatten(-1, (H, -1)).transpose(1, 2)
        return torch.cat([heads[..., :nope], key.expand(-1, H, -1, -1)], dim=-1), heads[..., nope:]

    def call(self, attention, inputs):
        config, x = self.config, inputs["hidden_states"]
        T, past = config["seq_len"], config["past_len"]
        scores = restricted(inputs.get("mask"), seen(T, past + T, True, offset=past), x.dtype)
        scores = x.new_zeros(1, 1, T, past + T) if scores is None else scores.expand(x.size(0), config["num_heads"], T, past + T)
        eager = x.dtype == torch.float32 and not scores.isneginf().all(dim=-1).any()
        attention.config._attn_implementation = "eager" if eager else "sdpa"
        turns = rotation(positions_of(config), config["qk_rope_head_dim"], float(config["rope_theta"]), x.dtype)
        cached = [self._past(attention, inputs["past_latent"], inputs["past_key"])] if past else []
        output, weights = attention(x, position_embeddings=turns, attention_mask=scores, past_key_values=cache_with(cached))
        return {"output": output} | ({"weights": weights} if eager else {})


@pytest.mark.layer("latent_attention")
def test_latent_attention(case):
    latent = Latent(case.config)
    assert_agree_in_float32(case, latent.make, latent.call)
    assert_agree(case, latent.make_in_double, latent.call)


# decoder: every config against plain PyTorch in double



class PlusOne(nn.Module):
    """Gemma's norm, in the format that it is given."""

    def __init__(self, width, eps):
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.zeros(width)), eps

    def forward(self, x):
        return x / torch.sqrt(x.square().mean(dim=-1, keepdim=True) + self.eps) * (self.weight + 1)


class CentredPlusOne(PlusOne):
    """Nemotron's norm."""

    def __init__(self, width, eps):
        super().__init__(width, eps)
        self.bias = nn.Parameter(torch.zeros(width))

    def forward(self, x):
        return super().forward(x - x.mean(dim=-1, keepdim=True)) + self.bias


NORMS = {"layer_norm": nn.LayerNorm, "layer_norm_plus_one": CentredPlusOne, "rms_norm": nn.RMSNorm, "rms_norm_plus_one": PlusOne}


def norm_of(config, width):
    return NORMS[config["norm"]](width, config["norm_eps"])


def head_norm_of(config, width):
    return (PlusOne if config["norm"] == "rms_norm_plus_one" else nn.RMSNorm)(width, config["norm_eps"])


def capped(x, cap):
    return x if cap is None else cap * torch.tanh(x / cap)


def turned(x, config, index):
    """Rotary positions as products of complex numbers."""
    D, local = config["rotary_dim"] or x.size(-1), config["rope_local_base_freq"]
    theta = config["rope_theta"] if local is None or is_full(config, index) else local
    frequencies = float(theta) ** -(torch.arange(D // 2).double() * 2 / D)
    angles = torch.outer(positions_of(config).double(), frequencies)
    x, others = x[..., :D], x[..., D:]
    a, b = (x[..., 0::2], x[..., 1::2]) if config["rope_interleave"] else x.chunk(2, dim=-1)
    pairs = torch.complex(a, b) * torch.polar(torch.ones_like(angles), angles).to(x.dtype.to_complex())
    return torch.cat([pairs.real, pairs.imag, others], dim=-1)


class Attention(nn.Module):
    def __init__(self, config, index):
        super().__init__()
        self.config, self.index = config, index
        E, D = config["hidden_size"], head_dim_of(config)
        queries, keys = config["num_heads"] * D, (config["num_kv_heads"] or config["num_heads"]) * D
        self.q_proj, self.k_proj, self.v_proj = (nn.Linear(E, width, config["bias"]) for width in (queries, keys, keys))
        self.o_proj = nn.Linear(queries, E, config["output_bias"])
        if config["qk_norm"]:
            whole = config["qk_norm_after"] == "projection"
            self.q_norm, self.k_norm = head_norm_of(config, queries if whole else D), head_norm_of(config, keys if whole else D)

    def forward(self, x, past, added):
        config, D = self.config, head_dim_of(self.config)
        query, key, value = self.q_proj(x), self.k_proj(x), self.v_proj(x)
        normed_after = config["qk_norm_after"] if config["qk_norm"] else None
        if normed_after == "projection":
            query, key = self.q_norm(query), self.k_norm(key)
        query, key, value = (features.unflatten(-1, (-1, D)).transpose(1, 2) for features in (query, key, value))
        if normed_after == "split":
            query, key = self.q_norm(query), self.k_norm(key)
        if config["position"] == "rope" and is_turned(config, self.index):
            query, key = turned(query, config, self.index), turned(key, config, self.index)
        if normed_after == "rotation":
            query, key = self.q_norm(query), self.k_norm(key)
        if past:
            key, value = torch.cat([past[0], key], dim=2), torch.cat([past[1], value], dim=2)
        groups = query.unflatten(1, (key.size(1), -1))
        scale = D**-0.5 if config["scale"] is None else config["scale"]
        scores = torch.einsum("bgntd,bgsd->bgnts", groups, key).flatten(1, 2) * scale
        weights = softmax(capped(scores, config["attn_logit_softcapping"]) + added)
        context = torch.einsum("bgnts,bgsd->bgntd", weights.unflatten(1, (key.size(1), -1)), value).flatten(1, 2)
        return self.o_proj(context.transpose(1, 2).flatten(2)), weights


class FeedForward(nn.Module):
    def __init__(self, config):
        super().__init__()
        E, width, bias = config["hidden_size"], config["intermediate_size"], config["mlp_bias"]
        if config["gated"]:
            self.gate_proj = nn.Linear(E, width, bias)
        self.up_proj, self.down_proj = nn.Linear(E, width, bias), nn.Linear(width, E, bias)
        self._f = {
            "relu": F.relu, "relu2": lambda x: F.relu(x) ** 2, "gelu": F.gelu, "silu": F.silu,
            "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
        }[config["activation"]]

    def forward(self, x):
        raised = self.up_proj(x)
        return self.down_proj(self._f(self.gate_proj(x)) * raised if hasattr(self, "gate_proj") else self._f(raised))


class Layer(nn.Module):
    def __init__(self, config, index):
        super().__init__()
        width = config["hidden_size"]
        self.self_attn, self.mlp = Attention(config, index), FeedForward(config)
        self.factor = 1 if config["residual_scale"] is None else config["residual_scale"]
        before, after = config["pre_norms"], config["post_norms"]
        names = {
            "input_layernorm": before, "post_attention_layernorm": before or after,
            "pre_feedforward_layernorm": before and after, "post_feedforward_layernorm": after,
        }
        for name, exists in names.items():
            if exists:
                setattr(self, name, norm_of(config, width))
        own = lambda name: getattr(self, name, nn.Identity())
        between = own("post_attention_layernorm")
        self._norms = (
            own("input_layernorm"), between if after else nn.Identity(),
            own("pre_feedforward_layernorm") if after else between, own("post_feedforward_layernorm"),
        )

    def forward(self, x, past, added):
        before_attention, after_attention, before_mlp, after_mlp = self._norms
        attended, weights = self.self_attn(before_attention(x), past, added)
        x = x + after_attention(attended) * self.factor
        return x + after_mlp(self.mlp(before_mlp(x))) * self.factor, weights


class Decoder(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config, width, vocabulary = config, config["hidden_size"], config["vocab_size"]
        self.model = nn.Module()
        self.model.embed_tokens = nn.Embedding(vocabulary, width)
        if config["position"] == "learned":
            self.model.embed_positions = nn.Embedding(config["max_positions"], width)
        if config["position"] == "relative":
            self.model.relative_attention_bias = nn.Embedding(32, config["num_heads"])
        self.model.layers = nn.ModuleList(Layer(config, index) for index in range(config["num_layers"]))
        self.model.norm = norm_of(config, width)
        if not config["tie_embeddings"]:
            self.lm_head = nn.Linear(width, vocabulary, bias=False)

    def embedded(self, tokens):
        x, config = self.model.embed_tokens(tokens), self.config
        if config["embedding_scale"] is not None:
            x = x * config["embedding_scale"]
        if config["position"] == "learned":
            return x + self.model.embed_positions(positions_of(config))
        if config["position"] == "sinusoidal":
            return x + sinusoids(positions_of(config), config["hidden_size"]).to(x.dtype)
        return x

    def bias(self, dtype, cached):
        """(..., T, S), of the positions."""
        config, T = self.config, self.config["seq_len"]
        if config["position"] == "alibi":
            return alibi(config["num_heads"], T, cached + T, cached).to(dtype)
        if config["position"] == "relative":
            return t5_bias(self.model.relative_attention_bias.weight, T, cached + T, cached, is_causal=True)
        return torch.zeros(1, dtype=dtype)

    def forward(self, inputs):
        config, T = self.config, self.config["seq_len"]
        x = self.embedded(inputs["tokens"])
        for index, (layer, past) in enumerate(zip(self.model.layers, pasts_of(config, inputs))):
            full = is_full(config, index)
            cached = cached_of(config, full)
            band = seen(T, cached + T, True, None if full else config["window"], cached)
            hidden = restricted(mask_of(config, inputs, full), band, x.dtype)
            bias = self.bias(x.dtype, cached)
            x, weights = layer(x, past, bias if hidden is None else bias + hidden)
        head = self.model.embed_tokens if config["tie_embeddings"] else self.lm_head
        logits = F.linear(self.model.norm(x), head.weight)
        if config["logit_scale"] is not None:
            logits = logits * config["logit_scale"]
        return {"output": capped(logits, config["final_logit_softcapping"]), "weights": weights}


@pytest.mark.layer("decoder")
def test_decoder(case):
    assert_agree(case, lambda: Decoder(case.config), lambda module, inputs: module(inputs))


# decoder: the families


class Model:
    """One of transformers' language models, whose names attnscope has."""

    def __init__(self, config, kind):
        self.config, self.kind = config, kind

    def settings(self):
        config = self.config
        return dict(
            vocab_size=config["vocab_size"], hidden_size=config["hidden_size"], intermediate_size=config["intermediate_size"],
            num_hidden_layers=config["num_layers"], num_attention_heads=config["num_heads"],
            num_key_value_heads=config["num_kv_heads"], head_dim=head_dim_of(config),
            hidden_act=ACTIVATIONS.get(config["activation"], config["activation"]), rms_norm_eps=config["norm_eps"],
            rope_parameters={"rope_type": "default", "rope_theta": float(config["rope_theta"])},
            tie_word_embeddings=config["tie_embeddings"], pad_token_id=None, bos_token_id=None, eos_token_id=None,
            attn_implementation="eager", attention_bias=config["bias"], mlp_bias=config["mlp_bias"],
        )

    def make(self):
        name = self.kind.__name__.removesuffix("ForCausalLM").removesuffix("LMHeadModel")
        own = getattr(transformers, {"Gemma3": "Gemma3Text"}.get(name, name) + "Config")(**self.settings())
        return self.kind(own)

    def adapt(self, state):
        tied = {"lm_head.weight": state["model.embed_tokens.weight"]} if self.config["tie_embeddings"] else {}
        return state | tied

    def layer_types(self):
        every = self.config["full_every"]
        if self.config["window"] is None:
            return ["full_attention"] * self.config["num_layers"]
        full = [bool(every) and (layer + 1) % every == 0 for layer in range(self.config["num_layers"])]
        return ["full_attention" if one else "sliding_attention" for one in full]

    def masks(self, inputs, dtype):
        """None lets the model make its own, of equal lengths. Models with two kinds of layer take two masks."""
        config, uneven = self.config, has_both(self.config) and cached_of(self.config) < self.config["past_len"]
        if "mask" not in inputs and not uneven:
            return None

        def of(full):
            T, cached, mask = config["seq_len"], cached_of(config, full), mask_of(config, inputs, full)
            band = added(seen(T, cached + T, True, None if full else config["window"], cached), dtype)
            return band[None, None] if mask is None else band + added(mask, dtype)

        kinds = {is_full(config, index) for index in range(config["num_layers"])}
        return {"full_attention" if full else "sliding_attention": of(full) for full in kinds}

    def call(self, model, inputs):
        past = pasts_of(self.config, inputs)
        mask = self.masks(inputs, model.dtype)
        results = model(
            input_ids=inputs["tokens"], attention_mask=mask, position_ids=positions_of(self.config)[None],
            past_key_values=cache_with(past), use_cache=True, output_attentions=True,
        )
        return {"output": results.logits, "weights": results.attentions[-1]}


class OneKindOfLayer(Model):
    """Llama, Mistral and GPT-2: one mask for all."""

    def settings(self):
        return super().settings() | {"sliding_window": self.config["window"]}

    def masks(self, inputs, dtype):
        both = super().masks(inputs, dtype)
        return both and both["full_attention" if self.config["window"] is None else "sliding_attention"]


class Qwen(Model):
    def settings(self):
        window = self.config["window"]
        own = {"use_sliding_window": window is not None, "sliding_window": window, "max_window_layers": 0}
        settings = super().settings() | own
        return {key: value for key, value in settings.items() if self.kind.__name__ != "Qwen2ForCausalLM" or key != "head_dim"}


class Gemma(Model):
    def settings(self):
        config, settings = self.config, super().settings()
        scale = head_dim_of(config) ** -0.5 if config["scale"] is None else config["scale"]
        own = dict(
            hidden_activation=settings.pop("hidden_act"), query_pre_attn_scalar=round(scale**-2), sliding_window=config["window"],
            layer_types=self.layer_types(),
        )
        for cap in ("attn_logit_softcapping", "final_logit_softcapping"):  # the classes want 30.0 of a float
            own[cap] = None if config[cap] is None else float(config[cap])
        if self.kind.__name__ == "Gemma3ForCausalLM":
            base, local = settings["rope_parameters"], config["rope_local_base_freq"]
            own_base = base if local is None else base | {"rope_theta": float(local)}
            own["rope_parameters"] = {"full_attention": dict(base), "sliding_attention": dict(own_base)}
        return settings | own


class GPT2(OneKindOfLayer):
    """Other names, and queries, keys and values as one matrix, the other way round."""

    NAMES = {
        "input_layernorm": "ln_1", "self_attn.o_proj": "attn.c_proj", "post_attention_layernorm": "ln_2",
        "mlp.up_proj": "mlp.c_fc", "mlp.down_proj": "mlp.c_proj",
    }

    def settings(self):
        config = self.config
        return dict(
            vocab_size=config["vocab_size"], n_positions=config["max_positions"], n_embd=config["hidden_size"],
            n_layer=config["num_layers"], n_head=config["num_heads"], n_inner=config["intermediate_size"],
            activation_function={"gelu_tanh": "gelu_new"}.get(config["activation"], config["activation"]),
            layer_norm_epsilon=config["norm_eps"], bos_token_id=None, eos_token_id=None, attn_implementation="eager",
        )

    def adapt(self, state):
        words = state["model.embed_tokens.weight"]
        own = {
            "transformer.wte.weight": words, "lm_head.weight": words,
            "transformer.wpe.weight": state["model.embed_positions.weight"],
        }
        for kind in ("weight", "bias"):
            own[f"transformer.ln_f.{kind}"] = state[f"model.norm.{kind}"]
            for layer in range(self.config["num_layers"]):
                of = lambda name: state[f"model.layers.{layer}.{name}.{kind}"].t()
                to = f"transformer.h.{layer}"
                own |= {f"{to}.{its}.{kind}": of(name) for name, its in self.NAMES.items()}
                own[f"{to}.attn.c_attn.{kind}"] = torch.cat([of(f"self_attn.{one}_proj") for one in "qkv"], dim=-1)
        return own


FAMILIES = {
    "LlamaForCausalLM": OneKindOfLayer, "MistralForCausalLM": OneKindOfLayer, "Qwen2ForCausalLM": Qwen,
    "Qwen3ForCausalLM": Qwen, "GPT2LMHeadModel": GPT2, "Gemma2ForCausalLM": Gemma, "Gemma3ForCausalLM": Gemma,
}


def model_of(config, name):
    return FAMILIES[name](config, getattr(transformers, name))


@pytest.mark.peer(*FAMILIES)
def test_decoder_is_the_model_of_a_family(case):
    model = model_of(case.config, case.entry["peer"])
    assert_agree_in_float32(case, model.make, model.call, model.adapt)
