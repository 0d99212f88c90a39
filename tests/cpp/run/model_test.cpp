#include "../../../cpp/run/model.h"

#include <deque>
#include <functional>

#include "../../../cpp/run/random.h"
#include "../../../cpp/run/threads.h"
#include "../configs.h"
#include "inputs.h"

using namespace attnscope;
using namespace attnscope::testing;

namespace {

constexpr Count kNoLimit = Count{1} << 40;

}  // namespace

TEST_CASE(
    "the kernels agree with the reference for every layer, with and without a mask, on 1 to 3 "
    "threads") {
  for (const Config& one : small_configs()) {
    CAPTURE(one.layer().name);
    const Model model(one, 0, kNoLimit);
    for (const bool with_mask : {false, true}) {
      CAPTURE(with_mask);
      const RandomInputs inputs(model.plan()->graph, with_mask);
      const Outputs expected = forward(model, inputs.pointers, {.reference = true}).values;
      for (const int threads : kThreadCounts) {
        CAPTURE(threads);
        set_thread_count(threads);
        check_same(forward(model, inputs.pointers).values, expected);
      }
      set_thread_count(1);
    }
  }
}

TEST_CASE("inputs that come in late give the same results as those that are there") {
  std::vector<Config> configs = small_configs();
  configs.push_back(config(  // pooled as it comes in
      "linear_scorer", {{"batch_size", raw(3)}, {"seq_len", raw(70)}, {"hidden_size", raw(1000)}}));
  configs.push_back(config("additive_scorer", {{"batch_size", raw(3)},
                                               {"seq_len", raw(151)},
                                               {"hidden_size", raw(150)},
                                               {"attn_dim", raw(9)}}));
  for (const Config& one : configs) {
    CAPTURE(one.layer().name);
    const Model model(one, 0, kNoLimit);
    const RandomInputs inputs(model.plan()->graph, true);
    const Outputs expected = forward(model, inputs.pointers).values;
    for (const int threads : kThreadCounts) {
      CAPTURE(threads);
      set_thread_count(threads);
      for (const bool compare : {false, true}) {
        std::vector<Values> own(inputs.values.size());
        std::vector<size_t> loaded(own.size(), 0);
        Inputs late = inputs.pointers;
        std::deque<std::function<void(size_t, size_t, float*)>> sources;
        for (size_t id = 0; id < own.size(); ++id) {
          const Tensor& tensor = model.graph().tensors()[id];
          if (tensor.role != Role::kInput || !late[id]) continue;
          own[id] = make_values(tensor.shape);
          own[id].fill(NAN);
          late.add_late(id, own[id],
                        sources.emplace_back([&, id](size_t first, size_t count, float* to) {
                          std::copy_n(inputs.values[id].data() + first, count, to);
                          loaded[id] += count;
                        }));
        }
        RunOptions options;
        options.compare = compare;
        CHECK(forward(model, late, options).values == expected);
        for (size_t id = 0; id < own.size(); ++id) {
          if (late[id] != &own[id]) continue;
          CHECK(loaded[id] > 0);
          CHECK(loaded[id] % own[id].size() == 0);
        }
      }
    }
    set_thread_count(1);
  }
}

TEST_CASE("rounding weights and inputs changes the output by about the format's precision") {
  const Model model(
      config("linear_scorer",
             {{"batch_size", raw(2)}, {"seq_len", raw(50)}, {"hidden_size", raw(64)}}),
      0, kNoLimit);
  const RandomInputs inputs(model.graph(), false);
  const double float16 =
      forward(model, inputs.pointers, {.round = Dtype::kFloat16}).error->relative;
  const double bfloat16 =
      forward(model, inputs.pointers, {.round = Dtype::kBfloat16}).error->relative;
  CHECK(float16 > 0.0);
  CHECK(float16 < 0x1p-10);
  CHECK(bfloat16 > float16);
  CHECK(bfloat16 < 0x1p-7);
}

TEST_CASE("a layer above the memory limit is refused with the bytes it needs") {
  CHECK_THROWS_WITH(Model(config("linear_scorer", {{"seq_len", raw(1000000)}}), 0, Count{1} << 30),
                    "the layer must need at most 1073741824 bytes to run, got 99972199684");
}

TEST_CASE("attention weights above the memory limit are refused, and their absence is not") {
  // Weights of 8 x 500 x 500 take 8 MB, everything else less than 2.
  const Config one = config("scaled_dot_product_attention", {{"batch_size", raw(1)},
                                                             {"num_heads", raw(8)},
                                                             {"seq_len", raw(500)},
                                                             {"kv_len", raw(500)},
                                                             {"head_dim", raw(16)}});
  const Count least = bytes_to_run(one, {.weights = false});
  const double more = static_cast<double>(bytes_to_run(one) - least);
  check_close(more / (8.0 * 500 * 500 * 4), 1.0, 0.01);  // what kernels need besides differs
  const Model model(one, 0, least);
  const RandomInputs inputs(model.graph(), false);
  CHECK_THROWS_WITH(forward(model, inputs.pointers),
                    ("the layer must need at most " + to_string(least) +
                     " bytes to run with its attention weights, got " +
                     to_string(bytes_to_run(one)) + "; need_weights: false leaves them out")
                        .c_str());
  CHECK(forward(model, inputs.pointers, {}, false).values.size() == 1);
}

TEST_CASE("loading a state replaces the weights that forward uses") {
  const Config one = config(
      "additive_scorer",
      {{"batch_size", raw(1)}, {"seq_len", raw(3)}, {"hidden_size", raw(4)}, {"attn_dim", raw(9)}});
  Model model(one, 0, kNoLimit);
  const Model other(one, 1, kNoLimit);
  const RandomInputs inputs(model.graph(), false);
  std::vector<Values> state;
  for (const StateEntry& entry : other.state()) state.push_back(*entry.values);
  model.load_state(state);
  CHECK(forward(model, inputs.pointers).at("output") ==
        forward(other, inputs.pointers).at("output"));
}
