#include "json.h"

#include <algorithm>
#include <charconv>

namespace attnscope {

void JsonWriter::comma() {
  if (!first_) text_ += ',';
  first_ = false;
}

void JsonWriter::open(char bracket) {
  comma();
  text_ += bracket;
  first_ = true;
}

void JsonWriter::close(char bracket) {
  text_ += bracket;
  first_ = false;
}

JsonWriter& JsonWriter::key(Text name) {
  comma();
  text_ += '"';
  text_ += name.c_str();  // the core's own word: nothing to escape
  text_ += "\":";
  first_ = true;  // the value follows without a comma
  return *this;
}

void JsonWriter::boolean(bool flag) {
  comma();
  text_ += flag ? "true" : "false";
}

void JsonWriter::null() {
  comma();
  text_ += "null";
}

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
