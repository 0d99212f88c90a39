#include "../../../cpp/run/weights.h"

#include "../../../cpp/ops/linear.h"
#include "../support.h"

using namespace attnscope;
using namespace attnscope::testing;

namespace {

constexpr int64_t kIn = 5, kOut = 9;
constexpr double kTolerance = 1e-6;  // five products in float32

/// y = x Wᵀ + b over so many positions, and the rows of W in two parts.
struct Projected {
  std::shared_ptr<Parameters> parameters = std::make_shared<Parameters>();
  LinearModule linear = declare_linear(*parameters, "project", kIn, kOut, true);
  Graph graph{parameters};
  TensorId weight = graph.use(linear.weight), bias = graph.use(linear.bias);
  TensorId upper = graph.use({linear.weight.parameter, 0, 8});
  TensorId lower = graph.use({linear.weight.parameter, 8, kOut});

  explicit Projected(int64_t positions) {
    const TensorId x = graph.add_input("x", {positions, kIn});
    graph.add_result("y", apply_linear(graph, linear, "project", x, "y"));
  }
};

std::shared_ptr<ParameterValues> values_of(const Graph& graph, uint64_t seed) {
  return std::make_shared<ParameterValues>(initial_values(graph.parameters(), seed));
}

/// One row of x times the packed weight.
std::vector<float> times(const PackedMatrix& packed, const std::vector<float>& x) {
  std::vector<float> y(static_cast<size_t>(packed.n()), NAN);
  packed.multiply(x.data(), nullptr, y.data(), 1, 0, packed.n(), nullptr);
  return y;
}

/// The same by plain loops, of rows from `first` on.
void check_product(const PackedMatrix& packed, const Values& weight, int64_t first) {
  const std::vector<float> x = random_floats(kIn, 3), y = times(packed, x);
  for (size_t row = 0; row < y.size(); ++row) {
    double expected = 0.0;
    for (size_t i = 0; i < kIn; ++i) {
      const size_t place = (row + static_cast<size_t>(first)) * kIn + i;
      expected += static_cast<double>(x[i]) * weight.data()[place];
    }
    CAPTURE(row);
    check_close(y[row], expected, kTolerance);
  }
}

const PackedMatrix* bound_to(const BoundWeights& bound, Packing packing) {
  return bound.packed[packing.place()];
}

}  // namespace

TEST_CASE("a graph is bound to the values of its parameters, and to no others") {
  const Projected layer(3);
  Weights weights(values_of(layer.graph, 1), Dtype::kFloat32);
  const BoundWeights bound = weights.bind(layer.graph, {layer.weight});
  for (TensorId id = 0; id < std::ssize(layer.graph.tensors()); ++id) {
    CAPTURE(layer.graph.name_of(id));
    CHECK((bound_to(bound, id) != nullptr) == (id == layer.weight));
  }
  const auto value = [&](TensorId id) {
    return &bound.values[static_cast<size_t>(layer.graph.tensor(id).parameter)];
  };
  CHECK(value(layer.weight) == &weights.values()[0]);
  CHECK(value(layer.bias) == &weights.values()[1]);
  CHECK(value(layer.lower) == &weights.values()[0]);  // a view has what it views
  check_product(*bound_to(bound, layer.weight), weights.values()[0], 0);
}

TEST_CASE("a weight is packed once, for whatever graph") {
  const Projected layer(3), longer(70);
  Weights weights(values_of(layer.graph, 1), Dtype::kFloat32);
  CHECK(weights.packed_bytes() == 0);
  const PackedMatrix* packed = bound_to(weights.bind(layer.graph, {layer.weight}), layer.weight);
  const Count bytes = PackedMatrix::bytes(kOut, kIn, Dtype::kFloat32);
  CHECK(weights.packed_bytes() == bytes);
  const BoundWeights again = weights.bind(longer.graph, {longer.weight, longer.weight});
  CHECK(bound_to(again, longer.weight) == packed);
  CHECK(weights.packed_bytes() == bytes);
}

TEST_CASE("packed weights stay where they are while others are packed") {
  auto parameters = std::make_shared<Parameters>();
  std::vector<Weight> declared;
  for (int i = 0; i < 40; ++i) {
    const std::string name = "linear" + std::to_string(i);
    declared.push_back(declare_linear(*parameters, name, kIn, kOut, false).weight);
  }
  Graph graph(parameters);
  std::vector<Packing> ids;
  for (const Weight& weight : declared) ids.push_back(graph.use(weight));
  Weights weights(values_of(graph, 1), Dtype::kFloat32);
  const PackedMatrix* first = bound_to(weights.bind(graph, {ids[0]}), ids[0]);
  const BoundWeights all = weights.bind(graph, ids);
  CHECK(bound_to(all, ids[0]) == first);
  for (size_t i = 0; i < ids.size(); ++i) {
    check_product(*bound_to(all, ids[i]), weights.values()[i], 0);
  }
}

TEST_CASE("rows of a weight are packed by themselves") {
  const Projected layer(3);
  Weights weights(values_of(layer.graph, 1), Dtype::kFloat32);
  const BoundWeights bound = weights.bind(layer.graph, {layer.upper, layer.lower, layer.weight});
  check_product(*bound_to(bound, layer.upper), weights.values()[0], 0);
  check_product(*bound_to(bound, layer.lower), weights.values()[0], 8);
  // The first rows begin where the whole weight does, and are not taken for it.
  check_product(*bound_to(bound, layer.weight), weights.values()[0], 0);
  CHECK(bound_to(bound, layer.upper)->n() == 8);
  CHECK(bound_to(bound, layer.weight)->n() == kOut);
}

TEST_CASE("a turned weight is packed beside the weight, follows its values, and is float32") {
  const Projected layer(3);
  const Packing turned(layer.weight, true);
  Weights weights(values_of(layer.graph, 1), Dtype::kFloat32);
  const std::vector<Packing> both{layer.weight, turned, turned};
  const BoundWeights bound = weights.bind(layer.graph, both);
  const Count bytes = PackedMatrix::bytes(kOut, kIn, Dtype::kFloat32) +
                      PackedMatrix::bytes(kIn, kOut, Dtype::kFloat32);
  CHECK(weights.packed_bytes() == bytes);
  CHECK(packed_bytes(layer.graph, both, Dtype::kFloat32) == bytes);
  check_product(*bound_to(bound, layer.weight), weights.values()[0], 0);

  const auto check_turned = [&] {
    const std::vector<float> x = random_floats(kOut, 4), y = times(*bound_to(bound, turned), x);
    REQUIRE(y.size() == kIn);
    for (size_t column = 0; column < kIn; ++column) {
      double expected = 0.0;
      for (size_t row = 0; row < kOut; ++row) {
        expected += static_cast<double>(x[row]) * weights.values()[0].data()[row * kIn + column];
      }
      CAPTURE(column);
      check_close(y[column], expected, kTolerance);
    }
  };
  check_turned();
  weights.assign(initial_values(*layer.parameters, 2));
  check_turned();

  Weights narrow(weights.shared_values(), Dtype::kBfloat16);
  CHECK_THROWS_WITH_AS(narrow.bind(layer.graph, {turned}),
                       "turned weights are packed in float32 alone", std::logic_error);
}

TEST_CASE("values that are assigned are seen by what is bound already") {
  const Projected layer(3);
  Weights weights(values_of(layer.graph, 1), Dtype::kFloat32);
  const BoundWeights bound = weights.bind(layer.graph, {layer.weight, layer.lower});
  const ParameterValues other = initial_values(*layer.parameters, 2);
  REQUIRE(other[0] != weights.values()[0]);
  weights.assign(other);
  CHECK(bound.values[0] == other[0]);
  CHECK(bound.values[1] == other[1]);
  check_product(*bound_to(bound, layer.weight), other[0], 0);
  check_product(*bound_to(bound, layer.lower), other[0], 8);
}

TEST_CASE("values that a run changed in place are seen once they are packed again") {
  const Projected layer(3);
  Weights weights(values_of(layer.graph, 1), Dtype::kFloat32);
  const BoundWeights bound = weights.bind(layer.graph, {layer.weight});
  const Values before = weights.values()[0];
  for (float& value : (*weights.shared_values())[0]) value = 1 - value;
  check_product(*bound_to(bound, layer.weight), before, 0);
  weights.repack();
  check_product(*bound_to(bound, layer.weight), weights.values()[0], 0);
}

TEST_CASE("formats share the values, and pack each in its own") {
  const Projected layer(3);
  Weights floats(values_of(layer.graph, 1), Dtype::kFloat32);
  const std::vector<Packing> packed{layer.weight, layer.lower, layer.lower};
  for (const Dtype dtype : {Dtype::kFloat16, Dtype::kBfloat16, Dtype::kInt8}) {
    CAPTURE(format_of(dtype).name);
    Weights narrow(floats.shared_values(), dtype);
    CHECK(narrow.storage() == dtype);
    CHECK(&narrow.values() == &floats.values());
    narrow.bind(layer.graph, packed);
    const Count bytes = PackedMatrix::bytes(kOut, kIn, dtype) + PackedMatrix::bytes(1, kIn, dtype);
    CHECK(narrow.packed_bytes() == bytes);
    CHECK(packed_bytes(layer.graph, packed, dtype) == bytes);  // the same before anything is packed
  }
  CHECK(floats.packed_bytes() == 0);
}
