#include "pairs.h"

#include <algorithm>
#include <stdexcept>

#include "../graph/gradients.h"
#include "concat.h"
#include "reshape.h"

namespace attnscope {
namespace {

/// Of pairs (B, T, S, A) the sums by query (B, T, A), which are the first input's gradient, or by
/// key (B, S, A), which are the second's.
TensorId sum_by(GradientBuilder& step, size_t input, TensorId pairs) {
  Shape sums = step.shape(pairs);
  sums[input == 0 ? 2 : 1].size = 1;
  return step.add<Reshape>({step.add<SumTo>({pairs}, sums)}, step.shape(step.input(input)));
}

}  // namespace

Shape PairSum::output_shape(const InputShapes& inputs) const {
  const Shape &query = *inputs[0], &key = *inputs[1];
  if (query.size() != 3 || key.size() != 3 || !fits(query[0], key[0]) || !fits(query[2], key[2])) {
    wrong_graph("pair_sum: {} does not fit {}", {query, key});
  }
  return {query[0], as_query(query[1]), as_key(key[1]), query[2]};
}

Cost PairSum::cost(const InputShapes&, const Shape& output) const {
  return {{Operation::kAddition, elements(output)}};
}

Array PairSum::forward(const std::vector<const Array*>& inputs) const {
  const Array &query = *inputs[0], &key = *inputs[1];
  const size_t B = query.shape(0), T = query.shape(1), S = key.shape(1), A = query.shape(2);
  Array y = make_array({B, T, S, A});
  double* to = y.data();
  for (size_t row = 0; row < B * T; ++row) {
    for (size_t s = 0; s < S; ++s) {
      const double* left = query.data() + row * A;
      const double* right = key.data() + (row / T * S + s) * A;
      to = std::transform(left, left + A, right, to, std::plus<>());
    }
  }
  return y;
}

void PairSum::gradients(GradientBuilder& step) const {
  for (const size_t input : {0, 1}) {
    if (step.needs(input)) step.give(input, sum_by(step, input, step.gradient()));
  }
}

std::string PairSum::pytorch(const std::vector<std::string>& inputs, std::string_view) const {
  return format("{}.unsqueeze(2) + {}.unsqueeze(1)", {inputs[0], inputs[1]});
}

Shape PairConcat::output_shape(const InputShapes& inputs) const {
  const Shape &query = *inputs[0], &key = *inputs[1];
  if (query.size() != 3 || key.size() != 3 || !fits(query[0], key[0])) {
    wrong_graph("pair_concat: {} does not fit {}", {query, key});
  }
  return {query[0], as_query(query[1]), as_key(key[1]), {query[2] + key[2], Axis::kFeature}};
}

Array PairConcat::forward(const std::vector<const Array*>& inputs) const {
  const Array &query = *inputs[0], &key = *inputs[1];
  const size_t B = query.shape(0), T = query.shape(1), S = key.shape(1), E = query.shape(2),
               K = key.shape(2);
  Array y = make_array({B, T, S, E + K});
  double* to = y.data();
  for (size_t row = 0; row < B * T; ++row) {
    for (size_t s = 0; s < S; ++s) {
      to = std::copy_n(query.data() + row * E, E, to);
      to = std::copy_n(key.data() + (row / T * S + s) * K, K, to);
    }
  }
  return y;
}

void PairConcat::gradients(GradientBuilder& step) const {
  const int64_t E = step.shape(step.input(0))[2], K = step.shape(step.input(1))[2];
  for (const size_t input : {0, 1}) {
    if (!step.needs(input)) continue;
    const int64_t begin = input == 0 ? 0 : E, end = input == 0 ? E : E + K;
    step.give(input, sum_by(step, input, step.add<Slice>({step.gradient()}, 3, begin, end)));
  }
}

std::string PairConcat::pytorch(const std::vector<std::string>& inputs, std::string_view) const {
  return format("pair_concat({}, {})", {inputs[0], inputs[1]});
}

std::vector<std::string> PairConcat::pytorch_helpers(const InputShapes&) const {
  return {R"(def pair_concat(query, key):
    """(B, T, E), (B, S, K) -> (B, T, S, E + K)."""
    query = query.unsqueeze(2).expand(-1, -1, key.size(1), -1)
    key = key.unsqueeze(1).expand(-1, query.size(1), -1, -1)
    return torch.cat((query, key), dim=-1)
)"};
}

}  // namespace attnscope
