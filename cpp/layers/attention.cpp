#include "attention.h"

#include "../ops/matmul.h"
#include "../ops/scale.h"
#include "../ops/softmax.h"

namespace attnscope {

Attended add_attention(Graph& graph, TensorId query, TensorId key, TensorId value,
                       std::string output) {
  static const auto dot = std::make_shared<const Matmul>(Matmul::Right::kTransposed);
  static const auto softmax = std::make_shared<const Softmax>();
  static const auto weigh = std::make_shared<const Matmul>(Matmul::Right::kPlain);

  const int64_t T = graph.tensor(query).shape[2], S = graph.tensor(key).shape[2];
  const int64_t D = graph.tensor(query).shape[3];
  const TensorId products = graph.add_step("dot", "score", dot, {query, key}, "products");
  const TensorId scores =
      graph.add_step("scale", "score", std::make_shared<const Scale>(D), {products}, "scores");
  const TensorId mask = graph.add_input("mask", {T, S}, Role::kOptionalInput);
  const TensorId weights =
      graph.add_step("normalize", "normalize", softmax, {scores, mask}, "weights");
  return {graph.add_step("combine", "combine", weigh, {weights, value}, std::move(output)),
          weights};
}

}  // namespace attnscope
