#include "../../../cpp/kernels/recurrent.h"

#include <limits>

#include "../../../cpp/ops/recurrent.h"
#include "../ops/arrays.h"

using namespace attnscope;
using namespace attnscope::testing;
namespace kernels = attnscope::kernels;

namespace {

constexpr int64_t kSizes[] = {1, 3, 4, 5, 15, 16, 17, 31, 33, 64, 100};
constexpr float kUntouched = 7.0f;

/// Five roundings of float32, and the 3 ULP of an activation.
constexpr double kTolerance = 1e-6;

using Floats = std::vector<float>;

Floats scaled(Floats numbers, float factor) {
  for (float& number : numbers) number *= factor;
  return numbers;
}

Array row(const Floats& numbers) {
  Array array = make_array({1, numbers.size()});
  std::copy(numbers.begin(), numbers.end(), array.begin());
  return array;
}

/// `to` against the reference where units [begin, end) of each of its parts are, and nothing else
/// written; NaN where the reference has it.
void check_units(const Floats& to, const Array& expected, int64_t units, int64_t begin,
                 int64_t end) {
  REQUIRE(to.size() == expected.size());
  for (size_t i = 0; i < to.size(); ++i) {
    CAPTURE(i);
    const int64_t unit = static_cast<int64_t>(i) % units;
    if (unit < begin || unit >= end) {
      CHECK(to[i] == kUntouched);
    } else if (std::isfinite(expected.data()[i])) {
      check_close(to[i], expected.data()[i], kTolerance);
    } else if (std::isnan(expected.data()[i])) {
      CHECK(std::isnan(to[i]));
    } else {
      CHECK(to[i] == static_cast<float>(expected.data()[i]));
    }
  }
}

/// What the cells are given, and what they make of it: everything, of units [begin, end).
struct Lstm {
  Floats gates, c, dh, dc;
  int64_t units = static_cast<int64_t>(c.size());

  void check(int64_t begin, int64_t end) const {
    const Array given = row(gates), before = row(c), by_h = row(dh), by_c = row(dc);
    const std::vector<Array> made = LstmCell().forward_all({&given, &before});
    Floats h(c.size(), kUntouched), after = h, activated(gates.size(), kUntouched);
    kernels::lstm_cell(gates.data(), c.data(), units, begin, end, h.data(), after.data(),
                       activated.data());
    check_units(h, made[LstmCell::kHidden], units, begin, end);
    check_units(after, made[LstmCell::kMemory], units, begin, end);
    check_units(activated, made[LstmCell::kActivated], units, begin, end);
    if (begin > 0 || end < units) return;
    const Array gate_values = row(activated);
    for (const int given_ones : {0, 1, 2, 3}) {
      CAPTURE(given_ones);
      const bool has_h = given_ones & 1, has_c = given_ones & 2;
      const std::vector<Array> gradients =
          LstmCellGradient(true, true)
              .forward_all(
                  {has_h ? &by_h : nullptr, has_c ? &by_c : nullptr, &gate_values, &before});
      Floats by_gates(gates.size(), kUntouched), by_before(c.size(), kUntouched);
      kernels::lstm_cell_gradient(has_h ? dh.data() : nullptr, has_c ? dc.data() : nullptr,
                                  activated.data(), c.data(), units, begin, end, by_gates.data(),
                                  by_before.data());
      check_units(by_gates, gradients[0], units, begin, end);
      check_units(by_before, gradients[1], units, begin, end);
    }
  }
};

struct Gru {
  Floats x, y, h, dh;
  int64_t units = static_cast<int64_t>(h.size());

  void check(int64_t begin, int64_t end) const {
    const Array of_x = row(x), of_h = row(y), before = row(h), by = row(dh);
    const std::vector<Array> made = GruCell().forward_all({&of_x, &of_h, &before});
    Floats after(h.size(), kUntouched), fresh = after, activated(y.size(), kUntouched);
    kernels::gru_cell(x.data(), y.data(), h.data(), units, begin, end, after.data(),
                      activated.data(), fresh.data());
    check_units(after, made[GruCell::kHidden], units, begin, end);
    check_units(activated, made[GruCell::kActivated], units, begin, end);
    check_units(fresh, made[GruCell::kNew], units, begin, end);
    if (begin > 0 || end < units) return;
    const Array gate_values = row(activated), n = row(fresh);
    for (const bool given : {true, false}) {
      const std::vector<Array> gradients =
          GruCellGradient().forward_all({given ? &by : nullptr, &gate_values, &n, &before});
      Floats by_x(x.size(), kUntouched), by_h = by_x, by_before(h.size(), kUntouched);
      kernels::gru_cell_gradient(given ? dh.data() : nullptr, activated.data(), fresh.data(),
                                 h.data(), units, begin, end, by_x.data(), by_h.data(),
                                 by_before.data());
      check_units(by_x, gradients[0], units, begin, end);
      check_units(by_h, gradients[1], units, begin, end);
      check_units(by_before, gradients[2], units, begin, end);
    }
  }
};

Lstm random_lstm(int64_t units, float largest) {
  return {.gates = scaled(random_floats(4 * units, 1), largest),
          .c = scaled(random_floats(units, 2), 3.0f),
          .dh = random_floats(units, 3),
          .dc = random_floats(units, 4)};
}

Gru random_gru(int64_t units, float largest) {
  return {.x = scaled(random_floats(3 * units, 1), largest),
          .y = scaled(random_floats(3 * units, 2), largest),
          .h = random_floats(units, 3),
          .dh = random_floats(units, 4)};
}

}  // namespace

TEST_CASE("cells of any number of units are what their formulas say, and so are any part of them") {
  for (const int64_t units : kSizes) {
    CAPTURE(units);
    for (const float largest : {3.0f, 100.0f}) {
      random_lstm(units, largest).check(0, units);
      random_gru(units, largest).check(0, units);
    }
    random_lstm(units, 3.0f).check(units / 3, units - units / 4);
    random_gru(units, 3.0f).check(units / 3, units - units / 4);
  }
}

TEST_CASE("gates of 100 and -100 are open and closed, infinity and NaN go where they reach") {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float extremes[] = {100.0f, -100.0f, kInfinity, -kInfinity, NAN, 0.5f};
  constexpr size_t kUnits = 6 * 6;
  // Each gate, and c, has each extreme while others are small. A state or product that is infinite
  // is left out: kernels close a gate of -100 wholly, and 0 times infinity is NaN.
  for (size_t extreme = 0; extreme < 5; ++extreme) {
    CAPTURE(extremes[extreme]);
    Lstm lstm = random_lstm(kUnits, 1.0f);
    Gru gru = random_gru(kUnits, 1.0f);
    for (size_t part = 0; part < 6; ++part) {
      for (size_t other = 0; other < 6; ++other) {
        const size_t unit = part * 6 + other;
        const auto put = [&](Floats& numbers, size_t gate, float number) {
          numbers[gate * kUnits + unit] = number;
        };
        // The second extreme beside it stands in another gate.
        if (part < 4) put(lstm.gates, part, extremes[extreme]);
        const bool infinite = std::isinf(extremes[extreme]);
        if (part == 4 && !infinite) put(lstm.c, 0, extremes[extreme]);
        put(lstm.gates, (part + 1) % 4, extremes[other]);
        if (part < 3) put(gru.x, part, extremes[extreme]);
        if (part >= 3 && (part < 5 || !infinite)) put(gru.y, part - 3, extremes[extreme]);
        put(gru.y, (part + 1) % 3, extremes[other]);
      }
    }
    lstm.check(0, kUnits);
    gru.check(0, kUnits);
  }
}

TEST_CASE("cells write over what they read, and leave out what nobody asks for") {
  for (const int64_t units : kSizes) {
    CAPTURE(units);
    const auto size = static_cast<size_t>(units);
    const Lstm lstm = random_lstm(units, 3.0f);
    Floats h(size), c(size), activated(4 * size), by_gates(4 * size), by_c(size);
    kernels::lstm_cell(lstm.gates.data(), lstm.c.data(), units, 0, units, h.data(), c.data(),
                       activated.data());
    Floats gates = lstm.gates, memory = lstm.c, hidden(size);
    kernels::lstm_cell(gates.data(), memory.data(), units, 0, units, nullptr, memory.data(),
                       nullptr);
    CHECK(gates == lstm.gates);
    CHECK(memory == c);
    kernels::lstm_cell(gates.data(), lstm.c.data(), units, 0, units, hidden.data(), nullptr,
                       gates.data());
    CHECK(hidden == h);
    CHECK(gates == activated);
    kernels::lstm_cell_gradient(lstm.dh.data(), lstm.dc.data(), activated.data(), lstm.c.data(),
                                units, 0, units, by_gates.data(), by_c.data());
    Floats by_memory = lstm.dc, by_hidden = lstm.dh;
    kernels::lstm_cell_gradient(lstm.dh.data(), by_memory.data(), gates.data(), lstm.c.data(),
                                units, 0, units, nullptr, by_memory.data());
    kernels::lstm_cell_gradient(by_hidden.data(), lstm.dc.data(), gates.data(), lstm.c.data(),
                                units, 0, units, gates.data(), by_hidden.data());
    CHECK(by_memory == by_c);
    CHECK(by_hidden == by_c);
    CHECK(gates == by_gates);

    const Gru gru = random_gru(units, 3.0f);
    Floats kept(3 * size), fresh(size), by_x(3 * size), by_h(3 * size);
    kernels::gru_cell(gru.x.data(), gru.y.data(), gru.h.data(), units, 0, units, h.data(),
                      kept.data(), fresh.data());
    Floats over = gru.y, state = gru.h, n(size);
    kernels::gru_cell(gru.x.data(), over.data(), state.data(), units, 0, units, state.data(),
                      nullptr, nullptr);
    CHECK(state == h);
    CHECK(over == gru.y);
    kernels::gru_cell(gru.x.data(), over.data(), gru.h.data(), units, 0, units, nullptr,
                      over.data(), n.data());
    CHECK(over == kept);
    CHECK(n == fresh);
    kernels::gru_cell_gradient(gru.dh.data(), kept.data(), n.data(), gru.h.data(), units, 0, units,
                               by_x.data(), by_h.data(), c.data());
    Floats by_state = gru.dh;
    kernels::gru_cell_gradient(by_state.data(), kept.data(), n.data(), gru.h.data(), units, 0,
                               units, nullptr, nullptr, by_state.data());
    CHECK(by_state == c);
    kernels::gru_cell_gradient(gru.dh.data(), over.data(), n.data(), gru.h.data(), units, 0, units,
                               over.data(), nullptr, nullptr);
    CHECK(over == by_x);
    kernels::gru_cell_gradient(gru.dh.data(), kept.data(), n.data(), gru.h.data(), units, 0, units,
                               nullptr, kept.data(), nullptr);
    CHECK(kept == by_h);
  }
}
