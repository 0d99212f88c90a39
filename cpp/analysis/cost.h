#pragma once

// Reading: what each step costs, and the layer as a whole.

#include <string>
#include <vector>

#include "../graph/dtype.h"
#include "../graph/rows.h"

namespace attnscope {

struct StepCost {
  Count parameters = 0;   // elements of the parameters that it uses
  Cost operations{};      // by kind
  Count bytes_moved = 0;  // each operand read once, each output written once; 0 for views

  StepCost& operator+=(const StepCost& other);
  /// Of a step that runs so often, and whose parameters stand in so many places.
  StepCost repeated(int64_t times, int64_t places) const;
};

struct PartCost {
  std::string part;
  StepCost cost;
};

/// Parts and total count every iteration of a loop; and each parameter once and whole, where a
/// step first uses some of it.
struct LayerCost {
  std::vector<StepCost> steps;  // parallel to the rows, one iteration each
  std::vector<PartCost> parts;  // in order of first use
  StepCost total;
};

/// Of all rows of a layer, as rows_of() lists them.
LayerCost cost(const std::vector<Row>& rows, Dtype dtype);

}  // namespace attnscope
