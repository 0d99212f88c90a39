#pragma once

// Reading: what each step costs, and the layer as a whole.

#include <string>
#include <vector>

#include "../graph/dtype.h"
#include "../graph/graph.h"

namespace attnscope {

struct StepCost {
  Count parameters = 0;   // elements of the parameters it uses
  Count macs = 0;         // multiply-accumulates of matrix products
  Count elementwise = 0;  // every other arithmetic operation
  Count bytes_moved = 0;  // each operand read once, the output written once; 0 for a view

  StepCost& operator+=(const StepCost& other);
};

struct PartCost {
  std::string part;
  StepCost cost;
};

struct LayerCost {
  std::vector<StepCost> steps;  // parallel to Graph::steps()
  std::vector<PartCost> parts;  // in order of first use
  StepCost total;
};

LayerCost cost(const Graph& graph, Dtype dtype);

}  // namespace attnscope
