#pragma once

// A layer as a list of steps over named tensors. Knows no operation and no layer.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "op.h"
#include "tensor.h"

namespace attnscope {

/// An nn.Module that owns parameters, in the order of PyTorch's state dict. The module called "" is
/// the layer itself.
struct Module {
  std::string name;         // "score": parameters are called "score.weight", ...; dots nest modules
  std::string constructor;  // "nn.Linear(768, 1)"; empty when the base class makes it
  std::vector<TensorId> parameters;
  int block = kNoBlock;  // one module for each repetition of the block
};

/// One call of the random generator while PyTorch constructs the module.
struct Draw {
  TensorId parameter;
  Init init;
};

struct Step {
  std::string name;  // unique in its graph
  std::string part;  // what the step is for: project, score, normalize, combine
  std::shared_ptr<const Op> op;
  std::vector<TensorId> inputs;  // parameters included
  TensorId output = kNoTensor;
  int module = -1;  // index into Graph::modules() of the module that it calls
  // In a block: every n-th repetition does this instead.
  struct Exception {
    int64_t every = 0;
    std::shared_ptr<const Op> op;
  } exception{};
};

/// A tensor that forward() returns, and the name under which it does.
struct Result {
  std::string name;
  TensorId tensor;

  /// Whether these are attention weights, which forward() leaves out when they are not needed.
  bool is_weights() const { return name == "weights" || name == "cross_weights"; }
};

/// Consecutive steps that are repeated with new parameters each time, as the layers of an encoder.
/// In the steps `carried_in` stands for what the repetition before made as `carried_out`.
struct Block {
  std::string name;        // of the nn.ModuleList: "encoder.layer"
  std::string class_name;  // of the nn.Module that is printed for one repetition
  int64_t times;
  TensorId carried_in, carried_out = kNoTensor;
  size_t first_step, end_step = 0;
};

/// What a decoder keeps of the positions that it has seen.
struct Cache {
  TensorId past;                  // input; kNoTensor when nothing has been seen
  TensorId present;               // what takes its place: past and new positions
  int64_t new_len;                // how many are new
  int64_t token_elements;         // elements of one position of one sequence
  std::optional<int64_t> window;  // the most positions that are needed
  int64_t full_every = 0;         // with a window: every n-th repetition of the block needs all
};

/// Ids in a braced list or a vector, for the time of a call.
class Ids : public std::span<const TensorId> {
 public:
  Ids(std::initializer_list<TensorId> ids) : span(ids.begin(), ids.size()) {}
  Ids(const std::vector<TensorId>& ids) : span(ids) {}
};

class Graph {
 public:
  TensorId add_input(Text name, Shape shape, Role role = Role::kInput);

  /// Integers from 0 to limit - 1.
  TensorId add_integer_input(Text name, Shape shape, int64_t limit);

  /// Declares a module; returns its index for add_parameter() and add_step(). Modules are declared
  /// in the order in which PyTorch constructs them.
  int add_module(Text name, Text constructor);

  /// Declares the next parameter of `module`, called "module.name", and draws it.
  TensorId add_parameter(int module, Text name, Shape shape, Init init);

  /// The same without a draw: draw() says when PyTorch's constructor gets to it.
  TensorId add_parameter(int module, Text name, Shape shape);

  /// The last draw of a parameter counts; the ones before move the generator on.
  void draw(TensorId parameter, Init init) { draws_.push_back({parameter, init}); }

  /// Rows [begin, end) of a parameter, by its first dimension, as a step's input.
  TensorId add_rows(TensorId parameter, int64_t begin, int64_t end);

  /// The printed module inherits from a class of PyTorch's, which makes the modules without
  /// constructor.
  void inherit(Text base, Text arguments);

  /// Appends a step whose output is a new tensor called `output`. The step's shape is the op's.
  TensorId add_step(Text name, Text part, const OpPtr& op, Ids inputs, Text output,
                    int module = -1);

  /// In a block: every n-th repetition does `op` instead in the last step; shapes are the same.
  void set_exception(int64_t every, const OpPtr& op) { steps_.back().exception = {every, op}; }

  void add_result(Text name, TensorId tensor);

  /// Modules, parameters and steps up to end_block() are repeated `times` times. Blocks do not
  /// nest.
  void begin_block(Text name, Text class_name, int64_t times, TensorId carried_in);
  void end_block(TensorId carried_out);

  /// Inside a block: an input with one more leading dimension, of which each repetition gets its
  /// own part. Outside: the input.
  TensorId add_repeated_input(Text name, const Shape& shape);

  void add_cache(Cache cache) { caches_.push_back(cache); }

  const std::vector<Tensor>& tensors() const { return tensors_; }
  const std::vector<Module>& modules() const { return modules_; }
  const std::vector<Draw>& draws() const { return draws_; }
  const std::vector<Step>& steps() const { return steps_; }
  const std::vector<Result>& results() const { return results_; }
  const std::vector<Block>& blocks() const { return blocks_; }
  const std::vector<Cache>& caches() const { return caches_; }
  const std::string& base() const { return base_; }
  const std::string& base_arguments() const { return base_arguments_; }

  const Tensor& tensor(TensorId id) const { return tensors_[static_cast<size_t>(id)]; }

  /// What the caller gives, optional inputs included; not the parts of stacked ones.
  std::vector<TensorId> inputs() const;

  /// The block that makes a tensor, or nullptr.
  const Block* block_of(TensorId id) const;

  /// How often a tensor, a step's output say, is made: once, or as often as its block is repeated.
  int64_t times(TensorId id) const;

  /// Shapes of a step's inputs; optional inputs are present only if `with_optional`.
  InputShapes input_shapes(const Step& step, bool with_optional = false) const;

 private:
  friend class Unroller;

  TensorId add_tensor(Tensor tensor);

  std::vector<Tensor> tensors_;
  std::vector<Module> modules_;
  std::vector<Draw> draws_;
  std::vector<Step> steps_;
  std::vector<Result> results_;
  std::vector<Block> blocks_;
  std::vector<Cache> caches_;
  std::string base_, base_arguments_;
  int open_block_ = kNoBlock;
};

}  // namespace attnscope
