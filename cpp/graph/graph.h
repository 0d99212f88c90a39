#pragma once

// A layer as a list of steps over named tensors. Knows no operation and no layer.

#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "op.h"
#include "parameters.h"
#include "state_use.h"
#include "tensor.h"

namespace attnscope {

inline constexpr int kNoLoop = -1;

/// An operation, or a loop.
struct Step {
  std::string name;                  // unique in its graph
  std::string part{};                // what the step is for: project, score, normalize, combine
  std::shared_ptr<const Op> op{};    // nullptr of a loop
  std::vector<TensorId> inputs{};    // parameters included
  TensorId output = kNoTensor;       // the first that it makes; none of a loop: Loop::outputs
  int module = -1;                   // of the graph's parameters: the module that it calls
  int loop = kNoLoop;                // index into Graph::loops()
  TensorId gradient_of = kNoTensor;  // of a gradient's step: `output` of the step that it is behind

  /// The tensors that an operation makes, one after another; none of a loop: Loop::outputs.
  auto outputs() const {
    const auto count = op ? static_cast<TensorId>(op->outputs()) : 0;
    return std::views::iota(output, output + count);
  }
  /// Whose memory one of these uses.
  Alias alias(TensorId made) const { return op->alias(static_cast<size_t>(made - output)); }
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

/// How a body is given one of its inputs.
struct Argument {
  enum class Kind {
    kInvariant,  // `given` itself, the same in each iteration
    kSlice,      // its slice of `given` along `dimension`, which the input does not have
    kCarried,    // what `result` of the iteration before is; the first is given `given`
  } kind = Kind::kInvariant;
  TensorId given = kNoTensor;
  int dimension = 0;  // kSlice
  int result = -1;    // kCarried: index into the results of the bodies

  bool operator==(const Argument&) const = default;
};

/// A graph that a loop repeats, as the layers of an encoder.
struct Body {
  std::shared_ptr<const Graph> graph;
  std::vector<Argument> arguments;  // parallel to graph->inputs()
  std::string prefix{};             // of its names in tables, where other bodies stand beside it
};

/// Bodies that are repeated: an iteration is one round. It goes through a list of parameters, each
/// place of which has values of its own, or has a length and the parameters of the graph around it.
struct Loop {
  std::string name{};                 // of one that goes through a list: that of the list
  int member = kNoMember;             // of the graph's parameters: the list
  std::optional<Dimension> length{};  // of one without a list: how many iterations, over what
  std::vector<Body> bodies{};  // parallel to the list's kinds, whose order they follow; else one
  bool reverse = false;        // slices are taken, and put, from the last to the first

  /// A result of the bodies that the graph around them reads.
  struct Output {
    int result;                   // index into the results of a body
    bool stacked = false;         // that of each iteration, as slices of one tensor with one more
                                  // dimension in front; else that of the last iteration
    TensorId tensor = kNoTensor;  // of the graph around, wherever: an output can be added later
    bool for_gradient = false;    // stacked for a backward pass only
  };
  std::vector<Output> outputs{};
  std::shared_ptr<const Member> list{};  // nullptr of a loop without one; add_loop() looks it up

  int64_t iterations() const {
    return list ? static_cast<int64_t>(list->order.size()) : length->size;
  }
  /// Of those the ones that run this body.
  int64_t iterations_of(size_t body) const { return list ? list->times(body) : length->size; }
  size_t kind_of(int64_t iteration) const {
    return list ? static_cast<size_t>(list->order[static_cast<size_t>(iteration)]) : 0;
  }
  const Body& body_of(int64_t iteration) const { return bodies[kind_of(iteration)]; }
  const Body& last_body() const { return body_of(iterations() - 1); }

  /// Which slice an iteration takes, and puts: counted among the iterations of its body.
  int64_t slice(int64_t iteration) const;

  /// What the names of an iteration's tensors begin with: "encoder.layer.3.", by its place in the
  /// list, or "positions.3.", by its position, in whichever order they are gone through.
  std::string name_of(int64_t iteration) const;

  /// The tensor outside the loop that holds this result; kNoTensor if nothing reads it.
  TensorId output_of(int result, bool stacked) const;
};

/// A tensor that PyTorch holds until the end of a step, though the last step to read it is earlier.
struct Held {
  TensorId tensor;
  size_t until;  // the place of the step
};

/// Steps that PyTorch has as one call. Printed code has a statement in their place.
struct Group {
  std::string call;       // "nn.LSTM"
  std::string statement;  // "output, (h_n, c_n) = super().forward(hidden_states)"
  // Where the code has the optional inputs: the statement, and a function that it calls. Empty
  // where the group reads none.
  std::string masked_statement{}, masked_helper{};
  std::vector<TensorId> outputs;  // what the statement makes, in its order
  size_t begin, end = 0;          // of the steps
};

/// Ids in a braced list or a vector. Only refers to them: for arguments of a call, not to be kept.
class Ids : public std::span<const TensorId> {
 public:
  Ids(std::initializer_list<TensorId> ids) : span(ids.begin(), ids.size()) {}
  Ids(const std::vector<TensorId>& ids) : span(ids) {}
};

/// The names of what a step makes: one, or several in a braced list or a vector. Only refers to
/// them, as Ids does.
class OutputNames {
 public:
  OutputNames(std::string_view name) : single_(name) {}
  OutputNames(const std::string& name) : single_(name) {}
  OutputNames(const char* name) : single_(name) {}
  OutputNames(std::initializer_list<std::string> names) : several_(names.begin(), names.size()) {}
  OutputNames(const std::vector<std::string>& names) : several_(names) {}

  size_t size() const { return several_.empty() ? 1 : several_.size(); }
  std::string_view operator[](size_t i) const { return several_.empty() ? single_ : several_[i]; }

 private:
  std::string_view single_{};
  std::span<const std::string> several_{};
};

class Graph {
 public:
  Graph() : Graph(no_parameters()) {}
  explicit Graph(std::shared_ptr<const Parameters> parameters)
      : parameters_(std::move(parameters)) {}

  /// Names of steps, of their outputs and of inputs that are added from now on begin with this.
  void set_prefix(std::string prefix) { prefix_ = std::move(prefix); }

  TensorId add_input(std::string_view name, Shape shape, Role role = Role::kInput);

  /// Integers from 0 to limit - 1.
  TensorId add_integer_input(std::string_view name, Shape shape, int64_t limit,
                             std::optional<int64_t> ignored = {});

  /// An optional mask that keeps or hides positions, and does nothing else: a caller's float mask
  /// becomes 0 and -inf (hide_by_floats() in run/tensor_gate.h). Masks that are added to scores are
  /// optional inputs of add_input().
  TensorId add_padding_mask(std::string_view name, Shape shape);

  /// The tensor that a weight of the graph's parameters is here, made when it is first asked for.
  TensorId use(const Weight& weight);

  /// Appends a step whose outputs are new tensors of these names, with the shapes that the
  /// operation says. Returns the first of them: the others follow it.
  TensorId add_step(std::string_view name, std::string_view part, const OpPtr& op, Ids inputs,
                    OutputNames outputs, int module = -1, TensorId gradient_of = kNoTensor);

  void add_result(std::string_view name, TensorId tensor, ResultOptions options = {});

  /// In place of those that are there: what a backward pass hands out, say.
  void set_results(std::vector<Result> results) { results_ = std::move(results); }

  /// Appends a step that is a loop. Makes a tensor for each of the loop's outputs, in their order,
  /// and returns them: named as the bodies' results are, or "stacked_states" of "states". Throws
  /// std::logic_error where the loop does not fit together, and where it asks for what no layer
  /// needs yet.
  std::vector<TensorId> add_loop(Loop loop);

  /// Says that the steps from group.begin to the latest are one call of PyTorch's.
  void add_group(Group group);

  /// Says that PyTorch holds a tensor until the latest step is done.
  void hold(TensorId tensor) { held_.push_back({tensor, steps_.size() - 1}); }

  /// A graph of the same parameters, and the same prefix: a body for a loop without a list.
  Graph sibling() const {
    Graph graph(parameters_);
    graph.prefix_ = prefix_;
    return graph;
  }

  /// Removes the steps for which `unneeded` says so, by their place, which no other step reads.
  void remove_steps(const Flags& unneeded);

  /// What lives between runs, in the order in which a layer says it.
  void add_state(StateUse use) { states_.push_back(std::move(use)); }
  /// For a function that keeps none of them.
  void drop_states();

  /// Noise is drawn in the order in which it is added.
  void add_filled(TensorId tensor, std::variant<Noise, Computed> filling) {
    filled_.push_back({tensor, std::move(filling)});
  }

  /// A result of one number that has to be finite before anything changes; messages say `what` it
  /// is.
  void must_be_finite(std::string_view result, std::string_view what) {
    finite_.push_back({std::string(result), std::string(what)});
  }

  /// By how much a counter moves when a run that keeps state has gone well.
  void advance(std::string_view counter, int64_t by) { advances_[counter] = by; }

  const std::vector<Tensor>& tensors() const { return tensors_; }
  const Parameters& parameters() const { return *parameters_; }
  const std::vector<Step>& steps() const { return steps_; }
  const std::vector<Result>& results() const { return results_; }
  const std::vector<Loop>& loops() const { return loops_; }
  const std::vector<Group>& groups() const { return groups_; }
  const std::vector<Held>& held() const { return held_; }
  const std::vector<StateUse>& states() const { return states_; }
  const std::vector<Filled>& filled() const { return filled_; }
  const std::vector<FiniteResult>& finite_results() const { return finite_; }
  const Counters& advances() const { return advances_; }

  const Tensor& tensor(TensorId id) const { return tensors_[static_cast<size_t>(id)]; }

  /// A tensor's name: of a parameter as its set says, of rows of it with these,
  /// "table.weight[0:1]".
  std::string name_of(TensorId id) const;

  /// The name of the module that a step calls; "" where it calls none.
  std::string module_of(const Step& step) const;

  /// What printed code calls rows of a parameter that it unpacks into variables; "" of all others.
  std::string variable_of(TensorId id) const;

  /// The parameters that it uses, in the order of their numbers.
  std::vector<TensorId> used_parameters() const;

  /// What the caller gives, optional inputs included; without views of them, such as the part of a
  /// stacked input that one iteration is given.
  std::vector<TensorId> inputs() const;

  /// The same layer without its optional inputs, in the bodies of its loops too: steps that may
  /// read one do not.
  Graph without_optional_inputs() const;

  /// Says that a run is given no optional input: operations that are others then are replaced, in
  /// the bodies of loops too (Op::unmasked). The inputs stay.
  void leave_out_masks();
  /// Whether a run that is given a mask needs another graph, as that changed this one.
  bool is_without_masks() const { return without_masks_; }

  /// Whether this input is the past of a cache, in this graph or in a body to which it is given.
  bool is_cached(TensorId input) const;

  /// The loop that a step is, or nullptr.
  const Loop* loop_of(const Step& step) const {
    return step.loop == kNoLoop ? nullptr : &loops_[static_cast<size_t>(step.loop)];
  }

  /// The group that has a step, or nullptr.
  const Group* group_of(const Step& step) const;

  /// Shapes of a step's inputs; optional inputs are present only if `with_optional`.
  InputShapes input_shapes(const Step& step, bool with_optional = false) const;

 private:
  friend class Inliner;

  TensorId add_tensor(Tensor tensor);
  /// What takes the place of a step's operation without masks; nullptr where it stays.
  OpPtr unmasked(const Step& step) const;
  bool differs_without_masks() const;
  std::string prefixed(std::string_view name) const;
  /// The tensor that is these rows of a parameter, made when it is first asked for.
  TensorId rows_of_parameter(Tensor rows);
  /// A step whose outputs are there already; says whose memory they use.
  void append(Step step);

  std::shared_ptr<const Parameters> parameters_;
  std::string prefix_{};  // of names that are added
  bool without_masks_ = false;
  bool flat_ = false;           // whether parameters and modules have their flat numbers here
  std::vector<TensorId> used_;  // by Tensor::parameter
  std::vector<Tensor> tensors_;
  std::vector<Step> steps_;
  std::vector<Result> results_;
  std::vector<Loop> loops_;
  std::vector<Group> groups_;
  std::vector<Held> held_;
  std::vector<StateUse> states_;
  std::vector<Filled> filled_;
  std::vector<FiniteResult> finite_;
  Counters advances_;
};

}  // namespace attnscope
