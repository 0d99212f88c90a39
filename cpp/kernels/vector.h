#pragma once

// The vector type of every kernel: four floats, on WebAssembly (simd128, relaxed SIMD) and natively
// (SSE2). A build without SIMD gets xsimd's emulation, so that the same code also runs as scalars.

#include <cstdint>
#include <xsimd/xsimd.hpp>

#ifdef __wasm_relaxed_simd__
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

inline Batch load(const float* from) { return Batch::load_unaligned(from); }
inline void store(float* to, Batch values) { values.store_unaligned(to); }

}  // namespace attnscope::kernels
