# Against modules that attnscope did not print: PyTorch's own, and the figures that the project promises.

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

import judge
from test_forward import FLOAT32


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


def multihead_of_pytorch(module, heads):
    """nn.MultiheadAttention with the weights of the printed module."""
    width = module.query_proj.in_features
    bias = module.query_proj.bias is not None
    own = nn.MultiheadAttention(width, heads, bias=bias, batch_first=True)
    projections = (module.query_proj, module.key_proj, module.value_proj)
    with torch.no_grad():
        own.in_proj_weight.copy_(torch.cat([one.weight for one in projections]))
        if bias:
            own.in_proj_bias.copy_(torch.cat([one.bias for one in projections]))
    own.out_proj.load_state_dict(module.output_proj.state_dict())
    return own


def visible_rows(mask, length):
    """Which queries may attend to something: of the others nn.MultiheadAttention makes NaN."""
    if mask is None:
        return torch.ones(length, dtype=torch.bool)
    return (mask if mask.dtype == torch.bool else ~mask.isneginf()).any(dim=-1)


def own_multihead(run):
    """In double: it scales queries before their products, which in float32 rounds equal scores apart."""
    own = multihead_of_pytorch(run.module, run.case.config["num_heads"]).double()
    x, mask = run.inputs["hidden_states"].double(), run.inputs.get("mask")
    if mask is not None:
        mask = ~mask if mask.dtype == torch.bool else mask.double()  # its boolean masks say what is hidden
    with torch.no_grad():
        return own(x, x, x, attn_mask=mask, average_attn_weights=False)


@pytest.mark.layer("multihead_attention")
def test_multihead_attention_computes_what_pytorchs_own_does(case):
    for run in case.runs:
        output, weights = own_multihead(run)
        ours = run.results(run.builds[0])
        visible = visible_rows(run.inputs.get("mask"), case.config["seq_len"])
        assert judge.distance(ours["output"][:, visible], output[:, visible]) <= FLOAT32, run.name
        assert judge.distance(ours["weights"][:, :, visible], weights[:, :, visible]) <= FLOAT32, run.name


@pytest.mark.layer("scaled_dot_product_attention")
def test_scaled_dot_product_attention_computes_what_pytorchs_own_does(case):
    for run in case.runs:
        inputs = {"attn_mask" if name == "mask" else name: tensor for name, tensor in run.inputs.items()}
        output = F.scaled_dot_product_attention(**inputs)
        assert judge.distance(run.results(run.builds[0])["output"], output) <= FLOAT32, run.name
