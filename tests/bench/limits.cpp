// What limits the kernels: `npm run bench -- --limits`. The machine's own limits, the steps that a
// kernel is made of, each alone with its data in the cache, and the whole kernel: how near it comes
// to what the machine and its steps allow. The kernels are the objects of the released module.
//
// Everybody takes turns, so that a slow phase of the machine meets all of them. Rates are medians,
// shares are medians of each round's own.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <utility>
#include <vector>

#include "../../cpp/kernels/attention.h"
#include "../../cpp/kernels/gemm.h"
#include "../../cpp/kernels/peaks.h"
#include "../../cpp/kernels/pooling.h"
#include "../../cpp/kernels/rows.h"
#include "../../cpp/kernels/softmax.h"

namespace {

using namespace attnscope::kernels;
using Floats = std::vector<float>;

constexpr int kRounds = 41;
constexpr double kTurn = 0.003, kWarmUp = 0.1;  // seconds

volatile float sink;

struct Measure;

/// What some of another measure's units would take.
struct Part {
  const Measure* of;
  double amount;
};

/// The least time that a call could take, by what else was measured.
struct Limit {
  const char* name;
  std::vector<Part> parts;
  std::vector<double> shares = {};  // of each round
};

struct Measure {
  const char* name;
  const char* unit;  // of `amount`, in billions a second
  double amount;     // of a call
  std::function<void()> call;
  std::vector<Limit> limits = {};

  int64_t calls_a_turn = 1;
  double pace = 0;  // seconds a unit, in this round
  std::vector<double> paces = {};

  double time(int64_t calls) const {
    const auto start = std::chrono::steady_clock::now();
    for (int64_t i = 0; i < calls; ++i) call();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  void warm_up() {
    double shortest = kWarmUp;  // a call may be interrupted
    for (double spent = 0, last = 0; spent < kWarmUp; spent += last) {
      last = time(1);
      shortest = std::min(shortest, last);
    }
    calls_a_turn = std::max<int64_t>(1, static_cast<int64_t>(kTurn / shortest));
  }

  void take_turn() {
    call();  // the data of the one before has left the cache
    pace = time(calls_a_turn) / (static_cast<double>(calls_a_turn) * amount);
    paces.push_back(pace);
  }

  void compare() {
    for (Limit& limit : limits) {
      double least = 0;
      for (const Part& part : limit.parts) least += part.amount * part.of->pace;
      limit.shares.push_back(least / (pace * amount));
    }
  }
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void print(const Measure& measure) {
  std::printf("%-40s %6.1f %s", measure.name, 1e-9 / median(measure.paces), measure.unit);
  const char* before = "  ";
  for (const Limit& limit : measure.limits) {
    std::printf("%s %3.0f %% of %s", before, 100 * median(limit.shares), limit.name);
    before = ",";
  }
  std::printf("\n");
}

/// Numbers between -0.5 and 0.5, so that no sum grows out of range.
Floats numbers(int64_t count) {
  Floats numbers(static_cast<size_t>(count));
  uint32_t state = 1;
  for (float& number : numbers) {
    state = state * 1664525u + 1013904223u;
    number = static_cast<float>(state >> 8) / float{1 << 24} - 0.5f;
  }
  return numbers;
}

Measure product(const char* name, const Measure& chain, int64_t m, int64_t n, int64_t k) {
  const double flops = 2.0 * static_cast<double>(m * n * k);
  Floats packed(static_cast<size_t>(packed_size(n, k)));
  pack_transposed(numbers(n * k).data(), k, n, k, packed.data());
  return {name,
          "GFLOP/s",
          flops,
          [=, a = numbers(m * k), b = std::move(packed),
           c = Floats(static_cast<size_t>(m * n))]() mutable {
            gemm({a.data(), k}, {b.data(), k}, nullptr, {c.data(), n}, m, n, k);
          },
          {{"the chain", {{&chain, flops}}}}};
}

/// What a score takes when rows of them are made weights, out of L1.
Measure softmax_of_scores() {
  constexpr int64_t kKeys = 256, kQueries = kAttentionQueries;
  const Floats scores = numbers(kQueries * kKeys);
  return {"softmax of 30 x 256 scores", "Gscores/s", double{kQueries * kKeys},
          [scores, weights = scores]() mutable {
            std::copy(scores.begin(), scores.end(), weights.begin());
            for (int64_t q = 0; q < kQueries; ++q) {
              float* row = weights.data() + q * kKeys;
              sink = exponentiate(row, kKeys, 0.125f, largest(row, kKeys));
            }
          }};
}

struct Steps {
  const Measure &chain, &scores, &softmax, &values;
};

Measure attention(const char* name, const Steps& steps, int64_t S, bool causal) {
  constexpr int64_t D = 64;
  std::vector<KeyRange> visible;
  double pairs = 0;
  for (int64_t t = 0; t < S; ++t) {
    visible.push_back({0, causal ? t + 1 : S});
    pairs += static_cast<double>(visible.back().end);
  }
  const double product_flops = 2.0 * D * pairs;
  return {name,
          "GFLOP/s",
          2 * product_flops,
          [=, q = numbers(S * D), k = numbers(S * D), v = numbers(S * D),
           out = Floats(static_cast<size_t>(S * D)),
           scratch = Floats(static_cast<size_t>(
               attention_scratch({S, S, D, D}, {.heads = 1,
                                                .most_queries = S,
                                                .weights = false,
                                                .stored_in_16_bits = false})))]() mutable {
            const QueryHead head{.query = {q.data(), D},
                                 .bias = {},
                                 .mask = {},
                                 .output = {out.data(), D},
                                 .weights = {}};
            attend({&head, 1}, {ConstRows{k.data(), D}, ConstRows{v.data(), D}}, {S, S, D, D},
                   {.scale = 0.125f}, visible.data(), 0, S, scratch.data());
          },
          {{"the chain", {{&steps.chain, 2 * product_flops}}},
           {"its steps",
            {{&steps.scores, product_flops},
             {&steps.softmax, pairs},
             {&steps.values, product_flops}}}}};
}

constexpr int64_t E = 768;  // features of a hidden state

double bytes_of(int64_t floats) { return 4.0 * static_cast<double>(floats); }

Measure reading(const char* name, int64_t rows) {
  return {name, "GB/s", bytes_of(rows * E), [data = numbers(rows * E)] {
            sink = read_stream(data.data(), static_cast<int64_t>(data.size()));
          }};
}

/// What is done with so many floats, which must be read at least.
Measure over_floats(const char* name, const Measure& reading, int64_t floats,
                    std::function<void()> call) {
  const double bytes = bytes_of(floats);
  return {name, "GB/s", bytes, std::move(call), {{"reading", {{&reading, bytes}}}}};
}

/// The recurrent product of an LSTM of 512 units, batch 1: of a weight that does not fit into L2.
constexpr int64_t kUnits = 512, kGates = 4 * kUnits;

Measure recurrent_product(const char* name, const Measure& reading, bool alternately) {
  return over_floats(name, reading, kGates * kUnits,
                     [=, a = numbers(kUnits), b = numbers(packed_size(kGates, kUnits)),
                      c = Floats(kGates), backwards = false]() mutable {
                       gemm({a.data(), kUnits}, {b.data(), kUnits, backwards}, nullptr,
                            {c.data(), kGates}, 1, kGates, kUnits);
                       if (alternately) backwards = !backwards;
                     });
}

Measure scoring(const char* name, const Measure& reading, int64_t rows) {
  return over_floats(name, reading, rows * E,
                     [=, hidden = numbers(rows * E), vector = numbers(E),
                      scores = Floats(static_cast<size_t>(rows))]() mutable {
                       dot_rows({hidden.data(), E}, vector.data(), 0, rows, E, scores.data());
                     });
}

Measure adding(const char* name, const Measure& reading, int64_t rows) {
  return over_floats(
      name, reading, rows * E,
      [=, hidden = numbers(rows * E), weights = numbers(rows), out = Floats(E)]() mutable {
        std::fill(out.begin(), out.end(), 0.0f);
        add_weighted_rows({hidden.data(), E}, weights.data(), rows, E, out.data());
      });
}

/// The linear scorer of sequences of 128.
Measure pooling(const char* name, const Measure& reading, const Measure& scoring,
                const Measure& adding, int64_t rows) {
  constexpr int64_t kSeqLen = 128;
  Measure pooling = over_floats(name, reading, rows * E,
                                [=, hidden = numbers(rows * E), vector = numbers(E),
                                 scores = Floats(kSeqLen), out = Floats(E)]() mutable {
                                  for (int64_t row = 0; row < rows; row += kSeqLen) {
                                    const Pooled pooled = score_and_pool(
                                        hidden.data() + row * E, vector.data(), 0, nullptr, kSeqLen,
                                        E, scores.data(), out.data());
                                    finish_pooling(pooled, kSeqLen, E, scores.data(), out.data());
                                  }
                                });
  const double bytes = bytes_of(rows * E);
  pooling.limits.push_back({"its steps", {{&scoring, bytes}, {&adding, bytes}}});
  return pooling;
}

}  // namespace

int main() {
  constexpr int64_t kChain = 20'000;
  Measure chain{"chain of multiply-adds in registers", "GFLOP/s",
                static_cast<double>(madd_chain_flops(kChain)),
                [] { sink = madd_chain(sink, kChain); }};
  Measure from_l1 = reading("reading 24 kB again and again", 8);
  Measure from_near_l3 = reading("reading 4.2 MB", kGates * kUnits / E);
  Measure from_l3 = reading("reading 12.6 MB", 32 * 128);
  Measure from_memory = reading("reading 50 MB", 128 * 128);

  Measure tile = product("product 6 x 768 x 8, in L1", chain, 6, 8, 768);
  Measure small = product("product 128 x 768 x 768", chain, 128, 768, 768);
  Measure square = product("product 512 x 768 x 768", chain, 512, 768, 768);
  Measure wide = product("product 512 x 768 x 3072", chain, 512, 3072, 768);

  Measure row = recurrent_product("row by 4.2 MB of weights", from_near_l3, false);
  Measure turns = recurrent_product("row, every other time backwards", from_near_l3, true);

  Measure scores = product("scores: product 30 x 64 x 256", chain, kAttentionQueries, 256, 64);
  Measure values = product("values: product 30 x 256 x 64", chain, kAttentionQueries, 64, 256);
  Measure softmax = softmax_of_scores();
  const Steps steps{chain, scores, softmax, values};
  Measure medium = attention("a head of 64, S 512", steps, 512, false);
  Measure causal = attention("a head of 64, S 512, causal", steps, 512, true);
  Measure large = attention("a head of 64, S 2048", steps, 2048, false);

  Measure score_l1 = scoring("scoring 8 rows of 768, in L1", from_l1, 8);
  Measure add_l1 = adding("adding 8 rows of 768, in L1", from_l1, 8);
  Measure score_l3 = scoring("scoring 12.6 MB", from_l3, 32 * 128);
  Measure score_memory = scoring("scoring 50 MB", from_memory, 128 * 128);
  Measure pool_l3 = pooling("scoring and pooling 12.6 MB", from_l3, score_l3, add_l1, 32 * 128);
  Measure pool_memory =
      pooling("scoring and pooling 50 MB", from_memory, score_memory, add_l1, 128 * 128);

  Measure* const all[] = {&chain,  &from_l1,  &from_near_l3, &from_l3, &from_memory, &tile,
                          &small,  &square,   &wide,         &row,     &turns,       &scores,
                          &values, &softmax,  &medium,       &causal,  &large,       &score_l1,
                          &add_l1, &score_l3, &score_memory, &pool_l3, &pool_memory};
  for (Measure* measure : all) measure->warm_up();
  for (int round = 0; round < kRounds; ++round) {
    for (Measure* measure : all) measure->take_turn();
    for (Measure* measure : all) measure->compare();
  }
  for (const Measure* measure : all) print(*measure);
}
