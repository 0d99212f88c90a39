#pragma once

namespace attnscope {

/// Seconds on a clock that only goes forward. Not std::chrono's, whose errors bring printf: 5 kB of
/// what a page loads.
double seconds();

}  // namespace attnscope
