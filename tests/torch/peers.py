# attnscope against modules that it did not print: peers. What their tests share.

import pytest
import torch
from torch import nn
from transformers import T5Config
from transformers.models.t5.modeling_t5 import T5Attention

import judge


class Peer:
    """A module of somebody else, with the weights of whichever run is asked for.

    make() -> the module; call(module, inputs) -> its results by attnscope's names, those that it has;
    adapt(state) -> the state dict under the module's own names, where they differ.
    """

    def __init__(self, make, call, dtype, adapt=dict):
        self._module = make().to(dtype).eval()
        self._call, self._dtype, self._adapt = call, dtype, adapt

    def results(self, run):
        self._module.load_state_dict(self._adapt(run.state), strict=True)
        inputs = {name: self._converted(tensor) for name, tensor in run.inputs.items()}
        with torch.no_grad():
            return self._call(self._module, inputs)

    def _converted(self, tensor):
        return tensor.to(self._dtype) if tensor.is_floating_point() else tensor


def assert_agree(case, make, call, adapt=dict):
    """Every run of a case, with a peer in float64: the reference executor agrees with it to the rounding of its
    results, the kernels as far as float32 goes.

    A query whose every visible score has -1e9 added keeps 1.2e-7 of each in float64 too: by so much weights differ where
    the peer adds in another order.
    """
    peer = Peer(make, call, torch.float64, adapt)
    far = []
    for run in case.runs:
        expected = peer.results(run)
        rounding = judge.REFERENCE + (2.0**-23 if run.name.endswith("lowest numbers") else 0.0)
        far += judge.differences(f"{run.name}, reference", run.results("reference"), expected, rounding)
        for build in run.builds:
            again = lambda: peer.results(run)
            far += judge.float32_differences(f"{run.name}, {build}", run.results(build), expected, again)
    assert not far, "\n".join(far)


@torch.no_grad()
def assert_agree_in_float32(case, make, call, adapt=dict):
    """With a peer that computes in float32 whatever it is given: transformers' norms, softmax and rotary angles. What
    rounding errors do to a layer, the printed module says in its place.

    Without the mask of -1e4 and lower numbers: next to them a score keeps three digits, which count where a window or
    causality hides the columns that have none.
    """
    peer = Peer(make, call, torch.float32, adapt)
    far = []
    for run in (run for run in case.runs if not run.name.endswith("lowest numbers")):
        expected = peer.results(run)
        printed = lambda: judge.in_double(run.module, run.inputs, run.results("reference"))()
        for executor in ["reference", *run.builds]:
            far += judge.float32_differences(f"{run.name}, {executor}", run.results(executor), expected, printed)
    assert not far, "\n".join(far)


@pytest.fixture(autouse=True)
def without_fast_path():
    """PyTorch's layers have a second implementation for eval, which makes NaN of rows in which nothing may be attended
    to."""
    torch.backends.mha.set_fastpath_enabled(False)
    yield
    torch.backends.mha.set_fastpath_enabled(True)


# Masks: attnscope takes them as F.scaled_dot_product_attention does.


def added(mask, dtype):
    """The mask as numbers that are added to the scores."""
    if mask is None or mask.dtype != torch.bool:
        return mask
    return torch.zeros(mask.shape, dtype=dtype).masked_fill(~mask, -torch.inf)


def kept(mask):
    """Where a mask keeps a position that can only hide: a float one keeps at 0 and hides at -1e4 and below."""
    return mask if mask.dtype == torch.bool else mask > -1e4


def keys_of(config):
    return config["kv_len"] or config["seq_len"]


def seen(seq_len, kv_len, is_causal=False, window=None, offset=0):
    """(T, S): whether query i, which stands at the key i + offset, may attend to a key by their positions."""
    ones = torch.ones(seq_len, kv_len, dtype=torch.bool)
    visible = ones.tril(offset) if is_causal else ones.clone()
    if window is not None:
        visible &= ones.triu(offset - window + 1) & ones.tril(offset + window - 1)
    return visible


def restricted(mask, visible, dtype):
    """Both as one, added to the scores; None where nothing is hidden."""
    if visible.all():
        return added(mask, dtype)
    band = added(visible, dtype)
    return band if mask is None else band + added(mask, dtype)


def multihead_mask(mask, visible, shape, dtype):
    """Both as nn.MultiheadAttention takes them, (B * H, T, S): of its boolean masks true means hidden."""
    if mask is None and visible.all():
        return None
    if mask is None or mask.dtype == torch.bool:
        hidden = ~(visible if mask is None else visible & mask)
    else:
        hidden = restricted(mask, visible, dtype)
    return hidden.expand(shape).flatten(0, 1)


def softmax(scores):
    """Zeros for a row in which nothing may be attended to, as F.scaled_dot_product_attention; the bare formula
    gives NaN there."""
    hidden = scores.isneginf().all(dim=-1, keepdim=True)
    return scores.softmax(dim=-1).masked_fill(hidden, 0)


# Positions. transformers has all but T5's in float32: test_modules_positions.py holds these to it.


def t5_bias(table, seq_len, kv_len, offset=0, is_causal=False):
    """(1, H, T, S): T5's, of a table (32, H)."""
    heads = table.size(1)
    config = T5Config(d_model=heads, d_kv=1, num_heads=heads, is_decoder=is_causal)
    attention = T5Attention(config, has_relative_attention_bias=True, layer_idx=0)
    attention.relative_attention_bias.weight = nn.Parameter(table, requires_grad=False)
    return attention.compute_bias(seq_len, kv_len, past_seen_tokens=offset)


def alibi_slopes(heads):
    """As Press et al. publish them: a geometric sequence for a power of two; of another number those of the power
    below it, then every other one of the power above."""
    below = 2 ** (heads.bit_length() - 1)
    slopes = [2 ** (-8 * (head + 1) / below) for head in range(below)]
    return slopes if below == heads else slopes + alibi_slopes(2 * below)[0::2][: heads - below]


def alibi(heads, seq_len, kv_len, offset=0):
    """(H, T, S): what distance takes from the scores, float64."""
    distance = torch.arange(seq_len)[:, None] + offset - torch.arange(kv_len)
    return -torch.tensor(alibi_slopes(heads), dtype=torch.float64)[:, None, None] * distance.abs()


def sinusoids(positions, features):
    """(T, E): sines at even features, cosines at odd ones, float64."""
    columns = [
        (torch.cos if e % 2 else torch.sin)(positions.double() / 10000 ** ((e - e % 2) / features)) for e in range(features)
    ]
    return torch.stack(columns, dim=-1)


def rotation(positions, features, theta, dtype=torch.float64):
    """(cosines, sines), each (1, T, D), as transformers' attention takes them; the angles in float64."""
    angles = torch.outer(positions.double(), theta ** -(torch.arange(0, features, 2).double() / features)).repeat(1, 2)[None]
    return angles.cos().to(dtype), angles.sin().to(dtype)
