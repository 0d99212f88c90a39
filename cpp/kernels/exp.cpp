#include "exp.h"

namespace attnscope::kernels {

const ExpConstants kExp = {
    .lowest = -88.0f,  // n = -127: the exponent of zero
    .log2_e = 1.44269504f,
    // Added to 1.5 2^23, a number is rounded to an integer in the low bits; 127 more and they are
    // the exponent of 2^n.
    .shift = 0x1.8p23f + 127.0f,
    .minus_ln2_high = -0.693359375f,
    .minus_ln2_low = 2.12194440e-4f,
    .polynomial = {0.0013934541f, 0.0083698696f, 0.041666456f, 0.16666499f, 0.5f, 1.0f}};

const Exp2Constants kExp2 = {.lowest = -127.0f,  // the exponent of zero
                             .shift = kExp.shift,
                             .polynomial = {0.00132647366f, 0.00967151672f, 0.0555073358f,
                                            0.240222424f, 0.693147004f, 1.0f}};

}  // namespace attnscope::kernels
