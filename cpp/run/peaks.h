#pragma once

namespace attnscope {

/// What this machine reaches, with all of the pool's threads.
struct Peaks {
  double flops_per_second;  // chains of multiply-add in registers
  double bytes_per_second;  // reading 64 MiB front to back: memory, not cache
};

/// Takes some 150 ms. Source: the two roofs of Williams, Waterman and Patterson 2009.
Peaks measure_peaks();

}  // namespace attnscope
