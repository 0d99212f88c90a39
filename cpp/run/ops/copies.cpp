// Operations that only move rows: heads, concatenations, slices, embeddings, pairs.

#include <algorithm>

#include "../../kernels/rows.h"
#include "../../ops/concat.h"
#include "../kernels.h"
#include "../threads.h"

namespace attnscope {
namespace {

/// Copies rows of `row` floats from (outer, middle, inner) to (outer, inner, middle) order.
Kernel swap_kernel(const Site& site, int64_t outer, int64_t middle, int64_t inner, int64_t row) {
  return [=, x = site.input(0), y = site.step.output](Workspace& workspace) {
    const float* from = workspace.read(x);
    float* to = workspace.write(y);
    parallel_for(outer * middle, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t o = i / middle, m = i % middle;
        for (int64_t n = 0; n < inner; ++n) {
          std::copy_n(from + (i * inner + n) * row, row, to + ((o * inner + n) * middle + m) * row);
        }
      }
    });
  };
}

/// Elements of one index of the dimensions before `dimension`.
int64_t run_length(const Shape& shape, size_t dimension) {
  int64_t length = 1;
  for (size_t d = dimension; d < shape.size(); ++d) length *= shape[d];
  return length;
}

}  // namespace

Kernel split_heads_kernel(const Site& site) {
  const Shape& heads = site.output_shape();  // (B, H, T, D)
  return swap_kernel(site, heads[0], heads[2], heads[1], heads[3]);
}

Kernel merge_heads_kernel(const Site& site) {
  const Shape& heads = site.input_shape(0);  // (B, H, T, D)
  return swap_kernel(site, heads[0], heads[1], heads[2], heads[3]);
}

Kernel repeat_heads_kernel(const Site& site) {
  const Shape& from = site.input_shape(0);
  const int64_t size = from[2] * from[3], heads = count_of(site.output_shape()) / size;
  const int64_t times = site.output_shape()[1] / from[1];
  return [=, x = site.input(0), y = site.step.output](Workspace& workspace) {
    const float* read = workspace.read(x);
    float* write = workspace.write(y);
    for (int64_t head = 0; head < heads; ++head) {
      std::copy_n(read + head / times * size, size, write + head * size);
    }
  };
}

Kernel concat_kernel(const Site& site) {
  const size_t along = static_cast<size_t>(site.op<Concat>().dimension());
  const int64_t whole = run_length(site.output_shape(), along);
  const int64_t runs = count_of(site.output_shape()) / whole;
  const int64_t added = site.input_shape(1)[along];
  std::vector<int64_t> lengths;
  for (size_t i = 0; i < site.step.inputs.size(); ++i) {
    lengths.push_back(run_length(site.input_shape(i), along));
  }
  return [=, inputs = site.step.inputs, y = site.step.output](Workspace& workspace) {
    if (CachedRows* cache = workspace.cache(y)) {  // of past and new positions it has the past
      return cache->append(workspace.read(inputs[1]), added);
    }
    float* to = workspace.write(y);
    for (size_t i = 0; i < inputs.size(); ++i) {
      const float* from = workspace.read(inputs[i]);
      for (int64_t run = 0; run < runs; ++run) {
        std::copy_n(from + run * lengths[i], lengths[i], to + run * whole);
      }
      to += lengths[i];
    }
  };
}

Kernel slice_kernel(const Site& site) {
  const int64_t whole = site.input_shape(0).back(), length = site.output_shape().back();
  const int64_t rows = count_of(site.output_shape()) / length;
  return [=, begin = site.op<Slice>().begin(), x = site.input(0),
          y = site.step.output](Workspace& workspace) {
    const float* from = workspace.read(x) + begin;
    float* to = workspace.write(y);
    for (int64_t row = 0; row < rows; ++row) {
      std::copy_n(from + row * whole, length, to + row * length);
    }
  };
}

Kernel embedding_kernel(const Site& site) {
  const int64_t features = site.output_shape().back(), tokens = count_of(site.input_shape(0));
  return [=, x = site.input(0), table = site.parameter(1),
          y = site.step.output](Workspace& workspace) {
    const float* token = workspace.read(x);
    float* to = workspace.write(y);
    for (int64_t i = 0; i < tokens; ++i) {
      std::copy_n(table + static_cast<int64_t>(token[i]) * features, features, to + i * features);
    }
  };
}

Kernel pair_sum_kernel(const Site& site) {
  const Shape& shape = site.output_shape();
  const int64_t T = shape[1], S = shape[2], A = shape[3];
  return [=, rows = shape[0] * T, q = site.input(0), k = site.input(1),
          y = site.step.output](Workspace& workspace) {
    const float* query = workspace.read(q);
    const float* key = workspace.read(k);
    float* to = workspace.write(y);
    parallel_for(rows, 1, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        for (int64_t s = 0; s < S; ++s) {
          kernels::add(query + row * A, key + (row / T * S + s) * A, A, to + (row * S + s) * A);
        }
      }
    });
  };
}

}  // namespace attnscope
