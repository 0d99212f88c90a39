#pragma once

#include <optional>

#include "../graph/graph.h"

namespace attnscope {

/// The token whose row gets no gradient, as nn.Embedding's padding_idx; nothing: each gets its own.
using PaddingIndex = std::optional<int64_t>;

/// Rows of a table: tokens (...), integers; table (V, E) -> (..., E).
class Embedding final : public SingleOp {
 public:
  explicit Embedding(PaddingIndex padding = {}) : padding_(padding) {}

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

 private:
  PaddingIndex padding_;
};

/// Its gradient: dy (..., E), tokens (...) -> (rows, E), the sum of the gradients of each row;
/// zeros of the padding token's.
class EmbeddingGradient final : public UnnamedOp {
 public:
  explicit EmbeddingGradient(Dimension rows, PaddingIndex padding = {})
      : rows_(rows), padding_(padding) {}

  const PaddingIndex& padding() const { return padding_; }

  std::string_view name() const override { return "embedding_backward"; }
  Shape output_shape(const InputShapes& inputs) const override;
  Cost cost(const InputShapes& inputs, const Shape& output) const override;
  Array forward(const std::vector<const Array*>& inputs) const override;

 private:
  Dimension rows_;
  PaddingIndex padding_;
};

/// A declared nn.Embedding(rows, features, padding_idx=padding), drawn from the standard normal
/// distribution but for the padding token's row, which is zeros.
struct EmbeddingModule {
  int module;
  Weight weight;  // (rows, features)
  PaddingIndex padding;
};
EmbeddingModule declare_embedding(Parameters& parameters, std::string_view name, Dimension rows,
                                  Dimension features, PaddingIndex padding = {});

TensorId apply_embedding(Graph& graph, const EmbeddingModule& embedding, TensorId tokens,
                         std::string_view output);

}  // namespace attnscope
