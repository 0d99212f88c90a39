#include "layer.h"

#include <algorithm>
#include <stdexcept>

namespace attnscope {
namespace {

std::vector<std::string_view> known_layers() {
  std::vector<std::string_view> known;
  for (const Layer* layer : layers()) known.push_back(layer->name);
  return known;
}

const Layer& find_layer(const RawConfig& raw) {
  const auto entry =
      std::find_if(raw.begin(), raw.end(), [](const auto& pair) { return pair.first == "layer"; });
  if (entry == raw.end()) {
    refuse("layer", "layer is missing; it must be one of {}", {join(known_layers())});
  }
  const std::string* name = std::get_if<std::string>(&entry->second.value);
  if (name) {
    for (const Layer* layer : layers()) {
      if (layer->name == *name) return *layer;
    }
  }
  refuse("layer", "layer must be one of {}, got {}{}",
         {join(known_layers()), to_string(entry->second),
          name ? did_you_mean(*name, known_layers()) : ""});
}

/// Iterations of all loops without a list, those in the bodies of lists included.
Count iterations(const Graph& graph) {
  Count sum = 0;
  for (const Loop& loop : graph.loops()) {
    for (size_t kind = 0; kind < loop.bodies.size(); ++kind) {
      const Count inside = loop.list ? iterations(*loop.bodies[kind].graph) : Count{1};
      sum += product({loop.iterations_of(kind), inside});
    }
  }
  return sum;
}

}  // namespace

void check_iterations(const Graph& graph, const Config& config) {
  const Count needed = iterations(graph);
  if (needed <= kMostIterations) return;
  const int64_t length = config.integer("seq_len");
  const int64_t most = kMostIterations / static_cast<int64_t>(needed / length);
  refuse("seq_len",
         "seq_len must be at most {} where the layer runs or is trained, got {}: its positions "
         "follow one another, at most {} in all layers and directions; estimates take any length",
         {most, length, kMostIterations});
}

Graph graph_to_run(const Config& config, bool masks) {
  Graph graph = config.layer().forward_graph(config);
  check_iterations(graph, config);
  if (!masks) graph.leave_out_masks();
  return graph;
}

size_t Config::index_of(std::string_view name) const {
  for (size_t i = 0; i < values_.size(); ++i) {
    if (layer_->fields[i].name == name) return i;
  }
  wrong_graph("{} has no field {}", {layer_->name, name});
}

Config Config::with(const char* field, Value value) const {
  Config changed = *this;
  changed.values_[index_of(field)] = value;
  return changed;
}

int64_t Config::integer(const char* field) const { return std::get<int64_t>(value(field)); }
Dimension Config::dimension(const char* field) const {
  const size_t index = index_of(field);
  return {std::get<int64_t>(values_[index]), layer_->fields[index].axis};
}
Dimension Config::dimension(const char* field, Dimension otherwise) const {
  return optional_integer(field) ? dimension(field) : otherwise;
}
double Config::number(const char* field) const { return std::get<double>(value(field)); }
bool Config::flag(const char* field) const { return std::get<bool>(value(field)); }
std::string_view Config::choice(const char* field) const {
  return std::get<std::string_view>(value(field));
}

std::optional<int64_t> Config::optional_integer(const char* field) const {
  const int64_t* integer = std::get_if<int64_t>(&value(field));
  return integer ? std::optional(*integer) : std::nullopt;
}

std::optional<double> Config::optional_number(const char* field) const {
  const double* number = std::get_if<double>(&value(field));
  return number ? std::optional(*number) : std::nullopt;
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
