#include "field.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>

namespace attnscope {
namespace {

/// The shortest decimal that reads back as `number`, as JavaScript prints it for usual sizes.
std::string number_text(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number > 0 ? "Infinity" : "-Infinity";
  char text[32];
  if (std::abs(number) < 1e21 && number == std::floor(number)) {
    std::snprintf(text, sizeof text, "%.0f", number);
    return text;
  }
  for (int digits = 15; digits <= 17; ++digits) {
    std::snprintf(text, sizeof text, "%.*g", digits, number);
    if (std::strtod(text, nullptr) == number) break;
  }
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

[[noreturn]] void refuse(const Field& field, const std::string& rule, const RawValue& value) {
  throw FieldError(std::string(field.name),
                   std::string(field.name) + " must be " + rule + ", got " + to_string(value));
}

Value checked(const Field& field, const RawValue& raw) {
  if (std::holds_alternative<bool>(field.fallback)) {
    if (const bool* flag = std::get_if<bool>(&raw.value)) return *flag;
    refuse(field, "true or false", raw);
  }
  if (std::holds_alternative<int64_t>(field.fallback)) {
    const double* number = std::get_if<double>(&raw.value);
    const bool fits = number && *number == std::floor(*number) &&
                      *number >= static_cast<double>(field.min) &&
                      *number <= static_cast<double>(field.max);
    if (fits) return static_cast<int64_t>(*number);
    refuse(field,
           "an integer from " + std::to_string(field.min) + " to " + std::to_string(field.max),
           raw);
  }
  if (const std::string* text = std::get_if<std::string>(&raw.value)) {
    const auto choice = std::find(field.choices.begin(), field.choices.end(), *text);
    if (choice != field.choices.end()) return *choice;
  }
  refuse(field, "one of " + join(field.choices), raw);
}

}  // namespace

std::string join(const std::vector<std::string_view>& names) {
  std::string text;
  for (const std::string_view name : names) {
    if (!text.empty()) text += ", ";
    text += name;
  }
  return text;
}

std::string to_string(const RawValue& raw) {
  if (const bool* flag = std::get_if<bool>(&raw.value)) return *flag ? "true" : "false";
  if (const double* number = std::get_if<double>(&raw.value)) return number_text(*number);
  if (const std::string* text = std::get_if<std::string>(&raw.value)) return '"' + *text + '"';
  return std::get<RawValue::Other>(raw.value).description;
}

std::string to_string(const Value& value) {
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const int64_t* number = std::get_if<int64_t>(&value)) return std::to_string(*number);
  return std::string(std::get<std::string_view>(value));
}

std::string did_you_mean(std::string_view name, const std::vector<std::string_view>& known) {
  constexpr size_t kNear = 3;  // edits; more would suggest unrelated names
  std::string_view nearest;
  size_t best = std::min(kNear + 1, name.size());  // replacing every letter is no likeness
  for (const std::string_view candidate : known) {
    const size_t distance = edit_distance(name, candidate);
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest.empty() ? "" : ", did you mean " + std::string(nearest) + "?";
}

std::vector<Value> resolve(std::string_view owner, std::span<const Field> fields,
                           const RawConfig& raw) {
  std::vector<Value> values;
  values.reserve(fields.size());
  for (const Field& field : fields) values.push_back(field.fallback);
  for (const auto& [key, value] : raw) {
    const auto field = std::find_if(fields.begin(), fields.end(),
                                    [&key](const Field& known) { return known.name == key; });
    if (field == fields.end()) {
      std::vector<std::string_view> known;
      for (const Field& one : fields) known.push_back(one.name);
      const std::string hint = did_you_mean(key, known);
      throw FieldError(key, std::string(owner) + " has no field \"" + key + "\"" +
                                (hint.empty() ? "; its fields are " + join(known) : hint));
    }
    values[static_cast<size_t>(field - fields.begin())] = checked(*field, value);
  }
  return values;
}

}  // namespace attnscope
