// Scores, softmax and weighted sum as one kernel. Heads are read where the projections left them,
// and written where the output projection reads them: the steps that split, repeat and merge heads
// fall away.

#include "../../kernels/attention.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "../../ops/arithmetic.h"
#include "../../ops/broadcast.h"
#include "../../ops/matmul.h"
#include "../../ops/softmax.h"
#include "../kernels.h"
#include "../threads.h"

namespace attnscope {
namespace {

/// Where the rows of heads lie in a tensor; strides in floats.
struct Heads {
  TensorId id;
  int64_t batch_stride, head_stride, row_stride;

  kernels::ConstRows head(const Workspace& workspace, int64_t batch, int64_t head) const {
    return {workspace.read(id) + batch * batch_stride + head * head_stride, row_stride};
  }
  /// The same of a tensor that may be cached.
  kernels::StoredRows stored_head(const Workspace& workspace, int64_t batch, int64_t head) const {
    const CachedRows* cache = workspace.cache(id);
    if (!cache) return this->head(workspace, batch, head);
    return cache->rows(batch * (batch_stride / head_stride) + head);
  }
  kernels::Rows rows_to_write(Workspace& workspace, int64_t batch, int64_t head) const {
    return {workspace.write(id) + batch * batch_stride + head * head_stride, row_stride};
  }
};

/// (B, H, T, D), or (B, T, D), of which the head is one.
Heads contiguous(TensorId id, const Shape& shape) {
  const int64_t row = shape.back(), head = shape[shape.size() - 2] * row;
  return {id, shape.size() == 4 ? shape[1] * head : head, head, row};
}

/// (B, T, H·D).
Heads side_by_side(TensorId id, const Shape& merged, int64_t num_heads) {
  return {id, merged[1] * merged[2], merged[2] / num_heads, merged[2]};
}

/// Heads as they were before they were split or repeated.
Heads source_of(const Place& place, const Uses& uses, TensorId id) {
  const Step* made = uses.producer(id);
  const Shape& shape = place.graph.tensor(id).shape;
  if (made && made->op->name() == "repeat_heads") return source_of(place, uses, made->inputs[0]);
  if (made && made->op->name() == "split_heads") {
    return side_by_side(made->inputs[0], place.graph.tensor(made->inputs[0]).shape, shape[1]);
  }
  return contiguous(id, shape);
}

int64_t heads_in(const Place& place, const Uses& uses, TensorId id) {
  const Step* made = uses.producer(id);
  if (made && made->op->name() == "repeat_heads") id = made->inputs[0];
  const Shape& shape = place.graph.tensor(id).shape;
  return shape.size() == 4 ? shape[1].size : 1;
}

/// The steps from the first product to the second, or to the merging of heads after it.
struct Attention {
  TensorId query, key, value;
  TensorId bias = kNoTensor, mask = kNoTensor;
  TensorId weights = kNoTensor;
  TensorId output = kNoTensor;
  bool merged = false;
  double scale = 1.0;
  Band band;
  size_t steps = 0;
};

/// Reads the steps one after another, as long as each takes what the one before made and no other
/// step reads that.
class Matcher {
 public:
  Matcher(const Graph& graph, const Uses& uses, size_t first)
      : graph_(graph), uses_(uses), steps_(graph.steps()), first_(first), next_(first) {}

  bool run() { return scores() && softmax() && combine(); }
  const Attention& found() const { return found_; }

 private:
  const Step* step(std::string_view op) const {
    if (next_ >= steps_.size() || steps_[next_].op->name() != op) return nullptr;
    if (next_ > first_ && steps_[next_].inputs[0] != made_) return nullptr;
    return &steps_[next_];
  }
  const Step* take(std::string_view op) {
    const Step* taken = step(op);
    if (taken) made_ = taken->output, ++next_;
    return taken;
  }
  bool only_read_here() const { return uses_.reads(made_) == 1; }

  const Shape& shape(TensorId id) const { return graph_.tensor(id).shape; }

  bool scores() {
    const Step* dot = take("matmul");
    if (!dot || !only_read_here()) return false;
    const auto& product = static_cast<const Matmul&>(*dot->op);
    const size_t rank = shape(dot->output).size();
    if (product.right() != Matmul::Right::kTransposed || (rank != 3 && rank != 4)) return false;
    found_.query = dot->inputs[0], found_.key = dot->inputs[1];
    if (shape(found_.key).size() != rank) return false;
    if (const Step* scaled = take("scale")) {
      found_.scale = static_cast<const Scale&>(*scaled->op).factor();
      if (!only_read_here()) return false;
    }
    if (const Step* added = take("add")) {
      found_.bias = added->inputs[1];
      if (!only_read_here() || shape(found_.bias).back() != shape(made_).back()) return false;
    }
    return true;
  }

  bool softmax() {
    const Step* normalize = take("softmax");
    if (!normalize) return false;
    found_.band = static_cast<const Softmax&>(*normalize->op).band();
    if (normalize->inputs.size() > 1) found_.mask = normalize->inputs[1];
    if (!only_read_here()) found_.weights = made_;
    if (take("dropout") && !only_read_here()) return false;  // it would need a copy
    return found_.band.tail == 0;
  }

  bool combine() {
    const Step* product = take("matmul");
    if (!product || static_cast<const Matmul&>(*product->op).right() != Matmul::Right::kPlain ||
        shape(product->inputs[1]).size() != shape(made_).size()) {
      return false;
    }
    found_.value = product->inputs[1];
    found_.merged = only_read_here() && take("merge_heads");
    found_.output = made_;
    found_.steps = next_ - first_;
    return true;
  }

  const Graph& graph_;
  const Uses& uses_;
  const std::vector<Step>& steps_;
  const size_t first_;
  size_t next_;
  TensorId made_ = kNoTensor;
  Attention found_{};
};

/// Rows (T, S) that are added to one head's scores, of a tensor that broadcasts to (B, H, T, S).
kernels::ConstRows added_rows(const float* data, const Shape& from, const Shape& scores,
                              int64_t head) {
  const int64_t T = scores[scores.size() - 2];
  const int64_t start = broadcast_row(from, scores, head * T);
  const int64_t next = T > 1 ? broadcast_row(from, scores, head * T + 1) : start;
  return {data + start, next - start};
}

/// Queries of a task: many, so that blocks of keys are packed for few tasks, and few enough that
/// they stay in the cache and every thread gets some. Under a Watch (run/threads.h) a task takes no
/// more than some milliseconds.
int64_t queries_a_task(int64_t queries, int64_t groups, int64_t macs_a_query) {
  constexpr int64_t kFewest = 120, kMost = 1080, kTasksOfAThread = 4;
  constexpr int64_t kTile = kernels::kAttentionQueries;
  int64_t most = std::clamp(queries * groups / (thread_count() * kTasksOfAThread), kFewest, kMost);
  if (is_watched()) most = std::clamp(kWatchedMacs / macs_a_query, std::min(queries, kTile), most);
  return even_part(queries, most, kTile);
}

/// One kernel: every head of every sequence, a run of queries at a time.
class AttentionKernel {
 public:
  AttentionKernel(const Place& place, const Uses& uses, const Attention& found)
      : found_(found),
        scores_(place.output_shape()),
        H_(scores_.size() == 4 ? scores_[1].size : 1) {
    const Graph& graph = place.graph;
    query_ = source_of(place, uses, found.query);
    key_ = source_of(place, uses, found.key);
    value_ = source_of(place, uses, found.value);
    groups_ = heads_in(place, uses, found.key);
    const Shape& output = graph.tensor(found.output).shape;
    output_ =
        found.merged ? side_by_side(found.output, output, H_) : contiguous(found.output, output);
    if (found.bias != kNoTensor) bias_shape_ = graph.tensor(found.bias).shape;
    sizes_ = {queries(), keys(), graph.tensor(found.query).shape.back(),
              graph.tensor(found.value).shape.back(), static_cast<float>(found.scale)};
  }

  std::vector<TensorId> reads() const {
    std::vector<TensorId> reads{query_.id, key_.id, value_.id};
    if (found_.bias != kNoTensor) reads.push_back(found_.bias);
    return reads;
  }

  /// Lists which keys each query sees. The list is as long as there are queries, so it is made with
  /// the kernel and not when fusions are only looked for.
  void prepare() {
    for (int64_t t = 0; t < queries(); ++t) {
      const Band::Range range = found_.band.visible(t, keys());
      visible_.push_back({range.first, range.end});
    }
  }

  void operator()(Workspace& workspace) const {
    const LateHeads late = take_late(workspace);
    workspace.write(found_.output);  // allocated before threads ask for it
    if (found_.weights != kNoTensor) workspace.write(found_.weights);
    const int64_t T = queries(), sequences = scores_[0];
    const int64_t macs = H_ / groups_ * keys() * (sizes_.features + sizes_.value_features);
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
    if (found_.bias != kNoTensor) workspace.load(found_.bias);
    return {taken(query_, sizes_.features), taken(key_, sizes_.features),
            taken(value_, sizes_.value_features)};
  }

  /// Loads what the heads of one group need; groups are numbered through all sequences.
  void load(const LateHeads& late, int64_t group) const {
    const auto load_heads = [group](const LateInput& input, int64_t floats) {
      if (input) input.load(group * floats, floats);
    };
    load_heads(late.key, keys() * sizes_.features);
    load_heads(late.value, keys() * sizes_.value_features);
    load_heads(late.query, H_ / groups_ * queries() * sizes_.features);
  }

  int64_t queries() const { return scores_[scores_.size() - 2]; }
  int64_t keys() const { return scores_.back(); }

  /// Queries [begin, end) of the heads that share the keys and values of `group`.
  void run(Workspace& workspace, int64_t batch, int64_t group, int64_t begin, int64_t end) const {
    const int64_t count = H_ / groups_;
    std::vector<kernels::QueryHead> heads;
    for (int64_t h = group * count; h < (group + 1) * count; ++h) {
      heads.push_back({.query = query_.head(workspace, batch, h),
                       .bias = added(workspace, found_.bias, batch * H_ + h),
                       .mask = added(workspace, found_.mask, batch * H_ + h),
                       .output = output_.rows_to_write(workspace, batch, h),
                       .weights = weights(workspace, batch * H_ + h)});
    }
    kernels::attend(
        heads,
        {key_.stored_head(workspace, batch, group), value_.stored_head(workspace, batch, group)},
        sizes_, visible_.data(), begin, end);
  }

  kernels::ConstRows added(const Workspace& workspace, TensorId id, int64_t head) const {
    const float* data = id == kNoTensor ? nullptr : workspace.read(id);
    if (!data) return {nullptr, 0};
    return added_rows(data, id == found_.bias ? bias_shape_ : workspace.given_shape(id), scores_,
                      head);
  }

  kernels::Rows weights(Workspace& workspace, int64_t head) const {
    if (found_.weights == kNoTensor) return {nullptr, 0};
    return {workspace.write(found_.weights) + head * queries() * keys(), keys()};
  }

  Attention found_;
  Shape scores_, bias_shape_{};
  int64_t H_, groups_ = 1;
  Heads query_{}, key_{}, value_{}, output_{};
  kernels::AttentionSizes sizes_{};
  std::vector<kernels::KeyRange> visible_{};
};

}  // namespace

Fusion attention(const Place& place, const Uses& uses, size_t first) {
  Matcher matcher(place.graph, uses, first);
  if (!matcher.run()) return {};
  const Attention& found = matcher.found();
  if (heads_in(place, uses, found.key) != heads_in(place, uses, found.value)) return {};
  const AttentionKernel kernel(place, uses, found);
  Fusion fusion{
      .steps = found.steps, .reads = kernel.reads(), .writes = {found.output}, .loads = true};
  if (found.weights != kNoTensor) fusion.writes.push_back(found.weights);
  fusion.make_kernel = [kernel](const Site&) {
    AttentionKernel prepared = kernel;
    prepared.prepare();
    return prepared;
  };
  return fusion;
}

}  // namespace attnscope
