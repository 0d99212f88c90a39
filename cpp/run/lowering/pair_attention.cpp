// Attention that scores each pair of a query and a key by a layer of its own (Bahdanau's, and
// Luong's concat): a query at a time, with some keys at once, so that what has a row for each pair
// never stands in memory.

#include <algorithm>
#include <vector>

#include "../../kernels/rows.h"
#include "../../kernels/softmax.h"
#include "../../kernels/sums.h"
#include "../../ops/broadcast.h"
#include "../../ops/linear.h"
#include "../../ops/matmul.h"
#include "../../ops/pairs.h"
#include "../../ops/softmax.h"
#include "../../ops/squeeze.h"
#include "../threads.h"
#include "product.h"

namespace attnscope {
namespace {

/// Keys that are scored at once: whole tiles of a product, and few enough to stay in the cache.
constexpr int64_t kKeys = 60;

struct PairAttention {
  Shape pairs;          // (B, T, S, A)
  Shape weights_shape;  // (B, T, S)
  bool sums;            // or one after the other
  int64_t query_features, key_features, value_features;
  TensorId query_id, key_id, value_id, mask_id, weights_id, output_id;
  std::vector<kernels::Map> maps;  // of the pairs
  Scorer scorer;
  Slot<float> pairs_slot, row_slot;

  void operator()(Workspace& workspace) const {
    const int64_t T = pairs[1], S = pairs[2];
    const float* query = workspace.read(query_id);
    const float* key = workspace.read(key_id);
    const float* values = workspace.read(value_id);
    const float* mask = mask_id == kNoTensor ? nullptr : workspace.read(mask_id);
    float* weights = weights_id == kNoTensor ? nullptr : workspace.write(weights_id);
    float* out = workspace.write(output_id);
    parallel_for(pairs[0] * T, 1, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        const int64_t first_key = row / T * S;
        float* scores = weights ? weights + row * S : workspace.at(row_slot);
        for (int64_t s = 0; s < S; s += kKeys) {
          score(workspace, query + row * query_features, key + (first_key + s) * key_features,
                std::min(kKeys, S - s), scores + s);
        }
        const float* added =
            mask ? mask + broadcast_row(workspace.given_shape(mask_id), weights_shape, row) : mask;
        kernels::softmax(scores, added, S, scores);
        kernels::weighted_sum({values + first_key * value_features, value_features}, scores, S,
                              value_features, out + row * value_features);
      }
    });
  }

 private:
  void score(const Workspace& workspace, const float* query, const float* key, int64_t count,
             float* scores) const {
    const int64_t A = pairs[3];
    float* rows = workspace.at(pairs_slot);
    for (int64_t i = 0; i < count; ++i) {
      const float* own = key + i * key_features;
      float* to = rows + i * A;
      if (sums) {
        kernels::add(query, own, A, to);
      } else {
        std::copy_n(own, key_features, std::copy_n(query, query_features, to));
      }
    }
    for (const kernels::Map& map : maps) map(rows, count * A);
    scorer.run(workspace, rows, count, scores);
  }
};

/// From the pairs to the values that are combined under their weights.
Fusion pair_attention(const Site& site) {
  Chain chain(site);
  std::vector<kernels::Map> maps = take_maps(chain);
  if (!chain.alone() || !chain.next() || !dynamic_cast<const Linear*>(chain.next()->op.get())) {
    return {};
  }
  Scratch scratch;
  const Site scored = chain.following();
  Chain rest(scored);
  const std::optional<Scorer> scorer = Scorer::at(scored, kKeys, scratch, rest);
  if (!scorer || !rest.take<Squeeze>()) return {};
  const Step* normalize = rest.take<Softmax>();
  if (!normalize || !static_cast<const Softmax&>(*normalize->op).band().is_whole()) return {};
  const bool wanted = !rest.alone();
  const Step* combine = rest.take_shared<Matmul>();
  if (!combine || static_cast<const Matmul&>(*combine->op).right() != Matmul::Right::kPlain ||
      site.shape(combine->inputs[1]).size() != 3) {
    return {};
  }

  const Shape& pairs = site.output_shape();
  const TensorId weights = normalize->output, value = combine->inputs[1];
  PairAttention kernel{.pairs = pairs,
                       .weights_shape = site.shape(weights),
                       .sums = dynamic_cast<const PairSum*>(site.step().op.get()) != nullptr,
                       .query_features = site.input_shape(0).back(),
                       .key_features = site.input_shape(1).back(),
                       .value_features = site.shape(value).back(),
                       .query_id = site.input(0),
                       .key_id = site.input(1),
                       .value_id = value,
                       .mask_id = normalize->inputs.size() > 1 ? normalize->inputs[1] : kNoTensor,
                       .weights_id = wanted ? weights : kNoTensor,
                       .output_id = combine->output,
                       .maps = std::move(maps),
                       .scorer = *scorer,
                       .pairs_slot = scratch.each_thread<float>(Count{kKeys} * pairs[3].size),
                       .row_slot = scratch.each_thread<float>(wanted ? 0 : pairs[2].size)};
  chain.join(rest);
  Fusion fusion{.steps = chain.length(),
                .reads = {site.input(0), site.input(1), value},
                .writes = {combine->output},
                .packed = scorer->packed(),
                .scratch = scratch,
                .kernel = std::move(kernel)};
  if (wanted) fusion.writes.push_back(weights);
  return fusion;
}

const Lowered<PairSum> kSum(pair_attention);
const Lowered<PairConcat> kConcat(pair_attention);

}  // namespace
}  // namespace attnscope
