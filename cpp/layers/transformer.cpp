#include "transformer.h"

#include "../ops/activation.h"
#include "../ops/arithmetic.h"

namespace attnscope {

TensorId FeedForward::apply(Graph& graph, TensorId x, std::string_view output) const {
  const OpPtr& multiply = shared_op<Multiply>();
  const bool squares = activation == "relu2";
  const auto op = activation_named(squares ? "relu" : activation);
  const auto activate = [&](TensorId raised) {
    const TensorId active = graph.add_step("activate", "feed_forward", op, {raised},
                                           squares ? "rectified" : "activated");
    if (!squares) return active;
    return graph.add_step("square", "feed_forward", multiply, {active, active}, "activated");
  };
  TensorId inner;
  if (gate) {
    const TensorId gated = apply_linear(graph, *gate, "feed_forward", x, "gated");
    const TensorId active = activate(gated);
    const TensorId raised = apply_linear(graph, up, "feed_forward", x, "raised");
    inner = graph.add_step("gate", "feed_forward", multiply, {active, raised}, "inner");
  } else {
    const TensorId raised = apply_linear(graph, up, "feed_forward", x, "raised");
    inner = apply_dropout(graph, dropout, "feed_forward", activate(raised), "dropped_activated");
  }
  return apply_linear(graph, down, "feed_forward", inner, output);
}

TensorId add_residual(Graph& graph, TensorId x, TensorId y, std::string_view output) {
  const OpPtr& add = shared_op<Add>();
  const std::string name = format("add_{}", {output});
  return graph.add_step(name, "residual", add, {x, y}, output);
}

Field activation_field(const char* fallback, std::vector<std::string_view> choices) {
  return choice_field("activation", "Function inside the feed-forward network.", std::move(choices),
                      fallback);
}

}  // namespace attnscope
