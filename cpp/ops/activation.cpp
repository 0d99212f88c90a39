#include "activation.h"

#include <cmath>
#include <numbers>
#include <stdexcept>

namespace attnscope {
namespace {

struct Known {
  Activation::Kind kind;
  std::string_view name;
  const char* before;  // of the argument, in PyTorch
  const char* after;
};

constexpr Known kKnown[] = {
    {Activation::Kind::kTanh, "tanh", "torch.tanh(", ")"},
    {Activation::Kind::kRelu, "relu", "torch.relu(", ")"},
    {Activation::Kind::kSigmoid, "sigmoid", "torch.sigmoid(", ")"},
    {Activation::Kind::kGelu, "gelu", "F.gelu(", ")"},
    {Activation::Kind::kGeluTanh, "gelu_tanh", "F.gelu(", ", approximate=\"tanh\")"},
    {Activation::Kind::kSilu, "silu", "F.silu(", ")"},
};

const Known& known(Activation::Kind kind) { return kKnown[static_cast<size_t>(kind)]; }

}  // namespace

double Activation::apply(double x) const {
  switch (kind_) {
    case Kind::kTanh:
      return std::tanh(x);
    case Kind::kRelu:
      return x < 0 ? 0.0 : x;
    case Kind::kSigmoid:
      return 1.0 / (1.0 + std::exp(-x));
    case Kind::kGelu:
      return 0.5 * x * (1.0 + std::erf(x * std::numbers::sqrt2 / 2));
    case Kind::kGeluTanh: {
      const double inner = std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x);
      return 0.5 * x * (1.0 + std::tanh(inner));
    }
    case Kind::kSilu:
      return x / (1.0 + std::exp(-x));
  }
  return x;
}

bool Activation::derives_from_output() const {
  return kind_ == Kind::kTanh || kind_ == Kind::kRelu || kind_ == Kind::kSigmoid;
}

double Activation::derivative(double x_or_y) const {
  const double x = x_or_y, y = x_or_y;
  switch (kind_) {
    case Kind::kTanh:
      return 1.0 - y * y;
    case Kind::kRelu:
      return y > 0 ? 1.0 : 0.0;
    case Kind::kSigmoid:
      return y * (1.0 - y);
    case Kind::kGelu: {  // Φ(x) + x φ(x)
      const double density = std::exp(-0.5 * x * x) / std::sqrt(2 * std::numbers::pi);
      return 0.5 * (1.0 + std::erf(x * std::numbers::sqrt2 / 2)) + x * density;
    }
    case Kind::kGeluTanh: {
      const double root = std::sqrt(2 / std::numbers::pi);
      const double t = std::tanh(root * (x + 0.044715 * x * x * x));
      return 0.5 * (1.0 + t) + 0.5 * x * (1.0 - t * t) * root * (1.0 + 3 * 0.044715 * x * x);
    }
    case Kind::kSilu: {
      const double share = 1.0 / (1.0 + std::exp(-x));
      return share * (1.0 + x * (1.0 - share));
    }
  }
  return 1.0;
}

std::string_view Activation::name() const { return known(kind_).name; }

Cost Activation::cost(const InputShapes&, const Shape& output) const {
  const bool compares = kind_ == Kind::kRelu;
  return {{compares ? Operation::kComparison : Operation::kExponential, elements(output)}};
}

Saved Activation::saved_for_backward(const InputShapes&, const Shape&) const {
  return derives_from_output() ? Saved{.outputs = {0}} : Saved{.inputs = {0}};
}

std::string Activation::pytorch(const std::vector<std::string>& inputs, std::string_view) const {
  return known(kind_).before + inputs[0] + known(kind_).after;
}

std::shared_ptr<const Activation> activation_named(std::string_view name) {
  for (const Known& one : kKnown) {
    if (one.name == name) return std::make_shared<const Activation>(one.kind);
  }
  wrong_graph("unknown activation {}", {name});
}

}  // namespace attnscope
