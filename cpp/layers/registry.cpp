#include <algorithm>

#include "layer.h"

namespace attnscope {
namespace {

// A function's variable, because layers register before main() in no particular order.
std::vector<const Layer*>& registered() {
  static std::vector<const Layer*> layers;
  return layers;
}

}  // namespace

Registration::Registration(const Layer& layer) {
  std::vector<const Layer*>& layers = registered();
  const auto before = [](const Layer* a, const Layer* b) { return a->place < b->place; };
  layers.insert(std::upper_bound(layers.begin(), layers.end(), &layer, before), &layer);
}

std::span<const Layer* const> layers() { return registered(); }

}  // namespace attnscope
