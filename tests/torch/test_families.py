# Hugging Face files as attnscope sizes them, against the models that transformers builds from the same files: on the
# meta device, which knows every shape and holds no number.

import logging
import warnings
from functools import lru_cache

import pytest
import torch
import transformers
from transformers import CONFIG_MAPPING, AutoConfig, AutoModel, DynamicCache, Mistral3Config, StaticCache
from transformers.models.deepseek_v2.modeling_deepseek_v2 import DeepseekV2Attention
from transformers.models.deepseek_v3.modeling_deepseek_v3 import DeepseekV3Attention

from checkpoints import MODELS

logging.getLogger("transformers").setLevel(logging.ERROR)  # it remarks on random configs
warnings.filterwarnings("ignore", module="transformers")

PROMISED = {
    "BERT base": 109_482_240,
    "BERT large": 335_141_888,
    "DistilBERT": 66_362_880,
    "RoBERTa base": 124_645_632,
    "GPT-2": 124_439_808,
    "Llama-3-8B": 8_030_261_248,
}

def pytest_generate_tests(metafunc):
    if "family" in metafunc.fixturenames:
        metafunc.parametrize("family", metafunc.config.index.families, ids=lambda family: family["name"])
    if "defaulted" in metafunc.fixturenames:
        metafunc.parametrize("defaulted", metafunc.config.index.family_defaults, ids=lambda one: str(one["hf"]))


def class_config(hf):
    """The classes want 30.0 of a float, which JavaScript writes as 30."""
    fields = CONFIG_MAPPING[hf["model_type"]].__dataclass_fields__
    floats = {key for key, value in hf.items() if type(value) is int and key in fields and fields[key].type in (float, float | None)}
    return AutoConfig.for_model(**{key: float(value) if key in floats else value for key, value in hf.items()})


WHOLE = {"qwen2_vl", "qwen2_5_vl", "qwen3_vl", "mistral3"}  # the text has no class with a head of its own
LATENT = {"deepseek_v2": DeepseekV2Attention, "deepseek_v3": DeepseekV3Attention}


def config_of(hf):
    """The text part alone of a model of text and images, whose head is tied as the whole model says."""
    config = class_config(hf)
    if hf["model_type"] != "gemma3":
        return config
    tied = config.tie_word_embeddings
    config = config.text_config
    config.tie_word_embeddings = tied
    return config


def small_vision(config):
    """What reads images is not judged here, and takes time to make."""
    vision = getattr(config, "vision_config", None)
    if vision is not None:
        vision.num_hidden_layers = vision.depth = 1


class Built:
    """One file, and the module that transformers makes of it, in the number format that attnscope sizes."""

    def __init__(self, family):
        self.sized = family["config"]
        self.dtype = getattr(torch, self.sized["dtype"])
        self.config = config_of(family["hf"])
        text = self.config.get_text_config()
        # The others ask for masks in ways that meta tensors cannot answer.
        self.config._attn_implementation = text._attn_implementation = "eager"
        small_vision(self.config)
        with torch.device("meta"):
            self.module = self._module().to(self.dtype)
        self.text = self.module.model.language_model if self.config.model_type in WHOLE else self.module

    def _module(self):
        if self.config.model_type in LATENT:
            return LATENT[self.config.model_type](self.config, 0)
        return getattr(transformers, MODELS[self.config.model_type])(self.config)

    def parameters(self):
        """Each once, without what reads images."""
        if self.text is self.module:
            return list(self.module.parameters())
        return list({id(one): one for part in (self.text, self.module.lm_head) for one in part.parameters()}.values())

    def cached_bytes(self, cache, batch_size, length):
        """What the cache holds after a pass over `length` positions."""
        ids = torch.zeros((batch_size, length), dtype=torch.long, device="meta")
        with torch.no_grad():
            self.text(input_ids=ids, past_key_values=cache, use_cache=True)
        return sum(layer.keys.nbytes + layer.values.nbytes for layer in cache.layers)


@lru_cache(maxsize=1)  # the tests of one file follow each other
def built(name, index):
    return Built(next(family for family in index.families if family["name"] == name))


def test_parameters_are_those_of_the_model(family, index):
    parameters = built(family["name"], index).parameters()
    assert family["parameters"] == sum(parameter.numel() for parameter in parameters)


def test_the_kv_cache_is_that_of_the_model(family, index):
    """A static cache keeps what the last position attends to, itself included: every position, or those of the window.
    A dynamic one without windows grows by one position a token."""
    model = built(family["name"], index)
    sized = model.sized
    if sized["layer"] == "encoder":
        assert family["kv_cache"] is None
        return
    batch_size, length = sized["batch_size"], sized["past_len"] + sized["seq_len"]
    if sized["layer"] == "latent_attention":
        # transformers caches the keys and values of all heads; the paper (arXiv 2405.04434, section 2.1) what they
        # are computed from, which is all that this projection gives.
        token = model.module.kv_a_proj_with_mqa.out_features * model.dtype.itemsize
        sequence, batch = length * token, batch_size * length * token
    else:
        token = model.cached_bytes(DynamicCache(), 1, 1)
        batch = model.cached_bytes(StaticCache(config=model.config.get_text_config(), max_cache_len=length), batch_size, length)
        sequence = batch / batch_size
    assert family["kv_cache"] == {"bytes_per_token": token, "bytes_per_sequence": sequence, "bytes": batch}


def test_the_padding_token_is_that_of_the_models_embedding(family, index):
    model = built(family["name"], index)
    if model.sized["layer"] == "latent_attention":
        return
    assert model.sized.get("padding_idx") == model.text.get_input_embeddings().padding_idx


def test_a_decoder_whose_class_has_no_head_has_the_parameters_of_the_model_without_it(index):
    assert index.headless
    for family in index.headless:
        config = config_of(family["hf"])
        small_vision(config)
        with torch.device("meta"):
            model = AutoModel.from_config(config)
        model = getattr(model, "language_model", model)
        assert family["parameters"] == sum(parameter.numel() for parameter in model.parameters()), family["name"]


def test_a_key_by_which_transformers_alone_keeps_another_cache_says_so(index):
    assert index.other_caches
    for family in index.other_caches:
        length = family["config"]["seq_len"]
        cache = StaticCache(config=class_config(family["hf"]), max_cache_len=length)
        assert [min(layer.max_cache_len, length) for layer in cache.layers] != kept_positions(family["config"]), family["name"]
        assert len(family["differs"]) == 1, family["name"]


def kept_positions(config):
    """Of each layer, where all have the same window or none has."""
    return [min(config["window"] or config["seq_len"], config["seq_len"])] * config["num_layers"]


def test_the_promised_totals_are_there(index):
    totals = {family["name"]: family["parameters"] for family in index.families}
    assert {name: totals[name] for name in PROMISED} == PROMISED


@pytest.mark.full
def test_every_family_has_variants_and_some_with_a_head_dim_of_its_own(index):
    for model_type in [*MODELS, *LATENT]:
        files = [family["hf"] for family in index.families if family["hf"]["model_type"] == model_type]
        assert len(files) >= 10, model_type
    for model_type in ["llama", "mistral", "qwen3", "gemma2", "gemma3_text"]:
        sized = [family["config"] for family in index.families if family["hf"]["model_type"] == model_type]
        assert any(one["head_dim"] and one["head_dim"] * one["num_heads"] != one["hidden_size"] for one in sized), model_type


def test_a_key_that_is_absent_has_the_default_of_the_configuration_class(defaulted):
    config = AutoConfig.for_model(**defaulted["hf"])
    for name, value in defaulted["defaults"]:
        if name == "rope_parameters":
            assert config.rope_parameters.items() >= value.items()
        else:
            assert value == default_of(config, name), name


def default_of(config, name):
    """As the class declares it: what a null stands for is computed later."""
    part, _, key = name.rpartition(".")
    whole = config
    config = getattr(config, part) if part else config
    if key not in type(config).__dataclass_fields__ and hasattr(config, "text_config"):
        config = config.text_config  # of files that have the keys of the text beside those of the whole
    if key == "rope_theta":
        rope = config.rope_parameters
        return rope.get("full_attention", rope)["rope_theta"]
    if key == "rope_local_base_freq":
        return config.rope_parameters["sliding_attention"]["rope_theta"]
    if key == "partial_rotary_factor":
        return config.rope_parameters[key]
    if key == "sliding_window_pattern" and not hasattr(config, key):
        return config._sliding_window_pattern
    if isinstance(whole, Mistral3Config):  # whose text has other defaults than the class of the text
        return getattr(config, key)
    return type(config).__dataclass_fields__[key].default
