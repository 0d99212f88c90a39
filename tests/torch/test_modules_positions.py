# What tells positions apart, each by itself: transformers' own functions for it agree with what the other tests use.

import pytest
import torch
from transformers import LlamaConfig
from transformers.models.bloom.modeling_bloom import build_alibi_tensor
from transformers.models.distilbert.modeling_distilbert import create_sinusoidal_embeddings
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding
from transformers.models.marian.modeling_marian import MarianSinusoidalPositionalEmbedding
from transformers.models.mpt.modeling_mpt import build_mpt_alibi_tensor

import judge
from peers import added, alibi, rotation, seen, sinusoids


HALF_ULP = 2.0**-25  # of numbers below 1, in float32


@pytest.mark.parametrize("length, width", [(1, 12), (17, 24), (64, 64), (129, 33)])
def test_sinusoids_are_those_of_distilbert_and_marian(length, width):
    """DistilBERT's sines and cosines alternate, as in the paper; Marian's sines all come before its cosines."""
    ours = sinusoids(torch.arange(length), width)
    alternating = torch.empty(length, width)
    create_sinusoidal_embeddings(length, width, alternating)
    halves = MarianSinusoidalPositionalEmbedding(length, width).create_weight()
    order = torch.cat([torch.arange(0, width, 2), torch.arange(1, width, 2)])
    assert ((alternating - ours).abs() <= 1.001 * HALF_ULP).all()
    assert ((halves - ours[:, order]).abs() <= 1.001 * HALF_ULP).all()


@pytest.mark.parametrize("heads", [1, 2, 3, 4, 5, 8, 11, 12, 71])
def test_slopes_of_alibi_are_those_of_mpt(heads):
    """Its biases are those of the last query."""
    length = 33
    assert judge.distance(alibi(heads, 1, length, offset=length - 1), build_mpt_alibi_tensor(heads, length)) <= 2.0**-23


@pytest.mark.parametrize("heads", [1, 2, 3, 4, 5, 8, 11, 12, 71])
@pytest.mark.parametrize("length", [1, 2, 33])
def test_bloom_weighs_as_alibi_does(heads, length):
    """BLOOM adds slope times position, the same but for a constant in each row, which softmax does not see."""
    bloom = build_alibi_tensor(torch.ones(1, length), heads, torch.float32)
    causal = added(seen(length, length, is_causal=True), torch.float32)
    ours = (alibi(heads, length, length) + causal).softmax(dim=-1)
    bloom = bloom.view(heads, 1, length)
    assert judge.distance(ours, (bloom + causal).softmax(dim=-1)) <= judge.FLOAT32


@pytest.mark.parametrize("features, theta", [(2, 10000.0), (8, 100.0), (16, 500000.0)])
def test_llama_turns_by_these_angles(features, theta):
    positions = torch.arange(64)
    config = LlamaConfig(head_dim=features, rope_parameters={"rope_type": "default", "rope_theta": theta})
    llama = LlamaRotaryEmbedding(config)(torch.zeros(1), positions[None])
    for ours, expected in zip(rotation(positions, features, theta), llama):
        # two roundings of the frequency and one of the product, each half a ULP of the angle
        assert ((ours - expected).abs() <= 2e-7 * (1 + positions[:, None])).all()
