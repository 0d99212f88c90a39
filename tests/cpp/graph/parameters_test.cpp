#include "../../../cpp/graph/parameters.h"

#include "../../../cpp/graph/graph.h"
#include "../../../cpp/graph/unroll.h"
#include "../../../cpp/run/parameters.h"
#include "../../../cpp/run/reference.h"
#include "../../../cpp/run/weights.h"
#include "../configs.h"
#include "../run/inputs.h"

using namespace attnscope;
using namespace attnscope::testing;

namespace {

using Names = std::vector<std::string>;
using Set = std::shared_ptr<Parameters>;

/// The state dict as PyTorch lists it: module by module, through each place of a list. `numbers`
/// are the flat ones, of the same.
void list_state(const Parameters& set, const std::string& prefix, size_t begin, Names& names,
                std::vector<size_t>& numbers) {
  for (size_t m = 0; m < set.modules().size(); ++m) {
    const Module& module = set.modules()[m];
    if (module.member == kNoMember) {
      for (ParameterId id = 0; id < set.count(); ++id) {
        if (set.module_of(id) != static_cast<int>(m)) continue;
        names.push_back(prefix + set.name_of(id));
        numbers.push_back(begin + set.flat(id));
      }
      continue;
    }
    const Member& list = *set.member(module.member);
    for (int place = 0; place < std::ssize(list.order); ++place) {
      const auto kind = static_cast<size_t>(list.order[static_cast<size_t>(place)]);
      list_state(*list.kinds[kind], format("{}{}.{}.", {prefix, list.name, place}),
                 begin + set.begin_of({module.member, place}).parameters, names, numbers);
    }
  }
}

/// A list of two kinds, of which the second has a list of its own, between two modules.
struct Nested {
  Set set = std::make_shared<Parameters>("Whole"), plain = std::make_shared<Parameters>("Plain"),
      group = std::make_shared<Parameters>("Group"), inner = std::make_shared<Parameters>("Inner");

  Nested() {
    add(*set, "first", {2, 3});
    add(*plain, "dense", {4});
    add(*inner, "deep", {5});
    group->add_member({"parts", {inner}, {0, 0}});
    add(*group, "after", {6});
    set->add_member({"layers", {plain, group}, {0, 1, 1, 0}});
    add(*set, "last", {7});
  }

  static void add(Parameters& to, const char* module, Shape shape) {
    to.add(to.add_module(module, ""), "weight", std::move(shape), Init{Init::Kind::kOnes});
  }
};

}  // namespace

TEST_CASE("flat numbers are places in the state dict, of every layer, and at() is the way back") {
  for (const Config& one : small_configs()) {
    CAPTURE(one.layer().name);
    const Graph layer = graph_of(one), graph = unroll(layer);
    const Parameters& set = layer.parameters();
    Names names;
    std::vector<size_t> numbers;
    list_state(set, "", 0, names, numbers);
    REQUIRE(set.flat_count() == names.size());
    Count floats = 0;
    for (size_t i = 0; i < names.size(); ++i) {
      CHECK(numbers[i] == i);
      const auto [name, shape] = set.at(i);
      CHECK(name == names[i]);
      floats += elements(shape);
    }
    CHECK(set.elements() == floats);
    // What runs uses all of them, in that order.
    const std::vector<TensorId> used = graph.used_parameters();
    REQUIRE(used.size() == names.size());
    for (size_t i = 0; i < names.size(); ++i) {
      CHECK(graph.name_of(used[i]) == names[i]);
      CHECK(graph.tensor(used[i]).shape == set.at(i).second);
    }
  }
}

TEST_CASE("lists stand where they are declared, each place with all that its kind has") {
  const Nested nested;
  const Names expected{"first.weight",
                       "layers.0.dense.weight",
                       "layers.1.parts.0.deep.weight",
                       "layers.1.parts.1.deep.weight",
                       "layers.1.after.weight",
                       "layers.2.parts.0.deep.weight",
                       "layers.2.parts.1.deep.weight",
                       "layers.2.after.weight",
                       "layers.3.dense.weight",
                       "last.weight"};
  REQUIRE(nested.set->flat_count() == expected.size());
  for (size_t i = 0; i < expected.size(); ++i) CHECK(nested.set->at(i).first == expected[i]);
  CHECK(nested.set->flat(1) == 9);
  CHECK(nested.set->begin_of({0, 2}).parameters == 5);
  CHECK(nested.set->elements() == 6 + 4 + 2 * (5 + 5 + 6) + 4 + 7);
  const Names modules{"first",
                      "layers",
                      "layers.0.dense",
                      "layers.1.parts",
                      "layers.1.parts.0.deep",
                      "layers.1.parts.1.deep",
                      "layers.1.after",
                      "layers.2.parts",
                      "layers.2.parts.0.deep",
                      "layers.2.parts.1.deep",
                      "layers.2.after",
                      "layers.3.dense",
                      "last"};
  for (size_t i = 0; i < modules.size(); ++i) CHECK(nested.set->module_at(i) == modules[i]);
  CHECK(nested.set->flat_module(2) == 12);
}

TEST_CASE("values have the shapes of the state dict, places of a list one by one") {
  const Nested nested;
  const ParameterValues values = initial_values(*nested.set, 0);
  REQUIRE(values.size() == nested.set->flat_count());
  for (size_t i = 0; i < values.size(); ++i) {
    CHECK(shape_of(values[i]) == nested.set->at(i).second);
    CHECK(values[i].data()[0] == 1.0f);
  }
}

TEST_CASE("sets are the same where names, shapes and order are") {
  const Nested one, other;
  CHECK(same_parameters(*one.set, *one.set));
  CHECK(same_parameters(*one.set, *other.set));
  Nested::add(*other.inner, "more", {1});
  CHECK_FALSE(same_parameters(*one.set, *other.set));
  const Config config = testing::config("decoder"), fewer = config.with("num_layers", int64_t{3}),
               later = config.with("past_len", int64_t{5}),
               wider = testing::config("decoder", {{"hidden_size", raw(32)}});
  const auto same = [&](const Config& as) {
    return same_parameters(graph_of(config).parameters(), graph_of(as).parameters());
  };
  CHECK(same(later));
  CHECK_FALSE(same(fewer));
  CHECK_FALSE(same(wider));
}

TEST_CASE("two graphs of one set are bound to the same values") {
  const Graph layer = graph_of(config("additive_scorer", {{"hidden_size", raw(4)}}));
  const Graph one = unroll(layer), other = unroll(layer);
  CHECK(&one.parameters() == &other.parameters());
  Weights weights(std::make_shared<ParameterValues>(initial_values(layer.parameters(), 0)),
                  Dtype::kFloat32);
  const BoundWeights first = weights.bind(one, {}), second = weights.bind(other, {});
  for (size_t i = 0; i < first.values.size(); ++i) CHECK(&first.values[i] == &second.values[i]);
}

TEST_CASE("a parameter of a module before the latest one is refused") {
  Parameters set;
  const int first = set.add_module("first", "");
  set.add_module("second", "");
  CHECK_THROWS_WITH(set.add(first, "weight", {1}),
                    "weight of first is declared after the module second");
}

TEST_CASE("a body of other parameters than the list's is refused") {
  const Set set = std::make_shared<Parameters>();
  set->add_member({"layers", {std::make_shared<Parameters>("Listed")}, {0}});
  Graph graph(set), body(std::make_shared<Parameters>("Other"));
  const TensorId x = graph.add_input("x", {1}), inner = body.add_input("x", {1});
  body.add_result("x", inner);
  Loop loop{.member = 0};
  loop.bodies.push_back(
      {.graph = std::make_shared<const Graph>(std::move(body)), .arguments = {{.given = x}}});
  CHECK_THROWS_WITH(graph.add_loop(std::move(loop)),
                    "Other is not of the parameters that layers lists");
}
