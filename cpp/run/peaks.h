#pragma once

#include <cstdint>

namespace attnscope {

/// What this machine reaches, with all of the pool's threads.
struct Peaks {
  double flops_per_second;  // chains of multiply-add in registers
  double bytes_per_second;  // reading front to back
};

/// Reads `read_bytes`, rounded to whole floats, again and again: what fits into a cache is read
/// from there. Takes some 150 ms. Source: the two roofs of Williams, Waterman and Patterson 2009.
Peaks measure_peaks(int64_t read_bytes);

}  // namespace attnscope
