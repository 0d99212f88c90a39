#include "widen.h"

namespace attnscope::kernels {

const HalfConstants kHalf = {.fields = static_cast<int32_t>(0x8fffe000),
                             .exponent = 0x7c000000,
                             .infinity = 0x7f800000,
                             .upper = static_cast<int32_t>(0xffff0000),
                             .rebias = 0x1p112f,
                             .rebias_shifted = 0x1p102f};

}  // namespace attnscope::kernels
