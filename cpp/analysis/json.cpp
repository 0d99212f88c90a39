#include "json.h"

#include <algorithm>
#include <charconv>

namespace attnscope {

void JsonWriter::string(std::string_view text) {
  comma();
  text_ += '"';
  // Names and expressions of the core hold no control characters, which JSON would escape as well.
  const auto special = [](char c) { return c == '"' || c == '\\'; };
  if (std::none_of(text.begin(), text.end(), special)) {
    text_ += text;
  } else {
    for (const char c : text) {
      if (special(c)) text_ += '\\';
      text_ += c;
    }
  }
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
  } else if (const double* real = std::get_if<double>(&value)) {
    comma();
    text_ += number_text(*real);
  } else if (std::holds_alternative<Null>(value)) {
    null();
  } else {
    string(std::get<std::string_view>(value));
  }
}

}  // namespace attnscope
