# Sequences decoded in steps with a KV cache, against one pass over all of them, and against transformers' decoding.

import pytest
import torch
from transformers import DynamicCache

import judge
from peers import seen
from test_modules_decoders import Family, LlamaAttention, Qwen3Attention, model_of


def joined(steps, name):
    return torch.cat([step[name] for step in steps], dim=1)


@torch.no_grad()
def test_steps_of_any_size_give_what_one_pass_gives(decoding):
    """Both are results in float32, whose rounding a layer may enlarge."""
    expected = {"output": decoding.whole["output"]}
    for positions, steps in decoding.steps():
        ours = {"output": joined(steps, "output")}
        far = judge.float32_differences(f"steps at {positions}", ours, expected, lambda: {"output": decoding.in_double()["output"]})
        assert not far, "\n".join(far)


@torch.no_grad()
def test_weights_of_a_step_are_the_rows_of_one_pass(decoding):
    """Over the keys that the cache still has: with a window the pass gives those before no weight."""
    for positions, steps in decoding.steps():
        for first, end, step in zip(positions, positions[1:], steps):
            rows = lambda results: results["weights"][:, :, first:end]
            kept = end - step["weights"].size(-1)
            seen = lambda results: {"weights": rows(results)[..., kept:end]}
            far = judge.float32_differences(
                f"positions {first} to {end}", step, seen(decoding.whole), lambda: seen(decoding.in_double())
            )
            assert not far, "\n".join(far)
            assert not rows(decoding.whole)[..., :kept].any() and not rows(decoding.whole)[..., end:].any()


def test_the_cache_keeps_no_more_than_a_window_needs(decoding):
    window, every = decoding.config.get("window"), decoding.config.get("full_every")
    if every and decoding.config["num_layers"] % every == 0:
        window = None  # the weights are those of the last layer
    for positions, steps in decoding.steps():
        for first, end, step in zip(positions, positions[1:], steps):
            past = first if window is None else min(first, window - 1)
            assert step["weights"].size(-1) == past + end - first


def decoded_by_transformers(decoding, positions, step):
    """step(config, inputs, cache) -> its results, for each step; the config is that of the step."""
    cache, outputs = DynamicCache(), []
    for first, end in zip(positions, positions[1:]):
        config = decoding.config | {"past_len": first, "seq_len": end - first}
        inputs = {name: tensor[:, first:end] for name, tensor in decoding.inputs.items()}
        with torch.no_grad():
            outputs.append(step(config, inputs, cache))
    return torch.cat(outputs, dim=1)


def is_rotary(config):
    return config["position"] == "rope"


def is_llama(config):
    plain = {
        "position": "rope", "norm": "rms_norm", "gated": True, "post_norms": False, "qk_norm": False, "window": None, "scale": None,
        "embedding_scale": None, "attn_logit_softcapping": None, "final_logit_softcapping": None,
        "pre_norms": True, "nope_every": None, "rotary_dim": None, "rope_interleave": False, "residual_scale": None, "logit_scale": None,
    }
    return all(config[name] == value for name, value in plain.items()) and config["bias"] == config["output_bias"]


def attention_step(attention, family):
    def step(config, inputs, cache):
        x = inputs["hidden_states"]
        T, past = config["seq_len"], config["past_len"]
        hidden = ~seen(T, past + T, True, config["window"], past)
        scores = torch.zeros(1, 1, T, past + T).masked_fill(hidden, -torch.inf)
        turns = type(family)(config).rotation(x)
        return attention(x, position_embeddings=turns, attention_mask=scores, past_key_values=cache)[0]

    return step


@pytest.mark.layer("grouped_query_attention", only=is_rotary)
def test_attention_decodes_as_that_of_llama_and_qwen3_does(decoding):
    family = Family(decoding.config)
    family.kind = Qwen3Attention if decoding.config["qk_norm"] else LlamaAttention
    attention = family.make().eval()
    attention.load_state_dict(decoding.state, strict=True)
    attention.config._attn_implementation = "eager"
    for positions, steps in decoding.steps():
        expected = decoded_by_transformers(decoding, positions, attention_step(attention, family))
        assert judge.distance(joined(steps, "output"), expected) <= judge.FLOAT32, positions


@pytest.mark.layer("decoder", only=is_llama)
def test_decoder_decodes_as_llama_does(decoding):
    llama = model_of(decoding.config, "LlamaForCausalLM")
    model = llama.make().eval()
    model.load_state_dict(llama.adapt(decoding.state), strict=True)

    def step(config, inputs, cache):
        return model(input_ids=inputs["tokens"], past_key_values=cache, use_cache=True).logits

    for positions, steps in decoding.steps():
        expected = decoded_by_transformers(decoding, positions, step)
        assert judge.distance(joined(steps, "output"), expected) <= judge.FLOAT32, positions
