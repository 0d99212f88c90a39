#pragma once

// What every operation can say about itself. One file of ops/ implements this once; the readings
// (shapes, cost, memory, reference forward, PyTorch source) call it.

#include <array>
#include <concepts>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
#include <xtensor/containers/xarray.hpp>

#include "cost.h"
#include "text.h"

namespace attnscope {

/// Values of the reference executor: double precision, so that it can judge float32 kernels.
using Array = xt::xarray<double>;

/// Uninitialized values of this shape.
Array make_array(const std::vector<size_t>& shape);

/// The shapes of a step's inputs, in the order of Step::inputs; nullptr for an absent optional one.
using InputShapes = std::vector<const Shape*>;

/// A few indices, in no memory but their own.
class Indices {
 public:
  static constexpr size_t kMost = 4;

  template <std::same_as<int>... Index>
    requires(sizeof...(Index) <= kMost)
  Indices(Index... indices) : all_{indices...}, size_(sizeof...(indices)) {}

  const int* begin() const { return all_.data(); }
  const int* end() const { return all_.data() + size_; }

 private:
  std::array<int, kMost> all_;
  size_t size_;
};

/// What autograd keeps of a step until the backward pass.
struct Saved {
  Indices inputs{};    // into Step::inputs; parameters do not count
  Indices outputs{};   // of the step's outputs
  Count elements = 0;  // of further tensors in the layer's number format: a norm's statistics
  Count bytes = 0;     // of further tensors in a format of their own: boolean masks
  bool float32_copies = false;  // the inputs are kept as float32 copies where they are narrower
};

enum class Aliasing {
  kNone,            // memory of its own
  kReshape,         // the same elements in the same order under another shape
  kStrided,         // the same elements in another order
  kUnlessTraining,  // the input itself in inference, memory of its own in training: dropout
  kInPlace,         // the input's memory with other numbers in it, which nothing reads afterwards
                    // but this output: an optimizer's update
};

/// Whose memory an output uses.
struct Alias {
  Aliasing kind = Aliasing::kNone;
  size_t input = 0;  // index into Step::inputs of the one whose memory it is
};

/// Throws std::logic_error with the message that format() makes: a layer built a graph that does
/// not fit together.
[[noreturn]] void wrong_graph(const char* pattern, std::initializer_list<Piece> pieces);

class GradientBuilder;

class Op {
 public:
  virtual ~Op() = default;

  /// The operation's name as the step table shows it: "linear", "softmax".
  virtual std::string_view name() const = 0;

  /// How many tensors it makes, one at the least.
  virtual size_t outputs() const = 0;

  /// Throws std::logic_error when the inputs do not fit: a layer built a wrong graph.
  virtual Shape output_shape(const InputShapes& inputs, size_t output) const = 0;

  /// `output` is the shape of the first output, here and below.
  virtual Cost cost(const InputShapes& inputs, const Shape& output) const = 0;

  /// What PyTorch's autograd saves (torch.autograd.graph.saved_tensors_hooks), every input and
  /// parameter requiring a gradient.
  virtual Saved saved_for_backward(const InputShapes&, const Shape& /*output*/) const { return {}; }

  /// Whether an output is an input's memory, as PyTorch makes it.
  virtual Alias alias(size_t /*output*/) const { return {}; }

  /// What takes its place in training, given noise of the first output's shape as one more input
  /// (graph/unroll.h); nullptr where training changes nothing.
  virtual std::shared_ptr<const Op> in_training() const { return nullptr; }

  /// What takes its place in the iteration of a loop without a list that takes this slice; nullptr
  /// where it is the same in all.
  virtual std::shared_ptr<const Op> at_slice(int64_t) const { return nullptr; }

  /// What takes its place, with its first input alone, in a run that is given no optional input;
  /// nullptr where its kernel is as fast then.
  virtual std::shared_ptr<const Op> unmasked() const { return nullptr; }

  /// What it does to its first input before all else, where that is worth a look: a softmax hides
  /// scores. Takes the same inputs; nullptr where there is no such thing.
  virtual std::shared_ptr<const Op> masking() const { return nullptr; }

  /// Whether the values depend on no input. The first input is then there only because the outputs
  /// have its number format.
  virtual bool is_constant() const { return false; }

  /// Whether its output is the first input itself, under a name of its own.
  virtual bool is_identity() const { return false; }

  /// The values of all outputs by plain loops in double precision. An absent optional input is
  /// nullptr.
  virtual std::vector<Array> forward_all(const std::vector<const Array*>& inputs) const = 0;

  /// Adds the steps that make the gradients of a scalar by those inputs for which
  /// GradientBuilder::needs(), of its gradients by the outputs (graph/gradients.h). Throws
  /// std::logic_error where nothing is trained through the operation.
  virtual void gradients(GradientBuilder& step) const;

  /// How many of its outputs printed code has, the first ones. The others are read by its gradient
  /// alone, and in PyTorch by autograd.
  virtual size_t printed_outputs() const { return outputs(); }

  /// The PyTorch expression that computes the output, or a tuple of several. `inputs` are Python
  /// expressions; an absent optional input is the name of a variable that may be None. `module`
  /// names the nn.Module that the step calls ("self.score"), or is empty.
  virtual std::string pytorch(const std::vector<std::string>& inputs,
                              std::string_view module) const = 0;

  /// Python functions that pytorch() calls, or the class of the module that it calls where PyTorch
  /// has none: printed above the layer's class, each once, and no more general than this operation
  /// on these inputs asks for. Of two that define the same name the longer one takes the calls of
  /// both.
  virtual std::vector<std::string> pytorch_helpers(const InputShapes&) const { return {}; }
};

using OpPtr = std::shared_ptr<const Op>;

/// An operation that makes one tensor, as nearly all do, and says of it what Op says of each.
class SingleOp : public Op {
 public:
  virtual Shape output_shape(const InputShapes& inputs) const = 0;

  /// Whether the output is the first input's memory.
  virtual Aliasing aliasing() const { return Aliasing::kNone; }

  virtual Array forward(const std::vector<const Array*>& inputs) const = 0;

  size_t outputs() const final { return 1; }
  Shape output_shape(const InputShapes& inputs, size_t) const final { return output_shape(inputs); }
  Alias alias(size_t) const final { return {.kind = aliasing()}; }
  std::vector<Array> forward_all(const std::vector<const Array*>& inputs) const final;
};

/// The text of an operation that PyTorch has under no name of its own, or not in public: a
/// gradient, an update. "softmax_backward(weights, scores.grad)".
std::string unnamed_call(std::string_view name, const std::vector<std::string>& inputs);

/// Such an operation that makes one tensor.
class UnnamedOp : public SingleOp {
 public:
  std::string pytorch(const std::vector<std::string>& inputs, std::string_view) const final {
    return unnamed_call(name(), inputs);
  }
};

/// An op that graphs share. Not std::make_shared, which has a type for each op, with its name.
template <class T, class... Arguments>
OpPtr make_op(Arguments&&... arguments) {
  return OpPtr(static_cast<const Op*>(new T(std::forward<Arguments>(arguments)...)));
}

/// An op of which all graphs share one object.
template <class T, auto... kArguments>
const OpPtr& shared_op() {
  static const OpPtr op = make_op<T>(kArguments...);
  return op;
}

}  // namespace attnscope
