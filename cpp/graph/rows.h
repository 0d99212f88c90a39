#pragma once

#include "graph.h"

namespace attnscope {

/// A tensor's name in tables: with the prefix, unless it is given from around the body. `body` is
/// nullptr in a graph that no loop repeats.
std::string name_in(const Graph& graph, TensorId id, const Body* body, const std::string& prefix);

/// A step as tables show it. The steps of a body stand once, in place of the loop that repeats it.
struct Row {
  const Graph& graph;  // which has the step
  const Step& step;    // an operation, never a loop
  int64_t times;       // how often it runs
  int64_t places;      // in how many places of lists its parameters stand, each with its own values
  std::string prefix;  // of the names of what the body has for itself
  const Body* body;    // that has the step, or nullptr
  const Group* group;  // that has the step, or the loop around it; or nullptr

  std::string name() const { return prefix + step.name; }

  std::string name_of(TensorId id) const { return name_in(graph, id, body, prefix); }
};

/// All steps of a graph, with those of the bodies of its loops.
std::vector<Row> rows_of(const Graph& graph);

/// How many rows_of() would list.
size_t count_rows(const Graph& graph);

}  // namespace attnscope
