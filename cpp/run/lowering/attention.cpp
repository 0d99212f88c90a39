// Scores, softmax and weighted sum as one kernel. Heads are read where the projections left them,
// and written where the output projection reads them: the steps that split, repeat and merge heads
// fall away. A bias that only distance decides is never made for every query and key.

#include "attention.h"

#include <algorithm>
#include <new>

#include "../../ops/arithmetic.h"
#include "../../ops/broadcast.h"
#include "../../ops/heads.h"
#include "../../ops/matmul.h"
#include "../threads.h"

namespace attnscope {
namespace {

/// (B, T, H·D).
Heads side_by_side(TensorId id, const Shape& merged, int64_t num_heads) {
  return {id, merged[1] * merged[2], merged[2] / num_heads, merged[2]};
}

template <class Operation>
bool makes(const Step* made) {
  return made && dynamic_cast<const Operation*>(made->op.get());
}

/// Parts the last factor from what is done before it: the softmax does it in passing.
void take_scale(const Site& site, const Chain& chain, Attention& found) {
  const Step* last = site.steps.producer(chain.made());
  const auto* scale = last ? dynamic_cast<const Scale*>(last->op.get()) : nullptr;
  if (!scale || found.before.empty()) return;
  found.before.pop_back();
  found.scale = static_cast<float>(scale->factor());
}

/// Rows (T, S) that are added to one head's scores, of a tensor that has a number for each score or
/// key.
kernels::ConstRows added_rows(const float* data, MaskOf of, const Shape& from, const Shape& scores,
                              int64_t head) {
  const int64_t T = scores[scores.size() - 2];
  const int64_t start = mask_row(of, from, scores, head * T);
  const int64_t next = T > 1 ? mask_row(of, from, scores, head * T + 1) : start;
  return {data + start, next - start};
}

}  // namespace

Heads contiguous(TensorId id, const Shape& shape) {
  const int64_t row = shape.back(), head = shape[shape.size() - 2] * row;
  return {id, shape.size() == 4 ? shape[1] * head : head, head, row};
}

Heads source_of(const Site& site, TensorId id) {
  const Step* made = site.steps.producer(id);
  if (makes<RepeatHeads>(made)) return source_of(site, made->inputs[0]);
  if (makes<SplitHeads>(made)) {
    return side_by_side(made->inputs[0], site.shape(made->inputs[0]), site.shape(id)[1]);
  }
  return contiguous(id, site.shape(id));
}

int64_t heads_in(const Site& site, TensorId id) {
  const Step* made = site.steps.producer(id);
  if (makes<RepeatHeads>(made)) id = made->inputs[0];
  const Shape& shape = site.shape(id);
  return shape.size() == 4 ? shape[1].size : 1;
}

Heads Attention::output_heads(const Site& site) const {
  return merged ? side_by_side(output, site.shape(output), heads())
                : contiguous(output, site.shape(output));
}

std::optional<Attention> attention_at(const Site& site, Chain& chain) {
  const size_t rank = site.output_shape().size();
  const bool compares = site.op<Matmul>().right() == Matmul::Right::kTransposed;
  if (!compares || (rank != 3 && rank != 4) || site.input_shape(1).size() != rank) {
    return std::nullopt;
  }
  Attention found{.query = site.input(0), .key = site.input(1), .scores = site.output_shape()};
  found.before = take_maps(chain);
  take_scale(site, chain, found);
  if (const Step* added = chain.take<Add>()) {
    found.bias = added->inputs[1];
    if (site.shape(found.bias).back() != site.output_shape().back()) return std::nullopt;
    found.after = take_maps(chain);
  }
  const Step* normalize = chain.take<Softmax>();
  if (!normalize) return std::nullopt;
  found.band = static_cast<const Softmax&>(*normalize->op).band();
  found.mask_of = static_cast<const Softmax&>(*normalize->op).mask_of();
  if (found.band.tail != 0) return std::nullopt;
  if (normalize->inputs.size() > 1) found.mask = normalize->inputs[1];
  if (!chain.alone()) found.weights = chain.made();
  const bool dropped = chain.take_idle();
  if (dropped && !chain.alone()) return std::nullopt;  // it would need a copy
  const Step* combine = chain.take_shared<Matmul>();
  if (!combine || static_cast<const Matmul&>(*combine->op).right() != Matmul::Right::kPlain ||
      site.shape(combine->inputs[1]).size() != rank) {
    return std::nullopt;
  }
  found.value = combine->inputs[1];
  found.combined = combine->output;
  if (heads_in(site, found.key) != heads_in(site, found.value)) return std::nullopt;
  found.merged = chain.take<MergeHeads>();
  found.output = chain.made();
  return found;
}

AddedToScores::AddedToScores(const Site& site, const Attention& found, Scratch& scratch)
    : bias_(found.bias),
      mask_(found.mask),
      mask_of_(found.mask_of),
      band_(found.band),
      scores_(found.scores),
      H_(found.heads()),
      T_(found.queries()),
      S_(found.keys()),
      visible_(scratch.shared<kernels::KeyRange>(T_)) {
  if (bias_ == kNoTensor) return;
  bias_shape_ = site.shape(bias_);
  const Step* made = site.steps.producer(bias_);
  distance_ = made ? dynamic_cast<const DistanceBias*>(made->op.get()) : nullptr;
  if (!distance_) return;
  if (!distance_->is_constant()) bias_table_ = made->inputs[0];
  by_distance_ = scratch.shared<float>(product({H_, distance_->distances()}));
}

void AddedToScores::prepare(const Workspace& workspace) const {
  kernels::KeyRange* visible = workspace.at(visible_);
  for (int64_t t = 0; t < T_; ++t) {
    const Band::Range range = band_.visible(t, S_);
    visible[t] = {range.first, range.end};
  }
  if (!distance_) return;
  const float* table = bias_table_ == kNoTensor ? nullptr : workspace.read(bias_table_);
  distance_->fill(table, H_, workspace.at(by_distance_));
}

kernels::ConstRows AddedToScores::bias(const Workspace& workspace, int64_t batch,
                                       int64_t head) const {
  if (bias_ == kNoTensor) return {nullptr, 0};
  if (!distance_) {
    const float* data = workspace.read(bias_);
    return added_rows(data, MaskOf::kScores, bias_shape_, scores_, batch * H_ + head);
  }
  // By the distance from query to key: the row of the next query begins one number earlier.
  const float* first = workspace.at(by_distance_) + head * distance_->distances();
  return {first + T_ - 1, -1};
}

kernels::ConstRows AddedToScores::mask(const Workspace& workspace, int64_t batch,
                                       int64_t head) const {
  const float* data = mask_ == kNoTensor ? nullptr : workspace.read(mask_);
  if (!data) return {nullptr, 0};
  return added_rows(data, mask_of_, workspace.given_shape(mask_), scores_, batch * H_ + head);
}

namespace {

constexpr int64_t kFewestQueries = 120, kMostQueries = 1080;
constexpr int64_t kTile = kernels::kAttentionQueries;

/// Queries of a task: many, so that blocks of keys are packed for few tasks, and few enough that
/// they stay in the cache and every thread gets some. Under a Watch (run/threads.h) a task takes no
/// more than some milliseconds.
int64_t queries_a_task(int64_t queries, int64_t groups, int64_t macs_a_query) {
  constexpr int64_t kTasksOfAThread = 4;
  int64_t most = std::clamp(queries * groups / (thread_count() * kTasksOfAThread), kFewestQueries,
                            kMostQueries);
  if (is_watched()) most = std::clamp(kWatchedMacs / macs_a_query, std::min(queries, kTile), most);
  return even_part(queries, most, kTile);
}

/// The largest that queries_a_task() gives.
int64_t most_queries_a_task(int64_t queries) {
  static_assert(kMostQueries % kTile == 0);
  return std::min(even_part(queries, queries, kTile), kMostQueries);
}

/// One kernel: every head of every sequence, a run of queries at a time.
class AttentionKernel {
 public:
  AttentionKernel(const Site& site, const Attention& found, bool for_gradient, Scratch& scratch)
      : found_(found),
        for_gradient_(for_gradient),
        H_(found.heads()),
        groups_(heads_in(site, found.key)),
        query_(source_of(site, found.query)),
        key_(source_of(site, found.key)),
        value_(source_of(site, found.value)),
        output_(found.output_heads(site)),
        sizes_(found.sizes(site)),
        added_(site, found, scratch) {
    const bool stored = site.how.storage == Dtype::kFloat16 || site.how.storage == Dtype::kBfloat16;
    const kernels::AttentionCall call{.heads = H_ / groups_,
                                      .most_queries = most_queries_a_task(sizes_.queries),
                                      .weights = wants_weights(),
                                      .stored_in_16_bits = stored};
    heads_ = scratch.each_thread<kernels::QueryHead>(call.heads);
    floats_ = scratch.each_thread<float>(kernels::attention_scratch(sizes_, call));
  }

  std::vector<TensorId> reads() const {
    std::vector<TensorId> reads{query_.id, key_.id, value_.id};
    if (added_.bias_input() != kNoTensor) reads.push_back(added_.bias_input());
    return reads;
  }

  void operator()(Workspace& workspace) const {
    const LateHeads late = take_late(workspace);
    added_.prepare(workspace);
    const int64_t T = sizes_.queries, sequences = found_.scores[0];
    const int64_t macs = H_ / groups_ * sizes_.keys * (sizes_.features + sizes_.value_features);
    const int64_t chunk = queries_a_task(T, sequences * groups_, macs);
    const int64_t chunks = parts_of(T, chunk), tasks = sequences * groups_ * chunks;
    const bool loads = late.key || late.value || late.query;
    const auto load_group = [&](int64_t task) {
      if (task % chunks == 0) load(late, task / chunks);
    };
    parallel_tasks(tasks, loads, load_group, [&](int64_t task) {
      const int64_t first = task % chunks * chunk;
      run(workspace, task / chunks / groups_, task / chunks % groups_, first,
          std::min(first + chunk, T));
    });
  }

 private:
  struct LateHeads {
    LateInput query, key, value;
  };

  /// Takes the late inputs that can be loaded head by head, and loads the others. Caches are read
  /// where they are.
  LateHeads take_late(Workspace& workspace) const {
    const bool distinct = query_.id != key_.id && query_.id != value_.id && key_.id != value_.id;
    const auto taken = [&](const Heads& heads, int64_t features) -> LateInput {
      if (workspace.cache(heads.id)) return {};
      if (distinct && heads.row_stride == features) return workspace.take_late(heads.id);
      workspace.load(heads.id);
      return {};
    };
    if (added_.bias_input() != kNoTensor) workspace.load(added_.bias_input());
    return {taken(query_, sizes_.features), taken(key_, sizes_.features),
            taken(value_, sizes_.value_features)};
  }

  /// Loads what the heads of one group need; groups are numbered through all sequences.
  void load(const LateHeads& late, int64_t group) const {
    const auto load_heads = [group](const LateInput& input, int64_t floats) {
      if (input) input.load(group * floats, floats);
    };
    load_heads(late.key, sizes_.keys * sizes_.features);
    load_heads(late.value, sizes_.keys * sizes_.value_features);
    load_heads(late.query, H_ / groups_ * sizes_.queries * sizes_.features);
  }

  bool wants_weights() const { return found_.weights != kNoTensor && !for_gradient_; }

  /// Queries [begin, end) of the heads that share the keys and values of `group`.
  void run(Workspace& workspace, int64_t batch, int64_t group, int64_t begin, int64_t end) const {
    const int64_t count = H_ / groups_;
    kernels::QueryHead* heads = workspace.at(heads_);
    for (int64_t i = 0; i < count; ++i) {
      const int64_t h = group * count + i;
      new (heads + i) kernels::QueryHead{.query = query_.head(workspace, batch, h),
                                         .bias = added_.bias(workspace, batch, h),
                                         .mask = added_.mask(workspace, batch, h),
                                         .output = output_.rows_to_write(workspace, batch, h),
                                         .weights = weights(workspace, batch * H_ + h),
                                         .softmax = softmax(workspace, batch * H_ + h)};
    }
    kernels::attend(
        std::span(heads, static_cast<size_t>(count)),
        {key_.stored_head(workspace, batch, group), value_.stored_head(workspace, batch, group)},
        sizes_, {found_.before, found_.scale, found_.after}, added_.visible(workspace), begin, end,
        workspace.at(floats_));
  }

  kernels::Rows weights(Workspace& workspace, int64_t head) const {
    if (!wants_weights()) return {nullptr, 0};
    const auto [T, S, D, V] = sizes_;
    return {workspace.write(found_.weights) + head * T * S, S};
  }

  kernels::RowSoftmax* softmax(Workspace& workspace, int64_t head) const {
    if (!for_gradient_) return nullptr;
    return reinterpret_cast<kernels::RowSoftmax*>(workspace.write(found_.weights)) +
           head * sizes_.queries;
  }

  Attention found_;
  bool for_gradient_;  // whether what the gradient needs is kept where the weights would be
  int64_t H_, groups_;
  Heads query_, key_, value_, output_;
  kernels::AttentionSizes sizes_;
  AddedToScores added_;
  Slot<kernels::QueryHead> heads_;
  Slot<float> floats_;
};

Fusion attention(const Site& site) {
  Chain chain(site);
  const std::optional<Attention> found = attention_at(site, chain);
  if (!found) return {};
  const bool for_gradient = has_gradient_without_weights(site, *found);
  Scratch scratch;
  AttentionKernel kernel(site, *found, for_gradient, scratch);
  Fusion fusion{.steps = chain.length(),
                .reads = kernel.reads(),
                .writes = {found->output},
                .scratch = scratch,
                .loads = true};
  if (found->weights != kNoTensor) fusion.writes.push_back(found->weights);
  if (for_gradient) fusion.shortened = {found->weights, softmax_floats(*found)};
  fusion.kernel = std::move(kernel);
  return fusion;
}

const Lowered<Matmul> kRegistered(attention);

}  // namespace
}  // namespace attnscope
