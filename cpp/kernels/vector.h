#pragma once

// The vector types of every kernel: four floats, or integers of their size, on WebAssembly
// (simd128, relaxed SIMD) and natively (SSE2). A build without SIMD gets xsimd's emulation, so that
// the same code also runs as scalars.

#include <cstdint>
#include <xsimd/xsimd.hpp>

#ifdef __wasm_simd128__
#include <wasm_simd128.h>
#endif

namespace attnscope::kernels {

#if defined(__wasm__) && !defined(__wasm_simd128__)
using Batch = xsimd::batch<float, xsimd::emulated<128>>;
#elif defined(__wasm__)
using Batch = xsimd::batch<float, xsimd::wasm>;
#else
using Batch = xsimd::batch<float, xsimd::sse2>;
#endif

using Ints = xsimd::batch<int32_t, Batch::arch_type>;

inline constexpr int64_t kLanes = static_cast<int64_t>(Batch::size);
static_assert(kLanes == 4);

/// a * b + c, rounded once or twice as the engine likes. xsimd's own fma never uses the relaxed
/// instruction, which runs at twice the rate.
inline Batch madd(Batch a, Batch b, Batch c) {
#ifdef __wasm_relaxed_simd__
  return wasm_f32x4_relaxed_madd(a, b, c);
#else
  return a * b + c;
#endif
}

/// The larger of two, and x where x is NaN.
inline Batch at_least(Batch x, Batch bound) {
#ifdef __wasm_simd128__
  return wasm_f32x4_pmax(x, bound);  // one instruction, where wasm_f32x4_max is six
#else
  return xsimd::select(x < bound, bound, x);
#endif
}

/// The number at `from` in every lane.
inline Batch spread(const float* from) {
#ifdef __wasm_simd128__
  return wasm_v128_load32_splat(from);
#else
  return Batch(*from);
#endif
}

inline Ints spread(const int32_t* from) {
#ifdef __wasm_simd128__
  return wasm_v128_load32_splat(from);
#else
  return Ints(*from);
#endif
}

inline Batch load(const float* from) { return Batch::load_unaligned(from); }
inline Ints load(const int32_t* from) { return Ints::load_unaligned(from); }
inline void store(float* to, Batch values) { values.store_unaligned(to); }

/// Calls term(chain) until it has moved `at`, by `step` each time, to `end`: at least once. Terms
/// go to the chains of a sum in turn.
template <int64_t kChains, class T, class Term>
inline void in_turn(const T*& at, const T* end, int64_t step, Term term) {
  if constexpr (kChains == 1) {
    // No counter, and one branch a term, at the end: V8 makes two of a loop that is tested before.
    // Instructions decide where another thread shares the core (a matrix product there: 5 to 9 %).
    do term(0);
    while (at != end);
  } else {
    while (end - at >= kChains * step) {
      for (int64_t chain = 0; chain < kChains; ++chain) term(chain);
    }
    while (at != end) term(0);
  }
}

/// What the chains of terms of one sum, row r's in a tile, add up to.
template <class Vector, size_t kChains, size_t kHeight>
inline Vector total_of(const Vector (&sum)[kChains][kHeight][2], int64_t r, int64_t half) {
  Vector total = sum[0][r][half];
  for (size_t chain = 1; chain < kChains; ++chain) total += sum[chain][r][half];
  return total;
}

}  // namespace attnscope::kernels
