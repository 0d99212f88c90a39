#include "layer.h"

#include <algorithm>
#include <stdexcept>

namespace attnscope {
namespace {

const Layer& find_layer(const RawConfig& raw) {
  std::vector<std::string_view> known;
  for (const Layer* layer : layers()) known.push_back(layer->name);
  const auto entry =
      std::find_if(raw.begin(), raw.end(), [](const auto& pair) { return pair.first == "layer"; });
  if (entry == raw.end()) {
    throw FieldError("layer", "layer is missing; it must be one of " + join(known));
  }
  const std::string* name = std::get_if<std::string>(&entry->second.value);
  if (name) {
    for (const Layer* layer : layers()) {
      if (layer->name == *name) return *layer;
    }
  }
  throw FieldError("layer", "layer must be one of " + join(known) + ", got " +
                                to_string(entry->second) +
                                (name ? did_you_mean(*name, known) : ""));
}

}  // namespace

const Value& Config::value(std::string_view field) const {
  for (size_t i = 0; i < values_.size(); ++i) {
    if (layer_->fields[i].name == field) return values_[i];
  }
  throw std::logic_error(std::string(layer_->name) + " has no field " + std::string(field));
}

int64_t Config::integer(std::string_view field) const { return std::get<int64_t>(value(field)); }
bool Config::flag(std::string_view field) const { return std::get<bool>(value(field)); }
std::string_view Config::choice(std::string_view field) const {
  return std::get<std::string_view>(value(field));
}

Config resolve(const RawConfig& raw) {
  const Layer& layer = find_layer(raw);
  RawConfig fields;
  fields.reserve(raw.size());
  for (const auto& entry : raw) {
    if (entry.first != "layer") fields.push_back(entry);
  }
  Config config(layer, resolve(layer.name, layer.fields, fields));
  if (layer.check) layer.check(config);
  return config;
}

}  // namespace attnscope
