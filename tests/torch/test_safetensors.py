# The .safetensors files that the training page gives away: opened by the library of that format, loaded into the printed
# module, with the same bits.

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import load_file


def bits(tensor):
    return tensor.contiguous().view(torch.int32)


@pytest.mark.packed
def test_a_packed_file_opens_and_loads_into_the_printed_module_with_the_same_bits(case):
    tensors = load_file(case.packed)
    module = case.printed.module_class()
    module.load_state_dict(tensors, strict=True)
    loaded = module.state_dict()
    assert tensors.keys() == case.state.keys() == loaded.keys()
    for name, expected in case.state.items():
        assert tensors[name].dtype == torch.float32 and tensors[name].shape == expected.shape, name
        assert torch.equal(bits(tensors[name]), bits(expected)), name
        assert torch.equal(bits(loaded[name]), bits(expected)), name


@pytest.mark.packed
def test_its_metadata_reads_as_it_was_written(case):
    with safe_open(case.packed, "pt") as file:
        assert file.metadata() == case.entry["packed"]["metadata"]
