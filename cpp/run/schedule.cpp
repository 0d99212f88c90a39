#include "schedule.h"

#include <algorithm>
#include <ranges>
#include <stdexcept>
#include <utility>

#include "../graph/storage.h"
#include "arena.h"
#include "lowering.h"

namespace attnscope {
namespace {

constexpr Count kFloatBytes = 4;
constexpr int kNoEntry = -1;

double work_of(const Graph& graph, const Step& step) {
  const Cost cost = step.op->cost(graph.input_shapes(step), graph.tensor(step.output).shape);
  return static_cast<double>(cost.macs()) + static_cast<double>(cost.elementwise());
}

/// Whether something written there stays in parameters or state after the run.
bool outlives_run(const Graph& graph, TensorId storage) {
  const Role role = graph.tensor(storage).role;
  return role == Role::kParameter || role == Role::kState;
}

/// Bytes of all tensors of a role, without views.
Count bytes_of(const Graph& graph, Role role) {
  Count floats = 0;
  for (const Tensor& tensor : graph.tensors()) {
    const bool view = tensor.storage != static_cast<TensorId>(&tensor - graph.tensors().data());
    if (!view && tensor.role == role) floats = sum(floats, elements(tensor.shape));
  }
  return product({floats, kFloatBytes});
}

/// How many states are appended to.
size_t appended_to(const Graph& graph) {
  return static_cast<size_t>(
      std::count_if(graph.states().begin(), graph.states().end(),
                    [](const StateUse& state) { return state.rule == StateUse::Rule::kAppended; }));
}

}  // namespace

std::vector<TensorId> outputs_of(const Graph& graph, const Keep& keep) {
  std::vector<TensorId> outputs;
  for (const Result& result : graph.results()) {
    if (keep.weights || !result.options.weights) outputs.push_back(result.tensor);
  }
  outputs.insert(outputs.end(), keep.tensors.begin(), keep.tensors.end());
  if (!keep.states) return outputs;
  for (const StateUse& state : graph.states()) {
    if (state.rule != StateUse::Rule::kReplaced) continue;
    const bool there = std::find(outputs.begin(), outputs.end(), state.after) != outputs.end();
    if (!there) outputs.push_back(state.after);
  }
  for (const StateUse& state : graph.states()) {
    if (state.rule == StateUse::Rule::kAppended) outputs.push_back(state.after);
  }
  return outputs;
}

Schedule::Schedule(const Graph& graph, const Keep& keep, RunFor how)
    : graph_(graph),
      how_(how),
      outputs_(outputs_of(graph, keep)),
      results_(outputs_.size() - (keep.states ? appended_to(graph) : 0)),
      placement_{storages(graph, Sharing::kRun, outputs_), {}} {
  if (!graph.loops().empty()) throw std::logic_error("a schedule needs a graph without loops");
  const size_t handed_out = outputs_.size();
  for (const Step& step : graph.steps()) {
    for (const TensorId id : step.outputs()) {
      const TensorId storage = placement_.storage[static_cast<size_t>(id)];
      if (outlives_run(graph, storage)) outputs_.push_back(id);
    }
  }
  Steps steps(graph, outputs_);
  for (size_t s = 0; s < steps.size();) {
    Entry entry{lower({graph, steps, s, how}), 0, {}};
    entry.work = entry.fusion.earlier;
    steps.gather(entry.fusion.gathered);
    for (const size_t end = s + entry.fusion.steps; s < end; ++s) {
      entry.work += work_of(graph, steps[s]);
    }
    for (const TensorId id : entry.fusion.writes) {
      const TensorId storage = placement_.storage[static_cast<size_t>(id)];
      entry.updates = entry.updates || outlives_run(graph, storage);
    }
    entries_.push_back(std::move(entry));
  }
  leave_out_unneeded();
  outputs_.resize(handed_out);
  for (const Entry& entry : entries_) {
    packed_.insert(packed_.end(), entry.fusion.packed.begin(), entry.fusion.packed.end());
  }
  plan();
}

/// From the end backwards: leaves out entries whose results nothing needs, because a fusion after
/// them reads what they have read, and notes in each entry the tensors that it is the last to read.
void Schedule::leave_out_unneeded() {
  Flags needed(graph_.tensors().size(), false);  // by storage
  const auto storage = [this](TensorId id) { return placement_.storage[static_cast<size_t>(id)]; };
  for (const TensorId id : outputs_) needed[static_cast<size_t>(storage(id))] = true;
  std::vector<Entry> kept;
  for (Entry& entry : entries_ | std::views::reverse) {
    const std::vector<TensorId>& writes = entry.fusion.writes;
    if (std::none_of(writes.begin(), writes.end(),
                     [&](TensorId id) { return needed[static_cast<size_t>(storage(id))]; })) {
      continue;
    }
    for (const TensorId id : entry.fusion.reads) {
      const TensorId read = storage(id);
      if (graph_.tensor(read).role != Role::kActivation || needed[static_cast<size_t>(read)])
        continue;
      needed[static_cast<size_t>(read)] = true;
      entry.dead.push_back(read);
    }
    kept.push_back(std::move(entry));
  }
  entries_.assign(std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend()));
}

void Schedule::plan() {
  placement_.offsets.resize(graph_.tensors().size());
  Flags own(graph_.tensors().size(), false);  // by storage: outputs have their own
  for (const TensorId id : outputs_) own[placement_.storage_of(id)] = true;
  std::vector<Occupancy> spans;
  std::vector<std::pair<int, size_t>>
      owners;  // parallel to spans: an entry's scratch, or a storage
  std::vector<int> span_of(graph_.tensors().size(), -1);
  for (int e = 0; e < static_cast<int>(entries_.size()); ++e) {
    const Entry& entry = entries_[static_cast<size_t>(e)];
    for (const TensorId written : entry.fusion.writes) {
      const size_t id = placement_.storage_of(written);
      if (own[id] || span_of[id] >= 0 || graph_.tensors()[id].role != Role::kActivation) continue;
      span_of[id] = static_cast<int>(spans.size());
      const Shortened& shortened = entry.fusion.shortened;
      const Count floats =
          written == shortened.id ? shortened.floats : elements(graph_.tensors()[id].shape);
      const Count bytes = product({floats, kFloatBytes});
      spans.push_back({in_cache_lines(bytes), e, e});
      owners.emplace_back(kNoEntry, id);
    }
    if (const Count bytes = entry.fusion.scratch.bytes(how_.threads); bytes > 0) {
      spans.push_back({bytes, e, e});
      owners.emplace_back(e, 0);
    }
    for (const TensorId dead : entry.dead) {
      const int span = span_of[static_cast<size_t>(dead)];
      if (span >= 0) spans[static_cast<size_t>(span)].freed = e;
    }
  }
  const ArenaPlan plan = plan_arena(spans);
  for (size_t i = 0; i < spans.size(); ++i) {
    const auto [entry, storage] = owners[i];
    if (entry == kNoEntry) {
      placement_.offsets[storage] = plan.offsets[i];
    } else {
      entries_[static_cast<size_t>(entry)].scratch = plan.offsets[i];
    }
  }
  placement_.arena_bytes = plan.size;
}

double Schedule::most_work() const {
  double most = 0;
  for (const Entry& entry : entries_) most = std::max(most, entry.work);
  return most;
}

Count Schedule::parameter_bytes() const { return bytes_of(graph_, Role::kParameter); }

Count Schedule::state_bytes() const { return bytes_of(graph_, Role::kState); }

Count Schedule::packed_bytes(Dtype storage) const {
  return attnscope::packed_bytes(graph_, packed_, storage);
}

Count Schedule::input_bytes() const { return bytes_of(graph_, Role::kInput); }

Count Schedule::result_bytes() const {
  Count floats = 0;
  for (const TensorId id : outputs_) floats = sum(floats, elements(graph_.tensor(id).shape));
  return product({floats, kFloatBytes});
}

Count Schedule::bytes() const {
  Count bytes = parameter_bytes();
  for (const Count more : {state_bytes(), packed_bytes(how_.storage), input_bytes(),
                           placement_.arena_bytes, result_bytes()}) {
    bytes = sum(bytes, more);
  }
  return bytes;
}

}  // namespace attnscope
