#pragma once

// Text handed from function to function, and put together: names, messages, Python source. There
// are hundreds of such calls, and a page loads each of them: both types here keep calls small.

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>

#include "tensor.h"

namespace attnscope {

/// Zero-terminated text, for the time of a call. One pointer, so that it is passed as one number;
/// WebAssembly passes a string_view through memory, and a std::string has to be made and destroyed.
class Text {
 public:
  Text(const char* text) : text_(text) {}
  Text(const std::string& text) : text_(text.c_str()) {}

  const char* c_str() const { return text_; }
  std::string string() const;
  std::string_view view() const { return text_; }
  bool empty() const { return *text_ == '\0'; }

 private:
  const char* text_;
};

/// What format() fills in: text as it is, an integer in decimal, a number as number_text() has it,
/// a shape as to_string(). Looks at its argument, for the time of a call.
class Piece {
 public:
  Piece(const char* text);
  Piece(const std::string& text);
  Piece(const std::string_view& text);
  Piece(Text text) : Piece(text.c_str()) {}
  Piece(const Shape& shape);
  Piece(const Dimension& dimension) : Piece(dimension.size) {}
  Piece(double number);
  Piece(int64_t number);
  template <std::integral Integer>
    requires(!std::same_as<Integer, char> && !std::same_as<Integer, bool>)
  Piece(Integer number) : Piece(static_cast<int64_t>(number)) {}

  /// `named`: a shape with what its dimensions go over.
  void append_to(std::string& text, bool named = false) const;

 private:
  enum class Kind { kChars, kString, kView, kShape, kNumber, kInteger } kind_;
  union {
    const void* object_;
    double number_;
    int64_t integer_;
  };
};

/// `pattern` with the pieces in place of its "{}", in their order.
std::string format(const char* pattern, std::initializer_list<Piece> pieces, bool named = false);

}  // namespace attnscope
