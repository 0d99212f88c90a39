# Small models of every family that attnscope imports, as transformers makes and saves them, for write_cases.js:
#
#   python3 tests/torch/make_checkpoints.py OUTDIR N writes OUTDIR/checkpoints/NAME/, N of six drawn models of each family and
#                                                    those that are named, each with config.json,
#                                                    model.safetensors and inputs.safetensors, and their list
#
# Every weight is moved from where it starts, and lengths go past windows: nothing that a model computes is without effect.

import json
import logging
import random
import shutil
import sys
import warnings
from pathlib import Path

import torch
from safetensors.torch import save_file
from transformers import CONFIG_MAPPING

sys.dont_write_bytecode = True  # the checkout stays clean
sys.path.insert(0, str(Path(__file__).parent))
from checkpoints import model_of

logging.getLogger("transformers").setLevel(logging.ERROR)  # it remarks on random configs
warnings.filterwarnings("ignore", module="transformers")

DRAWN = 6  # files of each family, besides those that are named
LAYER_TYPES = ("sliding_attention", "full_attention")


def encoder(draw):
    heads = draw.choice([1, 2, 3, 4])
    return dict(
        vocab_size=draw.randint(12, 40), hidden_size=heads * draw.choice([8, 12, 16]), num_attention_heads=heads,
        num_hidden_layers=draw.randint(1, 3), intermediate_size=draw.choice([16, 33, 64]),
        hidden_act=draw.choice(["gelu", "gelu_new", "relu", "silu"]), max_position_embeddings=draw.randint(24, 40),
        type_vocab_size=draw.randint(1, 3), layer_norm_eps=draw.choice([1e-12, 1e-5, 1e-2]),
    )


def roberta(draw):
    return encoder(draw) | dict(pad_token_id=draw.choice([0, 1, 3, 7]))


def distilbert(draw):
    names = dict(hidden_size="dim", num_attention_heads="n_heads", num_hidden_layers="n_layers",
                 intermediate_size="hidden_dim", hidden_act="activation")
    file = {names.get(key, key): value for key, value in encoder(draw).items()}
    return {key: value for key, value in file.items() if key not in ("type_vocab_size", "layer_norm_eps")}


def gpt2(draw):
    heads = draw.choice([1, 2, 3, 4])
    return dict(
        vocab_size=draw.randint(12, 40), n_embd=heads * draw.choice([8, 12, 16]), n_head=heads, n_layer=draw.randint(1, 3),
        n_positions=draw.randint(24, 40), n_inner=draw.choice([None, 16, 33]),
        activation_function=draw.choice(["gelu_new", "gelu", "relu"]), layer_norm_epsilon=draw.choice([1e-5, 1e-2]),
        tie_word_embeddings=draw.choice([True, False]),
    )


def decoder(draw):
    heads, shared = draw.choice([(1, 1), (2, 1), (4, 2), (6, 3), (3, 3)])
    return dict(
        vocab_size=draw.randint(12, 40), hidden_size=heads * draw.choice([8, 16, 20]), num_attention_heads=heads,
        num_key_value_heads=shared, num_hidden_layers=draw.randint(2, 4), intermediate_size=draw.choice([16, 33, 64]),
        max_position_embeddings=64, rms_norm_eps=draw.choice([1e-6, 1e-5, 1e-2]), tie_word_embeddings=draw.choice([True, False]),
        rope_parameters=dict(rope_type="default", rope_theta=draw.choice([100.0, 10000.0, 500000.0])),
    )


def llama(draw):
    own = dict(attention_bias=draw.choice([True, False]), mlp_bias=draw.choice([True, False]))
    return decoder(draw) | own | draw.choice([{}, dict(head_dim=10)])


def mistral(draw):
    return decoder(draw) | dict(sliding_window=draw.choice([None, 2, 5])) | draw.choice([{}, dict(head_dim=6)])


def qwen(draw):
    windowed = dict(use_sliding_window=True, sliding_window=draw.randint(2, 6), max_window_layers=0)
    return decoder(draw) | draw.choice([{}, windowed])


def qwen3(draw):
    return qwen(draw) | dict(head_dim=draw.choice([6, 16]), attention_bias=draw.choice([True, False]))


def gemma2(draw):
    return decoder(draw) | dict(
        head_dim=draw.choice([6, 16]), query_pre_attn_scalar=draw.choice([16, 24, 256]), sliding_window=draw.randint(2, 6),
        attention_bias=draw.choice([True, False]), hidden_activation=draw.choice(["gelu_pytorch_tanh", "silu"]),
        attn_logit_softcapping=draw.choice([None, 0.5, 50.0]), final_logit_softcapping=draw.choice([None, 0.5, 30.0]),
    )


def gemma3_text(draw):
    file = gemma2(draw) | dict(attn_logit_softcapping=None)
    every = draw.choice([1, 2, 3, 9])
    types = [LAYER_TYPES[(layer + 1) % every == 0] for layer in range(file["num_hidden_layers"])]
    bases = dict(full_attention=file["rope_parameters"], sliding_attention=dict(rope_type="default", rope_theta=30.0))
    return file | dict(layer_types=types, rope_parameters=bases)


def gemma3(draw):
    text = gemma3_text(draw)
    tied = text.pop("tie_word_embeddings")
    vision = dict(hidden_size=8, intermediate_size=8, num_hidden_layers=1, num_attention_heads=1, image_size=8, patch_size=4)
    return dict(text_config=text, vision_config=vision, tie_word_embeddings=tied, mm_tokens_per_image=4)


def deepseek_v3(draw):
    heads = draw.choice([1, 2, 4])
    return dict(
        hidden_size=draw.choice([12, 16, 33]), num_attention_heads=heads, num_key_value_heads=heads,
        q_lora_rank=draw.choice([None, 8, 24]), kv_lora_rank=draw.choice([8, 16]), qk_nope_head_dim=draw.choice([4, 8]),
        qk_rope_head_dim=draw.choice([2, 4, 8]), v_head_dim=draw.choice([3, 8]), attention_bias=draw.choice([True, False]),
        rope_interleave=draw.choice([True, False]),
    )


FAMILIES = {
    "bert": encoder, "roberta": roberta, "xlm-roberta": roberta, "distilbert": distilbert, "gpt2": gpt2, "llama": llama,
    "mistral": mistral, "qwen2": qwen, "qwen3": qwen3, "gemma2": gemma2, "gemma3_text": gemma3_text, "gemma3": gemma3,
    "deepseek_v3": deepseek_v3,
}

THETA = dict(rope_theta=10000.0)
LLAMA3 = THETA | dict(
    rope_type="llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=16
)
LINEAR = THETA | dict(rope_type="linear", factor=8.0)
YARN = THETA | dict(rope_type="yarn", factor=4.0, original_max_position_embeddings=16)
PLAIN = THETA | dict(rope_type="default")

BOTH_WAYS = dict(is_causal=False)
CAUSAL = dict(is_causal=True)

# By family and name, what a draw would hardly hit. Whether attnscope computes it is for the report of keys to say.
NAMED = {
    "bert": {"a decoder": dict(is_decoder=True, num_hidden_layers=2), "causal": CAUSAL},
    "roberta": {
        "causal": CAUSAL, "a decoder": dict(is_decoder=True, num_hidden_layers=2), "as published": dict(pad_token_id=1, max_position_embeddings=26),
        "the default of pad_token_id": dict(pad_token_id=1),
    },
    "xlm-roberta": {"causal": CAUSAL},
    "distilbert": {"sinusoids": dict(sinusoidal_pos_embds=True), "causal": CAUSAL},
    "gpt2": {
        "not causal": BOTH_WAYS, "unscaled": dict(scale_attn_weights=False), "upcast": dict(reorder_and_upcast_attn=True),
        "scores divided by the layer": dict(scale_attn_by_inverse_layer_idx=True, n_layer=2),
    },
    "llama": {
        "not causal": BOTH_WAYS, "llama3": dict(rope_parameters=LLAMA3), "linear": dict(rope_parameters=LINEAR), "yarn": dict(rope_parameters=YARN),
        "half rotary": dict(rope_parameters=PLAIN | dict(partial_rotary_factor=0.5)),
        "padding counted from the end": dict(pad_token_id=-1),
        "older names": dict(rope_parameters=None, rope_theta=500.0), "older scaling": dict(rope_parameters=None, rope_scaling=LLAMA3),
    },
    "mistral": {"not causal": BOTH_WAYS | dict(sliding_window=None), "not causal, with windows": BOTH_WAYS | dict(sliding_window=5)},
    "qwen2": {
        "not causal": BOTH_WAYS, "older: windows after the first layers": dict(use_sliding_window=True, sliding_window=3, max_window_layers=1, num_hidden_layers=3),
        "windows that are never used": dict(use_sliding_window=True, sliding_window=3, max_window_layers=3, num_hidden_layers=3),
    },
    "qwen3": {
        "not causal": BOTH_WAYS, "windows in turn": dict(
            use_sliding_window=True, sliding_window=3, num_hidden_layers=4, layer_types=[LAYER_TYPES[layer % 2] for layer in range(4)]
        ),
        "windows in no order": dict(
            use_sliding_window=True, sliding_window=3, num_hidden_layers=3, layer_types=[LAYER_TYPES[one] for one in (1, 0, 0)]
        ),
    },
    "gemma2": {
        "not causal": BOTH_WAYS, "both ways": dict(use_bidirectional_attention=True),
        "tied and capped": dict(tie_word_embeddings=True, attn_logit_softcapping=0.3, final_logit_softcapping=0.5),
    },
    "gemma3": {"not causal": dict(text_config=BOTH_WAYS), "not causal outside": BOTH_WAYS},
    "gemma3_text": {
        "not causal": BOTH_WAYS, "both ways": dict(use_bidirectional_attention=True, sliding_window=4),
        "a cap that it does not apply": dict(attn_logit_softcapping=0.1),
        "linear": dict(rope_parameters=dict(full_attention=LINEAR, sliding_attention=PLAIN)),
        "windows in no order": dict(num_hidden_layers=3, layer_types=[LAYER_TYPES[one] for one in (1, 0, 0)]),
        "older names": dict(
            rope_parameters=None, rope_theta=500.0, rope_local_base_freq=20.0, layer_types=None, num_hidden_layers=4, sliding_window_pattern=2
        ),
    },
    "deepseek_v3": {"yarn": dict(rope_parameters=YARN | dict(mscale_all_dim=1.0), qk_rope_head_dim=8)},
}


def merged(file, own):
    """With other values, those of the text inside a file of several models among them."""
    inside = lambda key, value: file[key] | value if key == "text_config" else value
    return file | {key: inside(key, value) for key, value in own.items()}


def files(kept):
    """The first drawn files of each family and all that are named. The others are drawn too: what follows stays the same."""
    place = 0
    for model_type, make in FAMILIES.items():
        draw = random.Random(f"20261122 {model_type}")
        drawn = [(f"{model_type} {count + 1}", make(draw)) for count in range(DRAWN)]
        named = [(f"{model_type}, {name}", merged(make(draw), own)) for name, own in NAMED.get(model_type, {}).items()]
        for at, (name, file) in enumerate(drawn + named):
            if at < kept or at >= DRAWN:
                yield place + at, model_type, name, file
        place += len(drawn) + len(named)


@torch.no_grad()
def move(model, generator):
    """Matrices that keep the size of what they are given; vectors around where they start."""
    for parameter in model.parameters():
        noise = torch.randn(parameter.shape, generator=generator)
        if parameter.dim() > 1:
            parameter.copy_(noise * parameter.size(-1) ** -0.5)
        else:
            parameter.add_(0.3 * noise)


def inputs_of(model_type, config, draw, generator):
    """Sequences as long as the model takes, and for encoders shorter ones, padded at their end."""
    batch = draw.randint(1, 3)
    if model_type == "deepseek_v3":
        return dict(hidden_states=torch.randn((batch, draw.randint(1, 14), config.hidden_size), generator=generator))
    text = config.get_text_config()
    is_roberta = model_type in ("roberta", "xlm-roberta")
    longest = text.max_position_embeddings - (config.pad_token_id + 1 if is_roberta else 0)
    length = min(longest, draw.choice([9, 14, 64]))
    tokens = torch.randint(text.vocab_size, (batch, length), generator=generator)
    if is_roberta:  # which takes its own padding token for padding wherever it stands
        tokens[tokens == config.pad_token_id] = config.pad_token_id + 1
    lengths = torch.randint(1, length + 1, (batch,), generator=generator)
    return dict(tokens=tokens.int(), lengths=lengths.int())


def write(folder, place, model_type, name, file, older):
    draw, generator = random.Random(name), torch.Generator().manual_seed(place)
    config = CONFIG_MAPPING[model_type](**json.loads(json.dumps(file)))
    folder.mkdir(parents=True)
    if place % 2 or older:  # as short as may be, or as transformers writes it
        (folder / "config.json").write_text(json.dumps({"model_type": model_type} | file))
    else:
        config.save_pretrained(folder)
    model = model_of(folder)
    move(model, generator)
    save_file({name: tensor.clone().contiguous() for name, tensor in model.state_dict().items()}, folder / "model.safetensors")
    save_file(inputs_of(model_type, config, draw, generator), folder / "inputs.safetensors")
    return {"name": name, "folder": folder.name}


def main():
    out, kept = Path(sys.argv[1]), int(sys.argv[2])
    shutil.rmtree(out / "checkpoints", ignore_errors=True)
    listed = []
    for place, model_type, name, file in files(kept):
        listed.append(write(out / "checkpoints" / f"{place:03}", place, model_type, name, file, older="older" in name))
    (out / "checkpoints.json").write_text(json.dumps(listed))
    print(f"{len(listed)} models of {len(FAMILIES)} families")


if __name__ == "__main__":
    main()
