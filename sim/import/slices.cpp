// SPDX-License-Identifier: Apache-2.0
#include "sim/import/slices.h"

#include <algorithm>
#include <map>

namespace framegov {

namespace {

std::vector<Slice>* list_for(ProcessSlices& process, AtraceName name) {
  switch (name) {
    case AtraceName::kDoFrame:
      return &process.do_frames;
    case AtraceName::kDrawFrame:
      return &process.draw_frames;
    case AtraceName::kQueueBuffer:
      return &process.queue_buffers;
    case AtraceName::kDequeueBuffer:
      return &process.dequeue_buffers;
    default:
      return nullptr;
  }
}

}  // namespace

std::vector<ProcessSlices> find_slices(const TraceModel& model) {
  constexpr std::size_t kMaxDepth = 256;
  std::map<std::int32_t, ProcessSlices> processes;
  std::vector<const SliceMark*> open;
  for (const ThreadTrack& track : model.threads) {
    if (track.marks.empty()) {
      continue;
    }
    ProcessSlices& process = processes[track.tgid != 0 ? track.tgid : track.tid];
    open.clear();
    for (const SliceMark& mark : track.marks) {
      if (mark.begin) {
        if (open.size() < kMaxDepth) {
          open.push_back(&mark);
        }
        continue;
      }
      if (open.empty()) {
        continue;
      }
      const SliceMark& begin = *open.back();
      open.pop_back();
      if (std::vector<Slice>* list = list_for(process, begin.name)) {
        list->push_back({begin.at, mark.at, begin.token, track.tid});
      }
    }
  }
  std::vector<ProcessSlices> found;
  for (auto& [tgid, process] : processes) {
    if (process.do_frames.empty() && process.draw_frames.empty() && process.queue_buffers.empty()) {
      continue;
    }
    process.tgid = tgid;
    for (auto* list : {&process.do_frames, &process.draw_frames, &process.queue_buffers,
                       &process.dequeue_buffers}) {
      std::sort(list->begin(), list->end(),
                [](const Slice& a, const Slice& b) { return a.begin < b.begin; });
    }
    found.push_back(std::move(process));
  }
  return found;
}

SliceTimes::SliceTimes(const std::vector<Slice>& ascending) {
  for (const Slice& slice : ascending) {
    std::vector<Span>& spans = times_[slice.tid];
    if (!spans.empty() && slice.begin <= spans.back().end) {
      spans.back().end = std::max(spans.back().end, slice.end);
    } else {
      spans.push_back({slice.begin, slice.end});
    }
  }
}

std::size_t SliceTimes::first_ending_after(const std::vector<Span>& spans, std::int64_t at) {
  const auto found =
      std::upper_bound(spans.begin(), spans.end(), at,
                       [](std::int64_t t, const Span& span) { return t < span.end; });
  return static_cast<std::size_t>(found - spans.begin());
}

ThreadRuns::ThreadRuns(const TraceModel& model, const std::vector<std::int32_t>& tids) {
  for (const std::int32_t tid : tids) {
    runs_[tid];
  }
  if (runs_.empty()) {
    return;
  }
  for_each_run(model, [&](std::int32_t tid, const Run& run) {
    if (const auto found = runs_.find(tid); found != runs_.end()) {
      found->second.push_back(run);
    }
  });
  for (auto& [tid, runs] : runs_) {
    std::sort(runs.begin(), runs.end(),
              [](const Run& a, const Run& b) { return a.begin < b.begin; });
  }
}

std::size_t ThreadRuns::first_ending_after(const std::vector<Run>& runs, std::int64_t at) {
  // A thread runs on one CPU at a time, so ends ascend with begins.
  const auto found = std::upper_bound(runs.begin(), runs.end(), at,
                                      [](std::int64_t t, const Run& run) { return t < run.end; });
  return static_cast<std::size_t>(found - runs.begin());
}

}  // namespace framegov
