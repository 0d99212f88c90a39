#include "embedding.h"

#include <algorithm>
#include <stdexcept>

#include "../graph/gradients.h"

namespace attnscope {

Shape Embedding::output_shape(const InputShapes& inputs) const {
  if (inputs[1]->size() != 2) {
    wrong_graph("embedding: the table {} has no rows", {*inputs[1]});
  }
  Shape shape = *inputs[0];
  shape.push_back(inputs[1]->back());
  return shape;
}

Array Embedding::forward(const std::vector<const Array*>& inputs) const {
  const Array &tokens = *inputs[0], &table = *inputs[1];
  const size_t features = table.shape(1);
  std::vector<size_t> shape(tokens.shape().begin(), tokens.shape().end());
  shape.push_back(features);
  Array y = make_array(shape);
  for (size_t i = 0; i < tokens.size(); ++i) {
    const size_t row = static_cast<size_t>(tokens.data()[i]);
    std::copy_n(table.data() + row * features, features, y.data() + i * features);
  }
  return y;
}

void Embedding::gradients(GradientBuilder& step) const {
  if (!step.needs(1)) return;
  const Dimension rows = step.shape(step.input(1))[0];
  step.give(1, step.add<EmbeddingGradient>({step.gradient(), step.input(0)}, rows, padding_));
}

std::string Embedding::pytorch(const std::vector<std::string>& inputs,
                               std::string_view module) const {
  return format("{}({})", {module, inputs[0]});
}

Shape EmbeddingGradient::output_shape(const InputShapes& inputs) const {
  const Shape &dy = *inputs[0], &tokens = *inputs[1];
  if (dy.size() != tokens.size() + 1 || elements(dy) / dy.back() != elements(tokens)) {
    wrong_graph("embedding_backward: {} has no row for each of {}", {dy, tokens});
  }
  return {rows_, dy.back()};
}

Cost EmbeddingGradient::cost(const InputShapes& inputs, const Shape&) const {
  return {{Operation::kAddition, elements(*inputs[0])}};
}

Array EmbeddingGradient::forward(const std::vector<const Array*>& inputs) const {
  const Array &dy = *inputs[0], &tokens = *inputs[1];
  const size_t features = dy.size() / tokens.size();
  Array table = make_array({static_cast<size_t>(rows_.size), features});
  table.fill(0.0);
  for (size_t i = 0; i < dy.size(); ++i) {
    const size_t row = static_cast<size_t>(tokens.data()[i / features]);
    if (padding_ && row == static_cast<size_t>(*padding_)) continue;
    table.data()[row * features + i % features] += dy.data()[i];
  }
  return table;
}

EmbeddingModule declare_embedding(Parameters& parameters, std::string_view name, Dimension rows,
                                  Dimension features, PaddingIndex padding) {
  const std::string further = padding ? format(", padding_idx={}", {*padding}) : "";
  const int module =
      parameters.add_module(name, format("nn.Embedding({}, {}{})", {rows, features, further}));
  const Init init{.kind = Init::Kind::kNormal, .spread = 1, .zero_row = padding};
  return {module, {parameters.add(module, "weight", {rows, features}, init)}, padding};
}

TensorId apply_embedding(Graph& graph, const EmbeddingModule& embedding, TensorId tokens,
                         std::string_view output) {
  const OpPtr op =
      embedding.padding ? make_op<Embedding>(embedding.padding) : shared_op<Embedding>();
  const std::string_view name = graph.parameters().module_name(embedding.module);
  return graph.add_step(name, "embed", op, {tokens, graph.use(embedding.weight)}, output,
                        embedding.module);
}

}  // namespace attnscope
