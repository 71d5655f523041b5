// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "sim/import/trace_model.h"

namespace framegov {

/// A finished atrace slice of one of the names that importers look for.
struct Slice {
  std::int64_t begin{};
  std::int64_t end{};
  std::int64_t token{};
  std::int32_t tid{};
};

/// What the threads of one process did for its frames; each list ascends by begin.
struct ProcessSlices {
  std::int32_t tgid{};
  std::vector<Slice> do_frames;
  std::vector<Slice> draw_frames;
  std::vector<Slice> queue_buffers;
  std::vector<Slice> dequeue_buffers;
};

/// Pairs begins and ends per thread. Ends without a begin (the trace started within) and begins
/// without an end are dropped.
[[nodiscard]] std::vector<ProcessSlices> find_slices(const TraceModel& model);

/// When each thread was within at least one of some slices: slices may be nested or follow each
/// other, the times that come out are disjoint.
class SliceTimes {
 public:
  explicit SliceTimes(const std::vector<Slice>& ascending);

  /// Calls `handle(begin, end)` for the parts of the thread's times within [begin, end].
  template <class Handler>
  void within(std::int32_t tid, std::int64_t begin, std::int64_t end, Handler&& handle) const {
    const auto found = times_.find(tid);
    if (found == times_.end()) {
      return;
    }
    for (std::size_t i = first_ending_after(found->second, begin);
         i < found->second.size() && found->second[i].begin < end; ++i) {
      const Span& span = found->second[i];
      handle(span.begin < begin ? begin : span.begin, span.end > end ? end : span.end);
    }
  }

 private:
  struct Span {
    std::int64_t begin{};
    std::int64_t end{};
  };
  [[nodiscard]] static std::size_t first_ending_after(const std::vector<Span>& spans,
                                                      std::int64_t at);
  std::unordered_map<std::int32_t, std::vector<Span>> times_;
};

/// A CPU's time on a thread.
struct Run {
  std::int64_t begin{};
  std::int64_t end{};
  int cpu{};
};

/// When chosen threads ran, from the CPUs' switches.
class ThreadRuns {
 public:
  ThreadRuns(const TraceModel& model, const std::vector<std::int32_t>& tids);

  /// Calls `handle(run)` for the parts of the thread's runs within [begin, end].
  template <class Handler>
  void within(std::int32_t tid, std::int64_t begin, std::int64_t end, Handler&& handle) const {
    const auto found = runs_.find(tid);
    if (found == runs_.end()) {
      return;
    }
    for (std::size_t i = first_ending_after(found->second, begin);
         i < found->second.size() && found->second[i].begin < end; ++i) {
      const Run& run = found->second[i];
      handle(Run{run.begin < begin ? begin : run.begin, run.end > end ? end : run.end, run.cpu});
    }
  }

 private:
  [[nodiscard]] static std::size_t first_ending_after(const std::vector<Run>& runs,
                                                      std::int64_t at);
  std::unordered_map<std::int32_t, std::vector<Run>> runs_;
};

/// Calls `handle(tid, run)` for every time that a CPU ran a thread other than idle. A time whose
/// end contradicts its begin (lost events) is left out.
template <class Handler>
void for_each_run(const TraceModel& model, Handler&& handle) {
  for (std::size_t cpu = 0; cpu < model.switches.size(); ++cpu) {
    const CpuSwitch* running = nullptr;
    for (const CpuSwitch& change : model.switches[cpu]) {
      if (running != nullptr && running->next_tid > 0 && change.at > running->at &&
          (change.prev_tid < 0 || change.prev_tid == running->next_tid)) {
        handle(running->next_tid, Run{running->at, change.at, static_cast<int>(cpu)});
      }
      running = &change;
    }
  }
}

}  // namespace framegov
