#include "product.h"

#include <algorithm>

#include "../../ops/arithmetic.h"
#include "../../ops/linear.h"
#include "../../ops/matmul.h"

namespace attnscope {
namespace {

bool is_linear(const Site& site) {
  return dynamic_cast<const Linear*>(site.step().op.get()) != nullptr;
}

}  // namespace

Product::Product(const Site& site, int64_t most_rows, Scratch& scratch)
    : weight_(site.input(1), !is_linear(site)),
      bias_(site.optional_input(2)),
      n_(weight_.n(site.input_shape(1))),
      k_(weight_.k(site.input_shape(1))),
      backwards_(site.steps.later_reads_beside(site.output()) % 2 == 1),
      scratch_(scratch.each_thread<std::byte>(
          PackedMatrix::scratch_bytes(most_rows, n_, k_, site.how.storage))) {}

bool reads_turned(const Site& site) {
  const TensorId weight = site.input(1);
  const auto reads = [&](const Step* step) {
    if (step->inputs.size() < 2 || step->inputs[1] != weight) return false;
    const auto* product = dynamic_cast<const Matmul*>(step->op.get());
    return product && product->right() == Matmul::Right::kPlain;
  };
  return site.graph.tensor(weight).role == Role::kParameter &&
         site.how.storage == Dtype::kFloat32 && reads(&site.step()) &&
         (std::ranges::any_of(site.steps.after(site.index), reads) ||
          std::ranges::any_of(site.steps.before(site.index), reads));
}

void Product::run(const Workspace& workspace, const float* x, int64_t count, float* to,
                  int64_t begin, int64_t end) const {
  const float* bias = bias_ == kNoTensor ? nullptr : workspace.read(bias_);
  workspace.packed(weight_).multiply(x, bias, to, count, begin, end, workspace.at(scratch_),
                                     backwards_);
}

ScoreVector::ScoreVector(const Site& site)
    : weight_(site.input(1)), bias_(site.optional_input(2)), k_(site.input_shape(1)[1]) {}

void ScoreVector::run(const Workspace& workspace, const float* rows, int64_t count,
                      float* scores) const {
  kernels::dot_rows({rows, k_}, vector(workspace), bias(workspace), count, k_, scores);
}

void Features::run(const Workspace& workspace, const float* x, int64_t count, float* to) const {
  product_.run(workspace, x, count, to, 0, n());
  for (const kernels::Map& map : maps_) map(to, count * n());
}

std::optional<Scorer> Scorer::at(const Site& site, int64_t most_rows, Scratch& scratch,
                                 Chain& chain) {
  if (!is_linear(site)) return std::nullopt;
  std::vector<Features> features;
  Slot<float> made, gate;
  if (site.output_shape().back() > 1) {
    const auto room = [&] {
      return scratch.each_thread<float>(Count{most_rows} * site.output_shape().back().size);
    };
    features.emplace_back(Product(site, most_rows, scratch), take_maps(chain));
    made = room();
    if (!chain.ends() && is_linear(chain.following()) &&
        chain.following().input(0) == site.input(0)) {
      const TensorId gated = chain.made();
      const Site second = chain.following();
      Chain other(second);
      features.emplace_back(Product(second, most_rows, scratch), take_maps(other));
      gate = room();
      if (site.steps.reads(gated) != 1 || other.ends() || !other.alone()) return std::nullopt;
      const Step& product = other.following().step();
      const bool multiplies = dynamic_cast<const Multiply*>(product.op.get()) &&
                              product.inputs == std::vector{gated, other.made()};
      if (!multiplies) return std::nullopt;
      other.advance(product);
      chain.join(other);
    }
    if (!chain.alone() || !chain.next() || !is_linear(chain.following())) return std::nullopt;
    if (chain.following().output_shape().back() != 1) return std::nullopt;
  }
  const ScoreVector vector(features.empty() ? site : chain.following());
  if (!features.empty()) chain.advance(*chain.next());
  std::vector<kernels::Map> score_maps = take_maps(chain);
  return Scorer(std::move(features), vector, std::move(score_maps), made, gate);
}

int64_t Scorer::features() const {
  int64_t sum = 0;
  for (const Features& one : features_) sum += one.n();
  return sum;
}

std::vector<Packing> Scorer::packed() const {
  std::vector<Packing> weights;
  for (const Features& one : features_) weights.push_back(one.product().weight());
  return weights;
}

void Scorer::run(const Workspace& workspace, const float* rows, int64_t count,
                 float* scores) const {
  const float* scored = rows;
  if (!features_.empty()) {
    float* made = workspace.at(made_);
    features_[0].run(workspace, rows, count, made);
    if (features_.size() > 1) {
      float* gate = workspace.at(gate_);
      features_[1].run(workspace, rows, count, gate);
      kernels::multiply(made, gate, count * features_[0].n(), made);
    }
    scored = made;
  }
  vector_.run(workspace, scored, count, scores);
  for (const kernels::Map& map : score_maps_) map(scores, count);
}

}  // namespace attnscope
