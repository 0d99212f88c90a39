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
  return shape.size() == 4 ? shape[1] : 1;
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

/// Reads the steps one after another, as long as each takes what the one before made and nobody
/// else does.
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
    if (take("dropout") && !only_read_here()) return false;  // no copy of its own
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
  if (!data) return {nullptr, 0};
  const int64_t T = scores[scores.size() - 2];
  const int64_t start = broadcast_row(from, scores, head * T);
  const int64_t next = T > 1 ? broadcast_row(from, scores, head * T + 1) : start;
  return {data + start, next - start};
}

/// Queries of a task: many, so that blocks of keys are packed for few tasks, and few enough that
/// every thread gets some.
int64_t queries_a_task(int64_t queries, int64_t groups) {
  constexpr int64_t kFewest = 120, kMost = 960, kTasksOfAThread = 4;
  const int64_t even = queries * groups / (thread_count() * kTasksOfAThread);
  return std::clamp((even + kFewest - 1) / kFewest * kFewest, kFewest, kMost);
}

}  // namespace

Fusion attention(const Place& place, const Uses& uses, size_t first) {
  Matcher matcher(place.graph, uses, first);
  if (!matcher.run()) return {};
  const Attention found = matcher.found();

  const Shape scores = place.graph.tensor(place.step.output).shape;
  const Shape query_shape = place.graph.tensor(found.query).shape;
  const int64_t T = scores[scores.size() - 2], S = scores.back(), B = scores[0];
  const int64_t H = scores.size() == 4 ? scores[1] : 1;
  const int64_t G = heads_in(place, uses, found.key);
  if (heads_in(place, uses, found.value) != G) return {};
  const int64_t V = place.graph.tensor(found.value).shape.back();
  const kernels::AttentionSizes sizes{S, query_shape.back(), V, static_cast<float>(found.scale)};
  const Heads query = source_of(place, uses, found.query), key = source_of(place, uses, found.key),
              value = source_of(place, uses, found.value);
  const Shape& output_shape = place.graph.tensor(found.output).shape;
  const Heads output = found.merged ? side_by_side(found.output, output_shape, H)
                                    : contiguous(found.output, output_shape);
  const Shape bias_shape = found.bias == kNoTensor ? Shape{} : place.graph.tensor(found.bias).shape;
  Fusion fusion{found.steps, {query.id, key.id, value.id}, {found.output}};
  if (found.bias != kNoTensor) fusion.reads.push_back(found.bias);
  if (found.weights != kNoTensor) fusion.writes.push_back(found.weights);
  fusion.make_kernel = [=](const Site&) -> Kernel {
    std::vector<kernels::KeyRange> visible;
    for (int64_t t = 0; t < T; ++t) {
      const Band::Range range = found.band.visible(t, S);
      visible.push_back({range.first, range.end});
    }
    return [=](Workspace& workspace) {
      const float* bias = found.bias == kNoTensor ? nullptr : workspace.read(found.bias);
      const float* mask = found.mask == kNoTensor ? nullptr : workspace.read(found.mask);
      const Shape mask_shape = mask ? workspace.given_shape(found.mask) : Shape{};
      float* weights = found.weights == kNoTensor ? nullptr : workspace.write(found.weights);
      float* out = workspace.write(found.output);
      const int64_t chunk = queries_a_task(T, B * G), chunks = (T + chunk - 1) / chunk;
      parallel_for(B * G * chunks, 1, [&](int64_t begin, int64_t end) {
        std::vector<kernels::QueryHead> heads(static_cast<size_t>(H / G));
        for (int64_t task = begin; task < end; ++task) {
          const int64_t b = task / (G * chunks), g = task / chunks % G, t = task % chunks * chunk;
          for (int64_t i = 0; i < H / G; ++i) {
            const int64_t h = g * (H / G) + i, head = b * H + h;
            heads[static_cast<size_t>(i)] = {
                .query = query.head(workspace, b, h),
                .bias = added_rows(bias, bias_shape, scores, head),
                .mask = added_rows(mask, mask_shape, scores, head),
                .output = {out + b * output.batch_stride + h * output.head_stride,
                           output.row_stride},
                .weights = {weights ? weights + head * T * S : nullptr, S}};
          }
          kernels::attend(heads, {key.head(workspace, b, g), value.head(workspace, b, g)}, sizes,
                          visible.data(), t, std::min(t + chunk, T));
        }
      });
    };
  };
  return fusion;
}

}  // namespace attnscope
