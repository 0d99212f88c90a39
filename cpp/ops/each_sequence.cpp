#include "each_sequence.h"

#include <algorithm>

#include "../graph/gradients.h"
#include "reshape.h"

namespace attnscope {

Shape EachSequence::output_shape(const InputShapes& inputs) const {
  const Shape &rows = *inputs[0], &x = *inputs[1];
  if (rows.size() != 2 || x.empty()) {
    wrong_graph("each_sequence: {} are no rows for the sequences of {}", {rows, x});
  }
  return {x[0], rows[0], rows[1]};
}

Array EachSequence::forward(const std::vector<const Array*>& inputs) const {
  const Array& rows = *inputs[0];
  const size_t B = inputs[1]->shape(0);
  Array y = make_array({B, rows.shape(0), rows.shape(1)});
  for (size_t b = 0; b < B; ++b) {
    std::copy_n(rows.data(), rows.size(), y.data() + b * rows.size());
  }
  return y;
}

void EachSequence::gradients(GradientBuilder& step) const {
  if (!step.needs(0)) return;
  const Shape rows = step.shape(step.input(0));
  const TensorId sum = step.add<SumTo>({step.gradient()}, Shape{1, rows[0], rows[1]});
  step.give(0, step.add<Reshape>({sum}, rows));
}

std::string EachSequence::pytorch(const std::vector<std::string>& inputs, std::string_view) const {
  return format("{}.expand(len({}), -1, -1)", {inputs[0], inputs[1]});
}

}  // namespace attnscope
