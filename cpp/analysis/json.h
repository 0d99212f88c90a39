#pragma once

// Writes JSON text in one pass. Nothing is built in memory first: an estimate has to be ready in
// microseconds, and a document tree would cost more than the estimate.

#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "../graph/tensor.h"
#include "../layers/field.h"

namespace attnscope {

class JsonWriter {
 public:
  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }

  JsonWriter& key(std::string_view name);
  void string(std::string_view text);

  void number(Count count);
  void boolean(bool flag);
  void null();
  void shape(const Shape& shape);
  void value(const Value& value);

  std::string take() const { return {text_.get(), used_}; }

 private:
  /// Makes room for `length` characters, after a comma if one is due.
  void begin(size_t length);

  void put(char c) { text_[used_++] = c; }
  void put(std::string_view text);
  void word(std::string_view text);
  void open(char bracket);
  void close(char bracket);

  // Not a std::string: that looks for room at each character, and fills it with zeros first.
  size_t used_ = 0, room_ = 4096;
  std::unique_ptr<char[]> text_ = std::make_unique_for_overwrite<char[]>(room_);
  bool first_ = true;
};

}  // namespace attnscope
