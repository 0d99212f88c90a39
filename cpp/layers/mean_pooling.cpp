// A baseline for attention pooling: no parameters, no weights.

#include "../ops/pooling.h"
#include "fields.h"
#include "layer.h"

namespace attnscope {
namespace {

void forward(Graph& graph, const Config& config) {
  const OpPtr& pool = shared_op<MeanPool>();
  const Dimension B = config.dimension("batch_size"), T = config.dimension("seq_len");
  const TensorId x = graph.add_input("hidden_states", {B, T, config.dimension("hidden_size")});
  const TensorId mask = graph.add_padding_mask("mask", {B, T});
  graph.add_result("output", graph.add_step("pool", "combine", pool, {x, mask}, "output"));
}

const Layer kLayer = {
    .name = "mean_pooling",
    .title = "Mean pooling",
    .group = "pooling",
    .place = 210,
    .summary = "The mean over the positions that the mask leaves: every position weighs the same.",
    .pytorch_class = "MeanPooling",
    .fields = {fields::batch_size(), fields::seq_len(), fields::hidden_size(), fields::dtype()},
    .forward_graph = forward_graph<forward>,
};
const Registration kRegistration(kLayer);

}  // namespace
}  // namespace attnscope
