// What dimensions go over, in every layer.

#include "../../../cpp/graph/rows.h"
#include "../../../cpp/ops/arithmetic.h"
#include "../../../cpp/ops/linear.h"
#include "../../../cpp/ops/matmul.h"
#include "../support.h"

using namespace attnscope;
using namespace attnscope::testing;

namespace {

using Names = std::vector<std::string_view>;

Names axes(const Shape& shape) {
  Names names;
  for (const Dimension& dimension : shape) names.push_back(name_of(dimension.axis));
  return names;
}

void check_named(const std::string& name, const Shape& shape) {
  CAPTURE(name);
  CAPTURE(to_string(shape));
  const bool rotation = name.find("rotation") != name.npos;  // cosines, then sines
  for (size_t i = rotation ? 1 : 0; i < shape.size(); ++i) CHECK(shape[i].axis != Axis::kNone);
}

}  // namespace

TEST_CASE("every dimension of every layer has a name") {
  for (const Layer* layer : layers()) {
    CAPTURE(layer->name);
    const Graph graph = graph_of(config(layer->name.data()));
    for (const TensorId id : graph.inputs()) {
      check_named(graph.tensor(id).name, graph.tensor(id).shape);
    }
    for (const Row& row : rows_of(graph)) {
      for (const TensorId id : row.step.outputs()) {
        check_named(row.name_of(id), row.graph.tensor(id).shape);
      }
    }
  }
}

TEST_CASE("attention weights go over batch, heads, queries and keys; caches over layers as well") {
  const Graph decoder = graph_of(config("decoder", {{"past_len", raw(3)},
                                                    {"window", raw(2)},
                                                    {"full_every", raw(2)},
                                                    {"num_kv_heads", raw(2)}}));
  CHECK(axes(decoder.tensor(decoder.results()[0].tensor).shape) ==
        Names{"batch", "position", "vocabulary"});
  CHECK(axes(decoder.tensor(decoder.results()[1].tensor).shape) ==
        Names{"batch", "head", "query", "key"});
  for (const TensorId id : decoder.inputs()) {
    const Tensor& input = decoder.tensor(id);
    if (!decoder.is_cached(id)) continue;
    CHECK(axes(input.shape) == Names{"layer", "batch", "kv_head", "position", "head_feature"});
  }
  const Graph scorer = graph_of(config("additive_scorer"));
  CHECK(axes(scorer.tensor(scorer.results()[0].tensor).shape) == Names{"batch", "hidden"});
  CHECK(axes(scorer.tensor(scorer.results()[1].tensor).shape) == Names{"batch", "position"});
}

TEST_CASE("dimensions of different things do not meet, whatever their sizes are") {
  const Dimension batch{4, Axis::kBatch}, query{4, Axis::kQuery}, key{4, Axis::kKey};
  const Dimension position{4, Axis::kPosition}, hidden{4, Axis::kHidden}, none{4};
  CHECK_FALSE(fits(query, key));
  CHECK_FALSE(fits(batch, position));
  CHECK_FALSE(fits(hidden, {4, Axis::kHeadFeature}));
  CHECK(fits(position, key));
  CHECK(fits(hidden, {4, Axis::kFeature}));
  CHECK(fits({4, Axis::kKvHead}, {4, Axis::kHead}));
  CHECK(fits(none, batch));
  CHECK_FALSE(fits(none, {5, Axis::kBatch}));

  const Shape scores{batch, query, key}, turned{batch, key, query}, rows{hidden, batch};
  CHECK_THROWS_WITH(
      Add().output_shape({&scores, &turned}),
      "add: (4 batch, 4 key, 4 query) does not broadcast to (4 batch, 4 query, 4 key)");
  CHECK_THROWS(Multiply().output_shape({&scores, &turned}));
  CHECK_THROWS(Matmul(Matmul::Right::kPlain).output_shape({&scores, &scores}));
  CHECK_THROWS(Linear().output_shape({&scores, &rows}));
}
