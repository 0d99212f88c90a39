// Sums over some dimensions, and their spreading.

#include <algorithm>
#include <utility>
#include <vector>

#include "../../kernels/rows.h"
#include "../../kernels/sums.h"
#include "../../ops/broadcast.h"
#include "../../ops/reshape.h"
#include "../lowering.h"
#include "../threads.h"

namespace attnscope {
namespace {

constexpr int64_t kGrain = 4096;  // numbers

/// A dimension of the larger tensor, or several beside each other of which all are summed or none.
struct Extent {
  int64_t size, stride;
};

/// The dimensions that a sum keeps, and those over which it goes, from the last one on.
struct Extents {
  std::vector<Extent> kept, summed;
  bool last_is_kept = true;
};

Extents extents_of(const Shape& from, const Shape& sums) {
  Extents extents;
  int64_t stride = 1;
  std::vector<Extent>* last = nullptr;
  for (size_t i = 1; i <= from.size(); ++i) {
    const int64_t size = from[from.size() - i];
    if (size == 1) continue;
    const bool kept = i <= sums.size() && sums[sums.size() - i] == size;
    std::vector<Extent>* own = kept ? &extents.kept : &extents.summed;
    if (!last) extents.last_is_kept = kept;
    if (own == last) {
      own->back().size *= size;
    } else {
      own->push_back({size, stride});
    }
    last = own;
    stride *= size;
  }
  return extents;
}

/// Where the index-th combination of `extents` begins, after the first `from` of them.
int64_t start_of(const std::vector<Extent>& extents, size_t from, int64_t index) {
  int64_t start = 0;
  for (size_t i = from; i < extents.size(); ++i) {
    start += index % extents[i].size * extents[i].stride;
    index /= extents[i].size;
  }
  return start;
}

/// How many combinations there are of those after the first `from`.
int64_t combinations(const std::vector<Extent>& extents, size_t from) {
  int64_t count = 1;
  for (size_t i = from; i < extents.size(); ++i) count *= extents[i].size;
  return count;
}

/// Where the last dimension is kept: sums of rows.
void sum_kept(const Extents& extents, const float* from, float* to) {
  constexpr int64_t kColumns = 32, kMostColumns = 256;  // of a task, and at once
  const int64_t length = extents.kept.empty() ? 1 : extents.kept[0].size;
  const int64_t chunks = parts_of(length, kColumns), outputs = combinations(extents.kept, 1);
  const Extent rows = extents.summed.empty() ? Extent{1, 0} : extents.summed[0];
  const int64_t groups = combinations(extents.summed, 1);
  const int64_t of_a_chunk = std::min(length, kColumns) * rows.size * groups;
  const auto work = [&](int64_t output, int64_t first, int64_t end) {
    for (int64_t column = first; column < end; column += kMostColumns) {
      const int64_t count = std::min(kMostColumns, end - column);
      double sums[kMostColumns];
      std::fill_n(sums, count, 0.0);
      const float* start = from + start_of(extents.kept, 1, output) + column;
      for (int64_t group = 0; group < groups; ++group) {
        kernels::sum_rows({start + start_of(extents.summed, 1, group), rows.stride}, rows.size,
                          count, sums);
      }
      std::copy_n(sums, count, to + output * length + column);
    }
  };
  parallel_for(outputs * chunks, parts_of(kGrain, of_a_chunk), [&](int64_t begin, int64_t end) {
    while (begin < end) {
      const int64_t output = begin / chunks, first = begin % chunks;
      const int64_t last = std::min(chunks, first + end - begin);
      work(output, first * kColumns, std::min(last * kColumns, length));
      begin += last - first;
    }
  });
}

/// Where it is summed: sums of numbers beside each other.
void sum_runs(const Extents& extents, const float* from, float* to) {
  const int64_t length = extents.summed[0].size, groups = combinations(extents.summed, 1);
  parallel_for(combinations(extents.kept, 0), parts_of(kGrain, length * groups),
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i) {
                   const float* start = from + start_of(extents.kept, 0, i);
                   double sum = 0.0;
                   for (int64_t group = 0; group < groups; ++group) {
                     sum += kernels::sum(start + start_of(extents.summed, 1, group), length);
                   }
                   to[i] = static_cast<float>(sum);
                 }
               });
}

Fusion sum_to(const Site& site) {
  const TensorId x = site.input(0), y = site.output();
  Fusion fusion = site.alone({x});
  fusion.kernel =
      [=, extents = extents_of(site.input_shape(0), site.output_shape())](Workspace& workspace) {
        const auto sum = extents.last_is_kept ? sum_kept : sum_runs;
        sum(extents, workspace.read(x), workspace.write(y));
      };
  return fusion;
}

Fusion expand(const Site& site) {
  const Shape &to_shape = site.output_shape(), &from_shape = site.input_shape(0);
  const int64_t length = to_shape.back(), rows = count_of(to_shape) / length;
  const bool one_a_row = from_shape.back() != length;
  const TensorId x = site.input(0), y = site.output();
  Fusion fusion = site.alone({x});
  fusion.kernel = [=](Workspace& workspace) {
    const float* from = workspace.read(x);
    float* to = workspace.write(y);
    parallel_for(rows, parts_of(kGrain, length), [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        const float* start = from + broadcast_row(from_shape, to_shape, row);
        if (one_a_row) {
          std::fill_n(to + row * length, length, *start);
        } else {
          std::copy_n(start, length, to + row * length);
        }
      }
    });
  };
  return fusion;
}

const Lowered<SumTo> kSumTo(sum_to);
const Lowered<Expand> kExpand(expand);

}  // namespace
}  // namespace attnscope
