// The messages about tensors, whole.

#include "../../../cpp/run/tensor_gate.h"

#include <limits>

#include "../support.h"

using namespace attnscope;
using namespace attnscope::testing;

namespace {

RawTensor tensor(RawTensor::Kind kind, std::vector<int> shape, double length = -1) {
  RawTensor one{kind, "an array", 1, {}};
  for (const int dimension : shape) {
    one.shape.push_back(raw(dimension));
    one.length *= dimension;
  }
  if (length >= 0) one.length = length;
  return one;
}

RawTensor floats(std::vector<int> shape, double length = -1) {
  return tensor(RawTensor::Kind::kFloats, std::move(shape), length);
}

const Tensor kMask{.name = "mask", .shape = {2, 8, 5, 7}, .role = Role::kOptionalInput};
const Tensor kStates{.name = "states", .shape = {2, {5, Axis::kPosition}, 3}, .role = Role::kInput};
const Tensor kTokens{
    .name = "tokens", .shape = {2, {5, Axis::kPosition}}, .role = Role::kInput, .limit = 100};

std::string message_of(const std::string& shape) {
  return "mask.shape must broadcast to (2, 8, 5, 7), got " + shape;
}

}  // namespace

TEST_CASE("a mask has any shape that broadcasts, and keeps it") {
  for (const std::vector<int>& shape : std::vector<std::vector<int>>{{2, 8, 5, 7},
                                                                     {1, 8, 5, 7},
                                                                     {2, 1, 1, 7},
                                                                     {1, 1, 1, 1},
                                                                     {2, 1, 5, 1},
                                                                     {8, 1, 7},
                                                                     {5, 7},
                                                                     {7},
                                                                     {1},
                                                                     {}}) {
    const Shape given(shape.begin(), shape.end());
    CHECK(check_tensor(kMask, floats(shape)) == given);
    CHECK(check_tensor(kMask, tensor(RawTensor::Kind::kBytes, shape)) == given);
  }
}

TEST_CASE("16 bits are floats, and no integers") {
  CHECK(check_tensor(kStates, tensor(RawTensor::Kind::kHalves, {2, 5, 3})) == Shape{2, 5, 3});
  CHECK(check_tensor(kMask, tensor(RawTensor::Kind::kHalves, {7})) == Shape{7});
  CHECK_THROWS_WITH(check_tensor(kTokens, tensor(RawTensor::Kind::kHalves, {2, 5})),
                    "tokens.data must be an Int32Array, got an array");
}

TEST_CASE("a mask that does not broadcast is refused with both shapes") {
  const std::pair<std::vector<int>, const char*> cases[] = {
      {{8, 2, 5, 7}, "(8, 2, 5, 7)"},
      {{7, 5}, "(7, 5)"},
      {{5}, "(5,)"},
      {{2, 5, 7}, "(2, 5, 7)"},
      {{2, 7}, "(2, 7)"},
      {{0}, "(0,)"},
      {{1, 2, 8, 5, 7}, "(1, 2, 8, 5, 7)"},
      {{14}, "(14,)"},
      {{-1, 7}, "(-1, 7)"},
  };
  for (const auto& [shape, text] : cases) {
    CHECK_THROWS_WITH(check_tensor(kMask, floats(shape)), message_of(text).c_str());
  }
  RawTensor fraction = floats({5, 7});
  fraction.shape[0] = raw(2.5);
  CHECK_THROWS_WITH(check_tensor(kMask, fraction), message_of("(2.5, 7)").c_str());
}

TEST_CASE("what is no mask has its own shape and kind") {
  CHECK(check_tensor(kStates, floats({2, 5, 3})) == Shape{2, 5, 3});
  CHECK_THROWS_WITH(check_tensor(kStates, floats({1, 5, 3})),
                    "states.shape must be (2, 5, 3), got (1, 5, 3)");
  CHECK_THROWS_WITH(check_tensor(kStates, tensor(RawTensor::Kind::kBytes, {2, 5, 3})),
                    "states.data must be a Float32Array, got a Uint8Array");
  CHECK_THROWS_WITH(check_tensor(kStates, floats({2, 5, 3}, 29)),
                    "states.data must have 30 elements, got 29");
  CHECK_THROWS_WITH(check_tensor(kMask, tensor(RawTensor::Kind::kIntegers, {7})),
                    "mask.data must be a Uint8Array (1 = may attend) or a Float32Array (added to "
                    "the scores), got an Int32Array");
  CHECK_THROWS_WITH(check_tensor(kMask, floats({1}, 7)), "mask.data must have 1 elements, got 7");
}

TEST_CASE("token ids are integers below the tensor's limit") {
  CHECK(check_tensor(kTokens, tensor(RawTensor::Kind::kIntegers, {2, 5})) == Shape{2, 5});
  CHECK_THROWS_WITH(check_tensor(kTokens, floats({2, 5})),
                    "tokens.data must be an Int32Array, got a Float32Array");
  CHECK_THROWS_WITH(check_tensor(kTokens, tensor(RawTensor::Kind::kOther, {2, 5})),
                    "tokens.data must be an Int32Array, got an array");
  float values[3];
  check_integers(kTokens, {0, 99, 7}, values);
  CHECK(std::vector<float>(values, values + 3) == std::vector<float>{0, 99, 7});
  CHECK_THROWS_WITH(check_integers(kTokens, {0, 100}, values),
                    "tokens.data must hold integers from 0 to 99, got 100 at index 1");
  CHECK_THROWS_WITH(check_integers(kTokens, {-1}, values),
                    "tokens.data must hold integers from 0 to 99, got -1 at index 0");
  CHECK_THROWS_WITH(check_integers(kTokens, {INT32_MIN}, values),
                    "tokens.data must hold integers from 0 to 99, got -2147483648 at index 0");
}

TEST_CASE("masks of bytes are zeros and ones, masks of floats have no NaN and no infinity") {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  float mask[2];
  mask_from_bytes("mask", {1, 0}, mask);
  CHECK(mask[0] == 0.0f);
  CHECK(mask[1] == -kInfinity);
  CHECK_THROWS_WITH(mask_from_bytes("mask", {1, 2}, mask),
                    "mask.data must hold only 0 and 1, got 2 at index 1");
  const float fine[] = {-kInfinity, 0, 1e30f}, infinite[] = {0, kInfinity}, broken[] = {NAN};
  CHECK_NOTHROW(check_float_mask("mask", fine, 3));
  CHECK_THROWS_WITH(check_float_mask("mask", infinite, 2),
                    "mask.data must hold neither NaN nor Infinity, got Infinity at index 1");
  CHECK_THROWS_WITH(check_float_mask("mask", broken, 1),
                    "mask.data must hold neither NaN nor Infinity, got NaN at index 0");
}

TEST_CASE("a float mask that only hides becomes 0 and -inf, and holds nothing between") {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kLowest = std::numeric_limits<float>::lowest();
  float mask[] = {0.0f,  -0.0f,          -1e4f,   -9984.0f,  -65504.0f,
                  -1e9f, -3.3895314e38f, kLowest, -kInfinity};
  hide_by_floats("mask", mask, std::size(mask));
  for (size_t i = 0; i < std::size(mask); ++i) CHECK(mask[i] == (i < 2 ? 0.0f : -kInfinity));
  const std::pair<float, const char*> refused[] = {{-1e-45f, "-1.401298464324817e-45"},
                                                   {-1.0f, "-1"},
                                                   {-9983.0f, "-9983"},
                                                   {-9999.0f, "-9999"},
                                                   {1.0f, "1"},
                                                   {kInfinity, "Infinity"},
                                                   {NAN, "NaN"}};
  for (const auto& [number, text] : refused) {
    float between[] = {-1e9f, number};
    CHECK_THROWS_WITH(hide_by_floats("mask", between, 2),
                      (std::string("mask.data must hold 0 to keep or at most -10000 to hide, as "
                                   "this mask can do nothing else, got ") +
                       text + " at index 1")
                          .c_str());
  }
  Tensor padding = kMask;
  padding.only_hides = true;
  CHECK_THROWS_WITH(check_tensor(padding, tensor(RawTensor::Kind::kIntegers, {7})),
                    "mask.data must be a Uint8Array (1 = keep) or a Float32Array (0 = keep, -10000 "
                    "and below = hide), got an Int32Array");
}

TEST_CASE("the inputs are what forward takes, and a step takes all but the cache") {
  const Graph graph = graph_of(config("decoder", {{"past_len", raw(2)}}));
  const auto names = [&](bool cached) {
    std::vector<std::string> result;
    for (const TensorId id : inputs_of(graph, cached)) result.push_back(graph.tensor(id).name);
    return result;
  };
  CHECK(names(false) == std::vector<std::string>{"tokens", "past_keys", "past_values", "mask"});
  CHECK(names(true) == std::vector<std::string>{"tokens", "mask"});
  const std::vector<TensorId> stepped = inputs_of(graph, true);
  CHECK(graph.tensor(find_input("forward", graph, stepped, "mask")).name == "mask");
  CHECK_THROWS_WITH(find_input("forward", graph, stepped, "past_keys"),
                    "forward has no input \"past_keys\"; its inputs are tokens, mask");
  CHECK_THROWS_WITH(find_input("forward", graph, stepped, "token"),
                    "forward has no input \"token\", did you mean tokens?");
  CHECK_THROWS_WITH(find_input("step", graph, stepped, "position_ids"),
                    "step has no input \"position_ids\": positions count from the start of each "
                    "sequence, so padding goes to its end; its inputs are tokens, mask");
  Flags given(graph.tensors().size(), false);
  CHECK_THROWS_WITH(check_all_given(graph, stepped, given),
                    "tokens is missing; it must have shape (1, 128)");
  given[static_cast<size_t>(stepped[0])] = true;
  CHECK_NOTHROW(check_all_given(graph, stepped, given));
}

TEST_CASE("how many positions a step has is that of the dimension that goes over them") {
  CHECK(positions_of(kStates, floats({2, 9, 3})) == 9);
  CHECK(positions_of(kTokens, tensor(RawTensor::Kind::kIntegers, {2, 1})) == 1);
  for (const std::vector<int>& shape : std::vector<std::vector<int>>{{2, 9}, {18}, {2, 0, 3}, {}}) {
    CHECK_THROWS_AS(positions_of(kStates, floats(shape)), FieldError);
  }
  CHECK_THROWS_WITH(positions_of(kStates, floats({2, 9})),
                    "states.shape must be like (2, 5, 3) with any number of positions, got (2, 9)");
}
