#include "estimate.h"

#include <algorithm>
#include <ranges>

#include "../graph/rows.h"
#include "../graph/unroll.h"
#include "cost.h"
#include "json.h"
#include "lifetimes.h"
#include "memory.h"
#include "pytorch_module.h"
#include "training.h"

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
    if (tensor.only_hides) json.key("only_hides").boolean(true);
    if (tensor.limit > 0) {
      json.key("integer").boolean(true);
      json.key("limit").number(tensor.limit);
    }
    if (graph.is_cached(id)) json.key("cached").boolean(true);
    json.end_object();
  }
  json.end_array();
}

/// The optional input that hides numbers of a tensor, as a mask those of weights: what the step
/// takes that makes it, or else the one behind its first input. kNoTensor where there is none.
TensorId mask_behind(const Graph& graph, TensorId id) {
  const auto is_optional = [&](TensorId one) {
    return graph.tensor(one).role == Role::kOptionalInput;
  };
  for (size_t s = graph.steps().size(); s-- > 0;) {  // what a step takes is made before it
    const Step& step = graph.steps()[s];
    if (const Loop* loop = graph.loop_of(step)) {
      const auto made = std::ranges::find(loop->outputs, id, &Loop::Output::tensor);
      if (made == loop->outputs.end()) continue;
      const Body& body = loop->last_body();
      const auto result = static_cast<size_t>(made->result);
      const TensorId inner = mask_behind(*body.graph, body.graph->results()[result].tensor);
      if (inner == kNoTensor) return kNoTensor;
      const std::vector<TensorId> inputs = body.graph->inputs();
      const auto place = std::find(inputs.begin(), inputs.end(), inner);
      id = body.arguments[static_cast<size_t>(place - inputs.begin())].given;
    } else if (std::ranges::count(step.outputs(), id) > 0) {
      const auto mask = std::find_if(step.inputs.begin(), step.inputs.end(), is_optional);
      id = mask != step.inputs.end() ? *mask : step.inputs.front();
    }
    if (is_optional(id)) return id;
  }
  return kNoTensor;
}

/// Whether two shapes have the same rows and columns.
bool same_planes(const Shape& a, const Shape& b) {
  constexpr size_t kPlane = 2;
  return a.size() >= kPlane && b.size() >= kPlane &&
         std::equal(a.end() - kPlane, a.end(), b.end() - kPlane, fits);
}

/// How often a tensor is made, of which the last one is meant: once an iteration, of what a loop
/// makes and does not stack.
int64_t times_made(const Graph& graph, TensorId id) {
  for (const Loop& loop : graph.loops()) {
    for (const Loop::Output& output : loop.outputs) {
      if (output.tensor == id && !output.stacked) return loop.iterations();
    }
  }
  return 1;
}

void write_results(JsonWriter& json, const Graph& graph) {
  json.begin_array();
  for (const Result& result : graph.results()) {
    json.begin_object();
    const Tensor& tensor = graph.tensor(result.tensor);
    json.key("name").string(result.name);
    write_shape(json, tensor.shape);
    json.key("weights").boolean(result.options.weights);
    json.key("tensor").string(tensor.name);
    json.key("repeat").number(times_made(graph, result.tensor));
    const TensorId mask = mask_behind(graph, result.tensor);
    if (mask != kNoTensor && same_planes(graph.tensor(mask).shape, tensor.shape)) {
      json.key("mask").string(graph.tensor(mask).name);
    }
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

/// What the totals of a layer or of a phase of training are made of.
void write_operations_of(JsonWriter& json, const Cost& operations) {
  json.key("macs").number(operations.macs());
  json.key("flops").number(operations.by(kFlops));
  json.key("elementwise").number(operations.elementwise());
  json.key("operations");
  write_operations(json, operations);
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

void write_step(JsonWriter& json, const Row& row, const StepCost& cost, Count saved_bytes) {
  const auto& [graph, step, times, places, prefix, body, group] = row;
  json.begin_object();
  json.key("name").string(row.name());
  json.key("op").string(step.op->name());
  json.key("part").string(step.part);
  json.key("inputs").begin_array();
  for (const TensorId id : step.inputs) json.string(row.name_of(id));
  json.end_array();
  json.key("output").string(row.name_of(step.output));
  write_shape(json, graph.tensor(step.output).shape);
  if (step.op->outputs() > 1) {
    json.key("further_outputs").begin_array();
    for (const TensorId id : step.outputs() | std::views::drop(1)) {
      json.begin_object();
      json.key("name").string(row.name_of(id));
      write_shape(json, graph.tensor(id).shape);
      json.end_object();
    }
    json.end_array();
  }
  json.key("repeat").number(times);
  json.key("places").number(places);
  json.key("parameters").number(cost.parameters);
  json.key("macs").number(cost.operations.macs());
  json.key("elementwise").number(cost.operations.elementwise());
  json.key("bytes_moved").number(cost.bytes_moved);
  json.key("saved_bytes").number(saved_bytes);
  json.key("pytorch").string(pytorch_expression(row));
  if (group) json.key("within").string(group->call);
  json.end_object();
}

void write_steps(JsonWriter& json, const std::vector<Row>& rows, const LayerCost& costs,
                 const std::vector<Count>& saved) {
  json.key("steps").begin_array();
  for (size_t r = 0; r < rows.size(); ++r) {
    write_step(json, rows[r], costs.steps[r], saved[r]);
  }
  json.end_array();
}

/// Shapes of the tensors that loops stack.
void write_stacked_shapes(JsonWriter& json, const Graph& graph, const std::string& prefix) {
  for (const Loop& loop : graph.loops()) {
    for (const Loop::Output& output : loop.outputs) {
      const Tensor& whole = graph.tensor(output.tensor);
      if (output.stacked) json.key(prefix + whole.name).shape(whole.shape);
    }
    for (const Body& body : loop.bodies) {
      write_stacked_shapes(json, *body.graph, prefix + body.prefix);
    }
  }
}

/// Of what each step makes, by its name.
void write_shapes(JsonWriter& json, const Graph& graph, const std::vector<Row>& rows) {
  json.key("shapes").begin_object();
  for (const Row& row : rows) {
    for (const TensorId id : row.step.outputs()) {
      json.key(row.name_of(id)).shape(row.graph.tensor(id).shape);
    }
  }
  write_stacked_shapes(json, graph, "");
  json.end_object();
}

void write_names(JsonWriter& json, const std::string& name, const std::string& prefix,
                 const std::vector<std::string>& beginnings) {
  json.key(prefix + name).begin_array();
  for (const std::string& beginning : beginnings) json.string(beginning + name);
  json.end_array();
}

void write_tensors(JsonWriter& json, const Graph& graph, const std::string& prefix,
                   const std::vector<std::string>& beginnings);

/// Those of a loop's bodies, and of what it stacks.
void write_tensors_of(JsonWriter& json, const Graph& graph, const Loop& loop,
                      const std::string& prefix, const std::vector<std::string>& beginnings) {
  for (size_t kind = 0; kind < loop.bodies.size(); ++kind) {
    std::vector<std::string> inside;
    for (int64_t i = 0; i < loop.iterations(); ++i) {
      if (loop.kind_of(i) != kind) continue;
      for (const std::string& one : beginnings) {
        inside.push_back(one + loop.name_of(i));
      }
    }
    const Body& body = loop.bodies[kind];
    write_tensors(json, *body.graph, prefix + body.prefix, inside);
  }
  for (const Loop::Output& output : loop.outputs) {
    if (output.stacked) {
      write_names(json, graph.tensor(output.tensor).name, prefix, beginnings);
    }
  }
}

/// The names that a run has for what each step makes, and for what a softmax sees of its scores:
/// one for each iteration of a loop. `beginnings`: of the names in those iterations.
void write_tensors(JsonWriter& json, const Graph& graph, const std::string& prefix,
                   const std::vector<std::string>& beginnings) {
  for (const Step& step : graph.steps()) {
    if (const Loop* loop = graph.loop_of(step)) {
      write_tensors_of(json, graph, *loop, prefix, beginnings);
      continue;
    }
    if (step.op->masking()) write_names(json, masked_name(graph, step), prefix, beginnings);
    for (const TensorId id : step.outputs()) {
      write_names(json, graph.tensor(id).name, prefix, beginnings);
    }
  }
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
  json.key("activations_peak_without_weights").number(memory.activations_peak_without_weights);
  json.key("inference_total_without_weights").number(memory.inference_total_without_weights);
  training("saved_for_backward", memory.saved_for_backward);
  training("gradients", memory.gradients);
  training("kept_for_backward", memory.kept_for_backward);
  json.end_object();
}

void write_training_memory(JsonWriter& json, const TrainingMemory& memory) {
  json.begin_object();
  json.key("parameters").number(memory.parameters);
  json.key("gradients").number(memory.gradients);
  json.key("optimizer").number(memory.optimizer);
  json.key("kept").number(memory.kept);
  json.key("inputs").number(memory.inputs);
  json.key("noise").number(memory.noise);
  json.key("activations_peak").number(memory.activations_peak);
  json.key("peak").number(memory.peak);
  json.end_object();
}

void write_timeline(JsonWriter& json, const std::vector<Lifetime>& lives) {
  json.key("timeline").begin_array();
  for (const Lifetime& life : lives) {
    json.begin_object();
    json.key("tensor").string(life.name);
    json.key("bytes").number(life.bytes);
    json.key("born").number(life.born);
    json.key("freed").number(life.freed);
    json.end_object();
  }
  json.end_array();
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

/// A whole step of training, read off its graph.
void write_training(JsonWriter& json, const Config& config, const Recipe& recipe, bool steps) {
  const Dtype dtype = dtype_from(config.choice("dtype"));
  if (!trainable(dtype)) {
    refuse("dtype", "dtype must be one that can be trained, got {}", {config.choice("dtype")});
  }
  const TrainingGraph training = training_graph(config, recipe, {}, /*masks=*/false);
  const std::vector<Row> rows = rows_of(training.graph);
  const LayerCost costs = cost(rows, dtype);
  const TrainingMemory bytes = training_memory(training, dtype);
  json.begin_object();
  write_operations_of(json, costs.total.operations);
  Cost forward, backward, update;
  for (const PartCost& part : costs.parts) {
    Cost& phase = part.part == "backward" ? backward : part.part == "update" ? update : forward;
    phase += part.cost.operations;
  }
  json.key("phases").begin_object();
  for (const auto& [name, operations] :
       {std::pair{"forward", &forward}, {"backward", &backward}, {"update", &update}}) {
    json.key(name).begin_object();
    write_operations_of(json, *operations);
    json.end_object();
  }
  json.end_object();
  json.key("memory");
  write_training_memory(json, bytes);
  if (steps) {
    write_steps(json, rows, costs, bytes.step_saved);
    write_timeline(json, timeline(training.graph, dtype));
  }
  json.end_object();
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

std::string estimate_json(const Config& config, const EstimateOptions& options) {
  Graph graph = config.layer().forward_graph(config);
  graph.leave_out_masks();
  const Dtype dtype = dtype_from(config.choice("dtype"));
  const std::vector<Row> rows = rows_of(graph);
  const LayerCost costs = cost(rows, dtype);
  const Memory bytes = memory(graph, dtype);

  JsonWriter json;
  json.begin_object();
  json.key("layer").string(config.layer().name);
  json.key("config");
  write_config(json, config);
  json.key("bytes_per_element").number(bytes_per_element(dtype));
  json.key("parameters").number(costs.total.parameters);
  write_operations_of(json, costs.total.operations);
  json.key("bytes_moved").number(costs.total.bytes_moved);
  json.key("inputs");
  write_inputs(json, graph);
  json.key("results");
  write_results(json, graph);
  json.key("output_shape").shape(graph.tensor(graph.results().front().tensor).shape);
  if (options.steps) write_shapes(json, graph, rows);
  if (options.tensors) {
    check_iterations(graph, config);  // the names are those of a run
    json.key("tensors").begin_object();
    write_tensors(json, graph, "", {""});
    json.end_object();
  }
  json.key("parts");
  write_parts(json, costs);
  if (options.steps) write_steps(json, rows, costs, bytes.step_saved);
  json.key("memory");
  write_memory(json, bytes, trainable(dtype));
  if (options.steps) write_timeline(json, timeline(graph, dtype));
  json.key("kv_cache");
  write_kv_cache(json, graph, dtype);
  if (options.training) {
    json.key("training");
    write_training(json, config, *options.training, options.steps);
  }
  json.end_object();
  return json.take();
}

std::string refusal_json(size_t index, std::string_view message, std::string_view field) {
  JsonWriter json;
  json.begin_object();
  json.key("error").string(message);
  json.key("field").string(field);
  json.key("index").number(static_cast<Count>(index));
  json.end_object();
  return json.take();
}

std::string model_json(const Config& config, const Graph& graph,
                       const std::vector<Dtype>& parameter_formats,
                       std::optional<Dtype> cache_format) {
  JsonWriter json;
  json.begin_object();
  json.key("config");
  write_config(json, config);
  json.key("inputs");
  write_inputs(json, graph);
  json.key("storage").begin_object();
  json.key("parameters").begin_object();
  for (size_t i = 0; i < parameter_formats.size(); ++i) {
    json.key(graph.parameters().at(i).first).string(format_of(parameter_formats[i]).name);
  }
  json.end_object();
  json.key("cache");
  if (cache_format) {
    json.string(format_of(*cache_format).name);
  } else {
    json.null();
  }
  json.end_object();
  json.end_object();
  return json.take();
}

std::string formats_json() {
  JsonWriter json;
  json.begin_array();
  for (const NumberFormat& format : kNumberFormats) {
    json.begin_object();
    json.key("name").string(format.name);
    json.key("bits").number(format.bits);
    json.key("bytes").number(format.bits / 8);
    json.key("largest").value(format.largest);
    json.key("step").value(format.step);
    json.key("trainable").boolean(format.trainable);
    json.end_object();
  }
  json.end_array();
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
    json.key("pytorch_class").string(layer->pytorch_class);
    json.key("fields").begin_array();
    for (const Field& field : layer->fields) write_field(json, field);
    json.end_array();
    const Graph graph = layer->forward_graph(resolve({{"layer", {std::string(layer->name)}}}));
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
