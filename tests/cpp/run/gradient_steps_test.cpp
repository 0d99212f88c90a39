// Single steps of a backward pass, of shapes that layers have seldom or only when they are large.

#include <optional>

#include "../../../cpp/graph/graph.h"
#include "../../../cpp/ops/arithmetic.h"
#include "../../../cpp/ops/concat.h"
#include "../../../cpp/ops/each_sequence.h"
#include "../../../cpp/ops/embedding.h"
#include "../../../cpp/ops/flatten.h"
#include "../../../cpp/ops/last_position.h"
#include "../../../cpp/ops/matmul.h"
#include "../../../cpp/ops/norm.h"
#include "../../../cpp/ops/pooling.h"
#include "../../../cpp/ops/positions.h"
#include "../../../cpp/ops/reshape.h"
#include "../../../cpp/ops/softmax.h"
#include "../../../cpp/run/execute.h"
#include "../../../cpp/run/threads.h"
#include "inputs.h"

using namespace attnscope;
using namespace attnscope::testing;

namespace {

/// An operation on inputs: an optional mask where one has a negative limit, integers where it is
/// above 0.
struct Given {
  Shape shape;
  int64_t limit = 0;
};

/// Its kernel against its reference, on all threads and watched, with the same bits. `tolerance`:
/// of the largest number.
void check_step(const OpPtr& op, const std::vector<Given>& given, double tolerance = 1e-6) {
  Graph graph;
  std::vector<TensorId> ids;
  for (const auto& [shape, limit] : given) {
    const std::string name = "input" + std::to_string(ids.size());
    ids.push_back(
        limit > 0 ? graph.add_integer_input(name, shape, limit)
                  : graph.add_input(name, shape, limit < 0 ? Role::kOptionalInput : Role::kInput));
  }
  graph.add_result("result", graph.add_step("step", "backward", op, ids, "result"));
  CAPTURE(op->name());
  for (const Given& one : given) CAPTURE(to_string(one.shape));
  const RandomInputs inputs(graph, true);
  const Values expected = run_reference(graph, ParameterValues(), inputs.pointers)[0];
  double largest = 0.0;
  for (const double one : expected) largest = std::max(largest, std::abs(one));
  std::optional<Values> first;
  Weights weights(std::make_shared<ParameterValues>(), Dtype::kFloat32);
  for (const int threads : kThreadCounts) {
    CAPTURE(threads);
    set_thread_count(threads);
    const Schedule schedule(graph);
    for (const bool watched : {false, true}) {
      CAPTURE(watched);
      const auto ignore = [](double) {};
      const Values actual = execute(schedule, weights.bind(graph, {}), inputs.pointers,
                                    watched ? Progress(ignore) : Progress())[0];
      if (first) {
        const bool same_bits = actual == *first;
        CHECK(same_bits);
        continue;
      }
      REQUIRE(shape_of(actual) == shape_of(expected));
      double error = 0.0;
      for (size_t i = 0; i < actual.size(); ++i) {
        const double difference =
            std::abs(static_cast<double>(actual.data()[i]) - expected.data()[i]);
        error = difference <= error ? error : difference;  // NaN stays
      }
      CHECK(error <= tolerance * largest);
      first = actual;
    }
  }
  set_thread_count(1);
}

template <class Operation, class... Arguments>
OpPtr op(Arguments&&... arguments) {
  return std::make_shared<const Operation>(std::forward<Arguments>(arguments)...);
}

}  // namespace

TEST_CASE("sums to shapes that lack first, middle and last dimensions") {
  const Shape x{3, 4, 5, 6};
  for (const Shape& to : {Shape{6}, Shape{1}, Shape{5, 6}, Shape{4, 1, 1}, Shape{3, 1, 5, 1},
                          Shape{1, 4, 1, 6}, Shape{3, 4, 5, 1}, Shape{3, 1, 1, 6},
                          Shape{1, 1, 1, 1}, Shape{3, 4, 5, 6}, Shape{1, 4, 5, 1}}) {
    check_step(op<SumTo>(to), {{x}});
    check_step(op<Expand>(x), {{to}});
  }
  check_step(op<SumTo>(Shape{300}), {{Shape{7, 90, 300}}});
  check_step(op<SumTo>(Shape{700, 1}), {{Shape{700, 33}}});
  check_step(op<SumTo>(Shape{2, 1, 40, 9}), {{Shape{2, 70, 40, 9}}});
}

TEST_CASE("zeros around any dimension") {
  for (const int dimension : {0, 1, 2}) {
    check_step(op<Pad>(dimension, 2, 0), {{Shape{3, 4, 5}}});
    check_step(op<Pad>(dimension, 0, 3), {{Shape{3, 4, 5}}});
    check_step(op<Pad>(dimension, 1, 2), {{Shape{3, 4, 5}}});
  }
}

TEST_CASE("products of turned matrices around the sizes of their blocks") {
  using Batches = TransposedMatmul::Batches;
  // Each number is a sum of M terms, which float32 adds in their order.
  const auto check = [](Batches batches, const Shape& rows, int64_t K, int64_t N) {
    Shape a = rows, b = rows;
    a.emplace_back(K);
    b.emplace_back(N);
    check_step(op<TransposedMatmul>(batches), {{a}, {b}}, 2e-6);
  };
  const int64_t sizes[][2] = {{1, 1}, {1, 9}, {9, 1}, {2, 8}, {3, 9}, {40, 33}, {31, 200}};
  for (const auto& [K, N] : sizes) {
    for (const int64_t M : {1, 2, 5, 30}) {
      check(Batches::kSum, {3, M}, K, N);
      check(Batches::kApart, {3, M}, K, N);
      check(Batches::kApart, {1, 2, M}, K, N);
    }
  }
  check(Batches::kSum, {2, 385}, 300, 40);   // two blocks of terms
  check(Batches::kSum, {1600}, 7, 9);        // three
  check(Batches::kApart, {2, 800}, 200, 9);  // and of rows
  check(Batches::kSum, {770}, 12'000, 3);    // so many that what is turned comes in parts
  check(Batches::kSum, {770}, 3, 12'000);    // or what is packed
}

TEST_CASE("products with a shared right-hand side around the sizes of their blocks") {
  using Right = Matmul::Right;
  const int64_t sizes[][3] = {{1, 1, 1},      {2, 9, 5},    {3, 8, 16},      {70, 33, 90},
                              {300, 700, 80}, {9, 3, 1600}, {3, 12'000, 770}};
  for (const auto& [M, N, K] : sizes) {
    check_step(op<Matmul>(Right::kPlain), {{Shape{2, M, K}}, {Shape{K, N}}}, 2e-6);
    check_step(op<Matmul>(Right::kTransposed), {{Shape{2, M, K}}, {Shape{N, K}}}, 2e-6);
  }
  check_step(op<Matmul>(Right::kTransposed), {{Shape{3, 1, 70}}, {Shape{3, 9, 70}}}, 2e-6);
}

TEST_CASE("weights of norms over many rows") {
  for (const bool centred : {true, false}) {
    const Normalizer norm{.centred = centred, .eps = 1e-5};
    check_step(op<NormWeightGradient>(norm), {{Shape{5, 100, 70}}, {Shape{5, 100, 70}}}, 2e-6);
    check_step(op<NormWeightGradient>(norm), {{Shape{9, 300}}, {Shape{9, 300}}}, 2e-6);
  }
}

TEST_CASE("gradients of pooling with masks of every shape that broadcasts") {
  const Shape x{3, 7, 5}, y{3, 5};
  for (const Shape& mask : {Shape{3, 7}, Shape{1, 7}, Shape{7}}) {
    check_step(op<MeanPoolGradient>(7), {{y}, {mask, -1}});
    check_step(op<MaxPoolGradient>(), {{y}, {x}, {y}, {mask, -1}});
  }
  check_step(op<MeanPoolGradient>(7), {{y}});
}

TEST_CASE("the last position and all positions, there and back, with masks of every shape") {
  const Shape x{3, 7, 5}, y{3, 5}, flat{3, 35};
  for (const Shape& mask : {Shape{3, 7}, Shape{1, 7}, Shape{7}}) {
    check_step(op<LastPosition>(), {{x}, {mask, -1}});
    check_step(op<LastPositionGradient>(7), {{y}, {mask, -1}});
    check_step(op<Flatten>(), {{x}, {mask, -1}});
    check_step(op<FlattenGradient>(x), {{flat}, {mask, -1}});
  }
  check_step(op<LastPosition>(), {{x}});
  check_step(op<LastPositionGradient>(7), {{y}});
  check_step(op<Flatten>(), {{x}});
  check_step(op<FlattenGradient>(x), {{flat}});
}

TEST_CASE("rows for each sequence, and products with what broadcasts") {
  check_step(op<EachSequence>(), {{Shape{4, 5}}, {Shape{3, 7, 2}}});
  for (const Shape& part : {Shape{3, 4, 5}, Shape{4, 5}, Shape{5}, Shape{1}, Shape{4, 1}}) {
    check_step(op<Multiply>(), {{Shape{3, 4, 5}}, {part}});
  }
}

TEST_CASE("rows of tokens that come once, several times and never") {
  check_step(op<EmbeddingGradient>(11), {{Shape{4, 9, 37}}, {Shape{4, 9}, 11}});
  check_step(op<EmbeddingGradient>(500), {{Shape{4, 9, 70}}, {Shape{4, 9}, 500}});
  check_step(op<EmbeddingGradient>(2), {{Shape{600, 3}}, {Shape{600}, 2}});
  check_step(op<EmbeddingGradient>(3), {{Shape{20, 769, 24}}, {Shape{20, 769}, 3}});
  for (const int64_t padding : {0, 3, 10}) {
    check_step(op<EmbeddingGradient>(11, padding), {{Shape{4, 9, 37}}, {Shape{4, 9}, 11}});
  }
}

TEST_CASE("a mask of the keys, of every shape that broadcasts, in a softmax by itself") {
  const Shape scores{3, 2, 4, 7};
  for (const Shape& mask : {Shape{3, 7}, Shape{1, 7}, Shape{7}}) {
    check_step(op<Softmax>(Band{}, MaskOf::kKeys), {{scores}, {mask, -1}});
    check_step(op<Softmax>(Band{.is_causal = true}, MaskOf::kKeys), {{scores}, {mask, -1}});
  }
}

TEST_CASE("buckets of distances, near and far, both ways and back") {
  for (const bool both_ways : {true, false}) {
    check_step(op<RelativeBiasGradient>(0, both_ways), {{Shape{3, 200, 190}}});
    check_step(op<RelativeBiasGradient>(40, both_ways), {{Shape{2, 5, 45}}});
  }
}

TEST_CASE("pairs are turned back") {
  for (const bool interleaved : {false, true}) {
    check_step(op<Rotate>(interleaved, true), {{Shape{2, 3, 70, 12}}, {Shape{2, 70, 12}}});
  }
}
