#include <algorithm>

#include "layer.h"

namespace attnscope {
namespace {

// Empty before any code runs: layers register before main() in no particular order.
constinit std::vector<const Layer*> registered;

}  // namespace

Registration::Registration(const Layer& layer) {
  registered.insert(std::ranges::upper_bound(registered, layer.place, {}, &Layer::place), &layer);
}

std::span<const Layer* const> layers() { return registered; }

}  // namespace attnscope
