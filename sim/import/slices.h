// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/import/trace_model.h"

namespace framegov::sim {

/// A finished atrace slice of one of the names that importers look for.
struct Slice {
  std::int64_t begin{};
  std::int64_t end{};
  std::int64_t token{};  ///< as AtraceLine's; of a queueBuffer: the surface's, 0 if not told
  std::int32_t tid{};
  bool is_own_draw{};  ///< of a draw: AtraceName::kOwnDraw
};

/// How many slices of these names began, ended in the recording or not.
struct SliceCounts {
  std::uint64_t do_frames{}, draw_frames{}, queue_buffers{}, dequeue_buffers{};
};

/// What the threads of one process did for its frames; each list ascends by begin.
struct ProcessSlices {
  std::int32_t tgid{};
  SliceCounts begun;
  std::vector<Slice> do_frames;
  std::vector<Slice> draw_frames;
  std::vector<Slice> queue_buffers;
  std::vector<Slice> dequeue_buffers;
};

/// Pairs begins and ends per thread. Ends without a begin (the trace started within) and begins
/// without an end are dropped. A frame that is open when its thread begins the next one, as slices
/// within it were not ended, ends at the last end before that; so does a doFrame that is open last.
[[nodiscard]] std::vector<ProcessSlices> find_slices(const TraceModel& model);

/// What some threads did, by when: each thread's spans ascend and are disjoint. A `Span` has a
/// `begin` and an `end`.
template <class Span>
class SpansByThread {
 public:
  using Spans = std::unordered_map<std::int32_t, std::vector<Span>>;

  explicit SpansByThread(Spans spans) : spans_(std::move(spans)) {}

  /// Calls `handle(span)` for the parts of the thread's spans within [begin, end].
  template <class Handler>
  void within(std::int32_t tid, std::int64_t begin, std::int64_t end, Handler&& handle) const {
    const auto found = spans_.find(tid);
    if (found == spans_.end()) {
      return;
    }
    const std::vector<Span>& spans = found->second;
    for (auto span = std::upper_bound(spans.begin(), spans.end(), begin,
                                      [](std::int64_t at, const Span&s) { return at < s.end; });
         span != spans.end() && span->begin < end; ++span) {
      Span part = *span;
      part.begin = std::max(part.begin, begin);
      part.end = std::min(part.end, end);
      handle(part);
    }
  }

 private:
  Spans spans_;
};

struct TimeSpan {
  std::int64_t begin{};
  std::int64_t end{};
};

/// When each thread was within at least one of some slices, which may be nested or follow each
/// other.
using SliceTimes = SpansByThread<TimeSpan>;
[[nodiscard]] SliceTimes slice_times(const std::vector<Slice>& ascending);

/// A CPU's time on a thread.
struct Run {
  std::int64_t begin{};
  std::int64_t end{};
  int cpu{};
};

/// When chosen threads ran, from the CPUs' switches: a thread runs on one CPU at a time.
using ThreadRuns = SpansByThread<Run>;
[[nodiscard]] ThreadRuns thread_runs(const TraceModel& model,
                                     const std::vector<std::int32_t>& tids);

/// Calls `handle(tid, run)` for every time that a CPU ran a thread other than idle. A time whose
/// end contradicts its begin (lost events) is left out.
template <class Handler>
void for_each_run(const TraceModel& model, Handler&& handle) {
  for (std::size_t cpu = 0; cpu < model.cpu.switches.size(); ++cpu) {
    const CpuSwitch* running = nullptr;
    for (const CpuSwitch& change : model.cpu.switches[cpu]) {
      if (running != nullptr && running->next_tid > 0 && change.at > running->at &&
          (change.prev_tid == -1 || change.prev_tid == running->next_tid)) {
        handle(running->next_tid, Run{running->at, change.at, static_cast<int>(cpu)});
      }
      running = &change;
    }
  }
}

}  // namespace framegov::sim
