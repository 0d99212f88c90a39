// The gradient of attention as one kernel, in memory that grows with the lengths and not with their
// product. The kernel of the forward pass (attention.cpp) then keeps each row's softmax instead of
// the weights.

#include <algorithm>

#include "../../kernels/rows.h"
#include "../../ops/arithmetic.h"
#include "../../ops/elementwise.h"
#include "../../ops/matmul.h"
#include "../../ops/softmax.h"
#include "../threads.h"
#include "attention.h"

namespace attnscope {
namespace {

template <class Operation>
const Operation* as(const Step* step) {
  return step ? dynamic_cast<const Operation*>(step->op.get()) : nullptr;
}

bool is_product(const Step& step, Matmul::Right right) {
  const auto* product = as<Matmul>(&step);
  return product && product->right() == right;
}

}  // namespace

std::optional<AttentionGradient> attention_gradient_at(const Site& site) {
  const Steps& steps = site.steps;
  const Step* combined = steps.producer(site.step().gradient_of);
  if (!combined || !is_product(*combined, Matmul::Right::kPlain)) return std::nullopt;
  const TensorId weights = combined->inputs[0];
  const Step* softmax = steps.producer(weights);
  if (!as<Softmax>(softmax)) return std::nullopt;

  AttentionGradient found{.steps = {&site.step()}, .upper = site.input(0)};
  for (const Step* step : steps.gradients_of(combined->output)) {
    if (step == &site.step()) continue;  // by the weights; the other one by the values
    found.value = step->output;
    found.steps.push_back(step);
  }
  // Back from the softmax to the product of queries and keys: each gradient on the way is what the
  // one step behind reads, as its input number `place`, and nothing else does.
  TensorId gradient = site.output();
  const auto pass = [&](TensorId made, size_t place) {
    const std::span<const Step* const> behind = steps.gradients_of(made);
    if (behind.size() != 1 || behind[0]->inputs[place] != gradient) return false;
    if (steps.reads(gradient) != 1) return false;
    gradient = behind[0]->output;
    found.steps.push_back(behind[0]);
    return true;
  };
  if (!pass(weights, 1)) return std::nullopt;
  std::vector<const Step*> maps;  // the last one first
  const Step* product = steps.producer(softmax->inputs[0]);
  while (product && !is_product(*product, Matmul::Right::kTransposed)) {
    if (as<Elementwise>(product)) {
      if (!pass(product->output, 0)) return std::nullopt;
      maps.push_back(product);
    } else if (!as<Add>(product)) {  // through a bias the gradient goes as it is
      return std::nullopt;
    }
    product = steps.producer(product->inputs[0]);
  }
  if (!product) return std::nullopt;

  const Site forward{site.graph, steps, steps.place_of(*product), site.how};
  Chain chain(forward);
  std::optional<Attention> of = attention_at(forward, chain);
  if (!of || of->combined != combined->output || !of->after.empty()) return std::nullopt;
  const int64_t shared_by = of->heads() / heads_in(site, of->key);
  if (of->before.size() > kernels::kMostScoreGradients ||
      kernels::are_few(of->sizes(site), shared_by)) {
    return std::nullopt;
  }
  for (const Step* step : steps.gradients_of(product->output)) {
    if (step->inputs[0] != gradient) return std::nullopt;
    (as<Matmul>(step) ? found.query : found.key) = step->output;
    found.steps.push_back(step);
  }
  const int ends = (found.query != kNoTensor) + (found.key != kNoTensor);
  const int of_weights = 2 + (found.value != kNoTensor);  // combine, and the gradients
  if (ends == 0 || steps.reads(gradient) != ends || steps.reads(weights) != of_weights) {
    return std::nullopt;
  }
  // A last factor that the softmax does in passing is none of `before`.
  for (size_t i = maps.size(), left = of->before.size(); left > 0; --left) {
    const Op& op = *maps[--i]->op;
    found.maps.push_back({map_gradient_of(op), as<Elementwise>(maps[i])->derives_from_output()});
  }
  found.of = std::move(*of);
  return found;
}

bool has_gradient_without_weights(const Site& site, const Attention& found) {
  if (found.weights == kNoTensor) return false;
  const std::span<const Step* const> behind = site.steps.gradients_of(found.combined);
  return std::any_of(behind.begin(), behind.end(), [&](const Step* step) {
    return as<Matmul>(step) &&
           attention_gradient_at({site.graph, site.steps, site.steps.place_of(*step), site.how});
  });
}

namespace {

/// Heads by themselves, or parts of their keys where heads are few: what a part adds to the
/// gradient of the queries is kept apart until the end, so that results do not depend on threads.
class AttentionGradientKernel {
 public:
  AttentionGradientKernel(const Site& site, const AttentionGradient& found, Scratch& scratch)
      : found_(found),
        H_(found.of.heads()),
        shared_by_(H_ / heads_in(site, found.of.key)),
        sizes_(found.of.sizes(site)),
        heads_(found.of.scores[0] * H_),
        parts_(std::min(parts_of(kFewHeads, heads_), blocks())),
        query_(source_of(site, found.of.query)),
        key_(source_of(site, found.of.key)),
        value_(source_of(site, found.of.value)),
        upper_(source_of(site, found.upper)),
        output_(found.of.output_heads(site)),
        added_(site, found.of, scratch),
        floats_(scratch.each_thread<float>(kernels::attention_gradient_scratch(sizes_))) {
    if (found_.query != kNoTensor && parts_ > 1) {
      partial_ = scratch.shared<float>(product({parts_ - 1, heads_, query_floats()}));
    }
  }

  std::vector<TensorId> reads() const {
    std::vector<TensorId> reads{query_.id, key_.id,    value_.id,
                                upper_.id, output_.id, found_.of.weights};
    if (added_.bias_input() != kNoTensor) reads.push_back(added_.bias_input());
    return reads;
  }

  std::vector<TensorId> writes() const {
    std::vector<TensorId> writes;
    for (const TensorId id : {found_.query, found_.key, found_.value}) {
      if (id != kNoTensor) writes.push_back(id);
    }
    return writes;
  }

  void operator()(Workspace& workspace) const {
    added_.prepare(workspace);
    // In rounds of some blocks of keys each, where the work is watched.
    const int64_t blocks_of_part = parts_of(blocks(), parts_);
    const int64_t block_macs =
        kernels::kGradientKeys * sizes_.queries * (3 * sizes_.features + 2 * sizes_.value_features);
    const int64_t most = is_watched() ? std::max<int64_t>(kWatchedMacs / block_macs, 1) : blocks();
    const int64_t rounds = parts_of(blocks_of_part, most);
    for (int64_t round = 0; round < rounds; ++round) {
      const auto share = [&](int64_t done) {
        return static_cast<double>(done) / static_cast<double>(rounds);
      };
      const WatchedPart part(share(round), share(round + 1));
      parallel_for(heads_ * parts_, 1, [&](int64_t begin, int64_t end) {
        for (int64_t task = begin; task < end; ++task) {
          const int64_t first = task % parts_ * blocks_of_part, from = first + round * most;
          const int64_t to = std::min(from + most, first + blocks_of_part);
          run(workspace, task / parts_, task % parts_, from, std::min(to, blocks()), round == 0);
        }
      });
    }
    if (found_.query != kNoTensor && parts_ > 1) add_parts(workspace);
  }

 private:
  static constexpr int64_t kFewHeads = 8;  // fewer are shared out in parts

  int64_t blocks() const { return parts_of(sizes_.keys, kernels::kGradientKeys); }
  int64_t query_floats() const { return sizes_.queries * sizes_.features; }

  /// Blocks [from, to) of the keys of one head, which is counted through all sequences.
  void run(Workspace& workspace, int64_t head, int64_t part, int64_t from, int64_t to,
           bool first) const {
    const int64_t batch = head / H_, h = head % H_, group = h / shared_by_;
    const auto [T, S, D, V] = sizes_;
    const auto rows = [&](TensorId id, int64_t length, int64_t columns) -> kernels::Rows {
      if (id == kNoTensor) return {nullptr, 0};
      return {workspace.write(id) + head * length * columns, columns};
    };
    kernels::Rows query_gradient = rows(found_.query, T, D);
    if (query_gradient.data && part > 0) query_gradient.data = partial(workspace, part, head);
    const auto* softmax =
        reinterpret_cast<const kernels::RowSoftmax*>(workspace.read(found_.of.weights));
    const kernels::HeadGradient gradient{.query = query_.head(workspace, batch, h),
                                         .key = key_.head(workspace, batch, group),
                                         .value = value_.head(workspace, batch, group),
                                         .bias = added_.bias(workspace, batch, h),
                                         .mask = added_.mask(workspace, batch, h),
                                         .output = output_.head(workspace, batch, h),
                                         .upper = upper_.head(workspace, batch, h),
                                         .softmax = softmax + head * T,
                                         .query_gradient = query_gradient,
                                         .key_gradient = rows(found_.key, S, D),
                                         .value_gradient = rows(found_.value, S, V)};
    constexpr int64_t kKeys = kernels::kGradientKeys;
    kernels::attend_backward(gradient, sizes_, {found_.of.before, found_.of.scale}, found_.maps,
                             added_.visible(workspace), from * kKeys, std::min(to * kKeys, S),
                             first, workspace.at(floats_));
  }

  /// What the keys of `part`, which is not the first, add to the gradient of the queries.
  float* partial(const Workspace& workspace, int64_t part, int64_t head) const {
    return workspace.at(partial_) + ((part - 1) * heads_ + head) * query_floats();
  }

  void add_parts(Workspace& workspace) const {
    constexpr int64_t kGrain = 4096;
    float* sum = workspace.write(found_.query);
    const int64_t count = heads_ * query_floats();
    parallel_for(count, kGrain, [&](int64_t begin, int64_t end) {
      for (int64_t part = 1; part < parts_; ++part) {
        kernels::add(sum + begin, partial(workspace, part, 0) + begin, end - begin, sum + begin);
      }
    });
  }

  AttentionGradient found_;
  int64_t H_, shared_by_;
  kernels::AttentionSizes sizes_;
  int64_t heads_, parts_;
  Heads query_, key_, value_, upper_, output_;
  AddedToScores added_;
  Slot<float> floats_, partial_;
};

Fusion attention_gradient(const Site& site) {
  const std::optional<AttentionGradient> found = attention_gradient_at(site);
  if (!found) return {};
  Scratch scratch;
  AttentionGradientKernel kernel(site, *found, scratch);
  Fusion fusion{.steps = found->steps.size(),
                .gathered = found->steps,
                .reads = kernel.reads(),
                .writes = kernel.writes(),
                .scratch = scratch};
  fusion.kernel = std::move(kernel);
  return fusion;
}

const Lowered<Matmul> kRegistered(attention_gradient);

}  // namespace
}  // namespace attnscope
