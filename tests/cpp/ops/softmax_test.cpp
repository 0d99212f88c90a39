// What a query sees by its position.

#include "../../../cpp/ops/softmax.h"

#include "arrays.h"

using namespace attnscope;
using namespace attnscope::testing;

TEST_CASE("a band is the range of keys that causality and window leave") {
  struct Case {
    const char* name;
    Band band;
    int64_t query, first, end;  // of five keys
  };
  const Case cases[] = {
      {"nothing restricts", {}, 3, 0, 5},
      {"causal", {.is_causal = true}, 0, 0, 1},
      {"causal, at the end", {.is_causal = true}, 4, 0, 5},
      {"causal, past the keys", {.is_causal = true}, 9, 0, 5},
      {"causal after a past of two", {.is_causal = true, .offset = 2}, 0, 0, 3},
      {"causal before the first key", {.is_causal = true, .offset = -1}, 0, 0, 0},
      {"window of one", {.window = 1}, 2, 2, 3},
      {"window of two", {.window = 2}, 2, 1, 4},
      {"window of two, causal", {.is_causal = true, .window = 2}, 2, 1, 3},
      {"window that reaches everything", {.window = 5}, 0, 0, 5},
      {"window of the largest size", {.window = 2147483647}, 4, 0, 5},
      {"window after all keys", {.window = 2, .offset = 6}, 0, 0, 0},
      {"keys without position are no part of it", {.is_causal = true, .tail = 2}, 4, 0, 3},
  };
  for (const Case& one : cases) {
    CAPTURE(one.name);
    const Band::Range range = one.band.visible(one.query, 5);
    CHECK(range.first == one.first);
    CHECK(range.end == one.end);
  }
}

TEST_CASE("softmax divides the weight among what a band shows") {
  const Array scores = array({2, 3}, {0, 0, 0, 0, 0, 0});
  const double third = 1.0 / 3;
  check_values(Softmax({.is_causal = true}).forward({&scores}), {1, 0, 0, 0.5, 0.5, 0});
  check_values(Softmax({.is_causal = true, .offset = 1}).forward({&scores}),
               {0.5, 0.5, 0, third, third, third});
  check_values(Softmax({.window = 1}).forward({&scores}), {1, 0, 0, 0, 1, 0});
  check_values(Softmax({.is_causal = true, .offset = -1}).forward({&scores}), {0, 0, 0, 1, 0, 0});
  check_values(Softmax({.is_causal = true, .tail = 1}).forward({&scores}),
               {0.5, 0, 0.5, third, third, third});
}

TEST_CASE("mask and band hide together, and the mask leaves the tail") {
  const Array scores = array({2, 3}, {0, 0, 0, 0, 0, 0}), mask = array({2}, {kHidden, 0});
  check_values(Softmax({.is_causal = true, .tail = 1}).forward({&scores, &mask}),
               {0, 0, 1, 0, 0.5, 0.5});
  const Array whole = array({2, 2}, {kHidden, 0, 0, kHidden}), two = array({2, 2}, {0, 0, 0, 0});
  check_values(Softmax({.is_causal = true}).forward({&two, &whole}), {0, 0, 1, 0});
}

TEST_CASE("masked scores are what the exponentials are taken of: hidden ones are -inf") {
  const Array scores = array({2, 3}, {1, 2, 3, 4, 5, 6}), mask = array({2}, {0.5, kHidden});
  const auto check = [&](const Band& band, const std::vector<const Array*>& inputs,
                         const std::vector<double>& expected) {
    CHECK(values(MaskedScores(band).forward(inputs)) == expected);
  };
  check({}, {&scores, nullptr}, {1, 2, 3, 4, 5, 6});
  check({.is_causal = true}, {&scores, nullptr}, {1, kHidden, kHidden, 4, 5, kHidden});
  check({.tail = 1}, {&scores, &mask}, {1.5, kHidden, 3, 4.5, kHidden, 6});
  check({.is_causal = true, .tail = 1}, {&scores, &mask}, {1.5, kHidden, 3, 4.5, kHidden, 6});
  CHECK(Softmax({.window = 2}).masking()->name() == "masked_scores");
  CHECK(MaskedScores().masking() == nullptr);
}

TEST_CASE("a mask of any shape that broadcasts is spread over the scores") {
  const Array scores = array({2, 2, 1, 2}, std::vector<double>(8, 0));
  const Array by_head = array({2, 1, 2}, {0, kHidden, kHidden, 0}),
              by_batch = array({2, 1, 1, 2}, {0, kHidden, kHidden, 0}),
              row = array({2}, {0, kHidden});
  check_values(Softmax().forward({&scores, &by_head}), {1, 0, 0, 1, 1, 0, 0, 1});
  check_values(Softmax().forward({&scores, &by_batch}), {1, 0, 1, 0, 0, 1, 0, 1});
  check_values(Softmax().forward({&scores, &row}), {1, 0, 1, 0, 1, 0, 1, 0});
}

TEST_CASE("a mask of the keys is the same for every head and query of a sequence") {
  const Array scores = array({2, 2, 2, 2}, std::vector<double>(16, 0));
  const Array each = array({2, 2}, {0, kHidden, kHidden, 0}), one = array({1, 2}, {0, kHidden}),
              row = array({2}, {0, kHidden});
  const Softmax softmax({}, MaskOf::kKeys);
  check_values(softmax.forward({&scores, &each}), {1, 0, 1, 0, 1, 0, 1, 0, 0, 1, 0, 1, 0, 1, 0, 1});
  const std::vector<double> first{1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0};
  check_values(softmax.forward({&scores, &one}), first);
  check_values(softmax.forward({&scores, &row}), first);
  const auto masked = MaskedScores({.is_causal = true}, MaskOf::kKeys).forward({&scores, &each});
  CHECK(values(masked)[1] == kHidden);
  CHECK(values(masked)[8] == kHidden);
  CHECK(values(masked)[11] == 0);
}

TEST_CASE("rows that a band hides whole are marked for the backward pass, a byte each") {
  const Shape scores{2, 4, 3};
  CHECK(Softmax({.is_causal = true}).saved_for_backward({&scores}, scores).bytes == 0);
  CHECK(Softmax({.is_causal = true, .offset = -1}).saved_for_backward({&scores}, scores).bytes ==
        8);
  CHECK(Softmax({.window = 1}).saved_for_backward({&scores}, scores).bytes == 8);  // the last query
}
