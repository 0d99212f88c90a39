#pragma once

// Text put together of pieces: names, messages, Python source. Not by std::format: with it a page
// would load 122 kB more, compressed, of tables for Unicode and for the digits of numbers.

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>

#include "tensor.h"

namespace attnscope {

/// What format() fills in: text as it is, an integer in decimal, a number as number_text() has it,
/// a shape as to_string(). Looks at its argument, for the time of a call.
class Piece {
 public:
  template <std::convertible_to<std::string_view> Text>
  Piece(const Text& text) : value_(std::string_view(text)) {}
  template <std::integral Integer>
    requires(!std::same_as<Integer, char> && !std::same_as<Integer, bool>)
  Piece(Integer number) : value_(static_cast<int64_t>(number)) {}
  Piece(double number) : value_(number) {}
  Piece(const Shape& shape) : value_(&shape) {}
  Piece(const Dimension& dimension) : Piece(dimension.size) {}

  /// `named`: a shape with what its dimensions go over.
  void append_to(std::string& text, bool named) const;

 private:
  std::variant<std::string_view, int64_t, double, const Shape*> value_;
};

/// `pattern` with the pieces in place of its "{}", in their order.
std::string format(const char* pattern, std::initializer_list<Piece> pieces, bool named = false);

}  // namespace attnscope
