#pragma once

// What the cells of recurrent layers do beside their products: from the gates, which products of
// the input and of the state before make, to the state after. A cell of an RNN is a sum and an
// activation (ops/arithmetic.h, ops/activation.h).

#include "../graph/op.h"

namespace attnscope {

/// Gates (B, 4H), c (B, H) -> h, c (B, H), activated gates (B, 4H), which lie in place of the
/// gates. With the gates in PyTorch's order i, f, g, o:
///
///   c' = sigmoid(f) c + sigmoid(i) tanh(g)
///   h' = sigmoid(o) tanh(c')
///
/// Hochreiter and Schmidhuber 1997, with the forget gate of Gers et al. 2000, as
/// https://docs.pytorch.org/docs/stable/generated/torch.nn.LSTM.html has it. PyTorch's autograd
/// keeps tanh(c') besides; the gradient here makes it anew.
class LstmCell final : public Op {
 public:
  static constexpr size_t kHidden = 0, kMemory = 1, kActivated = 2;  // outputs

  std::string_view name() const override { return "lstm_cell"; }
  size_t outputs() const override { return 3; }
  Shape output_shape(const InputShapes& inputs, size_t output) const override;
  Cost cost(const InputShapes& inputs, const Shape& hidden) const override;
  Saved saved_for_backward(const InputShapes&, const Shape& hidden) const override {
    return {.inputs = {1}, .outputs = {2}, .elements = elements(hidden)};
  }
  Alias alias(size_t output) const override {
    return output == kActivated ? Alias{Aliasing::kInPlace, 0} : Alias{};
  }
  std::vector<Array> forward_all(const std::vector<const Array*>& inputs) const override;
  /// Of h and c. Nothing is trained through the activated gates.
  void gradients(GradientBuilder& step) const override;
  size_t printed_outputs() const override { return 2; }
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;
};

/// The gradients by h and by c after, activated gates (B, 4H), c before (B, H) -> those by the
/// gates (B, 4H) and by c before (B, H). Of the first two one may not be there at all, and each may
/// be missing in a run: it is zero then.
class LstmCellGradient final : public Op {
 public:
  LstmCellGradient(bool by_hidden, bool by_memory) : by_hidden_(by_hidden), by_memory_(by_memory) {}

  /// Where among the inputs these stand: the gradients, where they do.
  bool by_hidden() const { return by_hidden_; }
  bool by_memory() const { return by_memory_; }
  size_t memory_gradient() const { return by_hidden_ ? 1 : 0; }
  size_t activated() const { return memory_gradient() + (by_memory_ ? 1 : 0); }
  size_t before() const { return activated() + 1; }

  std::string_view name() const override { return "lstm_cell_backward"; }
  size_t outputs() const override { return 2; }
  Shape output_shape(const InputShapes& inputs, size_t output) const override;
  Cost cost(const InputShapes& inputs, const Shape& gates) const override;
  std::vector<Array> forward_all(const std::vector<const Array*>& inputs) const override;
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;

 private:
  bool by_hidden_, by_memory_;
};

/// Gates of the input and of h, both (B, 3H), h (B, H) -> h (B, H), activated gates (B, 3H), which
/// lie in place of those of h, n (B, H). With the gates in PyTorch's order r, z, n:
///
///   r  = sigmoid(x_r + h_r)
///   z  = sigmoid(x_z + h_z)
///   n  = tanh(x_n + r h_n)
///   h' = (1 - z) n + z h, as (h - n) z + n
///
/// Cho et al. 2014, with r behind the product of h, as
/// https://docs.pytorch.org/docs/stable/generated/torch.nn.GRU.html has it. The activated gates are
/// r, z and, as it was, h_n. PyTorch's autograd keeps copies of h_n and h - n besides.
class GruCell final : public Op {
 public:
  static constexpr size_t kHidden = 0, kActivated = 1, kNew = 2;  // outputs

  std::string_view name() const override { return "gru_cell"; }
  size_t outputs() const override { return 3; }
  Shape output_shape(const InputShapes& inputs, size_t output) const override;
  Cost cost(const InputShapes& inputs, const Shape& hidden) const override;
  Saved saved_for_backward(const InputShapes&, const Shape& hidden) const override {
    return {.outputs = {1, 2}, .elements = 2 * elements(hidden)};
  }
  Alias alias(size_t output) const override {
    return output == kActivated ? Alias{Aliasing::kInPlace, 1} : Alias{};
  }
  std::vector<Array> forward_all(const std::vector<const Array*>& inputs) const override;
  /// Of h. Nothing is trained through the other outputs.
  void gradients(GradientBuilder& step) const override;
  size_t printed_outputs() const override { return 1; }
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;
};

/// The gradient by h after, activated gates (B, 3H), n and h before (B, H) -> those by the gates of
/// the input and of h (B, 3H) and by h before (B, H). The first may be missing in a run: it is zero
/// then.
class GruCellGradient final : public Op {
 public:
  std::string_view name() const override { return "gru_cell_backward"; }
  size_t outputs() const override { return 3; }
  Shape output_shape(const InputShapes& inputs, size_t output) const override;
  Cost cost(const InputShapes& inputs, const Shape& gates) const override;
  std::vector<Array> forward_all(const std::vector<const Array*>& inputs) const override;
  std::string pytorch(const std::vector<std::string>& inputs,
                      std::string_view module) const override;
};

}  // namespace attnscope
