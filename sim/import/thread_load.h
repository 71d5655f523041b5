// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>

#include "sim/import/cpu_speed.h"
#include "sim/import/slices.h"
#include "sim/import/trace_model.h"
#include "sim/workload/workload.h"

namespace framegov::sim {

/// An app's UI threads, or its RenderThreads: what the kernel sees of them beside the frames.
class ThreadLoad {
 public:
  /// It ran `stage` within [begin, end].
  void add(std::int32_t tid, const StageLoad& stage, std::int64_t begin, std::int64_t end) {
    for_frames_[tid] += stage.work.count();
    begin_ = std::min(begin_, begin);
    end_ = std::max(end_, end);
  }
  [[nodiscard]] AppThread seen_by_kernel(const ThreadRuns& runs, const CpuSpeed& speed,
                                         const TraceModel& model) const {
    return {beside(runs, speed), on_big_cores(model)};
  }

 private:
  /// From the app's first frame to its last, over what the threads ran for frames.
  [[nodiscard]] float beside(const ThreadRuns& runs, const CpuSpeed& speed) const {
    double all = 0;
    double for_frames = 0;
    for (const auto& [tid, cycles] : for_frames_) {
      for_frames += cycles;
      runs.within(tid, begin_, end_, [&](const Run& run) {
        all += speed.knows(run.cpu) ? speed.cycles(run.cpu, run.begin, run.end) : 0;
      });
    }
    return for_frames > 0 ? static_cast<float>(std::max(0.0, all / for_frames - 1)) : 0;
  }
  /// They are Unity's, which binds them to big cores unless an app says otherwise
  /// (docs.unity3d.com, Manual/android-thread-configuration).
  [[nodiscard]] bool on_big_cores(const TraceModel& model) const {
    return std::any_of(for_frames_.begin(), for_frames_.end(), [&](const auto& each) {
      const ThreadTrack* track = model.processes.find_thread(each.first);
      return track != nullptr && track->comm.starts_with("Unity");
    });
  }

  std::map<std::int32_t, double> for_frames_;  ///< reference cycles, by tid
  std::int64_t begin_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t end_ = std::numeric_limits<std::int64_t>::min();
};

}  // namespace framegov::sim
