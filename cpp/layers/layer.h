#pragma once

// A layer: its fields and its graph. A file beside this one describes one layer and registers it:
// nothing else has to know of it.

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "../graph/graph.h"
#include "field.h"

namespace attnscope {

struct Layer;

/// A checked config of one layer: every field has a value.
class Config {
 public:
  Config(const Layer& layer, std::vector<Value> values)
      : layer_(&layer), values_(std::move(values)) {}

  const Layer& layer() const { return *layer_; }
  const std::vector<Value>& values() const { return values_; }  // parallel to layer().fields

  /// The same config with one field changed; checks nothing.
  Config with(const char* field, Value value) const;

  /// The value of a field that the layer has; std::logic_error for one that it has not.
  int64_t integer(const char* field) const;
  Dimension dimension(const char* field) const;  // with the axis that the field says
  /// Of an optional field: `otherwise` where the value is null.
  Dimension dimension(const char* field, Dimension otherwise) const;
  double number(const char* field) const;
  bool flag(const char* field) const;
  std::string_view choice(const char* field) const;
  /// Of optional fields: nothing where the value is null.
  std::optional<int64_t> optional_integer(const char* field) const;
  std::optional<double> optional_number(const char* field) const;

 private:
  size_t index_of(std::string_view name) const;
  const Value& value(const char* field) const { return values_[index_of(field)]; }

  const Layer* layer_;
  std::vector<Value> values_;
};

struct Layer {
  std::string_view name;           // "additive_scorer"
  std::string_view title;          // "Additive scorer"
  std::string_view group;          // under which the page lists it: "scorers"
  int place;                       // order on the page's list: scorers from 100, pooling from 200,
                                   // attention from 300, transformer from 400
  std::string_view summary;        // one sentence
  std::string_view pytorch_class;  // "AdditiveScorer"
  std::vector<Field> fields;
  Graph (*forward_graph)(const Config& config);   // by the templates below
  void (*check)(const Config& config) = nullptr;  // rules between fields; throws FieldError
};

/// A layer's graph, by what its file says: `declare` puts its parameters into a set and returns
/// handles to them, `forward` adds its inputs, steps and results.
///
///   Handles declare(Parameters& parameters, const Config& config);
///   void forward(Graph& graph, const Handles& handles, const Config& config);
template <auto declare, auto forward>
Graph forward_graph(const Config& config) {
  auto parameters = std::make_shared<Parameters>(config.layer().pytorch_class);
  const auto handles = declare(*parameters, config);
  Graph graph(std::move(parameters));
  forward(graph, handles, config);
  return graph;
}

/// The same of a layer without parameters.
///
///   void forward(Graph& graph, const Config& config);
template <auto forward>
Graph forward_graph(const Config& config) {
  Graph graph(std::make_shared<Parameters>(config.layer().pytorch_class));
  forward(graph, config);
  return graph;
}

/// Puts a layer on the list: a constant of this type ends each layer's file.
struct Registration {
  explicit Registration(const Layer& layer);
};

/// Every layer, in the order of the page's list.
std::span<const Layer* const> layers();

/// The most iterations of loops without a list in one run: each iteration becomes steps of its own.
inline constexpr int64_t kMostIterations = 1024;

/// Throws FieldError, for seq_len, where a config's graph has more than kMostIterations.
void check_iterations(const Graph& graph, const Config& config);

/// The layer's graph for a run, which unrolls its loops, after that check. `masks`: whether the run
/// may be given optional inputs.
Graph graph_to_run(const Config& config, bool masks = true);

/// The gate that every config passes: finds the layer that `raw` names, and checks every other key
/// against that layer's fields. Throws FieldError.
Config resolve(const RawConfig& raw);

}  // namespace attnscope
