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

PackedProjections declare_packed_multihead(Parameters& parameters, std::string_view name,
                                           const PackedMultihead& shape) {
  const Dimension E = shape.hidden_size;
  const int own = parameters.add_module(name, "");
  struct Matrix {
    ParameterId id;
    Dimension rows, columns;
  };
  std::vector<Matrix> matrices;
  const auto add_matrix = [&](const char* matrix, Dimension rows, Dimension columns) {
    matrices.push_back({parameters.add(own, matrix, {rows, columns}), rows, columns});
    return matrices.back().id;
  };

  PackedProjections packed;
  Projections& to = packed.projections;
  if (shape.kdim == E && shape.vdim == E) {
    const ParameterId all = add_matrix("in_proj_weight", {3 * E, E.axis}, E);
    const std::vector<Weight> parts = parameters.split(all, parts_of(shape, "weight"));
    to.query.weight = parts[0];
    to.key.weight = parts[1];
    to.value.weight = parts[2];
  } else {
    to.query.weight = {add_matrix("q_proj_weight", E, E)};
    to.key.weight = {add_matrix("k_proj_weight", E, shape.kdim)};
    to.value.weight = {add_matrix("v_proj_weight", E, shape.vdim)};
  }
  ParameterId bias = kNoParameter;
  if (shape.bias) {
    bias = parameters.add(own, "in_proj_bias", {{3 * E, E.axis}});
    const std::vector<Weight> parts = parameters.split(bias, parts_of(shape, "bias"));
    to.query.bias = parts[0];
    to.key.bias = parts[1];
    to.value.bias = parts[2];
  }
  if (shape.add_bias_kv) {
    packed.bias_k = {parameters.add(own, "bias_k", {1, 1, E})};
    packed.bias_v = {parameters.add(own, "bias_v", {1, 1, E})};
  }
  const std::string inside = name.empty() ? "" : format("{}.", {name});
  to.output = declare_linear(parameters, format("{}out_proj", {inside}), E, E, shape.bias, false);

  // As _reset_parameters() does after the constructor has drawn out_proj.
  for (const Matrix& one : matrices) {
    parameters.draw(one.id, xavier_uniform(one.rows, one.columns));
  }
  if (shape.bias) {
    parameters.draw(bias, {Init::Kind::kZeros});
    parameters.draw(to.output.bias.parameter, {Init::Kind::kZeros});
  }
  for (const Weight& row : {packed.bias_k, packed.bias_v}) {
    // xavier_normal_ takes both fans of a (1, 1, E) tensor for E
    const Init normal{Init::Kind::kNormal, std::sqrt(2.0 / static_cast<double>(2 * E))};
    if (row.exists()) parameters.draw(row.parameter, normal);
  }
  return packed;
}

}  // namespace attnscope
