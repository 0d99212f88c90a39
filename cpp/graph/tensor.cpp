#include "tensor.h"

#include <algorithm>
#include <array>

namespace attnscope {
namespace {

bool is_feature(Axis axis) {
  return axis == Axis::kFeature || axis == Axis::kHidden || axis == Axis::kHeadFeature ||
         axis == Axis::kVocabulary || axis == Axis::kClass;
}

/// Whether `general` stands for what `axis` is one kind of.
bool stands_for(Axis general, Axis axis) {
  return general == axis || general == Axis::kNone ||
         (general == Axis::kPosition && is_position(axis)) ||
         (general == Axis::kFeature && is_feature(axis)) ||
         (general == Axis::kHead && axis == Axis::kKvHead);
}

}  // namespace

bool is_position(Axis axis) {
  return axis == Axis::kPosition || axis == Axis::kQuery || axis == Axis::kKey;
}

std::string_view name_of(Axis axis) {
  constexpr std::array<std::string_view, kAxes> kNames{
      "",       "batch",   "position",   "query", "key",  "head", "kv_head", "head_feature",
      "hidden", "feature", "vocabulary", "class", "layer"};
  return kNames[static_cast<size_t>(axis)];
}

bool fits(const Dimension& a, const Dimension& b) {
  return a.size == b.size && (stands_for(a.axis, b.axis) || stands_for(b.axis, a.axis));
}

bool fit(const Shape& a, const Shape& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), fits);
}

Dimension as_query(const Dimension& positions) {
  return is_position(positions.axis) ? Dimension(positions.size, Axis::kQuery) : positions;
}

Dimension as_key(const Dimension& positions) {
  return is_position(positions.axis) ? Dimension(positions.size, Axis::kKey) : positions;
}

std::string to_string(const Shape& shape, bool named) {
  std::string text = "(";
  for (const Dimension& dimension : shape) {
    if (text.size() > 1) text += ", ";
    text += std::to_string(dimension.size);
    if (!named || dimension.axis == Axis::kNone) continue;
    text += ' ';
    text += name_of(dimension.axis);
  }
  return text + (shape.size() == 1 ? ",)" : ")");
}

}  // namespace attnscope
