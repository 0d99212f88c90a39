#include "rows.h"

#include <algorithm>

namespace attnscope {
namespace {

void add_rows(const Graph& graph, const Row& around, std::vector<Row>& rows) {
  for (const Step& step : graph.steps()) {
    const Loop* loop = graph.loop_of(step);
    const Group* group = around.group ? around.group : graph.group_of(step);
    if (!loop) {
      rows.push_back({graph, step, around.times, around.places, around.prefix, around.body, group});
      continue;
    }
    for (size_t kind = 0; kind < loop->bodies.size(); ++kind) {
      const Body& body = loop->bodies[kind];
      const int64_t times = loop->iterations_of(kind), places = loop->list ? times : 1;
      add_rows(*body.graph,
               {graph, step, around.times * times, around.places * places,
                around.prefix + body.prefix, &body, group},
               rows);
    }
  }
}

}  // namespace

std::string name_in(const Graph& graph, TensorId id, const Body* body, const std::string& prefix) {
  const Tensor& tensor = graph.tensor(id);
  if (prefix.empty()) return graph.name_of(id);
  if (tensor.role == Role::kActivation || tensor.role == Role::kParameter) {
    return prefix + graph.name_of(id);
  }
  const std::vector<TensorId> inputs = graph.inputs();
  const auto place =
      static_cast<size_t>(std::find(inputs.begin(), inputs.end(), id) - inputs.begin());
  const bool given = place < inputs.size() && body->arguments[place].kind != Argument::Kind::kSlice;
  return given ? tensor.name : prefix + tensor.name;
}

std::vector<Row> rows_of(const Graph& graph) {
  std::vector<Row> rows;
  if (graph.steps().empty()) return rows;
  add_rows(graph, {graph, graph.steps().front(), 1, 1, "", nullptr, nullptr}, rows);
  return rows;
}

size_t count_rows(const Graph& graph) {
  size_t count = graph.steps().size() - graph.loops().size();
  for (const Loop& loop : graph.loops()) {
    for (const Body& body : loop.bodies) count += count_rows(*body.graph);
  }
  return count;
}

}  // namespace attnscope
