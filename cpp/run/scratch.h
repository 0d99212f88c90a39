#pragma once

// Memory that a kernel needs beside its tensors. It says so before anything is allocated, and the
// arena of the run has room for it: no kernel allocates.

#include <type_traits>

#include "../graph/count.h"

namespace attnscope {

/// Bytes rounded up to whole cache lines: what two threads write never shares one.
inline Count in_cache_lines(Count bytes) {
  constexpr Count kLine = 64;
  return product({sum(bytes, kLine - 1) / kLine, kLine});
}

/// Room for some T in a kernel's scratch; Workspace::at() says where it is in a run.
template <class T>
struct Slot {
  Count offset = 0;  // bytes
  bool each_thread = false;
};

class Scratch {
 public:
  /// Room that all threads see.
  template <class T>
  Slot<T> shared(Count count) {
    return {take<T>(shared_, count), false};
  }

  /// Room for each thread by itself.
  template <class T>
  Slot<T> each_thread(Count count) {
    return {take<T>(each_thread_, count), true};
  }

  Count bytes(int threads) const { return sum(shared_, product({each_thread_, threads})); }

  /// Where a slot begins for a thread, in bytes from the start of the scratch.
  template <class T>
  Count start(Slot<T> slot, int thread) const {
    if (!slot.each_thread) return slot.offset;
    return shared_ + each_thread_ * static_cast<Count>(thread) + slot.offset;
  }

 private:
  template <class T>
  static Count take(Count& bytes, Count count) {
    static_assert(std::is_trivially_destructible_v<T>);
    const Count offset = bytes;
    bytes = sum(bytes, in_cache_lines(product({count, sizeof(T)})));
    return offset;
  }

  Count shared_ = 0, each_thread_ = 0;
};

}  // namespace attnscope
