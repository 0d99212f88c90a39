# Small models of every family that attnscope imports, as transformers makes and saves them, for write_cases.js:
#
#   python3 tests/torch/make_checkpoints.py OUTDIR N writes OUTDIR/checkpoints/NAME/, N of twelve drawn models of each family and
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
from checkpoints import LATENT, model_of

logging.getLogger("transformers").setLevel(logging.ERROR)  # it remarks on random configs
warnings.filterwarnings("ignore", module="transformers")

DRAWN = 12  # files of each family, besides those that are named
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


def types_of(file, every):
    """Every n-th layer attends to everything."""
    return [LAYER_TYPES[(layer + 1) % every == 0] for layer in range(file["num_hidden_layers"])]


def gemma3_text(draw):
    file = gemma2(draw) | dict(attn_logit_softcapping=None)
    types = types_of(file, draw.choice([1, 2, 3, 9]))
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


def deepseek_v2(draw):
    file = {key: value for key, value in deepseek_v3(draw).items() if key != "rope_interleave"}
    return file | dict(hidden_size=file["num_attention_heads"] * draw.choice([4, 8]))


def gemma(draw):
    activations = ["gelu_pytorch_tanh", "gelu"]
    own = dict(hidden_act=draw.choice(activations), attention_bias=draw.choice([True, False]))
    return decoder(draw) | own | dict(head_dim=draw.choice([6, 16]))


def turned_in_part(draw, file, parts):
    """Heads of 16 features, of which positions turn a part."""
    rope = file["rope_parameters"] | draw.choice([{}, *(dict(partial_rotary_factor=part) for part in parts)])
    return file | dict(hidden_size=16 * file["num_attention_heads"], rope_parameters=rope)


def phi3(draw):
    file = decoder(draw) | dict(sliding_window=draw.choice([None, 2, 5]), pad_token_id=None)
    return draw.choice([file, file | dict(head_dim=10), turned_in_part(draw, file, [0.25, 0.5, 0.75])])


def granite(draw):
    return llama(draw) | dict(
        attention_multiplier=draw.choice([1.0, 0.3]), embedding_multiplier=draw.choice([1.0, 3.0]),
        residual_multiplier=draw.choice([1.0, 0.22]), logits_scaling=draw.choice([1.0, 8.0]),
    )


def hyperclovax(draw):
    return granite(draw) | dict(attention_multiplier=draw.choice([None, 0.3]), use_post_norm=draw.choice([True, False]))


def arcee(draw):
    return llama(draw) | dict(hidden_act=draw.choice(["relu2", "relu2", "silu"]))


def jais2(draw):
    file = {key: value for key, value in arcee(draw).items() if key != "rms_norm_eps"}
    return file | dict(layer_norm_eps=draw.choice([1e-5, 1e-2]))


def glm(draw):
    file = turned_in_part(draw, decoder(draw), [0.25, 0.5, 1.0])
    return file | dict(head_dim=draw.choice([8, 16]), attention_bias=draw.choice([True, False]), pad_token_id=0)


def helium(draw):
    file = decoder(draw) | dict(attention_bias=draw.choice([True, False]), mlp_bias=draw.choice([True, False]))
    return file | dict(head_dim=file["hidden_size"] // file["num_attention_heads"])


def ernie4_5(draw):
    return decoder(draw) | dict(use_bias=draw.choice([True, False]), head_dim=draw.choice([None, 6, 16]))


def olmo2(draw):
    return decoder(draw) | dict(attention_bias=draw.choice([True, False])) | draw.choice([{}, dict(head_dim=10)])


def olmo3(draw):
    file = olmo2(draw) | dict(sliding_window=draw.randint(2, 6))
    return file | draw.choice([{}, dict(layer_types=types_of(file, draw.choice([1, 2, 3, 9])))])


def exaone4(draw):
    file = decoder(draw)
    plain = dict(sliding_window=None, layer_types=["full_attention"] * file["num_hidden_layers"])
    windows = dict(sliding_window=draw.randint(2, 6), sliding_window_pattern=draw.choice([1, 2, 3, 9]))
    return file | draw.choice([plain, windows, windows]) | draw.choice([{}, dict(head_dim=10)])


def hunyuan(draw):
    return decoder(draw) | dict(attention_bias=draw.choice([True, False]), head_dim=draw.choice([6, 16]))


def smollm3(draw):
    file = decoder(draw) | dict(attention_bias=draw.choice([True, False]), mlp_bias=draw.choice([True, False]), pad_token_id=None)
    layers = file["num_hidden_layers"]
    listed = [dict(no_rope_layers=[turned] * layers) for turned in (0, 1)]
    turned = [dict(no_rope_layer_interval=1), dict(no_rope_layer_interval=9), *listed]
    windowed = dict(use_sliding_window=True, sliding_window=3)
    return file | draw.choice(turned) | draw.choice([{}, windowed])


def stablelm(draw):
    file = {key: value for key, value in decoder(draw).items() if key != "rms_norm_eps"}
    file = turned_in_part(draw, file, [0.5, 1.0])
    return file | dict(use_qkv_bias=draw.choice([True, False]), layer_norm_eps=draw.choice([1e-5, 1e-2]))


def nemotron(draw):
    file = {key: value for key, value in arcee(draw).items() if key not in ("rms_norm_eps", "head_dim")}
    return turned_in_part(draw, file, [0.5, 1.0]) | dict(norm_eps=draw.choice([1e-5, 1e-2]))


def starcoder2(draw):
    file = {key: value for key, value in decoder(draw).items() if key != "rms_norm_eps"}
    own = dict(use_bias=draw.choice([True, False]), norm_epsilon=draw.choice([1e-5, 1e-2]), sliding_window=draw.choice([None, 2, 5]))
    return file | own | dict(hidden_act=draw.choice(["gelu_pytorch_tanh", "relu"])) | draw.choice([{}, dict(head_dim=10)])


def seed_oss(draw):
    biases = {name: draw.choice([True, False]) for name in ("attention_bias", "attention_out_bias", "mlp_bias")}
    return decoder(draw) | biases | dict(head_dim=draw.choice([6, 16]), pad_token_id=None)


def ministral(draw):
    file = mistral(draw) | dict(sliding_window=draw.randint(2, 6), head_dim=draw.choice([6, 16]))
    types = types_of(file, draw.choice([1, 2, 3, 9]))
    return file | draw.choice([{}, dict(layer_types=types)])


def ministral3(draw):
    file = mistral(draw)
    rope = file["rope_parameters"] | dict(llama_4_scaling_beta=0.0, original_max_position_embeddings=16)
    return file | dict(rope_parameters=rope, pad_token_id=None)


def of_images(file, **vision):
    """A file of images and text with this decoder, whose head is tied by the key outside."""
    tied = file.pop("tie_word_embeddings")
    tokens = dict(image_token_id=11, video_token_id=10, vision_start_token_id=9, vision_end_token_id=8)
    return dict(text_config=file, vision_config=vision, tie_word_embeddings=tied) | tokens


def mrope(file, **others):
    """Heads of 16 features, whose 8 pairs are of three kinds."""
    rope = file["rope_parameters"] | dict(mrope_section=[4, 2, 2]) | others
    return file | dict(hidden_size=16 * file["num_attention_heads"], rope_parameters=rope)


def qwen2_vl(draw):
    file = mrope(qwen(draw))
    return of_images(file, depth=1, embed_dim=8, hidden_size=file["hidden_size"], num_heads=1, patch_size=4)


def qwen2_5_vl(draw):
    file = mrope(qwen(draw))
    return of_images(file, depth=1, hidden_size=8, out_hidden_size=file["hidden_size"], num_heads=1, patch_size=4, intermediate_size=8)


def qwen3_vl(draw):
    file = mrope(decoder(draw), mrope_interleaved=True) | dict(head_dim=16, attention_bias=draw.choice([True, False]))
    vision = dict(depth=1, hidden_size=8, out_hidden_size=file["hidden_size"], num_heads=1, patch_size=4, intermediate_size=8)
    return of_images(file, **vision, num_position_embeddings=4, deepstack_visual_indexes=[])


def mistral3(draw):
    file = draw.choice([mistral(draw) | dict(model_type="mistral"), ministral3(draw) | dict(model_type="ministral3")])
    vision = dict(hidden_size=8, intermediate_size=8, num_hidden_layers=1, num_attention_heads=1, image_size=8, patch_size=4, head_dim=8)
    file = of_images(file, model_type="pixtral", **vision)
    return {key: value for key, value in file.items() if not key.endswith("_id")} | dict(image_token_index=11)


FAMILIES = {
    "bert": encoder, "roberta": roberta, "xlm-roberta": roberta, "distilbert": distilbert, "gpt2": gpt2, "llama": llama,
    "mistral": mistral, "qwen2": qwen, "qwen3": qwen3, "gemma2": gemma2, "gemma3_text": gemma3_text, "gemma3": gemma3,
    "gemma": gemma, "phi3": phi3, "granite": granite, "hyperclovax": hyperclovax, "arcee": arcee, "jais2": jais2, "nemotron": nemotron, "glm": glm,
    "glm4": glm, "helium": helium, "ernie4_5": ernie4_5, "olmo2": olmo2, "olmo3": olmo3, "exaone4": exaone4,
    "hunyuan_v1_dense": hunyuan, "smollm3": smollm3, "stablelm": stablelm, "starcoder2": starcoder2,
    "seed_oss": seed_oss, "ministral": ministral, "ministral3": ministral3, "qwen2_vl": qwen2_vl, "qwen2_5_vl": qwen2_5_vl,
    "qwen3_vl": qwen3_vl, "mistral3": mistral3, "deepseek_v2": deepseek_v2, "deepseek_v3": deepseek_v3,
}

THETA = dict(rope_theta=10000.0)
LLAMA3 = THETA | dict(
    rope_type="llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=16
)
LINEAR = THETA | dict(rope_type="linear", factor=8.0)
YARN = THETA | dict(rope_type="yarn", factor=4.0, original_max_position_embeddings=16)
WINDOWS_WITHOUT_ROPE = dict(
    num_hidden_layers=3, no_rope_layers=None, no_rope_layer_interval=2, use_sliding_window=True, sliding_window=3
)
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
    "mistral": {
        "not causal": BOTH_WAYS | dict(sliding_window=None), "not causal, with windows": BOTH_WAYS | dict(sliding_window=5),
    },
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
        "linear": dict(
            rope_parameters=dict(full_attention=LINEAR, sliding_attention=PLAIN), num_hidden_layers=2, layer_types=list(LAYER_TYPES)
        ),
        "windows in no order": dict(num_hidden_layers=3, layer_types=[LAYER_TYPES[one] for one in (1, 0, 0)]),
        "older names": dict(
            rope_parameters=None, rope_theta=500.0, rope_local_base_freq=20.0, layer_types=None, num_hidden_layers=4, sliding_window_pattern=2
        ),
    },
    "gemma": {"not causal": BOTH_WAYS, "both ways": dict(use_bidirectional_attention=True)},
    "phi3": {
        "not causal": BOTH_WAYS, "older half rotary": dict(partial_rotary_factor=0.5, head_dim=8),
        "half rotary": dict(rope_parameters=PLAIN | dict(partial_rotary_factor=0.5), head_dim=8),
    },
    "granite": {
        "not causal": BOTH_WAYS, "residual": dict(residual_multiplier=0.3), "logits": dict(logits_scaling=4.0),
    },
    "hyperclovax": {"not causal": BOTH_WAYS, "norms after": dict(use_post_norm=True, residual_multiplier=0.3, logits_scaling=4.0)},
    "arcee": {"not causal": BOTH_WAYS}, "jais2": {"not causal": BOTH_WAYS}, "nemotron": {"not causal": BOTH_WAYS}, "glm": {"not causal": BOTH_WAYS},
    "glm4": {"not causal": BOTH_WAYS}, "helium": {"not causal": BOTH_WAYS}, "ernie4_5": {"not causal": BOTH_WAYS},
    "olmo2": {"not causal": BOTH_WAYS}, "olmo3": {"not causal": BOTH_WAYS, "yarn": dict(rope_parameters=YARN)},
    "exaone4": {
        "not causal": BOTH_WAYS | dict(sliding_window=3, sliding_window_pattern=9),
        "layers without positions": dict(num_hidden_layers=4, sliding_window=3, sliding_window_pattern=2, layer_types=None),
        "windows in no order": dict(num_hidden_layers=3, sliding_window=3, layer_types=[LAYER_TYPES[one] for one in (1, 0, 0)]),
        "no positions at all": dict(num_hidden_layers=2, sliding_window=3, layer_types=["full_attention"] * 2),
    },
    "hunyuan_v1_dense": {"not causal": BOTH_WAYS},
    "smollm3": {
        "not causal": BOTH_WAYS, "some without positions": dict(no_rope_layer_interval=2, use_sliding_window=False),
        "some listed": dict(num_hidden_layers=3, no_rope_layers=[0, 1, 1], use_sliding_window=False),
        "each second listed": dict(num_hidden_layers=4, no_rope_layers=[1, 0, 1, 0], use_sliding_window=False),
        "saved windows where there are no positions": WINDOWS_WITHOUT_ROPE, "older windows where there are no positions": WINDOWS_WITHOUT_ROPE,
        "layers in turn": dict(
            num_hidden_layers=4, no_rope_layers=None, no_rope_layer_interval=9, use_sliding_window=False, sliding_window=3,
            layer_types=[LAYER_TYPES[layer % 2] for layer in range(4)]
        ),
    },
    "stablelm": {
        "not causal": BOTH_WAYS,
        "older quarter rotary": dict(rope_parameters=None, num_attention_heads=2, num_key_value_heads=2, hidden_size=32),
    },
    "starcoder2": {"not causal": BOTH_WAYS},
    "seed_oss": {"not causal": BOTH_WAYS},
    "ministral": {"not causal": BOTH_WAYS},
    "ministral3": {
        "not causal": BOTH_WAYS, "older yarn": dict(rope_parameters=None, head_dim=8),
        "growing queries": dict(rope_parameters=PLAIN | dict(llama_4_scaling_beta=2.0, original_max_position_embeddings=4)),
    },
    "qwen2_vl": {"not causal": dict(text_config=BOTH_WAYS), "not causal outside": BOTH_WAYS},
    "qwen2_5_vl": {"not causal": dict(text_config=BOTH_WAYS)},
    "qwen3_vl": {"not causal": dict(text_config=BOTH_WAYS), "not causal outside": BOTH_WAYS},
    "mistral3": {
        "not causal": dict(text_config=BOTH_WAYS), "not causal outside": BOTH_WAYS,
        "causal outside": dict(is_causal=True, text_config=BOTH_WAYS),
    },
    "deepseek_v2": {"yarn": dict(rope_parameters=YARN, qk_rope_head_dim=8)},
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
    if model_type in LATENT:
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


def write(folder, place, model_type, name, file):
    draw, generator = random.Random(name), torch.Generator().manual_seed(place)
    config = CONFIG_MAPPING[model_type](**json.loads(json.dumps(file)))
    folder.mkdir(parents=True)
    if "older" in name or (place % 2 and "saved" not in name):  # as short as may be, or as transformers writes it
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
        listed.append(write(out / "checkpoints" / f"{place:03}", place, model_type, name, file))
    (out / "checkpoints.json").write_text(json.dumps(listed))
    print(f"{len(listed)} models of {len(FAMILIES)} families")


if __name__ == "__main__":
    main()
