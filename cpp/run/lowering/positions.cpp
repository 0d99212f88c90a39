#include "../../ops/positions.h"

#include <algorithm>
#include <cmath>

#include "../../kernels/rotary.h"
#include "../../kernels/sums.h"
#include "../lowering.h"
#include "../threads.h"

namespace attnscope {
namespace {

/// A table that reads nothing: fill(to) makes it.
template <class Fill>
Fusion table(const Site& site, Fill fill) {
  Fusion fusion = site.alone({});
  fusion.kernel = [=, y = site.output()](Workspace& workspace) { fill(workspace.write(y)); };
  return fusion;
}

Fusion sinusoidal_table(const Site& site) {
  const int64_t T = site.output_shape()[0], E = site.output_shape()[1];
  return table(site, [=, &op = site.op<SinusoidalTable>()](float* to) {
    for (int64_t e = 0; e < E; ++e) {
      const double by = op.frequency(e / 2);
      for (int64_t t = 0; t < T; ++t) {
        const double angle = op.position(t) * by;
        to[t * E + e] = static_cast<float>(e % 2 == 0 ? std::sin(angle) : std::cos(angle));
      }
    }
  });
}

Fusion rotary_table(const Site& site) {
  const int64_t T = site.output_shape()[1], R = site.output_shape()[2], pairs = R / 2;
  return table(site, [=, &op = site.op<RotaryTable>()](float* to) {
    float *cosines = to, *sines = to + T * R;
    for (int64_t pair = 0; pair < pairs; ++pair) {
      const double by = op.frequency(pair);
      for (int64_t t = 0; t < T; ++t) {
        const double angle = op.position(t) * by;
        const int64_t i = t * R + pair;
        cosines[i] = cosines[i + pairs] = static_cast<float>(std::cos(angle));
        sines[i] = sines[i + pairs] = static_cast<float>(std::sin(angle));
      }
    }
  });
}

Fusion rotate(const Site& site) {
  const bool interleaved = site.op<Rotate>().interleaved();
  const auto turn = site.op<Rotate>().back() ? kernels::rotate_back : kernels::rotate;
  const Shape& shape = site.output_shape();
  const int64_t D = shape.back(), T = shape[shape.size() - 2], rows = count_of(shape) / D;
  const int64_t R = site.input_shape(1).back();  // features that positions turn
  const TensorId x = site.input(0), table_id = site.input(1), y = site.output();
  Fusion fusion = site.alone({x, table_id});
  fusion.kernel = [=](Workspace& workspace) {
    constexpr int64_t kGrain = 64;
    const float* all = workspace.read(x);
    const float* cosines = workspace.read(table_id);
    const float* sines = cosines + T * R;
    float* out = workspace.write(y);
    parallel_for(rows, kGrain, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        const float *cosine = cosines + row % T * R, *sine = sines + row % T * R;
        const float* from = all + row * D;
        float* to = out + row * D;
        turn(from, cosine, sine, R / 2, interleaved, to);
        std::copy(from + R, from + D, to + R);
      }
    });
  };
  return fusion;
}

/// A bias for each query and key, where attention does not make it of the distances itself
/// (lowering/attention.cpp).
Fusion distance_bias(const Site& site) {
  const auto& op = static_cast<const DistanceBias&>(*site.step().op);
  const Shape& shape = site.output_shape();
  const int64_t H = shape[0], T = shape[1], S = shape[2], distances = op.distances();
  const TensorId table_id = op.is_constant() ? kNoTensor : site.input(0), y = site.output();
  Fusion fusion = site.alone({});
  if (table_id != kNoTensor) fusion.reads.push_back(table_id);
  const auto slot = fusion.scratch.shared<float>(product({H, distances}));
  fusion.kernel = [=, &op](Workspace& workspace) {
    float* by_distance = workspace.at(slot);
    op.fill(table_id == kNoTensor ? nullptr : workspace.read(table_id), H, by_distance);
    float* to = workspace.write(y);
    for (int64_t row = 0; row < H * T; ++row) {
      to = std::copy_n(by_distance + row / T * distances + T - 1 - row % T, S, to);
    }
  };
  return fusion;
}

/// Sums by distance, then of the distances of each bucket. Of many numbers, so in double precision.
Fusion relative_bias_gradient(const Site& site) {
  const Shape& shape = site.input_shape(0);
  const int64_t H = shape[0], T = shape[1], S = shape[2], distances = T + S - 1;
  const TensorId dy = site.input(0), y = site.output();
  Fusion fusion = site.alone({dy});
  const auto slot = fusion.scratch.each_thread<double>(distances);
  fusion.kernel = [=, &op = site.op<RelativeBiasGradient>()](Workspace& workspace) {
    const float* all = workspace.read(dy);
    float* table = workspace.write(y);
    parallel_for(H, 1, [&](int64_t begin, int64_t end) {
      double* by_distance = workspace.at(slot);
      for (int64_t head = begin; head < end; ++head) {
        std::fill_n(by_distance, distances, 0.0);
        for (int64_t t = 0; t < T; ++t) {
          kernels::add_to(all + (head * T + t) * S, S, by_distance + T - 1 - t);
        }
        double buckets[RelativeBias::kBuckets] = {};
        for (int64_t i = 0; i < distances; ++i) buckets[op.bucket(T - 1, i)] += by_distance[i];
        for (int64_t b = 0; b < RelativeBias::kBuckets; ++b) {
          table[b * H + head] = static_cast<float>(buckets[b]);
        }
      }
    });
  };
  return fusion;
}

const Lowered<SinusoidalTable> kSinusoidalTable(sinusoidal_table);
const Lowered<RotaryTable> kRotaryTable(rotary_table);
const Lowered<Rotate> kRotate(rotate);
const Lowered<AlibiBias> kAlibiBias(distance_bias);
const Lowered<RelativeBias> kRelativeBias(distance_bias);
const Lowered<RelativeBiasGradient> kRelativeBiasGradient(relative_bias_gradient);

}  // namespace
}  // namespace attnscope
