#include "json.h"

#include <algorithm>
#include <charconv>

namespace attnscope {

void JsonWriter::begin(size_t length) {
  const size_t needed = used_ + length + 1;
  if (needed > room_) {
    room_ = 2 * needed;
    auto larger = std::make_unique_for_overwrite<char[]>(room_);
    std::copy_n(text_.get(), used_, larger.get());
    text_ = std::move(larger);
  }
  if (!first_) put(',');
  first_ = false;
}

void JsonWriter::put(std::string_view text) { used_ += text.copy(&text_[used_], text.size()); }

void JsonWriter::word(std::string_view text) {
  begin(text.size());
  put(text);
}

void JsonWriter::open(char bracket) {
  begin(1);
  put(bracket);
  first_ = true;
}

void JsonWriter::close(char bracket) {
  first_ = true;  // no comma before it
  begin(1);
  put(bracket);
}

JsonWriter& JsonWriter::key(std::string_view name) {
  begin(name.size() + 3);
  put('"');
  put(name);  // the core's own word: nothing to escape
  put('"');
  put(':');
  first_ = true;  // the value follows without a comma
  return *this;
}

void JsonWriter::boolean(bool flag) { word(flag ? "true" : "false"); }

void JsonWriter::null() { word("null"); }

void JsonWriter::string(std::string_view text) {
  constexpr size_t kLongestEscape = 6;
  constexpr std::string_view kHexDigits = "0123456789abcdef";
  begin(kLongestEscape * text.size() + 2);
  put('"');
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (code < 0x20) {
      put(code < 0x10 ? "\\u000" : "\\u001");
      put(kHexDigits[code & 0xF]);
      continue;
    }
    if (c == '"' || c == '\\') put('\\');
    put(c);
  }
  put('"');
}

void JsonWriter::number(Count count) {
  if (count > INT64_MAX) return word(to_string(count));
  constexpr size_t kLongest = 20;
  begin(kLongest);
  char* at = &text_[used_];
  used_ +=
      static_cast<size_t>(std::to_chars(at, at + kLongest, static_cast<int64_t>(count)).ptr - at);
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
    word(number_text(*real));
  } else if (std::holds_alternative<Null>(value)) {
    null();
  } else {
    string(std::get<std::string_view>(value));
  }
}

}  // namespace attnscope
