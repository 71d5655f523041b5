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
    case AtraceName::kOwnDraw:
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
    std::int64_t surface = 0;
    auto gap = model.gaps.begin();
    for (const SliceMark& mark : track.marks) {
      // What was open then may have ended, and begun again, unseen.
      for (; gap != model.gaps.end() && *gap <= mark.at; ++gap) {
        open.clear();
      }
      if (mark.begin) {
        if (mark.name == AtraceName::kQueueBuffer || mark.name == AtraceName::kBuffer) {
          surface = mark.token;
        }
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
        const bool queued = begin.name == AtraceName::kQueueBuffer;
        list->push_back({begin.at, mark.at, queued ? surface : begin.token, track.tid,
                         begin.name == AtraceName::kOwnDraw});
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

SliceTimes slice_times(const std::vector<Slice>& ascending) {
  SliceTimes::Spans times;
  for (const Slice& slice : ascending) {
    std::vector<TimeSpan>& spans = times[slice.tid];
    if (!spans.empty() && slice.begin <= spans.back().end) {
      spans.back().end = std::max(spans.back().end, slice.end);
    } else {
      spans.push_back({slice.begin, slice.end});
    }
  }
  return SliceTimes(std::move(times));
}

ThreadRuns thread_runs(const TraceModel& model, const std::vector<std::int32_t>& tids) {
  ThreadRuns::Spans by_thread;
  for (const std::int32_t tid : tids) {
    by_thread[tid];
  }
  if (!by_thread.empty()) {
    for_each_run(model, [&](std::int32_t tid, const Run& run) {
      if (const auto found = by_thread.find(tid); found != by_thread.end()) {
        found->second.push_back(run);
      }
    });
  }
  for (auto& [tid, runs] : by_thread) {
    std::sort(runs.begin(), runs.end(),
              [](const Run& a, const Run& b) { return a.begin < b.begin; });
  }
  return ThreadRuns(std::move(by_thread));
}

}  // namespace framegov
