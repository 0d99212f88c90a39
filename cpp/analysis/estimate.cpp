#include "estimate.h"

#include <algorithm>

#include "../graph/rows.h"
#include "cost.h"
#include "json.h"
#include "memory.h"
#include "pytorch_module.h"

namespace attnscope {
namespace {

void write_config(JsonWriter& json, const Config& config) {
  json.begin_object();
  json.key("layer").string(config.layer().name);
  for (size_t i = 0; i < config.values().size(); ++i) {
    json.key(std::string(config.layer().fields[i].name)).value(config.values()[i]);
  }
  json.end_object();
}

void write_shape(JsonWriter& json, const Shape& shape) {
  json.key("shape").shape(shape);
  json.key("axes").begin_array();
  for (const Dimension& dimension : shape) json.string(name_of(dimension.axis));
  json.end_array();
}

void write_inputs(JsonWriter& json, const Graph& graph) {
  json.begin_array();
  for (const TensorId id : graph.inputs()) {
    const Tensor& tensor = graph.tensor(id);
    json.begin_object();
    json.key("name").string(tensor.name);
    write_shape(json, tensor.shape);
    json.key("optional").boolean(tensor.role == Role::kOptionalInput);
    if (tensor.limit > 0) {
      json.key("integer").boolean(true);
      json.key("limit").number(tensor.limit);
    }
    if (graph.is_cached(id)) json.key("cached").boolean(true);
    json.end_object();
  }
  json.end_array();
}

void write_results(JsonWriter& json, const Graph& graph) {
  json.begin_array();
  for (const Result& result : graph.results()) {
    json.begin_object();
    json.key("name").string(result.name);
    write_shape(json, graph.tensor(result.tensor).shape);
    json.key("weights").boolean(result.is_weights());
    json.end_object();
  }
  json.end_array();
}

void write_operations(JsonWriter& json, const Cost& operations) {
  json.begin_object();
  for (size_t i = 0; i < kOperations; ++i) {
    json.key(kOperationNames[i]).number(operations.counts()[i]);
  }
  json.end_object();
}

void write_parts(JsonWriter& json, const LayerCost& cost) {
  json.begin_object();
  for (const PartCost& part : cost.parts) {
    json.key(part.part).begin_object();
    json.key("parameters").number(part.cost.parameters);
    json.key("macs").number(part.cost.operations.macs());
    json.end_object();
  }
  json.end_object();
}

/// Values in one array for all steps, lists after their lengths: keys and brackets would be half of
/// all text. web/lib/estimate.js reads them in this order.
void write_step(JsonWriter& json, const Row& row, const StepCost& cost, Count saved_bytes) {
  const auto& [graph, step, times, prefix, body] = row;
  const auto write_name = [&](TensorId id) {
    prefix.empty() ? json.string(graph.tensor(id).name) : json.string(row.name_of(id));
  };
  json.string(row.name());
  json.string(step.op->name());
  json.string(step.part);
  json.number(static_cast<Count>(step.inputs.size()));
  for (const TensorId id : step.inputs) write_name(id);
  const Tensor& output = graph.tensor(step.output);
  write_name(step.output);
  json.number(static_cast<Count>(output.shape.size()));
  for (const Dimension& dimension : output.shape) json.number(dimension.size);
  for (const Dimension& dimension : output.shape) json.number(static_cast<Count>(dimension.axis));
  json.number(times);
  json.number(cost.parameters);
  json.number(cost.operations.macs());
  json.number(cost.operations.elementwise());
  json.number(cost.bytes_moved);
  json.number(saved_bytes);
  json.string(pytorch_expression(row));
}

void write_memory(JsonWriter& json, const Memory& memory, bool trainable) {
  const auto training = [&](std::string_view key, Count bytes) {
    json.key(key);
    trainable ? json.number(bytes) : json.null();
  };
  json.begin_object();
  json.key("parameters").number(memory.parameters);
  json.key("inputs").number(memory.inputs);
  json.key("output").number(memory.output);
  json.key("activations_peak").number(memory.activations_peak);
  json.key("inference_total").number(memory.inference_total);
  training("saved_for_backward", memory.saved_for_backward);
  training("gradients", memory.gradients);
  training("optimizer", memory.optimizer);
  training("training_total", memory.training_total);
  json.end_object();
}

/// As write_step().
void write_lifetime(JsonWriter& json, const Lifetime& life) {
  json.string(life.name);
  json.number(life.bytes);
  json.number(life.born);
  json.number(life.freed);
}

std::string_view type_name(FieldType type) {
  switch (type) {
    case FieldType::kBoolean:
      return "boolean";
    case FieldType::kInteger:
      return "integer";
    case FieldType::kNumber:
      return "number";
    case FieldType::kChoice:
      return "choice";
  }
  return {};
}

void write_kv_cache(JsonWriter& json, const Graph& graph, Dtype dtype) {
  const KvCache cache = kv_cache(graph, dtype);
  if (cache.bytes == 0) {
    json.null();
    return;
  }
  json.begin_object();
  json.key("bytes_per_token").number(cache.bytes_per_token);
  json.key("bytes_per_sequence").number(cache.bytes_per_sequence);
  json.key("bytes").number(cache.bytes);
  json.end_object();
}

void write_field(JsonWriter& json, const Field& field) {
  json.begin_object();
  json.key("name").string(field.name);
  json.key("type").string(type_name(field.type));
  json.key("default").value(field.fallback);
  if (field.optional()) json.key("optional").boolean(true);
  if (field.type == FieldType::kInteger || field.type == FieldType::kNumber) {
    json.key("min").value(field.min);
    if (field.above_min) json.key("above_min").boolean(true);
    json.key("max").value(field.max);
  }
  if (!field.samples.empty()) {
    json.key("samples").begin_array();
    for (const double sample : field.samples) json.value(sample);
    json.end_array();
  }
  if (!field.choices.empty()) {
    json.key("choices").begin_array();
    for (const std::string_view choice : field.choices) json.string(choice);
    json.end_array();
  }
  json.key("meaning").string(field.meaning);
  json.end_object();
}

}  // namespace

std::string estimate_json(const Config& config) {
  const Graph graph = config.layer().build(config);
  const Dtype dtype = dtype_from(config.choice("dtype"));
  const LayerCost costs = cost(graph, dtype);
  const Memory bytes = memory(graph, dtype);

  JsonWriter json;
  json.begin_object();
  json.key("config");
  write_config(json, config);
  json.key("parameters").number(costs.total.parameters);
  const Cost& operations = costs.total.operations;
  json.key("macs").number(operations.macs());
  json.key("flops").number(operations.by(kFlops));
  json.key("elementwise").number(operations.elementwise());
  json.key("operations");
  write_operations(json, operations);
  json.key("bytes_moved").number(costs.total.bytes_moved);
  json.key("inputs");
  write_inputs(json, graph);
  json.key("results");
  write_results(json, graph);
  json.key("parts");
  write_parts(json, costs);
  json.key("axes").begin_array();  // by the numbers that steps have
  for (size_t axis = 0; axis < kAxes; ++axis) json.string(name_of(static_cast<Axis>(axis)));
  json.end_array();
  json.key("steps").begin_array();
  const std::vector<Row> rows = rows_of(graph);
  for (size_t r = 0; r < rows.size(); ++r) {
    write_step(json, rows[r], costs.steps[r], bytes.step_saved[r]);
  }
  json.end_array();
  json.key("memory");
  write_memory(json, bytes, trainable(dtype));
  json.key("timeline").begin_array();
  for (const Lifetime& life : bytes.timeline) write_lifetime(json, life);
  json.end_array();
  json.key("kv_cache");
  write_kv_cache(json, graph, dtype);
  json.end_object();
  return json.take();
}

std::string model_json(const Config& config, const Graph& graph) {
  JsonWriter json;
  json.begin_object();
  json.key("config");
  write_config(json, config);
  json.key("inputs");
  write_inputs(json, graph);
  json.end_object();
  return json.take();
}

std::string layers_json() {
  JsonWriter json;
  json.begin_array();
  for (const Layer* layer : layers()) {
    json.begin_object();
    json.key("name").string(layer->name);
    json.key("title").string(layer->title);
    json.key("group").string(layer->group);
    json.key("summary").string(layer->summary);
    json.key("fields").begin_array();
    for (const Field& field : layer->fields) write_field(json, field);
    json.end_array();
    const Graph graph = layer->build(resolve({{"layer", {std::string(layer->name)}}}));
    json.key("inputs");
    write_inputs(json, graph);
    json.key("results");
    write_results(json, graph);
    json.end_object();
  }
  json.end_array();
  return json.take();
}

}  // namespace attnscope
