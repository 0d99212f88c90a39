# The peak of a whole step of training, forward, backward and update, against PyTorch's MemTracker.

import math
from itertools import pairwise

import judge
import torch
from lifetimes import distance_of_peaks, peak_of_a_step


def test_the_peak_of_a_training_step_is_that_of_the_mem_tracker(index):
    far = {}
    for entry in index.peaks:
        estimate, name = entry["estimate"], entry["config"]["layer"]
        printed = judge.Printed(entry["pytorch"], name)
        measured = peak_of_a_step(printed, estimate, torch.float32, entry["checkpointing"])
        output_bytes = 4 * math.prod(estimate["output_shape"])
        rest = distance_of_peaks(measured, estimate["training"]["memory"]["peak"], output_bytes)
        if rest != 0:
            far[name, *(entry["config"].get(field) for field in ("score", "encoder", "pooling")), entry["checkpointing"]] = rest
    assert far == {}


def makes_nothing_besides(config):
    """Whether no call of PyTorch makes tensors for itself, which an estimate leaves out: a mask or a bias made of
    positions, the noise of dropout, what a softmax in 16 bits computes with, the rows that a cache goes on with."""
    masked = config.get("is_causal") or config.get("window") or config["layer"] == "decoder"
    biased = config.get("position") in ("alibi", "relative")
    return not (masked or biased or config.get("dropout") or config["dtype"] != "float32")


def test_the_peak_of_any_config_that_makes_nothing_besides_is_that_of_the_mem_tracker(case):
    training = case.entry["training"]
    if training is None or not makes_nothing_besides(case.config):
        return
    measured = peak_of_a_step(case.printed, case.estimate, torch.float32)
    # Adam makes two tensors of the size of a parameter when it updates it, and still holds one of the parameter before.
    sizes = [0, *(p.nbytes for p in case.module.parameters())]
    made_by_adam = max(before + 2 * size for before, size in pairwise(sizes))
    memory = training["memory"]
    said = max(memory["peak"], memory["kept"] + memory["inputs"] + made_by_adam)
    rest = distance_of_peaks(measured, said, 4 * math.prod(case.estimate["output_shape"]))
    # 98 of 100 are exact; single gradients that are views of larger ones, or let go of a step earlier, make the rest.
    made = max(made_for_a_norm(case.estimate), made_for_sinusoids(case.estimate), made_for_keys(case))
    assert abs(rest) <= max(0.2 * measured, made)


def made_for_sinusoids(estimate):
    """The printed function for sinusoids has four tables in float64 at once, and some rows: angles, sines, cosines and what
    is chosen of both."""
    tables = [step["shape"] for step in estimate["steps"] if step["op"] == "sinusoidal_table"]
    return max((8 * (4 * length * features + 2 * (length + features)) for length, features in tables), default=0)


def made_for_a_norm(estimate):
    """On a CPU PyTorch composes an RMS norm of simpler calls, whose gradients need two more tensors of its size."""
    norms = (4 * math.prod(step["shape"]) for step in estimate["steps"] if step["op"] == "rms_norm")
    return 2 * max(norms, default=0)


def made_for_keys(case):
    """The gradient by the keys of `query @ key.transpose(-2, -1)` is a transposed view. Where a linear layer makes the keys
    of a batch, and no heads are split between, its gradients begin with a contiguous copy of that view."""
    batch, heads = case.config["batch_size"], case.config.get("num_heads")
    keys = (4 * math.prod(step["shape"]) for step in case.estimate["steps"] if step["name"] == "key_proj")
    return max(keys, default=0) if batch > 1 and heads is None else 0
