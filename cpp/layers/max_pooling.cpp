// A baseline for attention pooling: no parameters, no weights.

#include "../ops/pooling.h"
#include "fields.h"
#include "layer.h"

namespace attnscope {
namespace {

void forward(Graph& graph, const Config& config) {
  const OpPtr& pool = shared_op<MaxPool>();
  const Dimension B = config.dimension("batch_size"), T = config.dimension("seq_len");
  const TensorId x = graph.add_input("hidden_states", {B, T, config.dimension("hidden_size")});
  const TensorId mask = graph.add_padding_mask("mask", {B, T});
  graph.add_result("output", graph.add_step("pool", "combine", pool, {x, mask}, "output"));
}

const Layer kLayer = {
    .name = "max_pooling",
    .title = "Max pooling",
    .group = "pooling",
    .place = 220,
    .summary = "The maximum of each feature over the positions that the mask leaves.",
    .pytorch_class = "MaxPooling",
    .fields = {fields::batch_size(), fields::seq_len(), fields::hidden_size(), fields::dtype()},
    .forward_graph = forward_graph<forward>,
};
const Registration kRegistration(kLayer);

}  // namespace
}  // namespace attnscope
