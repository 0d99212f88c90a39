# Models of every family that is imported, from their own config.json and with their own weights: attnscope's outputs against
# transformers'.

import logging
import warnings
from functools import lru_cache

import pytest
import torch
from safetensors.torch import load_file

import judge
from checkpoints import LATENT, MODELS, loaded, results_of

logging.getLogger("transformers").setLevel(logging.ERROR)  # it remarks on random configs
warnings.filterwarnings("ignore", module="transformers")

FAMILIES = {*MODELS, *LATENT}
WHOLE = {"gemma3", "qwen2_vl", "qwen2_5_vl", "qwen3_vl", "mistral3"}  # of images and text
RENAMED = {"distilbert", "gpt2", "phi3", "starcoder2", "glm", "glm4", "hyperclovax", "hunyuan_v1_dense", *WHOLE}  # names of their own, the others load as they are

# What transformers computes and attnscope does not, of what the models here have: nothing else may differ.
SAID_TO_DIFFER = {
    *((model_type, "is_causal") for model_type in FAMILIES - {*LATENT, *WHOLE}), *((model_type, "text_config.is_causal") for model_type in WHOLE), ("mistral3", "is_causal"),
    ("bert", "is_decoder"), ("roberta", "is_decoder"), ("gpt2", "scale_attn_by_inverse_layer_idx"),
    ("llama", "rope_parameters"), ("llama", "rope_scaling"), ("qwen2", "max_window_layers"), ("qwen3", "layer_types"),
    ("gemma2", "use_bidirectional_attention"), ("gemma3_text", "rope_parameters"), ("gemma3_text", "use_bidirectional_attention"), ("gemma3_text", "layer_types"),
    ("gemma", "use_bidirectional_attention"),
    ("olmo3", "rope_parameters"), ("exaone4", "layer_types"),
    ("smollm3", "no_rope_layers"), ("smollm3", "use_sliding_window"), ("smollm3", "layer_types"),
    ("ministral3", "rope_parameters"), ("deepseek_v2", "rope_parameters"), ("deepseek_v3", "rope_parameters"),
}


@lru_cache(maxsize=1)  # the tests of one checkpoint follow each other
def model_in(folder):
    return loaded(folder), load_file(folder / "inputs.safetensors")


def tokens_alone(results, lengths):
    """Of each sequence of a padded batch the rows of its tokens, one sequence after another."""
    rows = lambda tensor, axis: [one.narrow(axis, 0, length).flatten() for one, length in zip(tensor, lengths)]
    kept = {"output": torch.cat(rows(results["output"], 0)), "pooled": results.get("pooled")}
    if "weights" in results:
        kept["weights"] = torch.cat(rows(results["weights"], 1))
    return {name: tensor for name, tensor in kept.items() if tensor is not None}


def compared(checkpoint, run):
    """What transformers gives, and a function that makes of attnscope's results what is comparable to it."""
    model, inputs = model_in(checkpoint.folder)
    padded = run.name == "padded"
    lengths = checkpoint.entry.get("lengths")
    comparable = (lambda results: tokens_alone(results, lengths)) if padded else (lambda results: results)
    return comparable(results_of(model, inputs, padded)), comparable


@torch.no_grad()
def test_outputs_are_those_of_the_model_or_the_report_says_by_which_key_they_are_not(checkpoint):
    far = []
    for run in checkpoint.runs:
        expected, comparable = compared(checkpoint, run)
        again = judge.in_double(run.module, run.inputs, run.results("reference"))
        for executor in ["reference", *run.builds]:
            ours = comparable(run.results(executor))
            far += judge.float32_differences(f"{run.name}, {executor}", ours, expected, lambda: comparable(again()))
    if checkpoint.differs:
        assert far, f"{checkpoint.differs} is said to make a difference, and makes none"
    else:
        assert not far, "\n".join(far)


@torch.no_grad()
def test_token_by_token_outputs_are_those_of_the_model(checkpoint):
    if checkpoint.differs or not checkpoint.entry["chunks"]:
        return
    (run,) = checkpoint.runs
    expected = {"output": compared(checkpoint, run)[0]["output"]}
    again = judge.in_double(run.module, run.inputs, run.results("reference"))
    for size, output in checkpoint.steps().items():
        far = judge.float32_differences(f"steps of {size}", {"output": output}, expected, lambda: {"output": again()["output"]})
        assert not far, "\n".join(far)


def test_a_state_dict_loads_as_it_is_but_for_names_of_its_own(checkpoint):
    assert checkpoint.renamed == (checkpoint.model_type in RENAMED)
    if not checkpoint.renamed:
        own = load_file(checkpoint.folder / "model.safetensors")
        tied = {"lm_head.weight"} if checkpoint.config.get("tie_embeddings") else set()
        assert tied <= own.keys()
        assert own.keys() - tied == checkpoint.state.keys()
        assert all(torch.equal(tensor, own[name]) for name, tensor in checkpoint.state.items())


@pytest.mark.full
def test_every_family_has_several_models_that_are_computed_exactly(index):
    for model_type in FAMILIES:
        exact = [checkpoint for checkpoint in index.checkpoints if checkpoint.model_type == model_type and not checkpoint.differs]
        assert len(exact) >= 6, model_type


def test_every_family_is_there_and_each_difference_that_is_said(index):
    assert {checkpoint.model_type for checkpoint in index.checkpoints} == FAMILIES
    said = {(one.model_type, key) for one in index.checkpoints for key, _ in one.differs}
    assert said == SAID_TO_DIFFER
