#include "json.h"

namespace attnscope {

void JsonWriter::string(std::string_view text) {
  comma();
  text_ += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') text_ += '\\';
    text_ += c;
  }
  text_ += '"';
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
