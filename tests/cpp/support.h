#pragma once

// What the tests share: configs in one line, seeded values, comparison with a named tolerance.

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "../../cpp/layers/layer.h"
#include "../../cpp/run/values.h"

namespace attnscope::testing {

inline RawValue raw(double number) { return {number}; }
inline RawValue raw(int number) { return {static_cast<double>(number)}; }
inline RawValue raw(bool flag) { return {flag}; }
inline RawValue raw(const char* text) { return {std::string(text)}; }

/// config("linear_scorer", {{"batch_size", raw(2)}}).
inline Config config(const char* layer, RawConfig fields = {}) {
  fields.emplace_back("layer", raw(layer));
  return resolve(fields);
}

inline Graph graph_of(const Config& config) { return config.layer().forward_graph(config); }

/// Seeded values in [-1, 1); the standard distributions differ between platforms.
inline std::vector<float> random_floats(int64_t count, uint32_t seed) {
  std::vector<float> values(static_cast<size_t>(count));
  for (float& value : values) {
    seed = seed * 1664525u + 1013904223u;
    value = static_cast<float>(seed >> 8) / (1 << 23) - 1.0f;
  }
  return values;
}

inline Values random_values(const Shape& shape, uint32_t seed) {
  Values values = make_values(shape);
  const std::vector<float> floats = random_floats(static_cast<int64_t>(values.size()), seed);
  std::copy(floats.begin(), floats.end(), values.begin());
  return values;
}

/// |actual - expected| <= tolerance * max(1, |expected|), and NaN never passes.
inline void check_close(double actual, double expected, double tolerance) {
  CAPTURE(actual);
  CAPTURE(expected);
  CHECK(std::abs(actual - expected) <= tolerance * std::max(1.0, std::abs(expected)));
}

}  // namespace attnscope::testing
