// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/workload.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/median.h"
#include "sim/workload/recorded_buffers.h"

namespace framegov::sim {

void UiThreads::took(const WorkloadFrame& frame) {
  if (frame.app >= apps_.size()) {
    apps_.resize(frame.app + std::size_t{1});
  }
  Free& app = apps_[frame.app];
  if (!is_known(frame.ui_done) || !is_known(frame.ready)) {
    app = {};
    return;
  }
  const auto has_buffer = static_cast<std::int64_t>(std::max(0.0, app.buffers.dequeue_at()));
  app.ui = std::max({frame.ui_done, app.render, instant_from_ns(has_buffer)});
  app.render = frame.ready - frame.gpu;
  app.gpu = frame.ready;
  queue_recorded(app.buffers, frame);
}

Duration median_dispatch(std::span<const WorkloadFrame> frames,
                         const std::function<bool(std::size_t)>& counts) {
  std::vector<Duration> free;
  std::vector<Duration> all;
  UiThreads threads;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const WorkloadFrame& frame = frames[i];
    const bool told = is_known(frame.start) && frame.start >= frame.vsync &&
                      frame.start - frame.vsync <= kLongestDispatch;
    if (told && (!counts || counts(i))) {
      all.push_back(frame.start - frame.vsync);
      if (threads.free_at(frame.app) <= frame.vsync) {
        free.push_back(all.back());
      }
    }
    threads.took(frame);
  }
  std::vector<Duration>& waits = free.empty() ? all : free;
  return waits.empty() ? Duration{} : median(std::move(waits));
}

Status require_work(const Workload& workload) {
  if (workload.has_work) {
    return {};
  }
  return fail(ExitCode::kBadInput, workload.source + ": the frames' work is not known",
              "a replay needs it: record sched/sched_switch and power/cpu_frequency; `framegov "
              "import --frames-only` shows the frames' times");
}

Status require_energy(const Workload& workload) {
  if (const Status work = require_work(workload); !work || workload.knows_core_worth) {
    return work;
  }
  return fail(ExitCode::kBadInput,
              workload.source + ": no energy without knowing the recorded phone's cores",
              "name its SoC with --recorded-on NAME (`framegov import` shows what is known); "
              "`framegov sim --validate` replays its times");
}

}  // namespace framegov::sim
