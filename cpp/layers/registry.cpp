#include <array>
#include <cstdlib>

#include "layer.h"

namespace attnscope {
namespace {

// Zeros from the start: layers register before main() in no particular order.
constinit std::array<const Layer*, 64> registered{};
constinit size_t count = 0;

}  // namespace

Registration::Registration(const Layer& layer) {
  if (count == registered.size()) std::abort();  // before main() nobody could catch an exception
  size_t at = count++;
  for (; at > 0 && registered[at - 1]->place > layer.place; --at) {
    registered[at] = registered[at - 1];
  }
  registered[at] = &layer;
}

std::span<const Layer* const> layers() { return std::span(registered).first(count); }

}  // namespace attnscope
