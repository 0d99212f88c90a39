#include "pytorch_text.h"

#include <algorithm>

namespace attnscope {
namespace {

/// Where the bracket opens that the last one of `code` closes; npos where there is none.
size_t last_bracket(const std::string& code) {
  int depth = 0;
  for (size_t i = code.size(); i-- > 0;) {
    if (code[i] == ')') ++depth;
    if (code[i] == '(' && --depth == 0) return i;
  }
  return std::string::npos;
}

/// The parts between commas that stand in no bracket.
std::vector<std::string> arguments_in(const std::string& text) {
  std::vector<std::string> parts;
  size_t begin = 0;
  int depth = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    const char next = i < text.size() ? text[i] : ',';
    if (next == '(' || next == '[') ++depth;
    if (next == ')' || next == ']') --depth;
    if (next != ',' || depth > 0) continue;
    parts.push_back(text.substr(begin, i - begin));
    begin = i + 2;
  }
  return parts;
}

/// Breaks a line at spaces where it is wider than kWidth; `spare` columns follow the last line.
/// Returns whether it has been broken.
bool wrap(std::string& text, const std::string& indent, size_t spare = 0) {
  size_t begin = 0;
  while (text.size() + spare - begin > kWidth) {
    const size_t space = text.rfind(' ', begin + kWidth);
    text.replace(space, 1, format("\n{}", {indent}));
    begin = space + 1;
  }
  return begin > 0;
}

}  // namespace

std::string joined(const std::vector<std::string>& parts, const char* between) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : between) + part;
  return text;
}

std::string statement(const std::string& indent, const std::string& code) {
  const size_t open = last_bracket(code);
  if (indent.size() + code.size() <= kWidth || open == std::string::npos) return indent + code;
  const std::string deeper = indent + "    ";
  if (const size_t assigned = code.find(" = ") + 3; indent.size() + open >= kWidth) {
    return format("{}{}(\n{}{}\n{})",
                  {indent, code.substr(0, assigned), deeper, code.substr(assigned), indent});
  }
  const size_t close = code.rfind(')');
  std::string inner = code.substr(open + 1, close - open - 1);
  const std::vector<std::string> parts = arguments_in(inner);
  if (const size_t loop = inner.find(" for ");
      parts.size() == 1 && loop != std::string::npos && deeper.size() + inner.size() > kWidth) {
    inner.replace(loop, 1, format("\n{}", {deeper}));
    const size_t over = inner.find(" in ", loop) + 4, line = inner.rfind('\n') + 1;
    if (inner.size() - line > kWidth) {
      const std::string within = deeper + "    ";
      std::string list = within + inner.substr(over);
      wrap(list, within);
      inner = format("{}(\n{}\n{})", {inner.substr(0, over), list, deeper});
    }
  }
  const bool fits = deeper.size() + inner.size() <= kWidth || parts.size() == 1;
  return format("{}{}\n{}{}{}\n{}{}",
                {indent, code.substr(0, open + 1), deeper,
                 fits ? inner : joined(parts, format(",\n{}", {deeper}).c_str()), fits ? "" : ",",
                 indent, code.substr(close)});
}

std::string aligned(const std::vector<Line>& lines) {
  std::vector<std::string> statements;
  std::vector<size_t> widths;  // of the last line of each
  for (const Line& line : lines) {
    const std::string& text = statements.emplace_back(statement(kBody, line.code));
    widths.push_back(text.size() - (text.rfind('\n') + 1));
  }
  const size_t width = lines.empty() ? 0 : *std::max_element(widths.begin(), widths.end());
  std::string text;
  for (size_t i = 0; i < lines.size(); ++i) {
    text += statements[i];
    if (!lines[i].comment.empty()) {
      text += format("{}  # {}", {std::string(width - widths[i], ' '), lines[i].comment});
    }
    text += '\n';
  }
  return text;
}

std::string docstring(std::string_view summary) {
  const std::string indent = "    ";
  std::string text = format("{}\"\"\"{}", {indent, summary});
  const bool broken = wrap(text, indent, /*spare=*/3);
  return format("{}{}\"\"\"\n", {text, broken ? format("\n{}", {indent}) : ""});
}

}  // namespace attnscope
