# The same seed gives the same numbers.

import numpy
import torch

# PyTorch's vector code has its own logarithm, sine and cosine, each good to 1 or 2 ULP, and multiplies
# two of them. Over 1.6 million normals the largest distance from correctly rounded ones was 3.
RANDN_ULP = 4

# A normal number times its deviation may lie lower in its binade, where as much is twice as many steps,
# and is rounded once more.
SCALED_ULP = 2 * RANDN_ULP + 1

# Without AVX2, PyTorch's own numbers are others: it rounds the angle of a pair by one ULP more (of an
# angle below 8, times a radius below 6), and a uniform number twice where AVX2 code fuses the steps.
SCALAR = torch.backends.cpu.get_cpu_capability() == "DEFAULT"
SCALAR_RANDN = 6 * 2.0**-21
SCALAR_UNIFORM = 2.0**-22  # no initial weight is larger than 1


def ulp_distance(actual, expected):
    """In steps of float32 at the magnitude of what is expected."""
    spacing = torch.from_numpy(numpy.spacing(expected.abs().numpy())).double()
    return ((actual.double() - expected.double()).abs() / spacing).max().item()


def test_randn_is_that_of_pytorch_to_a_few_ulp(index):
    for draw in index.randn:
        ours = index.tensor(draw["values"])
        torch.manual_seed(draw["seed"])
        torchs = torch.randn(ours.shape)
        what = f"seed {draw['seed']}, shape {tuple(ours.shape)}"
        if SCALAR and ours.numel() >= 16:
            assert (ours - torchs).abs().max().item() <= SCALAR_RANDN, what
        else:
            assert ulp_distance(ours, torchs) <= RANDN_ULP, what


def test_randint_is_that_of_pytorch(index):
    for draw in index.randint:
        torch.manual_seed(draw["seed"])
        assert draw["values"] == torch.randint(draw["high"], (1000,)).tolist(), f"high {draw['high']}"


SCALED = {"score_weight", "positions"}  # of a deviation other than 1


def normal_parameters(module):
    """What PyTorch draws from a normal distribution: embeddings and their like, the extra key and value, Keras's vector."""
    names = {f"{name}.weight" for name, one in module.named_modules() if isinstance(one, torch.nn.Embedding)}
    own = {"bias_k", "bias_v", "weight", "query"} | SCALED
    return names | (own & module.state_dict().keys())


def test_a_seed_gives_the_weights_that_pytorch_draws(case):
    """Uniform ones bit for bit, normal ones to a few ULP."""
    expected = case.module.state_dict()
    normal = normal_parameters(case.module)
    assert list(case.state) == list(expected)
    for name, tensor in case.state.items():
        if name in normal:
            most = SCALED_ULP if name in SCALED else RANDN_ULP
            assert SCALAR or ulp_distance(tensor, expected[name]) <= most, name
        elif SCALAR:
            assert (tensor - expected[name]).abs().max().item() <= SCALAR_UNIFORM, name
        else:
            assert torch.equal(tensor.view(torch.int32), expected[name].view(torch.int32)), name


def test_pytorch_loads_the_state_dict_strictly(case):
    for name, tensor in case.loaded.state_dict().items():
        assert torch.equal(tensor, case.state[name]), name
