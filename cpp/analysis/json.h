#pragma once

// Writes JSON text in one pass. Nothing is built in memory first: an estimate has to be ready in
// microseconds, and a document tree would cost more than the estimate.

#include <string>
#include <string_view>
#include <variant>

#include "../graph/tensor.h"
#include "../layers/field.h"

namespace attnscope {

class JsonWriter {
 public:
  JsonWriter() { text_.reserve(4096); }

  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }

  JsonWriter& key(Text name);
  void string(std::string_view text);

  void number(Count count);
  void boolean(bool flag);
  void null();
  void shape(const Shape& shape);
  void value(const Value& value);

  std::string take() { return std::move(text_); }

 private:
  void comma();
  void open(char bracket);
  void close(char bracket);

  std::string text_;
  bool first_ = true;
};

}  // namespace attnscope
