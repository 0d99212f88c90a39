#include "lengths.h"

#include <algorithm>
#include <string_view>

namespace attnscope {
namespace {

bool has_field(const Layer& layer, std::string_view name) {
  return std::any_of(layer.fields.begin(), layer.fields.end(),
                     [&](const Field& field) { return field.name == name; });
}

/// The field that sizes inputs along an axis; "" where none does.
const char* length_field(const Layer& layer, Axis axis) {
  const char* name = "";
  if (axis == Axis::kBatch) name = "batch_size";
  if (axis == Axis::kPosition || axis == Axis::kQuery) name = "seq_len";
  if (axis == Axis::kKey) name = has_field(layer, "kv_len") ? "kv_len" : "seq_len";
  return has_field(layer, name) ? name : "";
}

}  // namespace

Config with_lengths_of(const Config& config, const Graph& graph,
                       const std::vector<GivenShape>& given) {
  std::vector<std::pair<const char*, int64_t>> lengths;  // the first input decides each
  bool other = false;
  for (const auto& [id, shape] : given) {
    const Tensor& expected = graph.tensor(id);
    const bool counts = expected.role == Role::kInput && !graph.is_cached(id);
    if (!counts || shape.size() != expected.shape.size()) continue;
    for (size_t d = 0; d < shape.size(); ++d) {
      const char* field = length_field(config.layer(), expected.shape[d].axis);
      if (std::string_view(field).empty()) continue;
      const bool known = std::any_of(lengths.begin(), lengths.end(), [&](const auto& length) {
        return std::string_view(length.first) == field;
      });
      if (!known) lengths.emplace_back(field, shape[d].size);
      other = other || shape[d] != expected.shape[d];
    }
  }
  Config changed = config;
  if (!other) return changed;
  for (const auto& [field, length] : lengths) changed = changed.with(field, length);
  return changed;
}

bool fits_instead(const Graph& other, const Graph& graph, const std::vector<GivenShape>& given) {
  if (!same_parameters(graph.parameters(), other.parameters())) return false;
  return std::all_of(given.begin(), given.end(), [&](const GivenShape& one) {
    const Tensor& expected = graph.tensor(one.first);
    if (expected.role != Role::kInput) return true;
    const std::vector<TensorId> inputs = other.inputs();
    return std::any_of(inputs.begin(), inputs.end(), [&](TensorId id) {
      return other.tensor(id).name == expected.name && other.tensor(id).shape == one.second;
    });
  });
}

}  // namespace attnscope
