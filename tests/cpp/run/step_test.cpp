// Decoding with a KV cache, token by token, gives what one forward pass over all positions gives.

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "../../../cpp/analysis/memory.h"
#include "../../../cpp/run/model.h"
#include "../../../cpp/run/tensor_gate.h"
#include "../allocations.h"
#include "inputs.h"

using namespace attnscope;
using namespace attnscope::testing;

namespace {

constexpr Count kNoLimit = Count{1} << 40;
constexpr int64_t kLength = 10;

RawConfig joined(RawConfig fields, const RawConfig& more) {
  fields.insert(fields.end(), more.begin(), more.end());
  return fields;
}

Config grouped(const RawConfig& more) {
  return config("grouped_query_attention", joined({{"batch_size", raw(2)},
                                                   {"seq_len", raw(static_cast<int>(kLength))},
                                                   {"hidden_size", raw(12)},
                                                   {"num_heads", raw(6)},
                                                   {"num_kv_heads", raw(2)},
                                                   {"head_dim", raw(4)}},
                                                  more));
}

Config decoder(const RawConfig& more) {
  return config("decoder", joined({{"batch_size", raw(2)},
                                   {"seq_len", raw(static_cast<int>(kLength))},
                                   {"vocab_size", raw(17)},
                                   {"max_positions", raw(16)},
                                   {"hidden_size", raw(8)},
                                   {"num_layers", raw(3)},
                                   {"num_heads", raw(4)},
                                   {"num_kv_heads", raw(2)},
                                   {"intermediate_size", raw(12)}},
                                  more));
}

Config latent(const RawConfig& more) {
  return config("latent_attention", joined({{"batch_size", raw(2)},
                                            {"seq_len", raw(static_cast<int>(kLength))},
                                            {"hidden_size", raw(8)},
                                            {"num_heads", raw(3)},
                                            {"kv_lora_rank", raw(5)},
                                            {"qk_nope_head_dim", raw(3)},
                                            {"qk_rope_head_dim", raw(4)},
                                            {"v_head_dim", raw(7)}},
                                           more));
}

std::vector<std::pair<std::string, Config>> cases() {
  std::vector<std::pair<std::string, Config>> all;
  const RawConfig windowed[] = {
      {}, {{"window", raw(1)}}, {{"window", raw(3)}}, {{"window", raw(static_cast<int>(kLength))}}};
  for (const char* position : {"none", "rope", "alibi", "relative"}) {
    for (const RawConfig& window : windowed) {
      all.emplace_back(std::string("grouped, ") + position,
                       grouped(joined(window, {{"position", raw(position)}})));
    }
  }
  for (const char* position : {"none", "learned", "sinusoidal", "rope", "alibi", "relative"}) {
    all.emplace_back(std::string("decoder, ") + position,
                     decoder({{"position", raw(position)}, {"tie_embeddings", raw(true)}}));
    all.emplace_back(
        std::string("decoder, full every second, ") + position,
        decoder({{"position", raw(position)}, {"window", raw(3)}, {"full_every", raw(2)}}));
  }
  all.emplace_back("decoder, window", decoder({{"window", raw(3)}, {"qk_norm", raw(true)}}));
  const RawConfig gemma = {
      {"norm", raw("rms_norm_plus_one")},     {"window", raw(3)},
      {"rope_local_base_freq", raw(30)},      {"attn_logit_softcapping", raw(0.5)},
      {"final_logit_softcapping", raw(0.25)}, {"embedding_scale", raw(3)}};
  all.emplace_back("decoder, gemma", decoder(joined(gemma, {{"full_every", raw(2)}})));
  all.emplace_back("decoder, gemma with windows alone", decoder(gemma));
  all.emplace_back("latent", latent({}));
  all.emplace_back("latent, halves", latent({{"rope_interleave", raw(false)}}));
  all.emplace_back("latent, queries too", latent({{"q_lora_rank", raw(6)}}));
  return all;
}

/// The only input that a step must be given.
TensorId first_input(const Graph& graph) { return inputs_of(graph, true).front(); }

/// Positions [begin, end) of (B, T, ...).
Values positions(const Values& all, int64_t begin, int64_t end) {
  Shape shape = shape_of(all);
  const int64_t length = shape[1], row = static_cast<int64_t>(all.size()) / (shape[0] * length);
  shape[1] = end - begin;
  Values part = make_values(shape);
  for (int64_t b = 0; b < shape[0]; ++b) {
    std::copy_n(all.data() + (b * length + begin) * row, (end - begin) * row,
                part.data() + b * (end - begin) * row);
  }
  return part;
}

/// The output of the next positions.
Values step(Model& model, const Values& part) {
  const auto next = model.next_plan(shape_of(part)[1]);
  Inputs inputs(next->graph.tensors().size());
  inputs[static_cast<size_t>(first_input(next->graph))] = &part;
  return model.step(*next, inputs).at("output");
}

struct Decoding {
  Model model;
  RandomInputs inputs;
  const Values& given;

  explicit Decoding(const Config& config, uint64_t seed = 1)
      : model(config, seed, kNoLimit),
        inputs(model.graph(), false),
        given(inputs.values[static_cast<size_t>(first_input(model.graph()))]) {}

  Values whole() const { return forward(model, inputs.pointers).at("output"); }
};

}  // namespace

TEST_CASE("steps of 1, 2 and 5 positions give what one pass over all of them gives") {
  for (const auto& [name, config] : cases()) {
    CAPTURE(name);
    Decoding decoding(config);
    const Values whole = decoding.whole();
    for (const int64_t chunk : {1, 2, 5}) {
      CAPTURE(chunk);
      decoding.model.clear_cache();
      for (int64_t at = 0; at < kLength; at += chunk) {
        CAPTURE(at);
        CHECK(decoding.model.past_len() == at);
        check_same(step(decoding.model, positions(decoding.given, at, at + chunk)),
                   positions(whole, at, at + chunk));
      }
    }
  }
}

TEST_CASE("a cache grows as long as it takes, and a window moves on in it") {
  constexpr int64_t kLong = 120;
  for (const RawConfig& window : {RawConfig{}, RawConfig{{"window", raw(5)}}}) {
    const RawConfig sizes = {{"batch_size", raw(2)},   {"seq_len", raw(static_cast<int>(kLong))},
                             {"hidden_size", raw(12)}, {"num_heads", raw(6)},
                             {"num_kv_heads", raw(2)}, {"position", raw("rope")}};
    Decoding decoding(config("grouped_query_attention", joined(sizes, window)));
    const Values whole = decoding.whole();
    for (int64_t at = 0; at < kLong; ++at) {
      CAPTURE(at);
      check_same(step(decoding.model, positions(decoding.given, at, at + 1)),
                 positions(whole, at, at + 1));
    }
  }
}

TEST_CASE("3,000 positions of windows and of everything take what kv_cache says") {
  constexpr int kLong = 3000, kChunk = 100, kWindow = 16, kLayers = 6;
  const RawConfig sizes = {{"window", raw(kWindow)},          {"full_every", raw(3)},
                           {"rope_local_base_freq", raw(30)}, {"batch_size", raw(1)},
                           {"vocab_size", raw(17)},           {"hidden_size", raw(8)},
                           {"num_layers", raw(kLayers)},      {"num_heads", raw(2)},
                           {"num_kv_heads", raw(1)},          {"intermediate_size", raw(12)}};
  const auto long_config = [&](int past_len, int seq_len) {
    return config("decoder",
                  joined(sizes, {{"past_len", raw(past_len)}, {"seq_len", raw(seq_len)}}));
  };
  Decoding decoding(long_config(0, kLong));
  const Values whole = forward(decoding.model, decoding.inputs.pointers, {}, false).at("output");
  const Count before = decoding.model.held_bytes();
  for (int at = 0; at < kLong; at += kChunk) {
    CAPTURE(at);
    check_same(step(decoding.model, positions(decoding.given, at, at + kChunk)),
               positions(whole, at, at + kChunk));
  }
  const auto held = static_cast<double>(decoding.model.held_bytes() - before);
  const KvCache cache = kv_cache(graph_of(long_config(kLong - 1, 1)), Dtype::kFloat32);
  // A cache has room for a quarter more; that of a window was made for a chunk after it.
  const Count spare = cache.bytes_per_token / kLayers * 4 * (kChunk + kChunk / 4);
  CHECK(held >= static_cast<double>(cache.bytes - cache.bytes_per_token));
  CHECK(held <= 1.25 * static_cast<double>(cache.bytes) + static_cast<double>(spare));
  CHECK(cache.bytes == 2 * 4 * 4 * (2 * kLong + 4 * kWindow));
}

TEST_CASE("a cache in 16 bits gives what float32 gives, but for its rounding") {
  for (const Config& config :
       {grouped({{"position", raw("rope")}}), decoder({{"window", raw(3)}}), latent({})}) {
    Decoding exact(config);
    const Values whole = exact.whole();
    for (const auto& [storage, tolerance] :
         {std::pair{Dtype::kFloat16, 4e-3}, std::pair{Dtype::kBfloat16, 4e-2}}) {
      Model model(config, 1, kNoLimit, storage);
      double farthest = 0.0;
      for (int64_t at = 0; at < kLength; ++at) {
        const Values made = step(model, positions(exact.given, at, at + 1));
        const Values expected = positions(whole, at, at + 1);
        for (size_t i = 0; i < made.size(); ++i) {
          check_close(made.data()[i], expected.data()[i], tolerance);
          farthest = std::max(farthest,
                              std::abs(static_cast<double>(made.data()[i]) - expected.data()[i]));
        }
      }
      CHECK(farthest > 0.0);
    }
  }
}

TEST_CASE("a step that is stopped leaves the cache as it was") {
  for (const int64_t already : {0, 4}) {
    Decoding decoding(decoder({}));
    const Values whole = decoding.whole();
    if (already > 0) step(decoding.model, positions(decoding.given, 0, already));
    const Values part = positions(decoding.given, already, kLength);
    const auto next = decoding.model.next_plan(kLength - already);
    Inputs inputs(next->graph.tensors().size());
    inputs[static_cast<size_t>(first_input(next->graph))] = &part;
    const auto stop = [](double done) {
      if (done > 0.5) throw std::runtime_error("stopped");
    };
    CHECK_THROWS_WITH(decoding.model.step(*next, inputs, Progress(stop)), "stopped");
    CHECK(decoding.model.past_len() == already);
    check_same(step(decoding.model, part), positions(whole, already, kLength));
  }
}

TEST_CASE("a step that runs out of memory, wherever it is, leaves the cache as it was") {
  Decoding decoding(decoder({{"window", raw(4)}, {"full_every", raw(2)}}));
  const Values whole = decoding.whole();
  int64_t at = 0;
  for (const int64_t chunk : {6, 1, 3}) {
    const Values part = positions(decoding.given, at, at + chunk);
    Values output;
    const int64_t failures =
        fail_each_allocation([&] { output = step(decoding.model, part); },
                             [&] { REQUIRE(decoding.model.past_len() == at); });
    CHECK(failures > 20);
    REQUIRE(decoding.model.past_len() == at + chunk);
    check_same(output, positions(whole, at, at + chunk));
    at += chunk;
  }
}

TEST_CASE("steps of changing lengths go on where the one before ended") {
  Decoding decoding(decoder({{"window", raw(4)}}));
  const Values whole = decoding.whole();
  int64_t at = 0;
  for (const int64_t chunk : {6, 1, 3}) {
    check_same(step(decoding.model, positions(decoding.given, at, at + chunk)),
               positions(whole, at, at + chunk));
    at += chunk;
  }
  CHECK(decoding.model.past_len() == kLength);
}

TEST_CASE("a cleared cache, or new weights, start at the first position again") {
  const Config config = decoder({});
  Decoding decoding(config), other(config, 2);
  const Values first = positions(decoding.given, 0, 3);
  const Values before = step(decoding.model, first);
  CHECK(step(decoding.model, first) != before);
  decoding.model.clear_cache();
  CHECK(decoding.model.past_len() == 0);
  CHECK(step(decoding.model, first) == before);

  ParameterValues state;
  for (const StateEntry& entry : other.model.state()) state.push_back(*entry.values);
  decoding.model.load_state(std::move(state));
  CHECK(decoding.model.past_len() == 0);
  CHECK(step(decoding.model, first) == step(other.model, first));
}

TEST_CASE("a mask of a step is one of its positions and all those before") {
  Decoding decoding(grouped({}));
  step(decoding.model, positions(decoding.given, 0, 4));
  const auto next = decoding.model.next_plan(2);
  const Graph& graph = next->graph;
  const Values part = positions(decoding.given, 4, 6);
  Values mask = make_values({1, 6});  // hides the second of the past, for both new positions
  mask.fill(0);
  mask.data()[1] = -std::numeric_limits<float>::infinity();
  Inputs inputs(graph.tensors().size());
  const std::vector<TensorId> known = inputs_of(graph, true);
  inputs[static_cast<size_t>(first_input(graph))] = &part;
  inputs[static_cast<size_t>(find_input("step", graph, known, "mask"))] = &mask;
  CHECK(graph.tensor(find_input("step", graph, known, "mask")).shape == Shape{2, 6, 2, 6});
  const Values weights = decoding.model.step(*next, inputs).at("weights");
  for (size_t row = 0; row < weights.size() / 6; ++row) {
    CHECK(weights.data()[row * 6 + 1] == 0.0f);
    CHECK(weights.data()[row * 6] > 0.0f);
  }
}

TEST_CASE("a layer without cache, or past its learned positions, is refused, and the cache stays") {
  Model encoder(config("encoder", {{"hidden_size", raw(8)}, {"num_layers", raw(1)}}), 0, kNoLimit);
  CHECK_THROWS_WITH(encoder.next_plan(1), "encoder has no KV cache to step with");

  Decoding decoding(decoder({{"position", raw("learned")}}));
  step(decoding.model, decoding.given);
  CHECK_THROWS_WITH(decoding.model.next_plan(7),
                    "past_len + seq_len must be at most max_positions (16) where position is "
                    "learned, got 17");
  CHECK(decoding.model.past_len() == kLength);
  CHECK(decoding.model.next_plan(6)->graph.results().size() == 2);
}

TEST_CASE("a step above the memory limit is refused with the bytes it needs") {
  // Nearly all of it: weights of 2 x 6 x 70000 x 70000 and their copy.
  const Config config = grouped({{"position", raw("none")}});
  Model model(config, 0, Count{1} << 20);
  CHECK_THROWS_WITH(model.next_plan(70000),
                    "the layer must need at most 1048576 bytes to run, got 235262726848");
  CHECK(model.past_len() == 0);
  CHECK(model.next_plan(1)->graph.steps().size() > 0);
}
