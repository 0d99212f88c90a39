#include "text.h"

#include "number.h"

namespace attnscope {

void Piece::append_to(std::string& text, bool named) const {
  if (const auto* view = std::get_if<std::string_view>(&value_)) {
    text += *view;
  } else if (const auto* integer = std::get_if<int64_t>(&value_)) {
    text += std::to_string(*integer);
  } else if (const auto* number = std::get_if<double>(&value_)) {
    text += number_text(*number);
  } else {
    text += to_string(*std::get<const Shape*>(value_), named);
  }
}

std::string format(const char* pattern, std::initializer_list<Piece> pieces, bool named) {
  std::string text;
  std::string_view rest = pattern;
  for (const Piece& piece : pieces) {
    const size_t place = rest.find("{}");
    text += rest.substr(0, place);
    piece.append_to(text, named);
    rest.remove_prefix(place + 2);
  }
  return text += rest;
}

}  // namespace attnscope
