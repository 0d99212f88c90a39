// How often memory is asked for: by an estimate of each layer, and by a run of inputs whose shapes
// have been seen before. No noise hides a change of these numbers.

#include "allocations.h"

#include <algorithm>
#include <iterator>

#include "../../cpp/analysis/estimate.h"
#include "run/inputs.h"
#include "support.h"

#if defined(__GLIBCXX__)  // other standard libraries ask more often, or less often

using namespace attnscope;
using namespace attnscope::testing;

namespace {

constexpr Count kNoLimit = Count{1} << 40;

struct Allocations {
  const char* layer;
  int64_t estimate;  // with the layer's defaults, without its steps
  int64_t forward;   // a second one, of two sequences of two positions
};

constexpr Allocations kKnown[] = {
    {"linear_scorer", 80, 16},
    {"additive_scorer", 104, 15},
    {"gated_attention_pooling", 133, 15},
    {"timestep_attention", 89, 15},
    {"mean_pooling", 40, 13},
    {"max_pooling", 40, 13},
    {"dense", 57, 13},
    {"recurrent_encoder", 332, 17},
    {"bahdanau_attention", 129, 16},
    {"luong_attention", 84, 16},
    {"scaled_dot_product_attention", 83, 16},
    {"attention_layer", 154, 16},
    {"self_attention", 197, 15},
    {"multihead_attention", 181, 15},
    {"grouped_query_attention", 210, 15},
    {"latent_attention", 277, 15},
    {"sequence_classifier", 93, 16},
    {"attention_classifier", 268, 15},
    {"transformer_encoder_layer", 324, 15},
    {"transformer_decoder_layer", 543, 18},
    {"encoder", 537, 17},
    {"decoder", 530, 15},
};

int64_t of_estimate(const Layer& layer) {
  const Config config = resolve({{"layer", raw(std::string(layer.name).c_str())}});
  estimate_json(config, {.steps = false});  // makes what is made once
  start_counting();
  estimate_json(config, {.steps = false});
  return allocations();
}

int64_t of_second_forward(const Layer& layer) {
  RawConfig fields{{"layer", raw(std::string(layer.name).c_str())}};
  for (const Field& field : layer.fields) {
    if (field.name == "batch_size" || field.name == "seq_len") {
      fields.emplace_back(field.name, raw(2));
    }
  }
  const Model model(resolve(fields), 0, kNoLimit);
  const RandomInputs inputs(model.graph(), false);
  std::vector<GivenShape> given;
  for (const TensorId id : model.graph().inputs()) {
    if (const Values* values = inputs.pointers[static_cast<size_t>(id)]) {
      given.emplace_back(id, shape_of(*values));
    }
  }
  model.run(*model.plan({}, given), inputs.pointers, {});
  start_counting();
  model.run(*model.plan({}, given), inputs.pointers, {});
  return allocations();
}

}  // namespace

TEST_CASE("an estimate and a second forward ask for memory no more often than is written down") {
  for (const Layer* layer : layers()) {
    CAPTURE(layer->name);
    const auto* const known =
        std::find_if(std::begin(kKnown), std::end(kKnown),
                     [&](const Allocations& one) { return one.layer == layer->name; });
    const int64_t estimate = of_estimate(*layer), forward = of_second_forward(*layer);
    REQUIRE(known != std::end(kKnown));
    CHECK(estimate <= known->estimate);
    CHECK(forward <= known->forward);
  }
}

#endif
