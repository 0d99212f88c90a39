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

/// Has `sum` made before what follows. Without it, the compiler gathers all terms of a sum in one
/// place, and what other sums share with it stays in registers meanwhile: more than there are.
inline void settle(Batch& sum) {
#ifdef __wasm_simd128__
  v128_t value = sum;
  asm volatile("" : "+r"(value));
  sum = value;
#else
  (void)sum;
#endif
}

/// What the chains of terms of one sum, row r's in a tile, add up to.
template <class Vector, size_t kChains, size_t kHeight>
inline Vector total_of(const Vector (&sum)[kChains][kHeight][2], int64_t r, int64_t half) {
  Vector total = sum[0][r][half];
  for (size_t chain = 1; chain < kChains; ++chain) total += sum[chain][r][half];
  return total;
}

}  // namespace attnscope::kernels
