#include "json.h"

#include <charconv>

namespace attnscope {

void JsonWriter::string(std::string_view text) {
  comma();
  text_ += '"';
  // Names and expressions of the core hold no control characters, which JSON would escape as well.
  for (size_t special; (special = text.find_first_of("\"\\")) != text.npos;) {
    text_.append(text, 0, special);
    text_ += '\\';
    text_ += text[special];
    text.remove_prefix(special + 1);
  }
  text_ += text;
  text_ += '"';
}

void JsonWriter::number(Count count) {
  comma();
  if (count > INT64_MAX) {
    text_ += to_string(count);
    return;
  }
  char digits[20];
  const auto end = std::to_chars(digits, digits + sizeof digits, static_cast<int64_t>(count)).ptr;
  text_.append(digits, end);
}

void JsonWriter::shape(const Shape& shape) {
  begin_array();
  for (const int64_t dimension : shape) number(dimension);
  end_array();
}

void JsonWriter::value(const Value& value) {
  if (const bool* flag = std::get_if<bool>(&value)) {
    boolean(*flag);
  } else if (const int64_t* integer = std::get_if<int64_t>(&value)) {
    number(*integer);
  } else {
    string(std::get<std::string_view>(value));
  }
}

}  // namespace attnscope
