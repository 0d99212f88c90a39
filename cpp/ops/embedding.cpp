#include "embedding.h"

#include <algorithm>
#include <stdexcept>

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

std::string Embedding::pytorch(const std::vector<std::string>& inputs,
                               std::string_view module) const {
  return format("{}({})", {module, inputs[0]});
}

EmbeddingModule declare_embedding(Graph& graph, std::string_view name, Dimension rows,
                                  Dimension features) {
  const int module = graph.add_module(name, format("nn.Embedding({}, {})", {rows, features}));
  return {module,
          graph.add_parameter(module, "weight", {rows, features}, {Init::Kind::kNormal, 1})};
}

TensorId apply_embedding(Graph& graph, const EmbeddingModule& embedding, TensorId tokens,
                         std::string_view output) {
  const OpPtr& op = shared_op<Embedding>();
  const std::string_view name = graph.modules()[static_cast<size_t>(embedding.module)].name;
  return graph.add_step(name, "embed", op, {tokens, embedding.weight}, output, embedding.module);
}

}  // namespace attnscope
