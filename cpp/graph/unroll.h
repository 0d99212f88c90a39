#pragma once

#include <string>
#include <vector>

#include "graph.h"

namespace attnscope {

/// Steps that are there for the sake of their tensors' names; they cost a run something.
struct Unrolling {
  bool masking = false;     // one more before each that hides what it reads (Op::masking):
                            // "masked_scores" of "scores"
  bool identities = false;  // those that give their input another name (Op::is_identity); else what
                            // reads their output reads their input
};

/// The same graph without loops: each iteration has steps, tensors and parameters of its own
/// ("encoder.layer.3.output.dense.weight"). Estimates read a body once; this is what runs. Slices
/// of an input along its first dimension are views of it, all others are made by a step before the
/// loop, and what is stacked by one behind it.
Graph unroll(const Graph& graph, Unrolling how = {});

/// What takes slices along a dimension apart, and what puts them together along a new one that goes
/// over `axis`: operations, which this folder does not know (ops/stack.cpp).
OpPtr unbinding(int dimension, int64_t slices);
OpPtr stacking(int dimension, Axis axis);

/// What a step that hides numbers makes of the first input of `step`.
std::string masked_name(const Graph& graph, const Step& step);

/// The steps [begin, end) of an unrolled graph that are one iteration of a loop through a list,
/// with those of the loops within it.
struct Iteration {
  size_t begin, end;
};

struct UnrolledForTraining {
  Graph graph;
  std::vector<Iteration> iterations;  // in the order of their steps
};

/// What runs in training: operations that behave otherwise then (Op::in_training) do, and each has
/// a tensor more to read, the noise of its step's output, called "dropout.noise" after "dropout".
UnrolledForTraining unroll_for_training(const Graph& graph);

}  // namespace attnscope
