#pragma once

// What one kernel call of a run does: a step, or several that follow each other.

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "../graph/dtype.h"
#include "../graph/graph.h"
#include "scratch.h"
#include "threads.h"
#include "workspace.h"

namespace attnscope {

/// A kernel with the tensors that it works on: called with the workspace of a run, it reads and
/// writes them there. It holds no numbers, so that weights may change and inputs be others.
class Kernel {
 public:
  Kernel() = default;  // does nothing

  template <class Call>
  Kernel(Call call)
      : call_(new Call(std::move(call)), [](void* it) { delete static_cast<Call*>(it); }),
        run_([](const void* it, Workspace& workspace) {
          (*static_cast<const Call*>(it))(workspace);
        }) {}

  void operator()(Workspace& workspace) const {
    if (run_) run_(call_.get(), workspace);
  }

 private:
  // Not std::function, which wants calls that can be copied, nor a virtual function, for which the
  // name of each call's type would stand in the module.
  std::unique_ptr<void, void (*)(void*)> call_{nullptr, [](void*) {}};
  void (*run_)(const void* call, Workspace& workspace) = nullptr;
};

/// A tensor in whose place a fusion writes something shorter, because nothing reads it but fusions
/// that know that.
struct Shortened {
  TensorId id = kNoTensor;
  Count floats = 0;
};

struct Fusion {
  size_t steps = 0;  // how many, from the site's on; 0 where the kernel does not fit
  std::vector<const Step*> gathered{};  // all of these, where others may stand between them
  double earlier = 0;  // multiply-accumulates of steps before the site that it does in their place
  std::vector<TensorId> reads{}, writes{};  // activations and inputs; may be others than the steps'
  std::vector<Packing> packed{};            // weights that it reads packed
  Scratch scratch{};                        // what it needs besides
  Kernel kernel{};
  Shortened shortened{};
  bool loads = false;  // whether it loads late inputs (run/inputs.h) itself
};

/// What a run is made for.
struct RunFor {
  Dtype storage = Dtype::kFloat32;  // of packed weights and of the KV cache
  int threads = thread_count();     // of which no run may have more
};

/// The steps of a graph that a run needs, in their order, and who reads what they make.
class Steps {
 public:
  /// Those on which `outputs` depend.
  Steps(const Graph& graph, const std::vector<TensorId>& outputs);

  size_t size() const { return steps_.size(); }
  const Step& operator[](size_t i) const { return *steps_[i]; }

  /// The step that makes a tensor; nullptr for inputs, parameters and kNoTensor.
  const Step* producer(TensorId id) const {
    return id == kNoTensor ? nullptr : producers_[static_cast<size_t>(id)];
  }

  /// The steps that make gradients behind the step that makes `id` (Step::gradient_of).
  std::span<const Step* const> gradients_of(TensorId id) const;

  /// Where a step stands.
  size_t place_of(const Step& step) const;

  /// Moves steps up to where the first of them stands, one behind another. What they read must be
  /// made before that, or by one of them before.
  void gather(std::span<const Step* const> steps);

  /// How often a tensor is read; to leave the run counts once.
  int reads(TensorId id) const { return reads_[static_cast<size_t>(id)]; }

  /// How often steps after the one that makes `id` read what is its second input, a weight say.
  int later_reads_beside(TensorId id) const { return later_reads_[static_cast<size_t>(id)]; }

  /// The steps before the one at `index`, and those after it.
  std::span<const Step* const> before(size_t index) const { return std::span(steps_).first(index); }
  std::span<const Step* const> after(size_t index) const {
    return std::span(steps_).subspan(index + 1);
  }

 private:
  std::vector<const Step*> steps_;
  std::vector<const Step*> producers_;  // by tensor
  std::vector<const Step*> gradients_;  // those that have a gradient_of, by that
  std::vector<int> reads_;              // by tensor
  std::vector<int> later_reads_;        // by tensor
};

/// Where a kernel is looked for: a step, with all that are there.
struct Site {
  const Graph& graph;
  const Steps& steps;
  size_t index;  // of the step
  RunFor how;

  const Step& step() const { return steps[index]; }
  TensorId input(size_t i) const { return step().inputs[i]; }
  TensorId optional_input(size_t i) const {
    return i < step().inputs.size() ? step().inputs[i] : kNoTensor;
  }
  TensorId output(size_t i = 0) const { return step().output + static_cast<TensorId>(i); }
  const Shape& shape(TensorId id) const { return graph.tensor(id).shape; }
  const Shape& input_shape(size_t i) const { return shape(input(i)); }
  const Shape& output_shape(size_t i = 0) const { return shape(output(i)); }

  template <class Operation>
  const Operation& op() const {
    return static_cast<const Operation&>(*step().op);
  }

  /// A fusion of this step alone, of which the kernel is yet to be set. It writes those outputs
  /// that something reads.
  Fusion alone(std::vector<TensorId> reads) const;
};

inline int64_t count_of(const Shape& shape) { return static_cast<int64_t>(elements(shape)); }

/// Goes from a step to the next ones, as long as each reads what the one before made, of several
/// tensors the first, and, but where it is said, nothing else reads that.
class Chain {
 public:
  /// At the site's own step.
  explicit Chain(const Site& site) : site_(site), next_(site.index + 1), made_(site.output()) {}

  /// Goes on to where `other`, which began at a later step, has arrived.
  void join(const Chain& other) {
    next_ = other.next_;
    made_ = other.made_;
  }

  /// What the last step has made, and how many steps there are from the site to it.
  TensorId made() const { return made_; }
  size_t length() const { return next_ - site_.index; }

  /// Whether only the next step can read what was made.
  bool alone() const { return site_.steps.reads(made_) == 1; }

  /// The next step, if its first input is what was made.
  const Step* next() const {
    if (next_ >= site_.steps.size()) return nullptr;
    const Step& step = site_.steps[next_];
    return step.inputs[0] == made_ ? &step : nullptr;
  }

  /// The next step, unless something else reads what was made as well: then, and at another
  /// operation, nothing is taken.
  template <class Operation>
  const Step* take() {
    return alone() ? take_shared<Operation>() : nullptr;
  }

  /// The same where other steps may read it.
  template <class Operation>
  const Step* take_shared() {
    const Step* step = next();
    return step && dynamic_cast<const Operation*>(step->op.get()) ? advance(*step) : nullptr;
  }

  /// Goes on to `step`, the next one, which may read what was made as another input.
  const Step* advance(const Step& step) {
    made_ = step.output;
    ++next_;
    return &step;
  }

  /// Goes past a dropout, which does nothing when a layer runs; in training it is left.
  const Step* take_idle() {
    const Step* step = next();
    return step && step->op->alias(0).kind == Aliasing::kUnlessTraining ? advance(*step) : nullptr;
  }

  /// The next step, whatever it reads, as a site; only where ends() is false.
  Site following() const { return {site_.graph, site_.steps, next_, site_.how}; }
  bool ends() const { return next_ >= site_.steps.size(); }

 private:
  Site site_;
  size_t next_;
  TensorId made_;
};

}  // namespace attnscope
