#include "execute.h"

#include <stdexcept>
#include <utility>

#include "threads.h"

namespace attnscope {
namespace {

void run_entry(const Schedule::Entry& entry, Workspace& workspace, BeforeUpdates& before_updates) {
  if (entry.updates && before_updates) std::exchange(before_updates, {})(workspace);
  const Fusion& fusion = entry.fusion;
  if (!fusion.loads) {
    for (const TensorId id : fusion.reads) workspace.load(id);
  }
  workspace.enter(fusion.writes, fusion.scratch, entry.scratch);
  const Alone alone(entry.work < kWorthSharing);
  fusion.kernel(workspace);
}

/// Runs all kernels, each in small portions, and tells `progress` after every portion.
void run_watched(const Schedule& schedule, Workspace& workspace, const Progress& progress,
                 BeforeUpdates& before_updates) {
  double all = 1, before = 0;  // starts at 1, so that it is never 0
  for (const Schedule::Entry& entry : schedule.entries()) all += entry.work;
  for (const Schedule::Entry& entry : schedule.entries()) {
    if (entry.updates) {  // all of them or none: nobody may stop the run here
      run_entry(entry, workspace, before_updates);
      continue;
    }
    const double after = before + entry.work;
    const Progress own = progress.part(before / all, after / all);
    {
      const Watch watch(own);
      run_entry(entry, workspace, before_updates);
    }
    own(1);  // for kernels that never call parallel_for(), too
    before = after;
  }
}

}  // namespace

Outputs execute(const Schedule& schedule, const BoundWeights& weights, const Inputs& inputs,
                const Progress& progress, std::span<CachedRows* const> caches,
                BeforeUpdates before_updates) {
  const Graph& graph = schedule.graph();
  if (thread_count() > schedule.how().threads) {
    throw std::logic_error("a schedule has scratch for fewer threads than there are");
  }
  Workspace workspace(graph, schedule.placement(), weights, inputs, caches);
  if (progress) {
    inputs.load_all();
    run_watched(schedule, workspace, progress, before_updates);
  } else {
    for (const Schedule::Entry& entry : schedule.entries()) {
      run_entry(entry, workspace, before_updates);
    }
  }
  for (size_t i = 0; i < caches.size(); ++i) {
    const StateUse& use = graph.states()[i];
    if (!caches[i] || use.before != kNoTensor) continue;  // or a kernel has appended to it
    caches[i]->append(workspace.read(use.after), use.new_positions);
  }
  Outputs outputs;
  for (const TensorId id : schedule.results()) outputs.push_back(workspace.take(id));
  return outputs;
}

}  // namespace attnscope
