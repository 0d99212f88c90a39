# The figures that the project promises, counted in PyTorch's own modules.

import pytest
import torch
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode


def flops_of(module, *inputs, **options):
    counter = FlopCounterMode(display=False)
    # On the fast paths the counter sees no matrix product.
    torch.backends.mha.set_fastpath_enabled(False)
    with counter, sdpa_kernel(SDPBackend.MATH):
        module(*inputs, **options)
    torch.backends.mha.set_fastpath_enabled(True)
    return counter.get_total_flops()


def parameters_of(module):
    return sum(p.numel() for p in module.parameters())


def additive(bias):
    return nn.Sequential(nn.Linear(768, 128, bias=bias), nn.Tanh(), nn.Linear(128, 1, bias=bias))


@pytest.mark.parametrize("name, parameters, module", [
    ("linear", 769, nn.Linear(768, 1)),
    ("linear_without_bias", 768, nn.Linear(768, 1, bias=False)),
    ("additive", 98561, additive(True)),
    ("additive_without_bias", 98432, additive(False)),
    ("multihead", 4 * 768**2 + 4 * 768, nn.MultiheadAttention(768, 12)),
])
def test_parameters_of_the_promised_sizes(index, name, parameters, module):
    assert index.figures[name]["parameters"] == parameters == parameters_of(module)


@pytest.mark.parametrize("name, macs, module", [
    ("linear_scores", 3145728, nn.Linear(768, 1)),
    ("additive_scores", 403177472, additive(True)),
])
def test_scoring_32_sequences_of_128_positions(index, name, macs, module):
    estimate, hidden_states = index.figures[name], torch.zeros(32, 128, 768)
    scores = module(hidden_states)
    assert estimate["macs"] == macs == flops_of(module, hidden_states) // 2
    assert estimate["output_shape"] == [32, 128, 1] == list(scores.shape)
    assert estimate["memory"]["output"] == 16 * 1024 == scores.nbytes


@pytest.mark.parametrize("name", ["linear", "additive"])
def test_pooling_costs_one_product_more(index, name):
    weights, hidden_states = torch.zeros(32, 1, 128), torch.zeros(32, 128, 768)
    assert index.figures[name]["parts"]["combine"]["macs"] == 3145728 == flops_of(torch.bmm, weights, hidden_states) // 2


def test_multihead_attention_has_the_flops_of_pytorchs_own(index):
    module, x = nn.MultiheadAttention(768, 12, batch_first=True), torch.zeros(2, 128, 768)
    flops = flops_of(module, x, x, x, need_weights=True)
    assert index.figures["multihead"]["flops"] == 1308622848 == flops
