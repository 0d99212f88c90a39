#include "split.h"

#include <algorithm>
#include <numeric>

#include "../graph/gradients.h"
#include "concat.h"

namespace attnscope {

Shape Split::output_shape(const InputShapes& inputs, size_t output) const {
  Shape shape = *inputs[0];
  const size_t along = dimension(shape.size());
  const int64_t length = std::reduce(sizes_.begin(), sizes_.end());
  const bool positive = std::ranges::all_of(sizes_, [](int64_t size) { return size > 0; });
  if (along >= shape.size() || length != shape[along] || !positive) {
    wrong_graph("split: parts of {} numbers do not fill dimension {} of {}",
                {length, along, shape});
  }
  shape[along].size = sizes_[output];
  return shape;
}

std::vector<Array> Split::forward_all(const std::vector<const Array*>& inputs) const {
  const Array& x = *inputs[0];
  std::vector<size_t> shape(x.shape().begin(), x.shape().end());
  const size_t along = dimension(shape.size());
  size_t inner = 1;
  for (size_t d = along + 1; d < shape.size(); ++d) inner *= shape[d];
  const size_t whole = shape[along] * inner;
  std::vector<Array> parts;
  size_t first = 0;
  for (const int64_t size : sizes_) {
    shape[along] = static_cast<size_t>(size);
    Array& part = parts.emplace_back(make_array(shape));
    const size_t length = shape[along] * inner;
    for (size_t run = 0; run < x.size() / whole; ++run) {
      std::copy_n(x.data() + run * whole + first, length, part.data() + run * length);
    }
    first += length;
  }
  return parts;
}

/// The gradients by the parts put together again, with zeros for parts that have none.
void Split::gradients(GradientBuilder& step) const {
  const int along = static_cast<int>(dimension(step.shape(step.input(0)).size()));
  std::vector<TensorId> parts;
  int64_t before = 0;  // numbers of parts without a gradient that come first
  for (size_t i = 0; i < sizes_.size();) {
    const TensorId gradient = step.gradient(i);
    const int64_t size = sizes_[i++];
    if (gradient == kNoTensor) {
      before += size;
      continue;
    }
    int64_t after = 0;
    for (; i < sizes_.size() && step.gradient(i) == kNoTensor; ++i) after += sizes_[i];
    const bool whole = before == 0 && after == 0;
    parts.push_back(whole ? gradient : step.add<Pad>({gradient}, along, before, after));
    before = 0;
  }
  step.give(0, parts.size() == 1 ? parts[0] : step.add<Concat>(parts, along));
}

std::string Split::pytorch(const std::vector<std::string>& inputs, std::string_view) const {
  const bool equal =
      std::ranges::adjacent_find(sizes_, std::ranges::not_equal_to()) == sizes_.end();
  if (equal) return format("{}.chunk({}, dim={})", {inputs[0], sizes_.size(), dimension_});
  std::string sizes;
  for (const int64_t size : sizes_) sizes += format("{}{}", {sizes.empty() ? "" : ", ", size});
  return format("{}.split([{}], dim={})", {inputs[0], sizes, dimension_});
}

}  // namespace attnscope
