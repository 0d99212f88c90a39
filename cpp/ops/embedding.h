#pragma once

#include "../graph/graph.h"

namespace attnscope {

/// Rows of a table: tokens (...), integers; table (V, E) -> (..., E).
class Embedding final : public Op {
 public:
  std::string_view name() const override { return "embedding"; }
  Shape output_shape(const InputShapes& inputs) const override;
  Cost cost(const InputShapes&, const Shape&) const override { return {}; }
  Saved saved_for_backward(const InputShapes&, const Shape&) const override {
    return {.inputs = {0}};
  }
  Array forward(const std::vector<const Array*>& inputs) const override;
  void gradients(GradientBuilder& step) const override;
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;
};

/// Its gradient: dy (..., E), tokens (...) -> (rows, E), the sum of the gradients of each row.
class EmbeddingGradient final : public UnnamedOp {
 public:
  explicit EmbeddingGradient(Dimension rows) : rows_(rows) {}

  std::string_view name() const override { return "embedding_backward"; }
  Shape output_shape(const InputShapes& inputs) const override;
  Cost cost(const InputShapes& inputs, const Shape& output) const override;
  Array forward(const std::vector<const Array*>& inputs) const override;

 private:
  Dimension rows_;
};

/// A declared nn.Embedding(rows, features), drawn from the standard normal distribution.
struct EmbeddingModule {
  int module;
  TensorId weight;  // (rows, features)
};
EmbeddingModule declare_embedding(Graph& graph, std::string_view name, Dimension rows,
                                  Dimension features);

TensorId apply_embedding(Graph& graph, const EmbeddingModule& embedding, TensorId tokens,
                         std::string_view output);

}  // namespace attnscope
