#pragma once

// A layer as a list of steps over named tensors. Knows no operation and no layer.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "op.h"
#include "tensor.h"

namespace attnscope {

/// An nn.Module that owns parameters. Modules are declared in the order in which the PyTorch module
/// constructs them, because that is the order in which it draws its random numbers.
struct Module {
  std::string name;                  // "score": parameters are called "score.weight", ...
  std::string constructor;           // "nn.Linear(768, 1)"
  std::vector<TensorId> parameters;  // in the order in which they are drawn
};

struct Step {
  std::string name;  // unique in its graph
  std::string part;  // what the step is for: project, score, normalize, combine
  std::shared_ptr<const Op> op;
  std::vector<TensorId> inputs;  // parameters included
  TensorId output = kNoTensor;
  int module = -1;  // index into Graph::modules() of the owner of its parameters
};

/// A tensor that forward() returns, and the name under which it does.
struct Result {
  std::string name;
  TensorId tensor;
};

class Graph {
 public:
  TensorId add_input(std::string name, Shape shape, Role role = Role::kInput);

  /// Declares a module; returns its index for add_parameter() and add_step().
  int add_module(std::string name, std::string constructor);

  /// Declares the next parameter of `module`; the tensor is called "module.name".
  TensorId add_parameter(int module, std::string_view name, Shape shape, Init init);

  /// Appends a step whose output is a new tensor called `output`. The step's shape is the op's.
  TensorId add_step(std::string name, std::string part, std::shared_ptr<const Op> op,
                    std::vector<TensorId> inputs, std::string output, int module = -1);

  void add_result(std::string name, TensorId tensor);

  const std::vector<Tensor>& tensors() const { return tensors_; }
  const std::vector<Module>& modules() const { return modules_; }
  const std::vector<Step>& steps() const { return steps_; }
  const std::vector<Result>& results() const { return results_; }
  const Tensor& tensor(TensorId id) const { return tensors_[static_cast<size_t>(id)]; }

  /// Shapes of a step's inputs; optional inputs are present only if `with_optional`.
  InputShapes input_shapes(const Step& step, bool with_optional = false) const;

 private:
  TensorId add_tensor(Tensor tensor);

  std::vector<Tensor> tensors_;
  std::vector<Module> modules_;
  std::vector<Step> steps_;
  std::vector<Result> results_;
};

}  // namespace attnscope
