#include "pytorch_constructor.h"

#include <algorithm>
#include <utility>

#include "../graph/op.h"
#include "pytorch_text.h"

namespace attnscope {
namespace {

std::string initial_values(const Shape& of, const Init& init) {
  const std::string shape = to_string(of);
  switch (init.kind) {
    case Init::Kind::kZeros:
      return format("torch.zeros{}", {shape});
    case Init::Kind::kOnes:
      return format("torch.ones{}", {shape});
    case Init::Kind::kUniform:
      return format("torch.empty{}.uniform_({}, {})", {shape, -init.spread, init.spread});
    case Init::Kind::kNormal:
      return format("torch.empty{}.normal_(0, {})", {shape, init.spread});
  }
  return {};
}

Init first_values(const Parameters& parameters, ParameterId parameter) {
  for (const Draw& draw : parameters.draws()) {
    if (draw.parameter == parameter) return draw.init;
  }
  return {};
}

std::string_view class_of(const Member& list, size_t place) {
  return list.kinds[static_cast<size_t>(list.order[place])]->class_name();
}

/// "[A] * 3 + [B, C]" of what stands at the places [begin, end) of a list.
std::string runs_text(const Member& list, size_t begin, size_t end) {
  std::string text;
  for (size_t i = begin; i < end;) {
    size_t next = i;
    while (next < end && list.order[next] == list.order[i]) ++next;
    const std::string_view name = class_of(list, i);
    if (next - i == 1 && !text.empty() && text.back() == ']') {
      text.replace(text.size() - 1, 1, format(", {}]", {name}));
    } else {
      text += format("{}[{}]", {text.empty() ? "" : " + ", name});
    }
    if (next - i > 1) text += format(" * {}", {next - i});
    i = next;
  }
  return text;
}

/// An nn.ModuleList: what recurs in its order is written once.
std::string list_text(const Member& list) {
  const size_t times = list.order.size();
  if (list.kinds.size() == 1) {
    return format("nn.ModuleList({}() for _ in range({}))", {class_of(list, 0), times});
  }
  size_t period = 1;
  while (!std::equal(list.order.begin() + static_cast<std::ptrdiff_t>(period), list.order.end(),
                     list.order.begin())) {
    ++period;
  }
  const size_t rest = times % period;
  std::string kinds = runs_text(list, 0, std::min(period, times));
  const bool single = kinds.find(']') + 1 == kinds.size();
  if (times / period > 1) {
    kinds = format(single ? "{} * {}" : "({}) * {}", {kinds, times / period});
  }
  if (period < times && rest > 0) {
    kinds = format("{} + {}", {kinds, runs_text(list, times - rest, times)});
  }
  return format("nn.ModuleList(kind() for kind in {})", {kinds});
}

/// A module that a class makes: by an expression, or an nn.ModuleDict of others.
struct Made {
  std::string name;
  std::string value{};
  std::vector<Made> inside{};
};

/// Puts a module into the dictionaries that its dotted name says.
void put(std::vector<Made>& made, const std::string& name, const std::string& value) {
  const size_t dot = name.find('.');
  if (dot == std::string::npos) {
    made.push_back({name, value});
    return;
  }
  const std::string first = name.substr(0, dot);
  const auto known = std::find_if(made.begin(), made.end(),
                                  [&](const Made& other) { return other.name == first; });
  if (known == made.end()) {
    made.push_back({first});
  } else if (known + 1 != made.end()) {
    wrong_graph("the modules in {} are not declared one after another", {first});
  }
  put(made.back().inside, name.substr(dot + 1), value);
}

/// `code`, which ends where the module is made, and the module. A dictionary has an entry a line,
/// unless it is a single short one.
std::string made_text(const std::string& indent, const std::string& code, const Made& made) {
  if (made.inside.empty()) return statement(indent, format("{}{}", {code, made.value}));
  const std::string deeper = format("{}    ", {indent});
  std::string entries;
  for (const Made& one : made.inside) {
    entries += format("{},\n", {made_text(deeper, format("\"{}\": ", {one.name}), one)});
  }
  if (made.inside.size() == 1 && made.inside[0].inside.empty()) {
    const Made& one = made.inside[0];
    const std::string line =
        format("{}{}nn.ModuleDict({\"{}\": {}})", {indent, code, one.name, one.value});
    if (line.size() <= kWidth) return line;
  }
  return format("{}{}nn.ModuleDict({\n{}{}})", {indent, code, entries, indent});
}

/// The parameters of the class itself.
void put_own(std::vector<Made>& made, const Parameters& parameters) {
  for (ParameterId id = 0; id < parameters.count(); ++id) {
    if (!parameters.module_name(parameters.module_of(id)).empty()) continue;
    const std::string values =
        initial_values(parameters.shape_of(id), first_values(parameters, id));
    put(made, parameters.name_of(id), format("nn.Parameter({})", {values}));
  }
}

/// What one class makes, in the order of declaration.
std::vector<Made> made_in(const Parameters& parameters) {
  std::vector<Made> made;
  for (const Module& module : parameters.modules()) {
    if (module.member != kNoMember) {
      put(made, module.name, list_text(*parameters.member(module.member)));
    } else if (!module.constructor.empty()) {
      put(made, module.name, module.constructor);
    } else if (module.name.empty() && parameters.base().empty()) {
      put_own(made, parameters);
    }
  }
  return made;
}

}  // namespace

std::string constructor_text(const Parameters& parameters) {
  const bool inherits = !parameters.base().empty();
  std::string modules;
  for (const Made& one : made_in(parameters)) {
    modules += format("{}\n", {made_text(kBody, format("self.{} = ", {one.name}), one)});
  }
  if (modules.empty() && !inherits) return {};
  const std::string super = statement(
      kBody, format("super().__init__({})", {inherits ? parameters.base_arguments() : ""}));
  return format("    def __init__(self):\n{}\n{}\n", {super, modules});
}

}  // namespace attnscope
