#include "lifetimes.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "../graph/rows.h"

namespace attnscope {
namespace {

constexpr Count kIndexBytes = 8;  // PyTorch's int64
constexpr Count kFloat32Bytes = 4;
constexpr int kNoLife = -1;
constexpr size_t kStates = 3;  // mostly the first iteration, the last, and those between

/// Whether it goes over queries and keys: products, scores, weights.
bool is_of_pairs(const Shape& shape) {
  const auto has = [&](Axis axis) {
    return std::any_of(shape.begin(), shape.end(),
                       [&](const Dimension& dimension) { return dimension.axis == axis; });
  };
  return has(Axis::kQuery) && has(Axis::kKey);
}

/// Bytes, and those of them that are of no pair of a query and a key.
struct Bytes {
  Count all = 0, without_pairs = 0;

  bool operator==(const Bytes&) const = default;
  Bytes& operator+=(const Bytes& other) { return *this = *this + other; }
  Bytes& operator-=(const Bytes& other) {
    all -= other.all;
    without_pairs -= other.without_pairs;
    return *this;
  }
  friend Bytes operator*(const Bytes& a, Count times) {
    return {product({a.all, times}), product({a.without_pairs, times})};
  }
  friend Bytes operator+(const Bytes& a, const Bytes& b) {
    return {sum(a.all, b.all), sum(a.without_pairs, b.without_pairs)};
  }
  friend Bytes max(const Bytes& a, const Bytes& b) {
    return {std::max(a.all, b.all), std::max(a.without_pairs, b.without_pairs)};
  }
};

/// What a body is told of an input, and tells of a result.
struct Given {
  Bytes ends{};        // that are let go within it: nothing behind it needs them
  Count unkept = 0;    // that autograd would keep; 0 once it has
  int life = kNoLife;  // its place in the timeline

  /// Whether a body does the same with both.
  bool same(const Given& other) const { return ends == other.ends && unkept == other.unkept; }
};

/// One walk over a graph. Its figures are against what was alive before it.
class Walk {
 public:
  /// `timeline` is written where there is one.
  Walk(const Graph& graph, Dtype dtype, Sharing sharing, std::vector<Lifetime>* timeline)
      : graph_(graph),
        dtype_(dtype),
        sharing_(sharing),
        timeline_(timeline),
        end_(static_cast<int>(graph.steps().size())),
        storage_(storages(graph, sharing)),
        inputs_(graph.inputs()),
        tracked_(graph.tensors().size(), Tracked{end_}),
        let_go_(graph.steps().size() + 1) {}

  /// Over a layer.
  void run() {
    std::vector<Given> given;
    for (const TensorId id : inputs_) {
      const Tensor& tensor = graph_.tensor(id);
      const Count bytes = tensor.role == Role::kInput ? bytes_of(tensor, dtype_) : 0;
      given.push_back({{}, bytes, bytes > 0 ? show(id, bytes, 0) : kNoLife});
    }
    run(std::move(given), Flags(graph_.results().size(), true));
    for (const TensorId id : inputs_) show_read(id, row_ - 1);
  }

  Bytes most{}, left{};        // `left` is negative where more ends than is made
  std::vector<Count> saved{};  // as Lifetimes has it

 private:
  static constexpr int kNever = -1;
  static constexpr int kEnd = std::numeric_limits<int>::max();

  /// Of a tensor; all but `behind` stands with the one whose memory a view uses.
  struct Tracked : Given {
    explicit Tracked(int step) : last(step) {}
    int last;             // the step after which it is let go; kEnd: it stays
    int behind = kNever;  // of what a step makes first: the last step behind that step
    std::vector<TensorId> read_behind{};  // of the same: inputs of the steps behind that step
  };

  /// `stay`: of each result whether it stays.
  void run(std::vector<Given> given, Flags stay) {
    given_ = std::move(given);
    stay_ = std::move(stay);
    if (records()) saved.resize(count_rows(graph_), 0);
    find_last_readers();
    for (size_t i = 0; i < inputs_.size(); ++i) take(inputs_[i], given_[i]);
    for (int s = 0; s < end_; ++s) {
      const Step& step = graph_.steps()[static_cast<size_t>(s)];
      if (const Loop* loop = graph_.loop_of(step)) {
        run(*loop, s);
      } else {
        run(step);
      }
      for (const Held& held : graph_.held()) {
        if (held.until == static_cast<size_t>(s)) show_read(held.tensor, row_ - 1);
      }
      left -= let_go_[static_cast<size_t>(s)];
    }
    left -= let_go_.back();
    each_that_stays([&](TensorId id) { show_read(id, row_ - 1); });
  }

  /// Calls visit(result) for those that stay.
  template <class Visit>
  void each_that_stays(Visit visit) const {
    for (size_t r = 0; r < stay_.size(); ++r) {
      if (stay_[r]) visit(graph_.results()[r].tensor);
    }
  }

  /// From the end: the last step that reads each tensor, and the last behind each step.
  void find_last_readers() {
    const auto read = [&](TensorId id, int step) {
      int& last = at(id).last;
      if (last == end_) last = step;
    };
    each_that_stays([&](TensorId id) { at(id).last = kEnd; });
    for (int s = end_; s-- > 0;) {
      const Step& step = graph_.steps()[static_cast<size_t>(s)];
      for (const Held& held : graph_.held()) {
        if (held.until == static_cast<size_t>(s)) read(held.tensor, s);
      }
      for (const TensorId id : step.inputs) read(id, s);
      if (const Loop* loop = graph_.loop_of(step)) {
        for (const Loop::Output& output : loop->outputs) read(output.tensor, s);
        continue;
      }
      for (const TensorId id : step.outputs()) read(id, s);
      if (step.gradient_of == kNoTensor) continue;
      Tracked& first = tracked_[static_cast<size_t>(step.gradient_of)];
      first.behind = std::max(first.behind, s);
      first.read_behind.insert(first.read_behind.end(), step.inputs.begin(), step.inputs.end());
      has_backward_ = true;
    }
  }

  void run(const Step& step) {
    for (const TensorId id : step.inputs) show_read(id, row_);
    for (const TensorId id : step.outputs()) {
      if (storage_[static_cast<size_t>(id)] != id) continue;
      make(id, row_);
    }
    if (records()) keep(step);
    most = max(most, left);
    ++row_;
  }

  void make(TensorId id, int row) {
    const Bytes made = bytes(id);
    take(id, {made, made.all, show(id, made.all, row)});
    left += made;
  }

  // ---- What autograd keeps ----

  bool records() const { return sharing_ == Sharing::kTraining; }

  void keep(const Step& step) {
    const int until = has_backward_ ? tracked_[static_cast<size_t>(step.output)].behind : kEnd;
    if (until == kNever) return;
    const Count element = bytes_per_element(dtype_);
    const Saved kept =
        step.op->saved_for_backward(graph_.input_shapes(step), graph_.tensor(step.output).shape);
    const bool copies = kept.float32_copies && element != kFloat32Bytes;
    Count further = sum(product({kept.elements, element}), kept.bytes);
    Count& of_row = saved[static_cast<size_t>(row_ - first_row_)];
    for (const int index : kept.inputs) {
      const TensorId input = step.inputs[static_cast<size_t>(index)];
      if (!is_read_behind(step, input)) continue;
      if (copies) {
        further = sum(further, product({kFloat32Bytes, elements(graph_.tensor(input).shape)}));
      } else {
        of_row = sum(of_row, keep(input, until));
      }
    }
    for (const int index : kept.outputs) of_row = sum(of_row, keep(step.output + index, until));
    of_row = sum(of_row, further);
    left += {further, 0};
    if (until < end_) let_go_[static_cast<size_t>(until)] += {further, 0};
  }

  /// Whether a step behind this one reads its input: the factors of a product are kept for each
  /// other's gradients, so that one whose other factor needs no gradient is let go. In a graph
  /// without a backward pass every tensor needs a gradient.
  bool is_read_behind(const Step& step, TensorId input) const {
    if (!has_backward_) return true;
    const std::vector<TensorId>& read = tracked_[static_cast<size_t>(step.output)].read_behind;
    return std::ranges::find(read, input) != read.end();
  }

  /// Returns the bytes of a tensor unless it is kept already.
  Count keep(TensorId id, int until) {
    stay(at(id), until);
    return std::exchange(at(id).unkept, 0);
  }

  // ---- What a tensor takes ----

  Tracked& at(TensorId id) {
    return tracked_[static_cast<size_t>(storage_[static_cast<size_t>(id)])];
  }

  Bytes bytes(TensorId id) const {
    const Tensor& tensor = graph_.tensor(id);
    const Count all = bytes_of(tensor, dtype_);
    return {all, records() || is_of_pairs(tensor.shape) ? 0 : all};
  }

  void take(TensorId id, const Given& given) {
    Tracked& one = at(id);
    static_cast<Given&>(one) = given;
    if (one.last <= end_) let_go_[static_cast<size_t>(one.last)] += one.ends;
  }

  /// A tensor is not let go before `step`.
  void stay(Tracked& one, int step) {
    if (step <= one.last) return;
    let_go_[static_cast<size_t>(one.last)] -= one.ends;
    if (step < end_) let_go_[static_cast<size_t>(step)] += one.ends;
    one.last = step;
  }

  // ---- Bodies ----

  /// Walks each body once for each different thing that it is given.
  void run(const Loop& loop, int s) {
    std::vector<Walk> known;
    known.reserve(kStates * loop.bodies.size());
    std::vector<Given> given;
    std::vector<Bytes> slices(loop.outputs.size());  // of what is stacked: let go when it is
    size_t before = 0, now = 0;
    for (int64_t i = 0; i < loop.iterations(); ++i, before = now) {
      const Body& body = loop.body_of(i);
      given.clear();
      for (const Argument& one : body.arguments) {
        given.push_back(is_handed_on(one, i) ? result(known, before, one.result, loop)
                                             : give(loop, i, one, s));
      }
      now = walk(loop, i, given, known);
      const Walk& walked = known[now];
      const bool is_last = i + 1 == loop.iterations();
      // Once two in a row are alike, so are all but the last one, which has nothing behind it.
      const bool alike = loop.bodies.size() == 1 && i > 0 && now == before && !is_last;
      const Count times = alike ? loop.iterations() - 1 - i : 1;
      most = max(most, left + walked.most);
      left += walked.left * (times - 1);
      most = max(most, left + walked.most);
      left += walked.left;
      if (records()) keep(walked, body, i, times);
      for (size_t o = 0; o < slices.size(); ++o) {
        const int made = loop.outputs[o].result;
        if (!loop.outputs[o].stacked) continue;
        if (i > 0 && keeps_carried(walked, body, made)) {
          slices[o] -= known[before].size_of(made) * times;
        }
        if (!is_last || loop.output_of(made, false) == kNoTensor) {
          slices[o] += walked.size_of(made) * times;
        }
      }
      i += static_cast<int64_t>(times) - 1;
    }
    row_ = first_row(loop, loop.bodies.size());
    for (size_t o = 0; o < slices.size(); ++o) {
      const Loop::Output& output = loop.outputs[o];
      if (output.stacked) {
        show_slices(loop, known, output.result);
        make(output.tensor, row_ - 1);
        most = max(most, left);
        left -= slices[o];
      } else {
        take(output.tensor, result(known, now, output.result));
      }
    }
  }

  /// Whether an iteration is given what the one before has made.
  static bool is_handed_on(const Argument& argument, int64_t iteration) {
    return argument.kind == Argument::Kind::kCarried && iteration > 0;
  }

  /// The place among `known` of the walk over an iteration, which is made where there is none.
  size_t walk(const Loop& loop, int64_t iteration, const std::vector<Given>& given,
              std::vector<Walk>& known) {
    const Body& body = loop.body_of(iteration);
    const Flags stay = stays(loop, iteration);
    const size_t shown = first_of(known, *body.graph);
    for (size_t i = shown; i < known.size(); ++i) {
      const bool same = &known[i].graph_ == body.graph.get() && known[i].stay_ == stay &&
                        std::ranges::equal(given, known[i].given_, &Given::same);
      if (same) return i;
    }
    const bool first = shown == known.size();
    const int row = first_row(loop, loop.kind_of(iteration));
    Walk& walk = known.emplace_back(*body.graph, dtype_, sharing_, first ? timeline_ : nullptr);
    walk.body_ = &body;
    walk.prefix_ = prefix_ + body.prefix;
    walk.first_row_ = walk.row_ = row;
    walk.run(given, stay);
    if (first && timeline_) show_what_is_taken_after(loop, iteration, walk.row_);
    return known.size() - 1;
  }

  /// Of the results of an iteration those that something behind it needs.
  static Flags stays(const Loop& loop, int64_t iteration) {
    const bool last = iteration + 1 == loop.iterations();
    const size_t results = loop.body_of(iteration).graph->results().size();
    Flags stay(results);
    for (size_t r = 0; r < results; ++r) {
      const int result = static_cast<int>(r);
      stay[r] = loop.output_of(result, true) != kNoTensor ||
                (last ? loop.output_of(result, false) != kNoTensor
                      : is_carried(loop.body_of(iteration + 1), result));
    }
    return stay;
  }

  static bool is_carried(const Body& body, int result) {
    return std::ranges::any_of(body.arguments, [&](const Argument& one) {
      return one.kind == Argument::Kind::kCarried && one.result == result;
    });
  }

  /// The first walk over a body is the one that stands in the timeline.
  static size_t first_of(const std::vector<Walk>& known, const Graph& body) {
    const auto first =
        std::ranges::find_if(known, [&](const Walk& w) { return &w.graph_ == &body; });
    return static_cast<size_t>(first - known.begin());
  }

  /// What a body is given: it lets go what no later iteration needs, and nothing behind the loop.
  Given give(const Loop& loop, int64_t iteration, const Argument& argument, int s) {
    Tracked& one = at(argument.given);
    if (one.last != s || is_held_until(argument.given, s) ||
        is_taken_after(loop, iteration, argument.given)) {
      return {{}, one.unkept, one.life};
    }
    stay(one, kEnd);
    return one;
  }

  bool is_held_until(TensorId given, int s) {
    return std::ranges::any_of(graph_.held(), [&](const Held& held) {
      return held.until == static_cast<size_t>(s) && &at(held.tensor) == &at(given);
    });
  }

  bool is_taken_after(const Loop& loop, int64_t iteration, TensorId given) {
    for (int64_t later = loop.iterations(); --later > iteration;) {
      for (const Argument& one : loop.body_of(later).arguments) {
        if (!is_handed_on(one, later) && &at(one.given) == &at(given)) return true;
      }
      if (loop.bodies.size() == 1) break;  // all later iterations take the same
    }
    return false;
  }

  const Tracked& result_of(int result) const {
    const TensorId id = graph_.results()[static_cast<size_t>(result)].tensor;
    return tracked_[static_cast<size_t>(storage_[static_cast<size_t>(id)])];
  }

  /// Bytes of a result that are let go when nothing needs it: none, where autograd keeps it.
  Bytes size_of(int result) const {
    return result_of(result).unkept == 0 ? Bytes{} : result_of(result).ends;
  }

  /// A result of a body, for what comes behind it.
  static Given result(const std::vector<Walk>& known, size_t walked, int result) {
    const Walk& shown = known[first_of(known, known[walked].graph_)];
    return {known[walked].size_of(result), known[walked].result_of(result).unkept,
            shown.result_of(result).life};
  }

  /// The same for the next iteration, in which it does not end if it is stacked.
  static Given result(const std::vector<Walk>& known, size_t walked, int made, const Loop& loop) {
    Given given = result(known, walked, made);
    if (loop.output_of(made, true) != kNoTensor) given.ends = {};
    return given;
  }

  /// Adds what autograd keeps of `times` iterations that are alike, and keeps the tensors that the
  /// graph around gave them.
  void keep(const Walk& walked, const Body& body, int64_t iteration, Count times) {
    size_t row = static_cast<size_t>(walked.first_row_ - first_row_);
    for (const Count kept : walked.saved) {
      saved[row] = sum(saved[row], product({kept, times}));
      ++row;
    }
    for (size_t i = 0; i < walked.inputs_.size(); ++i) {
      if (!is_handed_on(body.arguments[i], iteration) && walked.keeps_input(i)) {
        keep(body.arguments[i].given, kEnd);
      }
    }
  }

  bool keeps_input(size_t input) const {
    return tracked_[static_cast<size_t>(inputs_[input])].unkept == 0;
  }

  /// Whether autograd keeps, for an iteration, what a result of the one before was.
  static bool keeps_carried(const Walk& walked, const Body& body, int result) {
    for (size_t i = 0; i < body.arguments.size(); ++i) {
      const Argument& one = body.arguments[i];
      const bool takes = one.kind == Argument::Kind::kCarried && one.result == result;
      if (takes && walked.keeps_input(i)) return true;
    }
    return false;
  }

  /// The row of the first step of a body; behind the last, of what follows the loop.
  int first_row(const Loop& loop, size_t body) const {
    int row = row_;
    for (size_t b = 0; b < body; ++b) row += static_cast<int>(count_rows(*loop.bodies[b].graph));
    return row;
  }

  // ---- The timeline ----

  int show(TensorId id, Count bytes, int row) {
    if (!timeline_) return kNoLife;
    timeline_->push_back(
        {name_in(graph_, id, body_, prefix_), &graph_.tensor(id), bytes, row, row});
    return static_cast<int>(timeline_->size()) - 1;
  }

  void show_read(TensorId id, int row) {
    if (!timeline_ || at(id).life == kNoLife) return;  // a parameter or an optional input
    int& freed = (*timeline_)[static_cast<size_t>(at(id).life)].freed;
    freed = std::max(freed, row);
  }

  /// What a later iteration takes lives through the rows of this one, which end before `row`.
  void show_what_is_taken_after(const Loop& loop, int64_t iteration, int row) {
    for (const Body& body : loop.bodies) {
      for (const Argument& one : body.arguments) {
        if (is_taken_after(loop, iteration, one.given)) show_read(one.given, row - 1);
      }
    }
  }

  /// Shows the results of all iterations, which are alive until they are stacked, as one tensor.
  /// All rows of the body have some of them: those of the iterations before.
  void show_slices(const Loop& loop, const std::vector<Walk>& known, int result) {
    if (!timeline_) return;
    const int life = known[first_of(known, *loop.last_body().graph)].result_of(result).life;
    if (life == kNoLife) return;
    Lifetime& slices = (*timeline_)[static_cast<size_t>(life)];
    slices.bytes = product({slices.bytes, loop.iterations()});
    if (loop.iterations() > 1) {
      slices.born = row_ - static_cast<int>(count_rows(*loop.last_body().graph));
    }
    slices.freed = std::max(slices.freed, row_ - 1);
  }

  const Graph& graph_;
  const Dtype dtype_;
  const Sharing sharing_;
  std::vector<Lifetime>* const timeline_;
  const Body* body_ = nullptr;   // whose graph it is
  std::string prefix_{};         // of its names
  int first_row_ = 0, row_ = 0;  // of the first and the next step
  std::vector<Given> given_{};
  Flags stay_{};
  const int end_;  // the number of steps
  std::vector<TensorId> storage_;
  std::vector<TensorId> inputs_;
  std::vector<Tracked> tracked_;
  std::vector<Bytes> let_go_;  // by step; behind the last, of what no step reads
  bool has_backward_ = false;
};

}  // namespace

Count bytes_of(const Tensor& tensor, Dtype dtype) {
  return product(
      {elements(tensor.shape), tensor.limit > 0 ? kIndexBytes : bytes_per_element(dtype)});
}

Lifetimes lifetimes(const Graph& graph, Dtype dtype, Sharing sharing) {
  Walk walk(graph, dtype, sharing, nullptr);
  walk.run();
  return {walk.most.all, walk.most.without_pairs, walk.left.all, std::move(walk.saved)};
}

std::vector<Lifetime> timeline(const Graph& graph, Dtype dtype) {
  std::vector<Lifetime> lives;
  Walk(graph, dtype, Sharing::kInference, &lives).run();
  return lives;
}

}  // namespace attnscope
