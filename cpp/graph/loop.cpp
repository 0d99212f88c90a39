// Loops: whether what one is given, hands on and makes fits its bodies.

#include <algorithm>
#include <ranges>

#include "graph.h"

namespace attnscope {
namespace {

/// A name in tables, in two parts.
struct Name {
  std::string_view prefix, rest;

  bool operator==(const Name& other) const {
    if (prefix.size() + rest.size() != other.prefix.size() + other.rest.size()) return false;
    const Name &a = prefix.size() < other.prefix.size() ? *this : other,
               &b = &a == this ? other : *this;
    const size_t between = b.prefix.size() - a.prefix.size();
    return b.prefix.starts_with(a.prefix) &&
           b.prefix.substr(a.prefix.size()) == a.rest.substr(0, between) &&
           b.rest == a.rest.substr(between);
  }
};

/// Calls visit(name, whether it is a step's) for all steps of a graph and what they make, those of
/// bodies included.
template <class Visit>
void each_name(const Graph& graph, const std::string& prefix, const Visit& visit) {
  for (const Step& step : graph.steps()) {
    if (!step.op) continue;
    visit(Name{prefix, step.name}, true);
    for (const TensorId id : step.outputs()) visit(Name{prefix, graph.tensor(id).name}, false);
  }
  for (const Loop& loop : graph.loops()) {
    for (const Body& body : loop.bodies) each_name(*body.graph, prefix + body.prefix, visit);
  }
}

/// One loop, held against the graph around it. Throws where something does not fit.
class LoopCheck {
 public:
  LoopCheck(const Graph& around, const Loop& loop) : around_(around), loop_(loop) {}

  void run() const {
    loop_.list ? check_list() : check_length();
    for (size_t kind = 0; kind < loop_.bodies.size(); ++kind) {
      check_parameters(kind);
      check_inputs(kind);
      check_names(kind);
    }
    for (const Loop::Output& output : loop_.outputs) check_output(output);
  }

 private:
  const Graph& graph(size_t kind) const { return *loop_.bodies[kind].graph; }
  /// What messages call a body.
  std::string_view name_of(size_t kind) const {
    return loop_.list ? graph(kind).parameters().class_name() : std::string_view(loop_.name);
  }

  void check_list() const {
    const Member& list = *loop_.list;
    if (list.kinds.size() != loop_.bodies.size()) {
      wrong_graph("{} lists {} kinds, got {} bodies",
                  {list.name, list.kinds.size(), loop_.bodies.size()});
    }
    if (loop_.length) wrong_graph("{} is as long as its list, got a length", {list.name});
  }

  void check_length() const {
    if (!loop_.length || loop_.length->size < 1) {
      wrong_graph("{} needs a list or a length, above 0", {loop_.name});
    }
    if (loop_.bodies.size() != 1) {
      wrong_graph("{} has no list, got {} bodies", {loop_.name, loop_.bodies.size()});
    }
    if (loop_.length->axis == Axis::kLayer) {
      wrong_graph("{} goes along layers without a list of them", {loop_.name});
    }
    if (!graph(0).loops().empty()) {
      wrong_graph("{} has no list, and a loop in its body", {loop_.name});
    }
    if (!graph(0).states().empty()) {
      wrong_graph("{} has no list, and a state in its body", {loop_.name});
    }
  }

  void check_parameters(size_t kind) const {
    const Parameters& own = graph(kind).parameters();
    if (!loop_.list && &own != &around_.parameters()) {
      wrong_graph("{} has no list, and a body of other parameters than those around it",
                  {loop_.name});
    }
    if (loop_.list && &own != loop_.list->kinds[kind].get()) {
      wrong_graph("{} is not of the parameters that {} lists",
                  {own.class_name(), loop_.list->name});
    }
  }

  void check_inputs(size_t kind) const {
    const std::vector<TensorId> inputs = graph(kind).inputs();
    const std::vector<Argument>& arguments = loop_.bodies[kind].arguments;
    if (arguments.size() != inputs.size()) {
      wrong_graph("{} takes {} inputs, got {}", {name_of(kind), inputs.size(), arguments.size()});
    }
    for (size_t i = 0; i < inputs.size(); ++i) {
      const Tensor& input = graph(kind).tensor(inputs[i]);
      const Argument& one = arguments[i];
      if (one.given == kNoTensor) {
        wrong_graph("{} is given nothing as {}", {name_of(kind), input.name});
      }
      for (size_t other = 0; other < i; ++other) check_apart(kind, arguments[other], one);
      if (one.kind == Argument::Kind::kCarried) check_carried(input, one.result);
      if (one.kind == Argument::Kind::kSlice) {
        check_shape(kind, input, whole(kind, input, one), one.given);
      } else {
        check_shape(kind, input, input.shape, one.given);
      }
    }
  }

  void check_shape(size_t kind, const Tensor& input, const Shape& taken, TensorId given) const {
    const Shape& shape = around_.tensor(given).shape;
    if (shape == taken) return;
    wrong_graph("{} takes {} as {}, got {}", {name_of(kind), taken, input.name, shape});
  }

  /// Two arguments are of memory of their own. Carried ones may begin alike: they are only read.
  void check_apart(size_t kind, const Argument& a, const Argument& b) const {
    if (around_.tensor(a.given).storage != around_.tensor(b.given).storage) return;
    const bool carried = a.kind == Argument::Kind::kCarried && b.kind == Argument::Kind::kCarried;
    if (!carried) wrong_graph("{} is given {} twice", {name_of(kind), around_.name_of(b.given)});
  }

  /// The shape of that of which an input is a slice.
  Shape whole(size_t kind, const Tensor& input, const Argument& one) const {
    if (one.dimension < 0 || one.dimension > std::ssize(input.shape)) {
      wrong_graph("{} takes slices along dimension {} as {}, which is {}",
                  {name_of(kind), one.dimension, input.name, input.shape});
    }
    if (around_.tensor(one.given).role == Role::kOptionalInput) {
      wrong_graph("{} takes slices of {}, which is optional",
                  {name_of(kind), around_.name_of(one.given)});
    }
    Shape shape = input.shape;
    shape.insert(shape.begin() + one.dimension, loop_.iterations_of(kind));
    return shape;
  }

  /// Whatever body the iteration before has run, it makes what this one takes.
  void check_carried(const Tensor& input, int result) const {
    for (size_t kind = 0; kind < loop_.bodies.size(); ++kind) {
      const Shape& made = graph(kind).tensor(result_of(kind, result)).shape;
      if (made != input.shape) {
        wrong_graph("{} makes {} of {}", {name_of(kind), made, input.shape});
      }
      check_result(kind, result, /*stacked=*/false);
    }
  }

  void check_output(const Loop::Output& output) const {
    const Tensor& made =
        check_result(loop_.kind_of(loop_.iterations() - 1), output.result, output.stacked);
    if (output.stacked && loop_.bodies.size() > 1) {
      wrong_graph("{} stacks {} of several kinds", {loop_.name, made.name});
    }
  }

  TensorId result_of(size_t kind, int result) const {
    const std::vector<Result>& results = graph(kind).results();
    if (result < 0 || result >= std::ssize(results)) {
      wrong_graph("{} has no result {}", {name_of(kind), result});
    }
    return results[static_cast<size_t>(result)].tensor;
  }

  /// A result is made by its body, in memory of its own or in place of what was made there before.
  /// Where only slices of it are put it may also be an input.
  const Tensor& check_result(size_t kind, int result, bool stacked) const {
    const TensorId id = result_of(kind, result);
    const Tensor& made = graph(kind).tensor(id);
    const bool put = made.role == Role::kInput && stacked;
    if (made.role != Role::kActivation && !put) {
      wrong_graph("{} returns {}, which it is given", {loop_.name, graph(kind).name_of(id)});
    }
    check_place(kind, id);
    return made;
  }

  void check_place(size_t kind, TensorId result) const {
    TensorId id = result;
    for (const Step& step : graph(kind).steps() | std::views::reverse) {
      if (std::ranges::count(step.outputs(), id) == 0) continue;
      const Alias alias = step.alias(id);
      if (alias.kind == Aliasing::kNone) return;
      if (alias.kind != Aliasing::kInPlace) {
        wrong_graph("{} returns {}, which is a view",
                    {loop_.name, graph(kind).tensor(result).name});
      }
      id = step.inputs[alias.input];
    }
    // Another iteration, or the graph around, may still read what this one is given.
    if (id == result || graph(kind).tensor(id).role == Role::kActivation) return;
    wrong_graph("{} returns {} in place of {}, which it is given",
                {loop_.name, graph(kind).tensor(result).name, graph(kind).name_of(id)});
  }

  /// No other step or tensor around it is called the same.
  void check_names(size_t kind) const {
    const Body& body = loop_.bodies[kind];
    each_name(*body.graph, body.prefix, [&](const Name& own, bool is_step) {
      const auto compare = [&](const Name& other, bool other_is_step) {
        if (is_step != other_is_step || !(own == other)) return;
        wrong_graph("{} makes {}{}, as another {} is called",
                    {name_of(kind), own.prefix, own.rest, is_step ? "step" : "tensor"});
      };
      each_name(around_, "", compare);
      for (size_t other = 0; other < kind; ++other) {
        each_name(graph(other), loop_.bodies[other].prefix, compare);
      }
    });
  }

  const Graph& around_;
  const Loop& loop_;
};

}  // namespace

int64_t Loop::slice(int64_t iteration) const {
  const size_t kind = kind_of(iteration);
  int64_t before = iteration;
  if (list) {
    before =
        std::count(list->order.begin(), list->order.begin() + iteration, static_cast<int>(kind));
  }
  return reverse ? iterations_of(kind) - 1 - before : before;
}

std::string Loop::name_of(int64_t iteration) const {
  return format("{}.{}.", {name, list ? iteration : slice(iteration)});
}

TensorId Loop::output_of(int result, bool stacked) const {
  const auto output = std::ranges::find_if(
      outputs, [&](const Output& one) { return one.result == result && one.stacked == stacked; });
  return output == outputs.end() ? kNoTensor : output->tensor;
}

std::vector<TensorId> Graph::add_loop(Loop loop) {
  if (loop.member != kNoMember) {
    loop.list = parameters_->member(loop.member);
    loop.name = loop.list->name;
  }
  LoopCheck(*this, loop).run();
  Step step{.name = loop.name, .loop = static_cast<int>(loops_.size())};
  for (const Body& body : loop.bodies) {
    for (const Argument& one : body.arguments) {
      const bool known = std::ranges::count(step.inputs, one.given) > 0;
      if (!known) step.inputs.push_back(one.given);
    }
  }
  const Graph& last = *loop.last_body().graph;
  const std::string prefix = loop.bodies.size() == 1 ? loop.bodies[0].prefix : "";
  std::vector<TensorId> made;
  made.reserve(loop.outputs.size());
  for (Loop::Output& output : loop.outputs) {
    const Tensor& one = last.tensor(last.results()[static_cast<size_t>(output.result)].tensor);
    Shape shape = one.shape;
    if (output.stacked) {
      shape.insert(shape.begin(),
                   {loop.iterations(), loop.list ? loop.list->axis : loop.length->axis});
    }
    output.tensor =
        add_tensor({.name = format("{}{}{}", {prefix, output.stacked ? "stacked_" : "", one.name}),
                    .shape = std::move(shape)});
    made.push_back(output.tensor);
  }
  steps_.push_back(std::move(step));
  loops_.push_back(std::move(loop));
  return made;
}

}  // namespace attnscope
