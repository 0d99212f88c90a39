#pragma once

// A layer as a list of steps over named tensors. Knows no operation and no layer.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "op.h"
#include "tensor.h"

namespace attnscope {

inline constexpr int kNoCall = -1;

/// An nn.Module that owns parameters, in the order of PyTorch's state dict. The module called "" is
/// the layer itself.
struct Module {
  std::string name;  // "score": parameters are called "score.weight", ...; dots nest modules
  std::string constructor{};  // "nn.Linear(768, 1)"; empty when the base class makes it
  std::vector<TensorId> parameters{};
  int call = kNoCall;  // of an nn.ModuleList: the call that goes through its modules
};

/// One call of the random generator while PyTorch constructs the module; or, of a ModuleList, all
/// those of its modules.
struct Draw {
  TensorId parameter;
  Init init;
  int call = kNoCall;
};

/// An operation, or the call of bodies.
struct Step {
  std::string name;                  // unique in its graph
  std::string part{};                // what the step is for: project, score, normalize, combine
  std::shared_ptr<const Op> op{};    // nullptr where it calls bodies
  std::vector<TensorId> inputs{};    // parameters included
  TensorId output = kNoTensor;       // of a call the first of Call::outputs
  int module = -1;                   // index into Graph::modules() of the module that it calls
  int call = kNoCall;                // index into Graph::calls()
  TensorId gradient_of = kNoTensor;  // of a gradient's step: what the step makes that it is behind
};

/// What is known of a result beside its name.
struct ResultOptions {
  bool weights = false;              // of attention: left out where they are not needed
  TensorId predicts = kNoTensor;     // of logits for each token: the input that holds the tokens
  TensorId gradient_by = kNoTensor;  // of a gradient: by which tensor
};

/// A tensor that is handed out, and the name under which it is: another one for each of a graph.
struct Result {
  std::string name;
  TensorId tensor;
  ResultOptions options{};
};

class Graph;

/// What the caller gives for one input of a body.
struct Argument {
  TensorId given = kNoTensor;
  bool repeated = false;  // `given` has one more leading dimension: a part for each repetition
};

/// A graph that another one calls, as the layers of an encoder. Its first input and its first
/// result are carried: each repetition is given what the one before has made.
struct Body {
  std::string class_name;              // of the nn.Module that is printed for it
  std::string prefix;                  // of its names in tables, where other bodies stand beside it
  std::shared_ptr<const Graph> graph;  // its parameters are new in each repetition
  std::vector<Argument> arguments;     // parallel to graph->inputs(); of the carried input the
                                       // argument is what the first repetition is given
};

/// Repetitions of bodies, one after another.
struct Call {
  std::string name;  // of the nn.ModuleList: "encoder.layer"
  std::vector<Body> bodies = {};
  std::vector<int> order = {};         // of each repetition, which body it is
  std::vector<TensorId> outputs = {};  // what the last repetition makes, parallel to its results

  const Body& body_of(size_t repetition) const {
    return bodies[static_cast<size_t>(order[repetition])];
  }
  const Body& last_body() const { return body_of(order.size() - 1); }

  /// How many repetitions are of this body.
  int64_t times(size_t body) const;
};

/// What a decoder keeps of the positions that it has seen.
struct Cache {
  TensorId past;                  // input; kNoTensor when nothing has been seen
  TensorId present;               // what takes its place: past and new positions
  int64_t new_len;                // how many are new
  int64_t token_elements;         // elements of one position of one sequence
  std::optional<int64_t> window;  // the most positions that are needed
};

/// Ids in a braced list or a vector. Only refers to them: for arguments of a call, not to be kept.
class Ids : public std::span<const TensorId> {
 public:
  Ids(std::initializer_list<TensorId> ids) : span(ids.begin(), ids.size()) {}
  Ids(const std::vector<TensorId>& ids) : span(ids) {}
};

class Graph {
 public:
  TensorId add_input(std::string_view name, Shape shape, Role role = Role::kInput);

  /// Integers from 0 to limit - 1.
  TensorId add_integer_input(std::string_view name, Shape shape, int64_t limit,
                             std::optional<int64_t> ignored = {});

  /// Declares a module; returns its index for add_parameter() and add_step(). Modules are declared
  /// in the order in which PyTorch constructs them.
  int add_module(std::string_view name, std::string_view constructor);

  /// Declares the next parameter of `module`, called "module.name", and draws it.
  TensorId add_parameter(int module, std::string_view name, Shape shape, Init init);

  /// The same without a draw, for a parameter that PyTorch's constructor draws later: draw() then
  /// says when.
  TensorId add_parameter(int module, std::string_view name, Shape shape);

  /// Draws a parameter's values. Of several draws the last one gives the values; those before only
  /// use up random numbers, as PyTorch's constructor does.
  void draw(TensorId parameter, Init init) { draws_.push_back({parameter, init}); }

  /// Rows [begin, end) of a parameter, by its first dimension, as a step's input.
  TensorId add_rows(TensorId parameter, int64_t begin, int64_t end);

  /// A parameter's rows in equal parts, each for a step of its own. Printed code unpacks them into
  /// variables of these names.
  std::vector<TensorId> add_parts(TensorId parameter, const std::vector<std::string>& variables);

  /// The printed module inherits from this class of PyTorch's, whose constructor makes the modules
  /// that are declared here without a constructor.
  void inherit(std::string_view base, std::string_view arguments);

  /// Appends a step whose output is a new tensor called `output`. The step's shape is the op's.
  TensorId add_step(std::string_view name, std::string_view part, const OpPtr& op, Ids inputs,
                    std::string_view output, int module = -1, TensorId gradient_of = kNoTensor);

  void add_result(std::string_view name, TensorId tensor, ResultOptions options = {});

  /// In place of those that are there: what a backward pass hands out, say.
  void set_results(std::vector<Result> results) { results_ = std::move(results); }

  /// Appends a step that calls bodies, and declares the nn.ModuleList of their modules. No two
  /// inputs of a body may be given the same memory. The step is named as the ModuleList is, and its
  /// outputs as the results of the last repetition are.
  void add_call(Call call);

  /// Removes the steps for which `unneeded` says so, by their place, which no other step reads.
  void remove_steps(const std::vector<bool>& unneeded);

  void add_cache(Cache cache) { caches_.push_back(cache); }

  const std::vector<Tensor>& tensors() const { return tensors_; }
  const std::vector<Module>& modules() const { return modules_; }
  const std::vector<Draw>& draws() const { return draws_; }
  const std::vector<Step>& steps() const { return steps_; }
  const std::vector<Result>& results() const { return results_; }
  const std::vector<Call>& calls() const { return calls_; }
  const std::vector<Cache>& caches() const { return caches_; }
  const std::string& base() const { return base_; }
  const std::string& base_arguments() const { return base_arguments_; }

  const Tensor& tensor(TensorId id) const { return tensors_[static_cast<size_t>(id)]; }

  /// What the caller gives, optional inputs included; without views of them, such as the part of a
  /// stacked input that one repetition of a body is given.
  std::vector<TensorId> inputs() const;

  /// The same layer without its optional inputs, in the graphs that it calls too: steps that may
  /// read one do not.
  Graph without_optional_inputs() const;

  /// Whether this input is the past of a cache, in this graph or in a body to which it is given.
  bool is_cached(TensorId input) const;

  /// The call that a step makes, or nullptr.
  const Call* call_of(const Step& step) const {
    return step.call == kNoCall ? nullptr : &calls_[static_cast<size_t>(step.call)];
  }

  /// Shapes of a step's inputs; optional inputs are present only if `with_optional`.
  InputShapes input_shapes(const Step& step, bool with_optional = false) const;

 private:
  friend class Inliner;

  TensorId add_tensor(Tensor tensor);
  /// A step whose output is there already; says whose memory that uses.
  void append(Step step);

  std::vector<Tensor> tensors_;
  std::vector<Module> modules_;
  std::vector<Draw> draws_;
  std::vector<Step> steps_;
  std::vector<Result> results_;
  std::vector<Call> calls_;
  std::vector<Cache> caches_;
  std::string base_, base_arguments_;
};

}  // namespace attnscope
