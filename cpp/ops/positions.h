#pragma once

// Where a position stands in its sequence, for attention that would not know it otherwise. Position
// i of a call stands at i + offset. Constant tables have one input, whose number format they take.

#include <utility>
#include <vector>

#include "../graph/op.h"

namespace attnscope {

/// A constant table (T, E): sin(p w_k) at 2k and cos(p w_k) at 2k + 1, w_k = 10000^(-2k / E).
/// Vaswani et al. 2017, section 3.5.
class SinusoidalTable final : public SingleOp {
 public:
  SinusoidalTable(int64_t seq_len, int64_t features, int64_t offset)
      : seq_len_(seq_len), features_(features), offset_(offset) {}

  std::string_view name() const override { return "sinusoidal_table"; }
  Shape output_shape(const InputShapes&) const override {
    return {{seq_len_, Axis::kPosition}, {features_, Axis::kHidden}};
  }
  Cost cost(const InputShapes& inputs, const Shape& output) const override;
  Array forward(const std::vector<const Array*>& inputs) const override;
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;
  bool is_constant() const override { return true; }
  std::vector<std::string> pytorch_helpers(const InputShapes& inputs) const override;

  double position(int64_t t) const { return static_cast<double>(t + offset_); }
  /// By which positions are multiplied for features 2 pair and 2 pair + 1.
  double frequency(int64_t pair) const;

 private:
  int64_t seq_len_, features_, offset_;
};

/// A constant table (2, T, R): cos and sin of the rotary embedding's angles p theta^(-2k / R), the
/// angles twice side by side, for the R features of a head that positions turn. Su et al. 2021,
/// https://arxiv.org/abs/2104.09864.
class RotaryTable final : public SingleOp {
 public:
  RotaryTable(int64_t seq_len, int64_t rotary_dim, double theta, int64_t offset)
      : seq_len_(seq_len), rotary_dim_(rotary_dim), theta_(theta), offset_(offset) {}

  std::string_view name() const override { return "rotary_table"; }
  Shape output_shape(const InputShapes&) const override {
    return {2, {seq_len_, Axis::kPosition}, {rotary_dim_, Axis::kHeadFeature}};
  }
  Cost cost(const InputShapes& inputs, const Shape& output) const override;
  Array forward(const std::vector<const Array*>& inputs) const override;
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;
  bool is_constant() const override { return true; }
  std::vector<std::string> pytorch_helpers(const InputShapes& inputs) const override;

  double position(int64_t t) const { return static_cast<double>(t + offset_); }
  /// By which positions are multiplied, for the angle that turns a pair of features.
  double frequency(int64_t pair) const;

 private:
  int64_t seq_len_, rotary_dim_;
  double theta_;
  int64_t offset_;
};

/// Turns pairs of features by a rotary table: x (..., T, D), table (2, T, R). Of the first R
/// features pairs are k and k + R / 2; `interleaved`: 2k and 2k + 1, which come out as the former.
/// Features from R on stay as they are. `back`: by the same angles back to what it was, which is
/// its gradient.
class Rotate final : public SingleOp {
 public:
  explicit Rotate(bool interleaved = false, bool back = false)
      : interleaved_(interleaved), back_(back) {}

  bool interleaved() const { return interleaved_; }
  bool back() const { return back_; }

  std::string_view name() const override { return back_ ? "rotate_backward" : "rotate"; }
  Shape output_shape(const InputShapes& inputs) const override;
  Cost cost(const InputShapes& inputs, const Shape& output) const override;
  Saved saved_for_backward(const InputShapes&, const Shape&) const override {
    return {.inputs = {1}};
  }
  Array forward(const std::vector<const Array*>& inputs) const override;
  void gradients(GradientBuilder& step) const override;
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;
  std::vector<std::string> pytorch_helpers(const InputShapes& inputs) const override;

 private:
  bool interleaved_, back_;
};

/// What is added to scores (H, T, S), where a head and the distance from query to key decide it.
class DistanceBias : public SingleOp {
 public:
  DistanceBias(int64_t seq_len, int64_t kv_len, int64_t offset)
      : seq_len_(seq_len), kv_len_(kv_len), offset_(offset) {}

  /// How many there are, from the first key seen by the last query to the last seen by the first.
  int64_t distances() const { return seq_len_ + kv_len_ - 1; }

  /// by_distance (H, T + S - 1): of key s, seen by query t, at T - 1 - t + s. `table` has the
  /// values of the first input, unless the bias is constant.
  virtual void fill(const float* table, int64_t num_heads, float* by_distance) const = 0;

 protected:
  Shape shape(Dimension num_heads) const {
    return {num_heads, {seq_len_, Axis::kQuery}, {kv_len_, Axis::kKey}};
  }
  /// From the query to the key that belong to the i-th number of a head in `by_distance`.
  int64_t distance(int64_t i) const { return i - (seq_len_ - 1) - offset_; }

  int64_t seq_len_, kv_len_, offset_;
};

/// A constant bias: slope_h (j - p). Press, Smith and Lewis 2021, https://arxiv.org/abs/2108.12409;
/// slopes as published, for any number of heads.
class AlibiBias final : public DistanceBias {
 public:
  AlibiBias(int64_t num_heads, int64_t seq_len, int64_t kv_len, int64_t offset)
      : DistanceBias(seq_len, kv_len, offset), num_heads_(num_heads) {}

  std::string_view name() const override { return "alibi_bias"; }
  Shape output_shape(const InputShapes&) const override { return shape({num_heads_, Axis::kHead}); }
  Cost cost(const InputShapes& inputs, const Shape& output) const override;
  Array forward(const std::vector<const Array*>& inputs) const override;
  void fill(const float* table, int64_t num_heads, float* by_distance) const override;
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;
  bool is_constant() const override { return true; }
  std::vector<std::string> pytorch_helpers(const InputShapes& inputs) const override;

 private:
  int64_t num_heads_;
};

/// Learned scores for 32 buckets of distances, exact when near and logarithmic to 128:
/// table (32, H) -> (H, T, S). Raffel et al. 2020, "Exploring the Limits of Transfer Learning with
/// a Unified Text-to-Text Transformer", section 2.1. `both_ways`: half of the buckets are for keys
/// after the query.
class RelativeBias final : public DistanceBias {
 public:
  static constexpr int64_t kBuckets = 32;
  static constexpr int64_t kMaxDistance = 128;

  RelativeBias(int64_t seq_len, int64_t kv_len, int64_t offset, bool both_ways)
      : DistanceBias(seq_len, kv_len, offset), both_ways_(both_ways) {}

  std::string_view name() const override { return "relative_bias"; }
  Shape output_shape(const InputShapes& inputs) const override;
  Cost cost(const InputShapes&, const Shape&) const override { return {}; }
  Saved saved_for_backward(const InputShapes&, const Shape&) const override;
  Array forward(const std::vector<const Array*>& inputs) const override;
  void gradients(GradientBuilder& step) const override;
  void fill(const float* table, int64_t num_heads, float* by_distance) const override;
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;
  std::vector<std::string> pytorch_helpers(const InputShapes& inputs) const override;

 private:
  bool both_ways_;
};

/// The gradient of a RelativeBias by its table: dy (H, T, S) -> (32, H), the sum of each bucket.
class RelativeBiasGradient final : public UnnamedOp {
 public:
  RelativeBiasGradient(int64_t offset, bool both_ways) : offset_(offset), both_ways_(both_ways) {}

  /// The bucket of key s, seen by query t.
  int64_t bucket(int64_t t, int64_t s) const;

  std::string_view name() const override { return "relative_bias_backward"; }
  Shape output_shape(const InputShapes& inputs) const override;
  Cost cost(const InputShapes& inputs, const Shape& output) const override;
  Array forward(const std::vector<const Array*>& inputs) const override;

 private:
  int64_t offset_;
  bool both_ways_;
};

}  // namespace attnscope
