#include "../../../cpp/analysis/lifetimes.h"

#include <algorithm>
#include <array>

#include "../../../cpp/analysis/memory.h"
#include "../../../cpp/graph/rows.h"
#include "../../../cpp/graph/unroll.h"
#include "../../../cpp/layers/stack.h"
#include "../../../cpp/ops/activation.h"
#include "../../../cpp/ops/arithmetic.h"
#include "../../../cpp/ops/linear.h"
#include "../../../cpp/ops/norm.h"
#include "../../../cpp/ops/reshape.h"
#include "../../../cpp/training/training.h"
#include "../configs.h"
#include "../support.h"

using namespace attnscope;
using namespace attnscope::testing;

namespace {

using Counts = std::vector<Count>;

TensorId add(Graph& graph, const char* name, const OpPtr& op, Ids inputs,
             TensorId gradient_of = kNoTensor) {
  return graph.add_step(name, "combine", op, inputs, name, -1, gradient_of);
}

/// Twice its input, in the input's place.
class Doubled final : public SingleOp {
 public:
  std::string_view name() const override { return "doubled"; }
  Shape output_shape(const InputShapes& inputs) const override { return *inputs[0]; }
  Cost cost(const InputShapes&, const Shape&) const override { return {}; }
  Aliasing aliasing() const override { return Aliasing::kInPlace; }
  Array forward(const std::vector<const Array*>& inputs) const override { return 2.0 * *inputs[0]; }
  std::string pytorch(const std::vector<std::string>& inputs, std::string_view) const override {
    return format("{}.mul_(2)", {inputs[0]});
  }
};

/// x and early (10 numbers) -> a, which is flattened, doubled where it is, and read again after all
/// else; `late` is read by the last step only.
Graph by_hand() {
  Graph graph;
  const TensorId x = graph.add_input("x", {2, 5});
  const TensorId late = add(graph, "late", activation_named("gelu"), {x});
  const TensorId a = add(graph, "a", activation_named("gelu"), {x});
  const TensorId flat = add(graph, "flat", make_op<Reshape>(Shape{10}), {a});
  const TensorId doubled = add(graph, "doubled", make_op<Doubled>(), {flat});
  const TensorId b = add(graph, "b", activation_named("gelu"), {doubled});
  const TensorId c = add(graph, "c", activation_named("gelu"), {b});
  const TensorId back = add(graph, "back", make_op<Reshape>(Shape{2, 5}), {c});
  graph.add_result("output", add(graph, "output", make_op<Add>(), {back, late}));
  return graph;
}

/// The most that is alive at one step, counted anew for each step: what steps have made that is
/// read there or later, is a result, or is kept for a gradient that comes there or later.
Count most_by_counting(const Graph& graph, Dtype dtype, Sharing sharing) {
  const std::vector<TensorId> storage = storages(graph, sharing);
  const std::vector<Step>& steps = graph.steps();
  const size_t tensors = graph.tensors().size();
  std::vector<size_t> born(tensors, steps.size()), last(tensors, 0);
  const auto owner = [&](TensorId id) {
    return static_cast<size_t>(storage[static_cast<size_t>(id)]);
  };
  std::vector<std::array<Count, 3>> further;  // bytes, from a step to another one
  for (size_t s = 0; s < steps.size(); ++s) {
    for (const TensorId id : steps[s].inputs) last[owner(id)] = s;
    for (const TensorId id : steps[s].outputs()) {
      if (owner(id) == static_cast<size_t>(id)) born[owner(id)] = s;
      last[owner(id)] = s;
    }
  }
  for (size_t s = 0; sharing == Sharing::kTraining && s < steps.size(); ++s) {
    size_t until = 0;
    for (size_t g = s; g < steps.size(); ++g) {
      if (steps[g].gradient_of == steps[s].output) until = g;
    }
    if (until == 0) continue;
    const Saved saved = steps[s].op->saved_for_backward(graph.input_shapes(steps[s]),
                                                        graph.tensor(steps[s].output).shape);
    Count bytes = saved.elements * bytes_per_element(dtype) + saved.bytes;
    const auto stays = [&](TensorId id) { last[owner(id)] = std::max(last[owner(id)], until); };
    for (const int index : saved.inputs) {
      const TensorId input = steps[s].inputs[static_cast<size_t>(index)];
      const bool is_read_behind = std::ranges::any_of(steps, [&](const Step& step) {
        return step.gradient_of == steps[s].output &&
               std::ranges::find(step.inputs, input) != step.inputs.end();
      });
      if (!is_read_behind) continue;
      if (saved.float32_copies && bytes_per_element(dtype) != 4) {
        bytes += 4 * elements(graph.tensor(input).shape);
      } else {
        stays(input);
      }
    }
    for (const int index : saved.outputs) stays(steps[s].output + index);
    further.push_back({bytes, static_cast<Count>(s), static_cast<Count>(until)});
  }
  for (const Held& held : graph.held()) {
    last[owner(held.tensor)] = std::max(last[owner(held.tensor)], held.until);
  }
  for (const Result& result : graph.results()) last[owner(result.tensor)] = steps.size();
  Count most = 0;
  for (size_t s = 0; s < steps.size(); ++s) {
    Count alive = 0;
    for (size_t id = 0; id < tensors; ++id) {
      if (born[id] <= s && s <= last[id]) alive += bytes_of(graph.tensors()[id], dtype);
    }
    for (const auto& [bytes, from, to] : further) {
      if (from <= static_cast<Count>(s) && static_cast<Count>(s) <= to) alive += bytes;
    }
    most = std::max(most, alive);
  }
  return most;
}

/// A layer of a list: two linear steps, of which the second reads what was carried once more. It is
/// given a part of a stack and a table, and hands out its hidden numbers, too.
StackedLayer layer_of(const Graph& around, size_t kind, TensorId carried, TensorId table,
                      const LinearModule& widen, const LinearModule& narrow, const char* prefix) {
  StackedLayer layer(around, 0, kind, carried, prefix);
  Graph& graph = layer.graph();
  const TensorId past = graph.add_input("past", {2, 4});
  const TensorId hidden = apply_linear(graph, widen, "body", layer.carried(), "hidden");
  const TensorId activated =
      graph.add_step("activated", "body", activation_named("gelu"), {hidden}, "activated");
  const TensorId narrowed = apply_linear(graph, narrow, "body", activated, "narrowed");
  TensorId joined =
      graph.add_step("with_past", "body", make_op<Multiply>(), {narrowed, past}, "with_past");
  if (table != kNoTensor) {
    joined = graph.add_step("with_table", "body", make_op<Multiply>(), {joined, layer.share(table)},
                            "with_table");
  }
  const TensorId output =
      graph.add_step("output", "body", make_op<Add>(), {joined, layer.carried()}, "output");
  graph.add_result("output", output);
  graph.add_result("hidden", hidden);
  return layer;
}

/// x -> entered -> the layers of `order`, wide ones where it has a 1 -> relu. Of two tables kind 0
/// takes the first, kind 1 the second.
Graph list_of(std::vector<int> order) {
  const bool both = std::find(order.begin(), order.end(), 1) != order.end();
  const auto set = std::make_shared<Parameters>(), thin = std::make_shared<Parameters>("Thin"),
             wide = std::make_shared<Parameters>("Wide");
  const LinearModule thin_in = declare_linear(*thin, "widen", 4, 6, true),
                     thin_out = declare_linear(*thin, "narrow", 6, 4, true),
                     wide_in = declare_linear(*wide, "widen", 4, 9, true),
                     wide_out = declare_linear(*wide, "narrow", 9, 4, true);
  Member layers{"layers", {thin}, std::move(order)};
  if (both) layers.kinds.push_back(wide);
  set->add_member(std::move(layers));
  Graph graph(set);
  const TensorId x = graph.add_input("x", {2, 4});
  const TensorId table = add(graph, "table", activation_named("relu"), {x});
  const TensorId wide_table =
      both ? add(graph, "wide_table", activation_named("gelu"), {x}) : kNoTensor;
  const TensorId entered = add(graph, "entered", activation_named("gelu"), {x});
  std::vector<StackedLayer> kinds;
  kinds.push_back(layer_of(graph, 0, entered, table, thin_in, thin_out, ""));
  if (both) kinds.push_back(layer_of(graph, 1, entered, wide_table, wide_in, wide_out, "wide_"));
  const std::vector<TensorId> made = add_stack(graph, 0, std::move(kinds));
  graph.add_result("output", add(graph, "after", activation_named("relu"), {made[0]}));
  graph.add_result("hidden", made[1]);
  return graph;
}

/// x -> a stack of made tensors -> cells that carry two values, of which one is stacked, too. Each
/// cell has parameters of its own in a list, else all have the same.
Graph cells_of(int length, bool reverse, bool list) {
  using Kind = Argument::Kind;
  const auto set = std::make_shared<Parameters>();
  const auto cell = list ? std::make_shared<Parameters>("Cell") : set;
  const LinearModule dense = declare_linear(*cell, "dense", 4, 4, true);
  if (list) set->add_member({"cells", {cell}, std::vector<int>(static_cast<size_t>(length), 0)});
  Graph graph(set);
  const TensorId x = graph.add_input("x", {length, 2, 4}), first = graph.add_input("first", {2, 4});
  const TensorId made = add(graph, "made", activation_named("gelu"), {x});
  const TensorId h = add(graph, "h", activation_named("relu"), {first});
  const TensorId c = add(graph, "c", activation_named("gelu"), {first});
  Graph body(cell);
  const TensorId slice = body.add_input("slice", {2, 4}),
                 h_before = body.add_input("h_before", {2, 4}),
                 c_before = body.add_input("c_before", {2, 4});
  const TensorId linear = apply_linear(body, dense, "combine", h_before, "linear");
  const TensorId gates = add(body, "gates", make_op<Add>(), {slice, linear});
  const TensorId c_after = add(body, "c_after", make_op<Multiply>(), {gates, c_before});
  const TensorId squashed = add(body, "squashed", activation_named("tanh"), {c_after});
  const TensorId h_after = add(body, "h_after", make_op<Multiply>(), {gates, squashed});
  body.add_result("h_after", h_after);
  body.add_result("c_after", c_after);
  Loop loop{.name = "cells", .reverse = reverse};
  if (list) {
    loop.member = 0;
  } else {
    loop.length = Dimension(length, Axis::kPosition);
  }
  loop.outputs = {{.result = 0, .stacked = true}, {.result = 0}, {.result = 1}};
  loop.bodies.push_back({.graph = std::make_shared<const Graph>(std::move(body)),
                         .arguments = {{.kind = Kind::kSlice, .given = made},
                                       {.kind = Kind::kCarried, .given = h, .result = 0},
                                       {.kind = Kind::kCarried, .given = c, .result = 1}}});
  const std::vector<TensorId> outputs = graph.add_loop(std::move(loop));
  graph.add_result("all", add(graph, "after", activation_named("gelu"), {outputs[0]}));
  graph.add_result("h_n", outputs[1]);
  graph.add_result("c_n", outputs[2]);
  return graph;
}

Count total(const Counts& counts) {
  Count all = 0;
  for (const Count count : counts) all += count;
  return all;
}

void check_same(const Graph& called, Dtype dtype) {
  const Graph whole = unroll(called);
  for (const Sharing sharing : {Sharing::kInference, Sharing::kTraining}) {
    CAPTURE(static_cast<int>(sharing));
    const Lifetimes a = lifetimes(called, dtype, sharing), b = lifetimes(whole, dtype, sharing);
    CHECK(to_string(a.peak) == to_string(b.peak));
    CHECK(to_string(a.peak_without_pairs) == to_string(b.peak_without_pairs));
    CHECK(to_string(a.left) == to_string(b.left));
    CHECK(to_string(total(a.saved)) == to_string(total(b.saved)));
  }
  CHECK(lifetimes(whole, dtype, Sharing::kInference).peak ==
        most_by_counting(whole, dtype, Sharing::kInference));
}

const Lifetime& named(const std::vector<Lifetime>& lives, const std::string& name) {
  for (const Lifetime& life : lives) {
    if (life.name == name) return life;
  }
  throw std::logic_error(name);
}

}  // namespace

TEST_CASE("two carried values, slices of what is made, and a stacked result, as unrolled") {
  for (const int length : {1, 2, 3, 7}) {
    for (const bool reverse : {false, true}) {
      CAPTURE(length);
      CAPTURE(reverse);
      for (const bool list : {true, false}) {
        CAPTURE(list);
        check_same(cells_of(length, reverse, list), Dtype::kFloat32);
      }
    }
  }
}

TEST_CASE("a view, an update in place and a late reader, counted by hand") {
  const Graph graph = by_hand();
  // late, a and b; then late, b and c; then late, c and the output.
  const Lifetimes run = lifetimes(graph, Dtype::kFloat32, Sharing::kInference);
  CHECK(run.peak == 4 * 30);
  CHECK(run.left == 4 * 10);  // the output
  CHECK(run.saved.empty());
  // gelu keeps what it is given: x twice, a where it was doubled, b. Sums and views keep nothing.
  const Lifetimes training = lifetimes(graph, Dtype::kFloat32, Sharing::kTraining);
  CHECK(training.saved == Counts{4 * 10, 0, 0, 0, 4 * 10, 4 * 10, 0, 0});
  CHECK(training.peak == 4 * 50);  // late, a, b, c and the output
  CHECK(training.left == 4 * 30);  // a, b and the output
  const std::vector<Lifetime> lives = timeline(graph, Dtype::kFloat32);
  std::vector<std::string> rows;
  for (const Lifetime& life : lives) {
    rows.push_back(format("{} {} {}", {life.name, life.born, life.freed}));
  }
  CHECK(rows ==
        std::vector<std::string>{"x 0 7", "late 0 7", "a 1 4", "b 4 5", "c 5 7", "output 7 7"});
}

TEST_CASE("what autograd keeps of a step goes after the last step behind it") {
  Graph graph;
  const TensorId x = graph.add_input("x", {10});
  const TensorId a = add(graph, "a", activation_named("gelu"), {x});
  const TensorId b = add(graph, "b", activation_named("gelu"), {a});  // keeps a
  const TensorId c = add(graph, "c", activation_named("relu"), {b});  // keeps c
  const TensorId by_b = add(graph, "b.grad", activation_named("relu"), {c}, c);
  const TensorId first = add(graph, "first", make_op<Multiply>(), {by_b, a}, b);
  const TensorId second = add(graph, "second", activation_named("relu"), {first}, b);
  graph.add_result("x.grad", add(graph, "x.grad", activation_named("relu"), {second}));
  const Lifetimes lives = lifetimes(graph, Dtype::kFloat32, Sharing::kTraining);
  // At c: a, b, c. At first: a, by_b, first. At second: a, first, second.
  CHECK(lives.peak == 4 * 30);
  CHECK(lives.left == 4 * 10);
  // Nothing is behind a, nor behind the gradients: they keep nothing.
  CHECK(lives.saved == Counts{0, 4 * 10, 4 * 10, 0, 0, 0, 0});
  CHECK(lifetimes(graph, Dtype::kFloat32, Sharing::kInference).peak == 4 * 30);
}

TEST_CASE("a factor is kept for the gradient by the other factor alone") {
  Graph graph;
  const TensorId x = graph.add_input("x", {10});  // needs no gradient
  const TensorId a = add(graph, "a", activation_named("gelu"), {x});
  const TensorId b = add(graph, "b", activation_named("gelu"), {x});
  const TensorId c = add(graph, "c", make_op<Multiply>(), {a, b});
  const TensorId d = add(graph, "d", activation_named("relu"), {c});  // keeps d
  const TensorId by_c = add(graph, "d.grad", activation_named("relu"), {d}, d);
  // The gradient by b alone, which reads a.
  graph.add_result("b.grad", add(graph, "c.grad", make_op<Multiply>(), {by_c, a}, c));
  const Lifetimes lives = lifetimes(graph, Dtype::kFloat32, Sharing::kTraining);
  CHECK(lives.saved == Counts{0, 0, 4 * 10, 4 * 10, 0, 0});
  // At c: a, b, c. At d: a, c, d; with b kept there were four.
  CHECK(lives.peak == 4 * 30);
}

TEST_CASE("in 16 bits a norm keeps copies, and lets its input go") {
  const auto set = std::make_shared<Parameters>();
  const ParameterId weight = set->add(set->add_module("norm", ""), "weight", {10});
  Graph graph(set);
  const TensorId x = graph.add_input("x", {1, 10});
  const TensorId a = add(graph, "a", activation_named("gelu"), {x});
  const TensorId normed = add(graph, "normed", make_op<RmsNorm>(1e-5), {a, graph.use({weight})});
  graph.add_result("b", add(graph, "b", activation_named("relu"), {normed}));
  const Lifetimes in_float32 = lifetimes(graph, Dtype::kFloat32, Sharing::kTraining);
  // x; a, its factor and their product; b.
  CHECK(in_float32.saved == Counts{4 * 10, 4 * (10 + 1 + 10), 4 * 10});
  CHECK(in_float32.left == 4 * (10 + 1 + 10 + 10));
  const Lifetimes in_16_bits = lifetimes(graph, Dtype::kBfloat16, Sharing::kTraining);
  CHECK(in_16_bits.saved == Counts{2 * 10, 4 * (10 + 1 + 10), 2 * 10});
  CHECK(in_16_bits.left == 4 * (10 + 1 + 10) + 2 * 10);
}

TEST_CASE("a list that is called lives as its unrolled steps do") {
  const std::vector<std::vector<int>> orders{{0},    {0, 0},    {0, 0, 0}, {0, 0, 0, 0, 0, 0, 0},
                                             {0, 1}, {0, 1, 0}, {0, 0, 1}, {0, 1, 1, 0, 0, 1, 0}};
  for (const std::vector<int>& order : orders) {
    CAPTURE(order.size());
    CAPTURE(order.back());
    const Graph graph = list_of(order);
    check_same(graph, Dtype::kFloat32);
    check_same(graph, Dtype::kBfloat16);
    // Row by row, too: the rows of a body stand for those of all its repetitions.
    const Graph whole = unroll(graph);
    const Counts called = lifetimes(graph, Dtype::kFloat32, Sharing::kTraining).saved,
                 unrolled = lifetimes(whole, Dtype::kFloat32, Sharing::kTraining).saved;
    const std::vector<Row> rows = rows_of(graph);
    for (size_t r = 0; r < rows.size(); ++r) {
      const bool wide = rows[r].prefix == "wide_";
      Count sum = 0;
      for (size_t s = 0; s < whole.steps().size(); ++s) {
        const std::string& name = whole.steps()[s].name;
        const size_t place = name.find('.');  // "layers.2.widen"
        if (place == std::string::npos) {
          if (rows[r].times == 1 && name == rows[r].name()) sum += unrolled[s];
          continue;
        }
        const size_t repetition = static_cast<size_t>(name[place + 1] - '0');
        const bool same = (order[repetition] == 1) == wide && rows[r].body != nullptr;
        if (same && name.substr(place + 3) == rows[r].step.name) sum += unrolled[s];
      }
      CAPTURE(rows[r].name());
      CHECK(to_string(called[r]) == to_string(sum));
    }
  }
}

TEST_CASE("layers that repeat live as their unrolled steps do") {
  RawConfig sizes{{"batch_size", raw(2)}, {"seq_len", raw(6)},     {"hidden_size", raw(8)},
                  {"num_heads", raw(4)},  {"vocab_size", raw(11)}, {"intermediate_size", raw(12)}};
  const std::pair<const char*, RawConfig> cases[] = {
      {"encoder", {{"dropout", raw(0.1)}}},
      {"encoder", {{"position", raw("relative")}, {"norm_first", raw(true)}}},
      {"decoder", {}},
      {"decoder", {{"window", raw(4)}, {"full_every", raw(2)}, {"past_len", raw(3)}}},
      {"decoder", {{"window", raw(4)}, {"full_every", raw(3)}, {"rope_local_base_freq", raw(30)}}}};
  for (const auto& [layer, more] : cases) {
    for (const int num_layers : {1, 2, 3, 7}) {
      RawConfig fields = sizes;
      fields.insert(fields.end(), more.begin(), more.end());
      fields.emplace_back("num_layers", raw(num_layers));
      CAPTURE(layer);
      CAPTURE(num_layers);
      for (const Dtype dtype : {Dtype::kFloat32, Dtype::kBfloat16}) {
        check_same(graph_of(config(layer, fields)), dtype);
      }
    }
  }
}

TEST_CASE("directions and layers of a recurrent layer live as their unrolled steps do") {
  for (const char* cell : {"lstm", "gru", "rnn_tanh"}) {
    for (const bool bidirectional : {false, true}) {
      for (const int num_layers : {1, 2, 3}) {
        CAPTURE(cell);
        CAPTURE(bidirectional);
        CAPTURE(num_layers);
        const Config recurrent =
            config("recurrent_encoder", {{"cell", raw(cell)},
                                         {"batch_size", raw(2)},
                                         {"seq_len", raw(5)},
                                         {"input_size", raw(3)},
                                         {"hidden_size", raw(4)},
                                         {"num_layers", raw(num_layers)},
                                         {"bidirectional", raw(bidirectional)}});
        for (const Dtype dtype : {Dtype::kFloat32, Dtype::kBfloat16}) {
          check_same(graph_of(recurrent), dtype);
        }
      }
    }
  }
}

TEST_CASE("a tensor that is held is let go after the step until which it is held") {
  Graph graph;
  const TensorId x = graph.add_input("x", {10});
  const TensorId a = add(graph, "a", activation_named("relu"), {x});
  const TensorId b = add(graph, "b", activation_named("relu"), {a});
  const TensorId c = add(graph, "c", activation_named("relu"), {b});
  CHECK(lifetimes(graph, Dtype::kFloat32, Sharing::kInference).peak == 4 * 20);
  graph.hold(a);
  graph.add_result("d", add(graph, "d", activation_named("relu"), {c}));
  CHECK(lifetimes(graph, Dtype::kFloat32, Sharing::kInference).peak == 4 * 30);
  CHECK(named(timeline(graph, Dtype::kFloat32), "a").freed == 2);
}

TEST_CASE("the peak of a step of training is what is counted at each of its steps") {
  Recipe recipe{.loss = {.kind = Loss::Kind::kSquaredError, .target = Loss::Target::kNumbers}};
  for (const Config& one : small_configs()) {
    const Graph graph = graph_of(one);
    const size_t parameters = graph.parameters().flat_count();
    for (const bool first_frozen : {false, true}) {
      const bool has_blocks =
          std::ranges::any_of(graph.loops(), [](const Loop& one) { return one.list != nullptr; });
      recipe.checkpointing = first_frozen && has_blocks;
      if (parameters <= (first_frozen ? 1 : 0)) continue;
      recipe.frozen.clear();
      if (first_frozen) recipe.frozen.push_back(graph.parameters().at(0).first);
      const std::string name(one.layer().name);
      CAPTURE(name);
      CAPTURE(first_frozen);
      const TrainingGraph training = training_graph(one, recipe);
      for (const Dtype dtype : {Dtype::kFloat32, Dtype::kBfloat16}) {
        CHECK(to_string(lifetimes(training.graph, dtype, Sharing::kTraining).peak) ==
              to_string(most_by_counting(training.graph, dtype, Sharing::kTraining)));
      }
    }
  }
}

TEST_CASE("what a later repetition takes is alive in the rows of those before it") {
  // The second layer does not take the table of the first and the third.
  const std::vector<Lifetime> lives = timeline(list_of({0, 1, 0}), Dtype::kFloat32);
  const int after = named(lives, "after").born;
  CHECK(named(lives, "table").freed == after - 1);
  CHECK(named(lives, "wide_table").freed == named(lives, "wide_with_table").born);
  // Behind the second layer of two nothing takes the first one's.
  const std::vector<Lifetime> others = timeline(list_of({0, 0, 1}), Dtype::kFloat32);
  CHECK(named(others, "table").freed == named(others, "wide_hidden").born - 1);
  CHECK(named(others, "hidden").freed == named(others, "activated").born);
  CHECK(named(others, "wide_hidden").freed == named(others, "after").born);
}

TEST_CASE("a number for each query and key is left out of the second peak, in a body as well") {
  for (const std::string layer : {"encoder", "decoder"}) {
    const Graph graph = graph_of(config(layer.c_str(), {{"batch_size", raw(2)},
                                                        {"seq_len", raw(64)},
                                                        {"hidden_size", raw(8)},
                                                        {"vocab_size", raw(11)},
                                                        {"intermediate_size", raw(12)},
                                                        {"num_layers", raw(3)},
                                                        {"num_heads", raw(4)}}));
    const Lifetimes lives = lifetimes(graph, Dtype::kFloat32, Sharing::kInference);
    CAPTURE(layer);
    CHECK(lives.peak >= 4 * 2 * 4 * 64 * 64);
    CHECK(lives.peak_without_pairs < 4 * 2 * 4 * 64 * 64);
  }
}
