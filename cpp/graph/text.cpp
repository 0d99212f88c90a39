#include "text.h"

#include <cstring>

#include "number.h"

namespace attnscope {

std::string Text::string() const { return text_; }

// Not inline: a call is smaller than what it does.
Piece::Piece(const char* text) : kind_(Kind::kChars), object_(text) {}
Piece::Piece(const std::string& text) : kind_(Kind::kString), object_(&text) {}
Piece::Piece(const std::string_view& text) : kind_(Kind::kView), object_(&text) {}
Piece::Piece(const Shape& shape) : kind_(Kind::kShape), object_(&shape) {}
Piece::Piece(double number) : kind_(Kind::kNumber), number_(number) {}
Piece::Piece(int64_t number) : kind_(Kind::kInteger), integer_(number) {}

void Piece::append_to(std::string& text, bool named) const {
  switch (kind_) {
    case Kind::kChars:
      text += static_cast<const char*>(object_);
      break;
    case Kind::kString:
      text += *static_cast<const std::string*>(object_);
      break;
    case Kind::kView:
      text += *static_cast<const std::string_view*>(object_);
      break;
    case Kind::kShape:
      text += to_string(*static_cast<const Shape*>(object_), named);
      break;
    case Kind::kNumber:
      text += number_text(number_);
      break;
    case Kind::kInteger:
      text += std::to_string(integer_);
  }
}

std::string format(const char* pattern, std::initializer_list<Piece> pieces, bool named) {
  std::string text;
  for (const Piece& piece : pieces) {
    const char* place = std::strstr(pattern, "{}");
    text.append(pattern, place);
    piece.append_to(text, named);
    pattern = place + 2;
  }
  return text += pattern;
}

}  // namespace attnscope
