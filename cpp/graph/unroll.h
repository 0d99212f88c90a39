#pragma once

#include <string>
#include <vector>

#include "graph.h"

namespace attnscope {

/// The same graph without calls: each repetition has steps, tensors and parameters of its own
/// ("encoder.layer.3.output.dense.weight"). Estimates read a body once; this is what runs.
/// `masked`: with a step more before each that hides what it reads (Op::masking): "masked_scores"
/// of "scores".
Graph unroll(const Graph& graph, bool masked = false);

/// What such a step makes of the first input of `step`.
std::string masked_name(const Graph& graph, const Step& step);

/// The steps [begin, end) of an unrolled graph that are one repetition of a body.
struct Repetition {
  size_t begin, end;
};

struct UnrolledForTraining {
  Graph graph;
  std::vector<Repetition> repetitions;  // in the order of their steps
};

/// What runs in training: operations that behave otherwise then (Op::in_training) do, and each has
/// a tensor more to read, the noise of its step's output, called "dropout.noise" after "dropout".
UnrolledForTraining unroll_for_training(const Graph& graph);

}  // namespace attnscope
