#include "recurrent.h"

#include <cmath>

#include "../graph/gradients.h"

namespace attnscope {
namespace {

double sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }

/// What sigmoid'(x) and tanh'(x) are, of y = sigmoid(x) and y = tanh(x).
double sigmoid_slope(double y) { return y * (1.0 - y); }
double tanh_slope(double y) { return 1.0 - y * y; }

/// Throws unless `gates` has `count` numbers for each of the state's.
void check_gates(std::string_view op, const Shape& gates, const Shape& state, int64_t count) {
  Shape one = gates;
  const bool whole = !gates.empty() && gates.back() % count == 0;
  if (whole) one.back() = {gates.back() / count, state.empty() ? Axis{} : state.back().axis};
  if (!whole || !fit(one, state)) {
    wrong_graph("{}: gates {} are not {} for each number of {}", {op, gates, count, state});
  }
}

void check_same(std::string_view op, const Shape& one, const Shape& other) {
  if (!fit(one, other)) wrong_graph("{}: {} is not {}", {op, one, other});
}

/// work(place in (B, H), place of its first gate in (B, count H), H) for each number of a state.
template <class Work>
void each_unit(const Array& state, size_t count, Work work) {
  const size_t H = state.shape().back();
  for (size_t i = 0; i < state.size(); ++i) work(i, i / H * count * H + i % H, H);
}

void refuse_gradient(const GradientBuilder& step, size_t output) {
  if (step.gradient(output) == kNoTensor) return;
  wrong_graph("{}: nothing is trained through its output {}", {step.op()->name(), output});
}

}  // namespace

Shape LstmCell::output_shape(const InputShapes& inputs, size_t output) const {
  check_gates(name(), *inputs[0], *inputs[1], 4);
  return *inputs[output == kActivated ? 0 : 1];
}

Cost LstmCell::cost(const InputShapes&, const Shape& hidden) const {
  const Count n = elements(hidden);
  return {{Operation::kExponential, product({5, n})},
          {Operation::kMultiplication, product({3, n})},
          {Operation::kAddition, n}};
}

std::vector<Array> LstmCell::forward_all(const std::vector<const Array*>& inputs) const {
  const Array& before = *inputs[1];
  std::vector<Array> made{before, before, *inputs[0]};
  double *h = made[kHidden].data(), *c = made[kMemory].data(), *gates = made[kActivated].data();
  each_unit(before, 4, [&](size_t i, size_t gate, size_t H) {
    double &in = gates[gate], &forget = gates[gate + H], &cell = gates[gate + 2 * H],
           &out = gates[gate + 3 * H];
    in = sigmoid(in);
    forget = sigmoid(forget);
    cell = std::tanh(cell);
    out = sigmoid(out);
    c[i] = forget * before.data()[i] + in * cell;
    h[i] = out * std::tanh(c[i]);
  });
  return made;
}

void LstmCell::gradients(GradientBuilder& step) const {
  refuse_gradient(step, kActivated);
  const TensorId by_hidden = step.gradient(kHidden), by_memory = step.gradient(kMemory);
  std::vector<TensorId> inputs;
  for (const TensorId gradient : {by_hidden, by_memory}) {
    if (gradient != kNoTensor) inputs.push_back(gradient);
  }
  inputs.insert(inputs.end(), {step.output(kActivated), step.input(1)});
  const TensorId by_gates =
      step.add<LstmCellGradient>(inputs, by_hidden != kNoTensor, by_memory != kNoTensor);
  if (step.needs(0)) step.give(0, by_gates);
  if (step.needs(1)) step.give(1, by_gates + 1);
}

std::string LstmCell::pytorch(const std::vector<std::string>& inputs, std::string_view) const {
  return format("lstm_cell({}, {})", {inputs[0], inputs[1]});
}

Shape LstmCellGradient::output_shape(const InputShapes& inputs, size_t output) const {
  const Shape &gates = *inputs[activated()], &state = *inputs[before()];
  check_gates(name(), gates, state, 4);
  for (size_t i = 0; i < activated(); ++i) check_same(name(), *inputs[i], state);
  return output == 0 ? gates : state;
}

Cost LstmCellGradient::cost(const InputShapes&, const Shape& gates) const {
  const Count n = elements(gates) / 4;
  return {{Operation::kExponential, n},
          {Operation::kMultiplication, product({18, n})},
          {Operation::kAddition, product({9, n})}};
}

std::vector<Array> LstmCellGradient::forward_all(const std::vector<const Array*>& inputs) const {
  const Array &gates = *inputs[activated()], &c = *inputs[before()];
  const Array* dh = by_hidden_ ? inputs[0] : nullptr;
  const Array* dc = by_memory_ ? inputs[memory_gradient()] : nullptr;
  std::vector<Array> made{gates, c};
  double *by_gates = made[0].data(), *by_before = made[1].data();
  each_unit(c, 4, [&](size_t i, size_t gate, size_t H) {
    const double in = gates.data()[gate], forget = gates.data()[gate + H],
                 cell = gates.data()[gate + 2 * H], out = gates.data()[gate + 3 * H];
    const double memory = std::tanh(forget * c.data()[i] + in * cell);
    const double by_hidden = dh ? dh->data()[i] : 0.0;
    const double by_memory = (dc ? dc->data()[i] : 0.0) + by_hidden * out * tanh_slope(memory);
    by_gates[gate] = by_memory * cell * sigmoid_slope(in);
    by_gates[gate + H] = by_memory * c.data()[i] * sigmoid_slope(forget);
    by_gates[gate + 2 * H] = by_memory * in * tanh_slope(cell);
    by_gates[gate + 3 * H] = by_hidden * memory * sigmoid_slope(out);
    by_before[i] = by_memory * forget;
  });
  return made;
}

std::string LstmCellGradient::pytorch(const std::vector<std::string>& inputs,
                                      std::string_view) const {
  return unnamed_call(name(), inputs);
}

Shape GruCell::output_shape(const InputShapes& inputs, size_t output) const {
  const Shape& state = *inputs[2];
  for (const size_t gates : {0, 1}) check_gates(name(), *inputs[gates], state, 3);
  return output == kActivated ? *inputs[1] : state;
}

Cost GruCell::cost(const InputShapes&, const Shape& hidden) const {
  const Count n = elements(hidden);
  return {{Operation::kExponential, product({3, n})},
          {Operation::kMultiplication, product({2, n})},
          {Operation::kAddition, product({5, n})}};
}

std::vector<Array> GruCell::forward_all(const std::vector<const Array*>& inputs) const {
  const double* x = inputs[0]->data();
  const Array& before = *inputs[2];
  std::vector<Array> made{before, *inputs[1], before};
  double *h = made[kHidden].data(), *gates = made[kActivated].data(), *fresh = made[kNew].data();
  each_unit(before, 3, [&](size_t i, size_t gate, size_t H) {
    double &reset = gates[gate], &update = gates[gate + H];
    reset = sigmoid(x[gate] + reset);
    update = sigmoid(x[gate + H] + update);
    fresh[i] = std::tanh(x[gate + 2 * H] + reset * gates[gate + 2 * H]);
    h[i] = (before.data()[i] - fresh[i]) * update + fresh[i];
  });
  return made;
}

void GruCell::gradients(GradientBuilder& step) const {
  for (const size_t output : {kActivated, kNew}) refuse_gradient(step, output);
  const TensorId first = step.add<GruCellGradient>(
      {step.gradient(), step.output(kActivated), step.output(kNew), step.input(2)});
  for (size_t i = 0; i < 3; ++i) {
    if (step.needs(i)) step.give(i, first + static_cast<TensorId>(i));
  }
}

std::string GruCell::pytorch(const std::vector<std::string>& inputs, std::string_view) const {
  return format("gru_cell({}, {}, {})", {inputs[0], inputs[1], inputs[2]});
}

Shape GruCellGradient::output_shape(const InputShapes& inputs, size_t output) const {
  const Shape &gates = *inputs[1], &state = *inputs[3];
  check_gates(name(), gates, state, 3);
  for (const size_t i : {0, 2}) check_same(name(), *inputs[i], state);
  return output == 2 ? state : gates;
}

Cost GruCellGradient::cost(const InputShapes&, const Shape& gates) const {
  const Count n = elements(gates) / 3;
  return {{Operation::kMultiplication, product({11, n})}, {Operation::kAddition, product({6, n})}};
}

std::vector<Array> GruCellGradient::forward_all(const std::vector<const Array*>& inputs) const {
  const Array* dh = inputs[0];
  const Array &gates = *inputs[1], &fresh = *inputs[2], &h = *inputs[3];
  std::vector<Array> made{gates, gates, h};
  double *by_x = made[0].data(), *by_h_gates = made[1].data(), *by_before = made[2].data();
  each_unit(h, 3, [&](size_t i, size_t gate, size_t H) {
    const double reset = gates.data()[gate], update = gates.data()[gate + H],
                 from_h = gates.data()[gate + 2 * H], n = fresh.data()[i],
                 by = dh ? dh->data()[i] : 0.0;
    const double by_sum = by * (1.0 - update) * tanh_slope(n);
    by_x[gate] = by_sum * from_h * sigmoid_slope(reset);
    by_x[gate + H] = by * (h.data()[i] - n) * sigmoid_slope(update);
    by_x[gate + 2 * H] = by_sum;
    by_h_gates[gate] = by_x[gate];
    by_h_gates[gate + H] = by_x[gate + H];
    by_h_gates[gate + 2 * H] = by_sum * reset;
    by_before[i] = by * update;
  });
  return made;
}

std::string GruCellGradient::pytorch(const std::vector<std::string>& inputs,
                                     std::string_view) const {
  return unnamed_call(name(), inputs);
}

}  // namespace attnscope
