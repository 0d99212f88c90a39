#pragma once

// What the machine can do at most: the two limits of the roofline (Williams, Waterman and Patterson
// 2009), measured by kernels that do nothing else.

#include <cstdint>

namespace attnscope::kernels {

/// FLOPs of one call of madd_chain(rounds).
int64_t madd_chain_flops(int64_t rounds);

/// Independent chains of multiply-add in registers, as the inner loop of a matrix product has them:
/// each adds factor² / 2 in every round. Returns the sum of all.
float madd_chain(float factor, int64_t rounds);

/// Reads `length` floats once, front to back; returns their sum.
float read_stream(const float* data, int64_t length);

}  // namespace attnscope::kernels
