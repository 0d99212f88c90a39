#pragma once

// How lines of printed Python are laid out: within kWidth columns, their comments aligned.

#include <string>
#include <string_view>
#include <vector>

#include "../graph/text.h"

namespace attnscope {

inline constexpr const char* kBody = "        ";  // the indentation of a method's statements
inline constexpr const char* kIndented = "            ";
inline constexpr size_t kWidth = 100;  // columns of code, comments left out

std::string joined(const std::vector<std::string>& parts, const char* between = ", ");

/// One statement without its line's end. What is wider than a line has the arguments of its last
/// call on a line of their own, or each on one; where that is not enough, all that is assigned.
std::string statement(const std::string& indent, const std::string& code);

struct Line {
  std::string code;
  std::string comment;
};

/// Lines of a method, with their comments aligned.
std::string aligned(const std::vector<Line>& lines);

/// A class's docstring, on several lines where one is not wide enough.
std::string docstring(std::string_view summary);

}  // namespace attnscope
