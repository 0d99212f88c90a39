// Operations that only move rows: heads, concatenations, slices, embeddings, pairs.

#include <algorithm>
#include <vector>

#include "../../kernels/rows.h"
#include "../../ops/concat.h"
#include "../../ops/each_sequence.h"
#include "../../ops/embedding.h"
#include "../../ops/heads.h"
#include "../../ops/pairs.h"
#include "../../ops/sequence_order.h"
#include "../../ops/split.h"
#include "../../ops/stack.h"
#include "../lowering.h"
#include "../threads.h"

namespace attnscope {
namespace {

/// Copies rows of `row` floats from (outer, middle, inner) to (outer, inner, middle) order.
Fusion swap(const Site& site, int64_t outer, int64_t middle, int64_t inner, int64_t row) {
  const TensorId x = site.input(0), y = site.output();
  Fusion fusion = site.alone({x});
  fusion.kernel = [=](Workspace& workspace) {
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
  return fusion;
}

Fusion split_heads(const Site& site) {
  const Shape& heads = site.output_shape();  // (B, H, T, D)
  return swap(site, heads[0], heads[2], heads[1], heads[3]);
}

Fusion merge_heads(const Site& site) {
  const Shape& heads = site.input_shape(0);  // (B, H, T, D)
  return swap(site, heads[0], heads[1], heads[2], heads[3]);
}

Fusion swap_first_two(const Site& site) {
  const Shape& from = site.input_shape(0);
  return swap(site, 1, from[0], from[1], count_of(from) / (from[0] * from[1]));
}

Fusion zeros(const Site& site) {
  Fusion fusion = site.alone({});
  fusion.kernel = [count = count_of(site.output_shape()), y = site.output()](Workspace& workspace) {
    std::fill_n(workspace.write(y), count, 0.0f);
  };
  return fusion;
}

Fusion repeat_heads(const Site& site) {
  const Shape& from = site.input_shape(0);
  const int64_t size = from[2] * from[3], heads = count_of(site.output_shape()) / size;
  const int64_t times = site.output_shape()[1] / from[1];
  const TensorId x = site.input(0), y = site.output();
  Fusion fusion = site.alone({x});
  fusion.kernel = [=](Workspace& workspace) {
    const float* read = workspace.read(x);
    float* write = workspace.write(y);
    for (int64_t head = 0; head < heads; ++head) {
      std::copy_n(read + head / times * size, size, write + head * size);
    }
  };
  return fusion;
}

Fusion mean_heads(const Site& site) {
  const Shape& heads = site.input_shape(0);  // (B, H, T, S)
  const int64_t B = heads[0], H = heads[1], T = heads[2], S = heads[3];
  const TensorId x = site.input(0), y = site.output();
  Fusion fusion = site.alone({x});
  fusion.kernel = [=](Workspace& workspace) {
    const float* read = workspace.read(x);
    float* write = workspace.write(y);
    parallel_for(B * T, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const float* first = read + (i / T * H * T + i % T) * S;
        float* mean = write + i * S;
        std::copy_n(first, S, mean);
        for (int64_t h = 1; h < H; ++h) kernels::add(mean, first + h * T * S, S, mean);
        kernels::scale(mean, 1.0f / static_cast<float>(H), S);
      }
    });
  };
  return fusion;
}

/// Elements of one index of the dimensions before `dimension`.
int64_t run_length(const Shape& shape, size_t dimension) {
  int64_t length = 1;
  for (size_t d = dimension; d < shape.size(); ++d) length *= shape[d];
  return length;
}

/// Of each run of the output the parts that the inputs have, one behind another. `added`: of past
/// and new positions how many are new.
Fusion put_together(const Site& site, size_t along, int64_t added) {
  const int64_t whole = run_length(site.output_shape(), along);
  const int64_t runs = count_of(site.output_shape()) / whole;
  std::vector<int64_t> lengths;
  for (const TensorId input : site.step().inputs) {
    lengths.push_back(run_length(site.shape(input), along));
  }
  Fusion fusion = site.alone(site.step().inputs);
  fusion.kernel = [=, inputs = site.step().inputs, y = site.output()](Workspace& workspace) {
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
  return fusion;
}

Fusion concat(const Site& site) {
  const size_t along = static_cast<size_t>(site.op<Concat>().dimension());
  return put_together(site, along, site.input_shape(1)[along]);
}

Fusion stack(const Site& site) {
  return put_together(site, static_cast<size_t>(site.op<Stack>().dimension()), 1);
}

/// Of each run of `from` floats the `count` at `first`.
Fusion part_of_each(const Site& site, int64_t from, int64_t first, int64_t count) {
  const TensorId x = site.input(0), y = site.output();
  Fusion fusion = site.alone({x});
  fusion.kernel = [=, runs = count_of(site.output_shape()) / count](Workspace& workspace) {
    const float* read = workspace.read(x) + first;
    float* to = workspace.write(y);
    for (int64_t run = 0; run < runs; ++run)
      std::copy_n(read + run * from, count, to + run * count);
  };
  return fusion;
}

Fusion slice(const Site& site) {
  const Shape& x = site.input_shape(0);
  const size_t along = site.op<Slice>().dimension(x.size());
  const int64_t inner = run_length(x, along + 1);
  return part_of_each(site, x[along] * inner, site.op<Slice>().begin() * inner,
                      site.output_shape()[along] * inner);
}

/// Of each run of the input all parts that something reads.
Fusion take_apart(const Site& site, size_t along) {
  struct Part {
    TensorId id;
    int64_t first, length;  // in a run
  };
  std::vector<Part> parts;
  int64_t whole = 0;
  for (const TensorId id : site.step().outputs()) {
    const int64_t length = run_length(site.shape(id), along);
    if (site.steps.reads(id) > 0) parts.push_back({id, whole, length});
    whole += length;
  }
  Fusion fusion = site.alone({site.input(0)});
  fusion.kernel = [=, x = site.input(0),
                   runs = count_of(site.input_shape(0)) / whole](Workspace& workspace) {
    for (const auto& [id, first, length] : parts) {
      const float* from = workspace.read(x) + first;
      float* to = workspace.write(id);
      for (int64_t run = 0; run < runs; ++run) to = std::copy_n(from + run * whole, length, to);
    }
  };
  return fusion;
}

Fusion split(const Site& site) {
  return take_apart(site, site.op<Split>().dimension(site.input_shape(0).size()));
}

Fusion unbind(const Site& site) {
  return take_apart(site, static_cast<size_t>(site.op<Unbind>().dimension()));
}

/// Each run of the input within one of zeros.
Fusion pad(const Site& site) {
  const size_t along = static_cast<size_t>(site.op<Pad>().dimension());
  const int64_t length = run_length(site.input_shape(0), along);
  const int64_t whole = run_length(site.output_shape(), along);
  const int64_t before = site.op<Pad>().before() * run_length(site.output_shape(), along + 1);
  const TensorId x = site.input(0), y = site.output();
  Fusion fusion = site.alone({x});
  fusion.kernel = [=, runs = count_of(site.output_shape()) / whole](Workspace& workspace) {
    const float* from = workspace.read(x);
    float* to = workspace.write(y);
    for (int64_t run = 0; run < runs; ++run) {
      to = std::fill_n(to, before, 0.0f);
      to = std::copy_n(from + run * length, length, to);
      to = std::fill_n(to, whole - before - length, 0.0f);
    }
  };
  return fusion;
}

Fusion first_position(const Site& site) {
  const Shape& x = site.input_shape(0);  // (B, T, E)
  return part_of_each(site, x[1] * x[2], 0, x[2]);
}

Fusion each_sequence(const Site& site) {
  const int64_t length = count_of(site.input_shape(0)), B = site.output_shape()[0];
  const TensorId x = site.input(0), y = site.output();
  Fusion fusion = site.alone({x});
  fusion.kernel = [=](Workspace& workspace) {
    const float* rows = workspace.read(x);
    float* to = workspace.write(y);
    for (int64_t b = 0; b < B; ++b) to = std::copy_n(rows, length, to);
  };
  return fusion;
}

/// Each run of `length` floats, and `more` after it: those of `row`, or zeros where that is none.
Fusion append(const Site& site, int64_t length, int64_t more, TensorId row) {
  const TensorId x = site.input(0), y = site.output();
  Fusion fusion = site.alone({x});
  if (row != kNoTensor) fusion.reads.push_back(row);
  fusion.kernel = [=, runs = count_of(site.input_shape(0)) / length](Workspace& workspace) {
    const float* from = workspace.read(x);
    const float* added = row == kNoTensor ? nullptr : workspace.read(row);
    float* to = workspace.write(y);
    for (int64_t run = 0; run < runs; ++run) {
      to = std::copy_n(from + run * length, length, to);
      to = added ? std::copy_n(added, more, to) : std::fill_n(to, more, 0.0f);
    }
  };
  return fusion;
}

Fusion append_row(const Site& site) {
  const Shape& x = site.input_shape(0);  // (B, S, E)
  return append(site, x[1] * x[2], x[2], site.input(1));
}

Fusion append_zeros(const Site& site) {
  const Shape& x = site.input_shape(0);  // (B, H, S, D)
  return append(site, x[2] * x[3], x[3], kNoTensor);
}

Fusion embedding(const Site& site) {
  const int64_t features = site.output_shape().back(), tokens = count_of(site.input_shape(0));
  const TensorId x = site.input(0), table_id = site.input(1), y = site.output();
  Fusion fusion = site.alone({x});
  fusion.kernel = [=](Workspace& workspace) {
    const float* token = workspace.read(x);
    const float* table = workspace.read(table_id);
    float* to = workspace.write(y);
    for (int64_t i = 0; i < tokens; ++i) {
      std::copy_n(table + static_cast<int64_t>(token[i]) * features, features, to + i * features);
    }
  };
  return fusion;
}

/// The rows of each token but padding added up: threads share the columns. Where tokens are far
/// more than rows, blocks of them are added up by themselves first: one running sum of thousands
/// would lose digits.
Fusion embedding_gradient(const Site& site) {
  constexpr int64_t kTogether = 64;  // numbers of a running sum, where tokens are as frequent
  const int64_t features = site.output_shape().back(), tokens = count_of(site.input_shape(1));
  const int64_t size = count_of(site.output_shape()), block = size / features * kTogether;
  const int64_t padding = site.op<EmbeddingGradient>().padding().value_or(-1);
  const TensorId dy = site.input(0), x = site.input(1), y = site.output();
  Fusion fusion = site.alone({dy, x});
  const auto of_block = fusion.scratch.shared<float>(block < tokens ? size : 0);
  fusion.kernel = [=](Workspace& workspace) {
    constexpr int64_t kGrain = 1 << 16, kColumns = 16;
    const float* upper = workspace.read(dy);
    const float* token = workspace.read(x);
    float* table = workspace.write(y);
    const double zeros = 0.5 * static_cast<double>(size) / static_cast<double>(size + tokens);
    {
      const WatchedPart part(0, zeros);
      parallel_for(size, kGrain, [&](int64_t begin, int64_t end) {
        std::fill(table + begin, table + end, 0.0f);
      });
    }
    const WatchedPart part(zeros, 1);
    parallel_for(features, kColumns, [&](int64_t begin, int64_t end) {
      const auto add_rows = [&](int64_t first, int64_t last, float* sums) {
        for (int64_t i = first; i < last; ++i) {
          const int64_t id = static_cast<int64_t>(token[i]);
          if (id == padding) continue;
          float* row = sums + id * features + begin;
          kernels::add(row, upper + i * features + begin, end - begin, row);
        }
      };
      if (tokens <= block) return add_rows(0, tokens, table);
      float* sums = workspace.at(of_block);
      for (int64_t first = 0; first < tokens; first += block) {
        for (int64_t at = begin; at < size; at += features) {
          std::fill_n(sums + at, end - begin, 0.0f);
        }
        add_rows(first, std::min(first + block, tokens), sums);
        for (int64_t at = begin; at < size; at += features) {
          kernels::add(table + at, sums + at, end - begin, table + at);
        }
      }
    });
  };
  return fusion;
}

/// work(row of the query, row of the key, to) for each pair of (B, T, ...) and (B, S, ...).
template <class Work>
Fusion each_pair(const Site& site, Work work) {
  const Shape& pairs = site.output_shape();  // (B, T, S, A)
  const int64_t T = pairs[1], S = pairs[2], A = pairs[3], rows = pairs[0] * T;
  const int64_t E = site.input_shape(0).back(), K = site.input_shape(1).back();
  const TensorId q = site.input(0), k = site.input(1), y = site.output();
  Fusion fusion = site.alone({q, k});
  fusion.kernel = [=](Workspace& workspace) {
    const float* query = workspace.read(q);
    const float* key = workspace.read(k);
    float* to = workspace.write(y);
    parallel_for(rows, 1, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        for (int64_t s = 0; s < S; ++s) {
          work(query + row * E, key + (row / T * S + s) * K, to + (row * S + s) * A);
        }
      }
    });
  };
  return fusion;
}

Fusion pair_sum(const Site& site) {
  return each_pair(
      site, [A = site.output_shape().back().size](const float* query, const float* key, float* to) {
        kernels::add(query, key, A, to);
      });
}

Fusion pair_concat(const Site& site) {
  const int64_t E = site.input_shape(0).back(), K = site.input_shape(1).back();
  return each_pair(site, [=](const float* query, const float* key, float* to) {
    std::copy_n(key, K, std::copy_n(query, E, to));
  });
}

const Lowered<SplitHeads> kSplitHeads(split_heads);
const Lowered<SwapFirstTwo> kSwapFirstTwo(swap_first_two);
const Lowered<Zeros> kZeros(zeros);
const Lowered<MergeHeads> kMergeHeads(merge_heads);
const Lowered<RepeatHeads> kRepeatHeads(repeat_heads);
const Lowered<MeanHeads> kMeanHeads(mean_heads);
const Lowered<Concat> kConcat(concat);
const Lowered<Slice> kSlice(slice);
const Lowered<Split> kSplit(split);
const Lowered<Stack> kStack(stack);
const Lowered<Unbind> kUnbind(unbind);
const Lowered<Pad> kPad(pad);
const Lowered<FirstPosition> kFirstPosition(first_position);
const Lowered<EachSequence> kEachSequence(each_sequence);
const Lowered<AppendRow> kAppendRow(append_row);
const Lowered<AppendZeros> kAppendZeros(append_zeros);
const Lowered<Embedding> kEmbedding(embedding);
const Lowered<EmbeddingGradient> kEmbeddingGradient(embedding_gradient);
const Lowered<PairSum> kPairSum(pair_sum);
const Lowered<PairConcat> kPairConcat(pair_concat);

}  // namespace
}  // namespace attnscope
