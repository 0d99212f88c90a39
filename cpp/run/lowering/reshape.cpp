// Sums to smaller shapes, and smaller shapes spread over larger ones.

#include "../../ops/reshape.h"

#include <algorithm>

#include "../../kernels/rows.h"
#include "../lowering.h"
#include "../threads.h"

namespace attnscope {
namespace {

/// A shape that broadcasts to a larger one: the larger is (outer, repeated, inner), the smaller
/// (outer, inner).
struct Spread {
  int64_t outer = 1, repeated = 1, inner = 1;
};

/// Nothing where what is repeated lies in several places.
std::optional<Spread> spread_of(const Shape& small, const Shape& large) {
  Spread spread;
  int64_t* part = &spread.outer;
  for (size_t i = 0; i < large.size(); ++i) {
    const int64_t size = large[i];
    if (size == 1) continue;
    const size_t missing = large.size() - small.size();
    const bool repeats = i < missing || small[i - missing] == 1;
    if (repeats && part == &spread.outer) part = &spread.repeated;
    if (!repeats && part == &spread.repeated) part = &spread.inner;
    if (repeats && part == &spread.inner) return std::nullopt;
    *part *= size;
  }
  return spread;
}

Fusion sum_to(const Site& site) {
  const auto found = spread_of(site.output_shape(), site.input_shape(0));
  if (!found) return {};
  const Spread spread = *found;
  const TensorId x = site.input(0), y = site.output();
  Fusion fusion = site.alone({x});
  fusion.kernel = [=](Workspace& workspace) {
    constexpr int64_t kColumns = 16, kGrain = 16;
    const float* from = workspace.read(x);
    float* to = workspace.write(y);
    const auto [outer, repeated, inner] = spread;
    const int64_t whole = repeated * inner;
    if (inner == 1) {
      parallel_for(outer, kGrain, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) to[i] = kernels::sum_of(from + i * whole, whole);
      });
    } else if (outer == 1) {
      parallel_for(inner, kColumns, [&](int64_t begin, int64_t end) {
        kernels::sum_rows({from + begin, inner}, repeated, end - begin, to + begin);
      });
    } else {
      parallel_for(outer, 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          kernels::sum_rows({from + i * whole, inner}, repeated, inner, to + i * inner);
        }
      });
    }
  };
  return fusion;
}

Fusion expand(const Site& site) {
  const auto found = spread_of(site.input_shape(0), site.output_shape());
  if (!found) return {};
  const TensorId x = site.input(0), y = site.output();
  Fusion fusion = site.alone({x});
  fusion.kernel = [=, spread = *found](Workspace& workspace) {
    const float* from = workspace.read(x);
    float* to = workspace.write(y);
    const auto [outer, repeated, inner] = spread;
    parallel_for(outer * repeated, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        std::copy_n(from + i / repeated * inner, inner, to + i * inner);
      }
    });
  };
  return fusion;
}

const Lowered<SumTo> kSumTo(sum_to);
const Lowered<Expand> kExpand(expand);

}  // namespace
}  // namespace attnscope
