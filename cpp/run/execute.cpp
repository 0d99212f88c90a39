#include "execute.h"

#include <algorithm>
#include <stdexcept>

#include "threads.h"

namespace attnscope {
namespace {

using Entries = std::span<const Schedule::Entry>;

void run_entry(const Schedule::Entry& entry, Workspace& workspace) {
  const Fusion& fusion = entry.fusion;
  if (!fusion.loads) {
    for (const TensorId id : fusion.reads) workspace.load(id);
  }
  workspace.enter(fusion.writes, fusion.scratch, entry.scratch);
  const Alone alone(entry.work < kWorthSharing);
  fusion.kernel(workspace);
}

void run_entries(Entries entries, Workspace& workspace) {
  for (const Schedule::Entry& entry : entries) run_entry(entry, workspace);
}

/// Runs the first entries of a schedule, in small portions, and tells `progress` after each of them
/// how much of the whole schedule is done.
void run_watched(const Schedule& schedule, Entries first, Workspace& workspace,
                 const Progress& progress) {
  double all = 1, before = 0;  // starts at 1, so that it is never 0
  for (const Schedule::Entry& entry : schedule.entries()) all += entry.work;
  for (const Schedule::Entry& entry : first) {
    const double after = before + entry.work;
    const Progress own = progress.part(before / all, after / all);
    {
      const Watch watch(own);
      run_entry(entry, workspace);
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
  Workspace workspace(graph, schedule.placement(), schedule.results(), weights, inputs, caches);
  const Entries entries = schedule.entries();
  const auto first_update = std::ranges::find_if(entries, &Schedule::Entry::updates);
  const Entries before(entries.begin(), first_update), rest(first_update, entries.end());
  if (progress) {
    inputs.load_all();
    run_watched(schedule, before, workspace, progress);
  } else {
    run_entries(before, workspace);
  }
  if (before_updates && !rest.empty()) before_updates(workspace);
  run_entries(rest, workspace);  // all or none of the updates: nothing is told of progress here
  for (size_t i = 0; i < caches.size(); ++i) {
    const StateUse& use = graph.states()[i];
    if (!caches[i] || use.before != kNoTensor) continue;  // or a kernel has appended to it
    caches[i]->append(workspace.read(use.after), use.new_positions);
  }
  return workspace.take_results();
}

}  // namespace attnscope
