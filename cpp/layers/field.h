#pragma once

// Config fields: what a layer can be asked for, and the one gate that every config passes.

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "../graph/number.h"
#include "../graph/text.h"

namespace attnscope {

/// A checked value: a boolean, an integer, a number, one of a field's choices, or null for an
/// optional field that was not given.
using Null = std::monostate;
using Value = std::variant<bool, int64_t, double, std::string_view, Null>;

enum class FieldType { kBoolean, kInteger, kNumber, kChoice };

struct Field {
  std::string_view name;
  std::string_view meaning;  // one sentence, for the form and the manual
  FieldType type;
  Value fallback;                           // the default; Null makes the field optional
  double min = 0, max = 0;                  // integers and numbers, both included but
  bool above_min = false;                   // where this is set, which leaves `min` out
  std::vector<double> samples{};            // integers and numbers: values for tests to try,
                                            // where their range says too little
  std::vector<std::string_view> choices{};  // choices only
  Axis axis = Axis::kNone;                  // integers that are a dimension: what it goes over

  bool optional() const { return std::holds_alternative<Null>(fallback); }
};

// How fields are written down; fields.h has those that layers share.
Field boolean_field(const char* name, const char* meaning, bool fallback);
Field integer_field(const char* name, const char* meaning, int64_t fallback, int64_t min,
                    int64_t max);
Field number_field(const char* name, const char* meaning, double fallback, double min, double max);
Field choice_field(const char* name, const char* meaning, std::vector<std::string_view> choices,
                   const char* fallback);

/// The field as the size of a dimension that goes over this.
Field over(Axis axis, Field field);

/// The same field without its minimum: what is above 0, say.
Field above_min(Field field);

/// The same field with values that tests try.
Field sampled(std::vector<double> samples, Field field);

/// The same field with another meaning: of one that counts beside certain values of others, say.
Field described(const char* meaning, Field field);

/// The same field with null as its default; its meaning must say what null stands for.
Field optional(Field field);

/// A value as it came from outside, before any check.
struct RawValue {
  /// What is neither boolean, number, string nor null, in words: "an array", "5n".
  struct Other {
    std::string description;
  };
  std::variant<bool, double, std::string, Null, Other> value;
};
using RawConfig = std::vector<std::pair<std::string, RawValue>>;

/// A config or tensor that does not fit. The message names the field, the rule and the value.
class FieldError : public std::invalid_argument {
 public:
  FieldError(std::string_view field, const std::string& message)
      : std::invalid_argument(message), field_(field) {}
  const std::string& field() const { return field_; }

 private:
  std::string field_;
};

/// Throws a FieldError with the message that format() makes.
[[noreturn]] void refuse(std::string_view field, const char* pattern,
                         std::initializer_list<Piece> pieces);

/// How a value reads in a message: 2.5, NaN, "2", null.
std::string to_string(const RawValue& raw);
std::string to_string(const Value& value);

/// A string from outside as a message quotes it: control characters, quotes and lone surrogates are
/// escaped as in JSON, and what follows the 60th character is left out.
std::string quote(std::string_view text);

/// Checks `raw` against `fields` and fills in the defaults; the result is parallel to `fields`.
/// `owner` names what has the fields ("additive_scorer") in the message about an unknown key, and
/// `noun` what they are called there ("field", "option").
/// Throws FieldError for an unknown key, a wrong type, or a value out of range.
std::vector<Value> resolve(std::string_view owner, std::span<const Field> fields,
                           const RawConfig& raw, std::string_view noun = "field");

/// ", did you mean hidden_size?" for the nearest of `known`, or "" when none is near.
std::string did_you_mean(std::string_view name, const std::vector<std::string_view>& known);

/// The refusal of a name that nothing has: `owner has no noun "name"`, then the nearest of `known`
/// or all of them.
FieldError unknown_name(std::string_view owner, std::string_view noun, std::string_view name,
                        const std::vector<std::string_view>& known);

/// "linear_scorer, additive_scorer".
std::string join(const std::vector<std::string_view>& names);

}  // namespace attnscope
