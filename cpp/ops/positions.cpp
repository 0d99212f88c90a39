#include "positions.h"

#include <bit>
#include <cmath>
#include <stdexcept>

#include "../graph/gradients.h"
#include "../graph/number.h"

namespace attnscope {
namespace {

/// What follows a call's or a function's other arguments where positions do not start at 0.
std::string offset_argument(int64_t offset) {
  return offset == 0 ? "" : format(", offset={}", {offset});
}
const char* offset_parameter(int64_t offset) { return offset == 0 ? "" : ", offset=0"; }

/// The positions of a printed function's rows, as a column.
std::string position_column(int64_t offset, const char* dtype = "") {
  return format("torch.arange({}{})[:, None]",
                {offset == 0 ? "seq_len" : "offset, offset + seq_len", dtype});
}

constexpr const char* kDouble = ", dtype=torch.float64";

/// The slopes of Press et al.: 2^(-8/n), 2^(-16/n), ... for n heads, n a power of two; of another
/// number the largest power of two below it, then every other slope of twice that.
double slope(int64_t head, int64_t num_heads) {
  const auto n = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(num_heads)));
  const double exponent =
      head < n ? 8.0 * static_cast<double>(head + 1) / static_cast<double>(n)
               : 4.0 * static_cast<double>(2 * (head - n) + 1) / static_cast<double>(n);
  return std::pow(2.0, -exponent);
}

/// The bucket of a key `distance` positions after the query, as T5 numbers them. float32, as there:
/// a bucket's border decides.
int64_t bucket_of(int64_t distance, bool both_ways) {
  int64_t buckets = RelativeBias::kBuckets, first = 0;
  int64_t back = -distance;
  if (both_ways) {
    buckets /= 2;
    if (distance > 0) first = buckets;
    back = std::abs(distance);
  } else {
    back = std::max<int64_t>(back, 0);
  }
  const int64_t exact = buckets / 2;
  if (back < exact) return first + back;
  const float ratio = static_cast<float>(back) / static_cast<float>(exact);
  const float share = static_cast<float>(std::log(static_cast<double>(ratio))) /
                      static_cast<float>(std::log(static_cast<double>(RelativeBias::kMaxDistance) /
                                                  static_cast<double>(exact)));
  const auto far = exact + static_cast<int64_t>(share * static_cast<float>(buckets - exact));
  return first + std::min(far, buckets - 1);
}

}  // namespace

Cost SinusoidalTable::cost(const InputShapes&, const Shape& output) const {
  return {{Operation::kMultiplication, elements(output)},  // an angle
          {Operation::kExponential, elements(output)}};
}

double SinusoidalTable::frequency(int64_t pair) const {
  return std::pow(10000.0, -2.0 * static_cast<double>(pair) / static_cast<double>(features_));
}

Array SinusoidalTable::forward(const std::vector<const Array*>&) const {
  const size_t T = static_cast<size_t>(seq_len_), E = static_cast<size_t>(features_);
  Array y = make_array({T, E});
  for (size_t e = 0; e < E; ++e) {
    const double by = frequency(static_cast<int64_t>(e / 2));
    for (size_t t = 0; t < T; ++t) {
      const double angle = position(static_cast<int64_t>(t)) * by;
      y(t, e) = e % 2 == 0 ? std::sin(angle) : std::cos(angle);
    }
  }
  return y;
}

std::string SinusoidalTable::pytorch(const std::vector<std::string>& inputs,
                                     std::string_view) const {
  return format("sinusoidal_table({}, {}{}).to({})",
                {seq_len_, features_, offset_argument(offset_), inputs[0]});
}

std::vector<std::string> SinusoidalTable::pytorch_helpers(const InputShapes&) const {
  return {format(R"(def sinusoidal_table(seq_len, features{}):
    """(T, E): sines at even features, cosines at odd ones."""
    position = {}
    feature = torch.arange(features)
    angle = position * 10000.0 ** (-(feature // 2 * 2).double() / features)
    return torch.where(feature % 2 == 0, angle.sin(), angle.cos())
)",
                 {offset_parameter(offset_), position_column(offset_, kDouble)})};
}

Cost RotaryTable::cost(const InputShapes&, const Shape& output) const {
  return {{Operation::kExponential, elements(output)}};
}

double RotaryTable::frequency(int64_t pair) const {
  return std::pow(theta_, -2.0 * static_cast<double>(pair) / static_cast<double>(rotary_dim_));
}

Array RotaryTable::forward(const std::vector<const Array*>&) const {
  const size_t T = static_cast<size_t>(seq_len_), R = static_cast<size_t>(rotary_dim_);
  Array y = make_array({2, T, R});
  const size_t pairs = R / 2;
  for (size_t pair = 0; pair < pairs; ++pair) {
    const double by = frequency(static_cast<int64_t>(pair));
    for (size_t t = 0; t < T; ++t) {
      const double angle = position(static_cast<int64_t>(t)) * by;
      y(0, t, pair) = y(0, t, pair + pairs) = std::cos(angle);
      y(1, t, pair) = y(1, t, pair + pairs) = std::sin(angle);
    }
  }
  return y;
}

std::string RotaryTable::pytorch(const std::vector<std::string>& inputs, std::string_view) const {
  return format("rotary_table({}, {}, {}{}).to({})",
                {seq_len_, rotary_dim_, theta_, offset_argument(offset_), inputs[0]});
}

std::vector<std::string> RotaryTable::pytorch_helpers(const InputShapes&) const {
  return {format(R"(def rotary_table(seq_len, rotary_dim, theta{}):
    """(2, T, R): cosines and sines of the angles by which positions turn."""
    position = {}
    angle = position * theta ** (-torch.arange(0, rotary_dim, 2).double() / rotary_dim)
    angle = torch.cat((angle, angle), dim=-1)
    return torch.stack((angle.cos(), angle.sin()))
)",
                 {offset_parameter(offset_), position_column(offset_, kDouble)})};
}

Shape Rotate::output_shape(const InputShapes& inputs) const {
  const Shape &x = *inputs[0], &table = *inputs[1];
  const size_t rank = x.size();
  if (rank < 2 || table.size() != 3 || table[0] != 2 || !fits(table[1], x[rank - 2]) ||
      table[2] > x[rank - 1] || table[2] % 2 != 0) {
    wrong_graph("rotate: {} does not fit {}", {x, table});
  }
  return x;
}

Cost Rotate::cost(const InputShapes& inputs, const Shape& output) const {
  const Count turned = product({elements(output) / output.back().size, (*inputs[1])[2].size});
  return {{Operation::kMultiplication, product({2, turned})}, {Operation::kAddition, turned}};
}

Array Rotate::forward(const std::vector<const Array*>& inputs) const {
  const Array &x = *inputs[0], &table = *inputs[1];
  const size_t T = table.shape(1), R = table.shape(2), half = R / 2, D = x.shape().back();
  Array y = x;
  for (size_t row = 0; row < x.size() / D; ++row) {
    const double* from = x.data() + row * D;
    const double* cosine = table.data() + row % T * R;
    const double* sine = cosine + T * R;
    double* to = y.data() + row * D;
    for (size_t k = 0; k < half; ++k) {
      const size_t left = interleaved_ ? 2 * k : k, right = interleaved_ ? 2 * k + 1 : k + half;
      if (back_) {
        to[left] = from[k] * cosine[k] + from[k + half] * sine[k];
        to[right] = from[k + half] * cosine[k] - from[k] * sine[k];
      } else {
        to[k] = from[left] * cosine[k] - from[right] * sine[k];
        to[k + half] = from[right] * cosine[k] + from[left] * sine[k];
      }
    }
  }
  return y;
}

void Rotate::gradients(GradientBuilder& step) const {
  step.give(0, step.add<Rotate>({step.gradient(), step.input(1)}, interleaved_, !back_));
}

std::string Rotate::pytorch(const std::vector<std::string>& inputs, std::string_view) const {
  return format("rotate{}({}, {})", {interleaved_ ? "_interleaved" : "", inputs[0], inputs[1]});
}

std::vector<std::string> Rotate::pytorch_helpers(const InputShapes& inputs) const {
  const bool whole = (*inputs[1])[2] == inputs[0]->back();
  std::vector<std::string> helpers{whole ? R"(def rotate(x, table):
    """Turns each pair of features k and k + D / 2 by the angles of its position."""
    cosines, sines = table
    a, b = x.chunk(2, dim=-1)
    return x * cosines + torch.cat((-b, a), dim=-1) * sines
)"
                                         : R"(def rotate(x, table):
    """Turns pairs k and k + R / 2 of the first R features by the angles of their position."""
    cosines, sines = table
    x, others = x.tensor_split((table.shape[-1],), dim=-1)
    a, b = x.chunk(2, dim=-1)
    return torch.cat((x * cosines + torch.cat((-b, a), dim=-1) * sines, others), dim=-1)
)"};
  if (interleaved_) {
    helpers.push_back(whole ? R"(def rotate_interleaved(x, table):
    """The same for pairs 2k and 2k + 1, which come out as k and k + D / 2."""
    return rotate(x.unflatten(-1, (-1, 2)).transpose(-2, -1).flatten(-2), table)
)"
                            : R"(def rotate_interleaved(x, table):
    """The same for pairs 2k and 2k + 1, which come out as k and k + R / 2."""
    x, others = x.tensor_split((table.shape[-1],), dim=-1)
    pairs = x.unflatten(-1, (-1, 2)).transpose(-2, -1).flatten(-2)
    return rotate(torch.cat((pairs, others), dim=-1), table)
)");
  }
  return helpers;
}

Cost AlibiBias::cost(const InputShapes&, const Shape& output) const {
  return {{Operation::kMultiplication, elements(output)}};
}

Array AlibiBias::forward(const std::vector<const Array*>&) const {
  const size_t H = static_cast<size_t>(num_heads_), T = static_cast<size_t>(seq_len_),
               S = static_cast<size_t>(kv_len_);
  Array y = make_array({H, T, S});
  for (size_t h = 0; h < H; ++h) {
    const double by = slope(static_cast<int64_t>(h), num_heads_);
    for (size_t t = 0; t < T; ++t) {
      const double position = static_cast<double>(static_cast<int64_t>(t) + offset_);
      for (size_t s = 0; s < S; ++s) y(h, t, s) = -by * std::abs(position - static_cast<double>(s));
    }
  }
  return y;
}

void AlibiBias::fill(const float*, int64_t num_heads, float* by_distance) const {
  for (int64_t head = 0; head < num_heads; ++head) {
    const double by = slope(head, num_heads);
    for (int64_t i = 0; i < distances(); ++i) {
      *by_distance++ = static_cast<float>(-by * static_cast<double>(std::abs(distance(i))));
    }
  }
}

std::string AlibiBias::pytorch(const std::vector<std::string>& inputs, std::string_view) const {
  return format("alibi_bias({}, {}, {}{}).to({})",
                {num_heads_, seq_len_, kv_len_, offset_argument(offset_), inputs[0]});
}

std::vector<std::string> AlibiBias::pytorch_helpers(const InputShapes&) const {
  const bool power_of_two = std::has_single_bit(static_cast<uint64_t>(num_heads_));
  const char* exponents = power_of_two ? "8 / num_heads * torch.arange(1, num_heads + 1).double()"
                                       : R"(torch.tensor(exponents, dtype=torch.float64))";
  return {format(
      R"(def alibi_bias(num_heads, seq_len, kv_len{}):
    """(H, T, S): what distance takes from the scores, by another slope in each head."""
{}    slopes = 2.0 ** -({})
    distance = {} - torch.arange(kv_len)
    return -slopes[:, None, None] * distance.abs()
)",
      {offset_parameter(offset_), power_of_two ? "" : R"(    n = 2 ** (num_heads.bit_length() - 1)
    exponents = [8 * i / n for i in range(1, n + 1)]
    exponents += [4 * i / n for i in range(1, 2 * (num_heads - n), 2)]
)",
       exponents, position_column(offset_)})};
}

Shape RelativeBias::output_shape(const InputShapes& inputs) const {
  const Shape& table = *inputs[0];
  if (table.size() != 2 || table[0] != kBuckets) {
    wrong_graph("relative_bias: {} has not one row for each bucket", {table});
  }
  return shape({table[1], Axis::kHead});
}

Saved RelativeBias::saved_for_backward(const InputShapes&, const Shape&) const {
  return {.bytes = product({8, seq_len_, kv_len_})};  // the buckets, int64
}

Array RelativeBias::forward(const std::vector<const Array*>& inputs) const {
  const Array& table = *inputs[0];
  const size_t H = table.shape(1), T = static_cast<size_t>(seq_len_),
               S = static_cast<size_t>(kv_len_);
  Array y = make_array({H, T, S});
  for (size_t t = 0; t < T; ++t) {
    for (size_t s = 0; s < S; ++s) {
      const int64_t distance = static_cast<int64_t>(s) - static_cast<int64_t>(t) - offset_;
      const auto bucket = static_cast<size_t>(bucket_of(distance, both_ways_));
      for (size_t h = 0; h < H; ++h) y(h, t, s) = table(bucket, h);
    }
  }
  return y;
}

void RelativeBias::fill(const float* table, int64_t num_heads, float* by_distance) const {
  for (int64_t i = 0; i < distances(); ++i) {
    const float* row = table + bucket_of(distance(i), both_ways_) * num_heads;
    for (int64_t head = 0; head < num_heads; ++head)
      by_distance[head * distances() + i] = row[head];
  }
}

void RelativeBias::gradients(GradientBuilder& step) const {
  step.give(0, step.add<RelativeBiasGradient>({step.gradient()}, offset_, both_ways_));
}

std::string RelativeBias::pytorch(const std::vector<std::string>& inputs, std::string_view) const {
  return format("relative_bias({}, {}, {}{})",
                {inputs[0], seq_len_, kv_len_, offset_argument(offset_)});
}

std::vector<std::string> RelativeBias::pytorch_helpers(const InputShapes&) const {
  const std::string both =
      R"(    count = table.size(0) // 2  # half of the buckets are for keys after the query
    distance = {} - torch.arange(kv_len)
    back = distance.abs()
)";
  const std::string past = R"(    count = table.size(0)
    distance = {} - torch.arange(kv_len)
    back = distance.clamp(min=0)
)";
  return {format(R"(def relative_bias(table, seq_len, kv_len{}):
    """(H, T, S): a learned score a bucket of distances, exact when near, logarithmic to {}."""
{}    exact = count // 2
    far = torch.log(back / exact) / math.log({} / exact) * (count - exact)
    far = (exact + far.clamp(min=0).long()).clamp(max=count - 1)
    bucket = torch.where(back < exact, back, far){}
    return F.embedding(bucket.to(table.device), table).permute(2, 0, 1)
)",
                 {offset_parameter(offset_), kMaxDistance,
                  format((both_ways_ ? both : past).c_str(), {position_column(offset_)}),
                  kMaxDistance, both_ways_ ? " + (distance < 0) * count" : ""})};
}

int64_t RelativeBiasGradient::bucket(int64_t t, int64_t s) const {
  return bucket_of(s - t - offset_, both_ways_);
}

Shape RelativeBiasGradient::output_shape(const InputShapes& inputs) const {
  return {RelativeBias::kBuckets, (*inputs[0])[0]};
}

Cost RelativeBiasGradient::cost(const InputShapes& inputs, const Shape&) const {
  return {{Operation::kAddition, elements(*inputs[0])}};
}

Array RelativeBiasGradient::forward(const std::vector<const Array*>& inputs) const {
  const Array& dy = *inputs[0];
  const size_t H = dy.shape(0), T = dy.shape(1), S = dy.shape(2);
  Array table = make_array({static_cast<size_t>(RelativeBias::kBuckets), H});
  table.fill(0.0);
  for (size_t h = 0; h < H; ++h) {
    for (size_t t = 0; t < T; ++t) {
      for (size_t s = 0; s < S; ++s) {
        const int64_t of = bucket(static_cast<int64_t>(t), static_cast<int64_t>(s));
        table(static_cast<size_t>(of), h) += dy(h, t, s);
      }
    }
  }
  return table;
}

}  // namespace attnscope
