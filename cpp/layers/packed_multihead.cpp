#include "packed_multihead.h"

#include <cmath>

namespace attnscope {
namespace {

/// nn.init.xavier_uniform_ of (fan_out, fan_in): Glorot and Bengio 2010.
Init xavier_uniform(int64_t fan_out, int64_t fan_in) {
  const double deviation = std::sqrt(2.0 / static_cast<double>(fan_in + fan_out));
  return {Init::Kind::kUniform, std::sqrt(3.0) * deviation};
}

/// What printed code calls the parts of what is packed.
std::vector<std::string> parts_of(const PackedMultihead& shape, std::string_view kind) {
  std::vector<std::string> names;
  for (const char* part : {"query", "key", "value"}) {
    names.push_back(format("{}{}_{}", {shape.prefix, part, kind}));
  }
  return names;
}

}  // namespace

PackedProjections declare_packed_multihead(Graph& graph, std::string_view name,
                                           const PackedMultihead& shape) {
  const Dimension E = shape.hidden_size;
  const int own = graph.add_module(name, "");
  struct Weight {
    TensorId id;
    Dimension rows, columns;
  };
  std::vector<Weight> weights;
  const auto add_weight = [&](const char* weight, Dimension rows, Dimension columns) {
    weights.push_back({graph.add_parameter(own, weight, {rows, columns}), rows, columns});
    return weights.back().id;
  };

  PackedProjections packed;
  Projections& to = packed.projections;
  if (shape.kdim == E && shape.vdim == E) {
    const TensorId all = add_weight("in_proj_weight", {3 * E, E.axis}, E);
    const std::vector<TensorId> parts = graph.add_parts(all, parts_of(shape, "weight"));
    to.query.weight = parts[0];
    to.key.weight = parts[1];
    to.value.weight = parts[2];
  } else {
    to.query.weight = add_weight("q_proj_weight", E, E);
    to.key.weight = add_weight("k_proj_weight", E, shape.kdim);
    to.value.weight = add_weight("v_proj_weight", E, shape.vdim);
  }
  TensorId bias = kNoTensor;
  if (shape.bias) {
    bias = graph.add_parameter(own, "in_proj_bias", {{3 * E, E.axis}});
    const std::vector<TensorId> parts = graph.add_parts(bias, parts_of(shape, "bias"));
    to.query.bias = parts[0];
    to.key.bias = parts[1];
    to.value.bias = parts[2];
  }
  if (shape.add_bias_kv) {
    packed.bias_k = graph.add_parameter(own, "bias_k", {1, 1, E});
    packed.bias_v = graph.add_parameter(own, "bias_v", {1, 1, E});
  }
  const std::string inside = name.empty() ? "" : format("{}.", {name});
  to.output = declare_linear(graph, format("{}out_proj", {inside}), E, E, shape.bias, false);

  // As _reset_parameters() does after the constructor has drawn out_proj.
  for (const Weight& one : weights) graph.draw(one.id, xavier_uniform(one.rows, one.columns));
  if (shape.bias) {
    graph.draw(bias, {Init::Kind::kZeros});
    graph.draw(to.output.bias, {Init::Kind::kZeros});
  }
  for (const TensorId row : {packed.bias_k, packed.bias_v}) {
    // xavier_normal_ takes both fans of a (1, 1, E) tensor for E
    const Init normal{Init::Kind::kNormal, std::sqrt(2.0 / static_cast<double>(2 * E))};
    if (row != kNoTensor) graph.draw(row, normal);
  }
  return packed;
}

}  // namespace attnscope
