// Estimates read a repeated block once and multiply. The unrolled graph, which has every
// iteration, judges them.

#include "../../../cpp/analysis/cost.h"
#include "../../../cpp/analysis/memory.h"
#include "../../../cpp/graph/unroll.h"
#include "../support.h"

using namespace attnscope;
using namespace attnscope::testing;

namespace {

RawConfig sized(int num_layers, RawConfig more) {
  RawConfig fields{{"batch_size", raw(2)},     {"seq_len", raw(6)},
                   {"hidden_size", raw(8)},    {"num_heads", raw(4)},
                   {"vocab_size", raw(11)},    {"intermediate_size", raw(12)},
                   {"max_positions", raw(16)}, {"num_layers", raw(num_layers)}};
  fields.insert(fields.end(), more.begin(), more.end());
  return fields;
}

struct Case {
  const char* layer;
  RawConfig fields;
};

const std::vector<Case> kCases{
    {"encoder", {}},
    {"encoder", {{"norm_first", raw(true)}, {"dropout", raw(0)}}},
    {"encoder", {{"position", raw("relative")}, {"pooler", raw(false)}}},
    {"encoder", {{"position", raw("alibi")}, {"bias", raw(false)}, {"activation", raw("relu")}}},
    {"decoder", {}},
    {"decoder", {{"position", raw("learned")}, {"norm", raw("layer_norm")}, {"gated", raw(false)}}},
    {"decoder", {{"position", raw("relative")}, {"tie_embeddings", raw(true)}}},
    {"decoder", {{"past_len", raw(5)}, {"num_kv_heads", raw(2)}, {"qk_norm", raw(true)}}},
    {"decoder", {{"past_len", raw(9)}, {"window", raw(4)}, {"full_every", raw(2)}}},
    {"decoder", {{"past_len", raw(9)}, {"window", raw(4)}, {"post_norms", raw(true)}}},
    {"decoder",
     {{"window", raw(4)},
      {"full_every", raw(2)},
      {"rope_local_base_freq", raw(30)},
      {"norm", raw("rms_norm_plus_one")},
      {"attn_logit_softcapping", raw(5)},
      {"final_logit_softcapping", raw(3)},
      {"embedding_scale", raw(2)}}},
};

std::string text(const StepCost& cost) {
  std::string text =
      to_string(cost.parameters) + " parameters, " + to_string(cost.bytes_moved) + " moved";
  for (const Count count : cost.operations.counts()) text += ", " + to_string(count);
  return text;
}

void check_parts(const LayerCost& compact, const LayerCost& whole) {
  REQUIRE(compact.parts.size() == whole.parts.size());
  for (size_t i = 0; i < whole.parts.size(); ++i) {
    CHECK(compact.parts[i].part == whole.parts[i].part);
    CHECK(text(compact.parts[i].cost) == text(whole.parts[i].cost));
  }
}

}  // namespace

TEST_CASE("what repeated layers cost and keep is what the unrolled ones do") {
  for (const Case& one : kCases) {
    for (const int num_layers : {1, 2, 5}) {
      for (const Dtype dtype : {Dtype::kFloat32, Dtype::kBfloat16}) {
        const Graph compact = graph_of(config(one.layer, sized(num_layers, one.fields)));
        const Graph whole = unroll(compact);
        const std::string name = std::string(one.layer) + " " +
                                 std::to_string(&one - kCases.data()) + ", " +
                                 std::to_string(num_layers) + " layers";
        CAPTURE(name);
        const LayerCost of_compact = cost(rows_of(compact), dtype);
        const LayerCost of_whole = cost(rows_of(whole), dtype);
        check_parts(of_compact, of_whole);
        CHECK(text(of_compact.total) == text(of_whole.total));
        const Memory a = memory(compact, dtype), b = memory(whole, dtype);
        CHECK(to_string(a.parameters) == to_string(b.parameters));
        CHECK(to_string(a.inputs) == to_string(b.inputs));
        CHECK(to_string(a.output) == to_string(b.output));
        CHECK(to_string(a.activations_peak) == to_string(b.activations_peak));
        CHECK(to_string(a.saved_for_backward) == to_string(b.saved_for_backward));
        CHECK(to_string(a.kept_for_backward) == to_string(b.kept_for_backward));
      }
    }
  }
}

TEST_CASE("two layers more cost two layers more") {  // with a window every second layer has none
  for (const Case& one : kCases) {
    const auto total = [&](int num_layers) {
      const Graph graph = graph_of(config(one.layer, sized(num_layers, one.fields)));
      return cost(rows_of(graph), Dtype::kFloat32).total;
    };
    const StepCost three = total(3), none = total(1);
    const auto macs = [](const StepCost& cost) { return cost.operations.macs(); };
    CHECK(macs(total(7)) - macs(none) == 3 * (macs(three) - macs(none)));
    CHECK(total(7).parameters - none.parameters == 3 * (three.parameters - none.parameters));
    CHECK(three.parameters > none.parameters);
  }
}
