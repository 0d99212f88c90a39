#include "field.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace attnscope {
namespace {

/// Bytes of the UTF-8 character that starts with `lead`.
size_t character_bytes(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

/// One UTF-8 character as it stands in a quoted string. Half of a surrogate pair arrives as the
/// three bytes that its number would have, which no text may contain.
std::string escaped(std::string_view character) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(character[i]); };
  const bool surrogate = character.size() == 3 && byte(0) == 0xED && byte(1) >= 0xA0;
  const bool control = character.size() == 1 && (byte(0) < 0x20 || byte(0) == 0x7F);
  const bool separator = character == "\u2028" || character == "\u2029";
  if (character == "\"" || character == "\\") return format("\\{}", {character});
  if (character == "\n") return "\\n";
  if (character == "\r") return "\\r";
  if (character == "\t") return "\\t";
  if (!surrogate && !control && !separator) return std::string(character);
  const unsigned code = character.size() == 1
                            ? byte(0)
                            : (byte(0) & 0x0Fu) << 12 | (byte(1) & 0x3Fu) << 6 | (byte(2) & 0x3Fu);
  std::string text = "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) text += "0123456789abcdef"[code >> shift & 0xF];
  return text;
}

/// Levenshtein distance, Wagner and Fischer 1974.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i + 1);
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t replace = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = std::exchange(row[j + 1], std::min({replace, row[j] + 1, row[j + 1] + 1}));
    }
  }
  return row.back();
}

/// What the field asks for, in words.
std::string rule_of(const Field& field) {
  const auto range = [&](const char* noun) {
    const char* pattern = field.above_min ? "{} above {} and at most {}" : "{} from {} to {}";
    return format(pattern, {noun, field.min, field.max});
  };
  std::string rule;
  switch (field.type) {
    case FieldType::kBoolean:
      rule = "true or false";
      break;
    case FieldType::kInteger:
      rule = range("an integer");
      break;
    case FieldType::kNumber:
      rule = range("a number");
      break;
    case FieldType::kChoice:
      rule = format("one of {}", {join(field.choices)});
      break;
  }
  return field.optional() ? format("{}, or null", {rule}) : rule;
}

/// The checked value, or nothing when the raw one does not fit.
std::optional<Value> fitting(const Field& field, const RawValue& raw) {
  if (field.optional() && std::holds_alternative<Null>(raw.value)) return Null();
  if (field.type == FieldType::kBoolean) {
    if (const bool* flag = std::get_if<bool>(&raw.value)) return *flag;
    return {};
  }
  if (field.type == FieldType::kChoice) {
    const std::string* text = std::get_if<std::string>(&raw.value);
    if (!text) return {};
    const auto choice = std::find(field.choices.begin(), field.choices.end(), *text);
    if (choice == field.choices.end()) return {};
    return *choice;
  }
  const double* number = std::get_if<double>(&raw.value);
  if (!number || std::isnan(*number) || *number < field.min || *number > field.max) return {};
  if (field.above_min && *number == field.min) return {};
  if (field.type == FieldType::kNumber) return *number;
  if (*number != std::floor(*number)) return {};
  return static_cast<int64_t>(*number);
}

Value checked(const Field& field, const RawValue& raw) {
  if (const std::optional<Value> value = fitting(field, raw)) return *value;
  refuse(std::string(field.name), "{} must be {}, got {}",
         {field.name, rule_of(field), to_string(raw)});
}

}  // namespace

void refuse(std::string_view field, const char* pattern, std::initializer_list<Piece> pieces) {
  throw FieldError(field, format(pattern, pieces));
}

Field boolean_field(const char* name, const char* meaning, bool fallback) {
  return {name, meaning, FieldType::kBoolean, fallback};
}

Field integer_field(const char* name, const char* meaning, int64_t fallback, int64_t min,
                    int64_t max) {
  return {name,
          meaning,
          FieldType::kInteger,
          fallback,
          static_cast<double>(min),
          static_cast<double>(max)};
}

Field number_field(const char* name, const char* meaning, double fallback, double min, double max) {
  return {name, meaning, FieldType::kNumber, fallback, min, max};
}

Field choice_field(const char* name, const char* meaning, std::vector<std::string_view> choices,
                   const char* fallback) {
  return {name, meaning, FieldType::kChoice, fallback, 0, 0, false, {}, std::move(choices)};
}

Field over(Axis axis, Field field) {
  field.axis = axis;
  return field;
}

Field above_min(Field field) {
  field.above_min = true;
  return field;
}

Field sampled(std::vector<double> samples, Field field) {
  field.samples = std::move(samples);
  return field;
}

Field described(const char* meaning, Field field) {
  field.meaning = meaning;
  return field;
}

Field optional(Field field) {
  field.fallback = Null();
  return field;
}

std::string join(const std::vector<std::string_view>& names) {
  std::string text;
  for (const std::string_view name : names) {
    if (!text.empty()) text += ", ";
    text += name;
  }
  return text;
}

std::string quote(std::string_view text) {
  constexpr int kLongest = 60;  // characters; a message stays one line
  std::string quoted = "\"";
  int count = 0;
  for (size_t at = 0; at < text.size(); ++count) {
    if (count == kLongest) return format("{}…\"", {quoted});
    const std::string_view character = text.substr(at, character_bytes(text[at]));
    quoted += escaped(character);
    at += character.size();
  }
  return quoted + '"';
}

std::string to_string(const RawValue& raw) {
  if (const bool* flag = std::get_if<bool>(&raw.value)) return *flag ? "true" : "false";
  if (const double* number = std::get_if<double>(&raw.value)) return number_text(*number);
  if (const std::string* text = std::get_if<std::string>(&raw.value)) return quote(*text);
  if (std::holds_alternative<Null>(raw.value)) return "null";
  return std::get<RawValue::Other>(raw.value).description;
}

std::string to_string(const Value& value) {
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const int64_t* number = std::get_if<int64_t>(&value)) return std::to_string(*number);
  if (const double* number = std::get_if<double>(&value)) return number_text(*number);
  if (std::holds_alternative<Null>(value)) return "null";
  return std::string(std::get<std::string_view>(value));
}

std::string did_you_mean(std::string_view name, const std::vector<std::string_view>& known) {
  constexpr size_t kNear = 3;  // edits; more would suggest unrelated names
  std::string_view nearest;
  size_t best = std::min(kNear + 1, name.size());  // replacing every letter is no likeness
  for (const std::string_view candidate : known) {
    if (name.size() > candidate.size() + kNear) continue;
    const size_t distance = edit_distance(name, candidate);
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest.empty() ? "" : format(", did you mean {}?", {nearest});
}

FieldError unknown_name(std::string_view owner, std::string_view noun, std::string_view name,
                        const std::vector<std::string_view>& known) {
  const std::string hint = did_you_mean(name, known), kind(noun);
  return FieldError(
      name, format("{} has no {} {}{}",
                   {owner, kind, quote(name),
                    hint.empty() ? format("; its {}s are {}", {kind, join(known)}) : hint}));
}

std::vector<Value> resolve(std::string_view owner, std::span<const Field> fields,
                           const RawConfig& raw, std::string_view noun) {
  std::vector<Value> values;
  values.reserve(fields.size());
  for (const Field& field : fields) values.push_back(field.fallback);
  for (const auto& [key, value] : raw) {
    const auto field = std::find_if(fields.begin(), fields.end(),
                                    [&key](const Field& known) { return known.name == key; });
    if (field == fields.end()) {
      std::vector<std::string_view> known;
      for (const Field& one : fields) known.push_back(one.name);
      throw unknown_name(owner, noun, key, known);
    }
    values[static_cast<size_t>(field - fields.begin())] = checked(*field, value);
  }
  return values;
}

}  // namespace attnscope
