// SPDX-License-Identifier: Apache-2.0
#include "sim/import/slices.h"

#include <algorithm>
#include <map>

namespace framegov::sim {

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

void count(AtraceName name, SliceCounts& counts) {
  switch (name) {
    case AtraceName::kDoFrame:
      ++counts.do_frames;
      break;
    case AtraceName::kDrawFrame:
      ++counts.draw_frames;
      break;
    case AtraceName::kQueueBuffer:
      ++counts.queue_buffers;
      break;
    case AtraceName::kDequeueBuffer:
      ++counts.dequeue_buffers;
      break;
    default:
      break;
  }
}

/// Pairs the marks of one thread.
class ThreadSlices {
 public:
  ThreadSlices(const ThreadTrack& track, ProcessSlices& process)
      : tid_(track.tid), process_(process) {}

  void add(const std::vector<SliceMark>& marks, const std::vector<std::int64_t>& gaps) {
    auto gap = gaps.begin();
    for (const SliceMark& mark : marks) {
      // What was open then may have ended, and begun again, unseen.
      for (; gap != gaps.end() && *gap <= mark.at; ++gap) {
        open_.clear();
      }
      if (mark.begin) {
        begin(mark);
      } else {
        end(mark.at);
      }
    }
    // Its draw may be whole: the UI thread is done with a frame before RenderThread is.
    for (const SliceMark* mark : open_) {
      if (mark->name == AtraceName::kDoFrame) {
        store(*mark, std::max(mark->at, last_end_));
      }
    }
  }

 private:
  void begin(const SliceMark& mark) {
    constexpr std::size_t kMaxDepth = 256;
    count(mark.name, process_.begun);
    if (mark.name == AtraceName::kDoFrame || mark.name == AtraceName::kDrawFrame) {
      end_last_frame(mark);
    }
    if (mark.name == AtraceName::kQueueBuffer || mark.name == AtraceName::kBuffer) {
      surface_ = mark.token;
    }
    if (open_.size() < kMaxDepth) {
      open_.push_back(&mark);
    }
  }

  void end(std::int64_t at) {
    last_end_ = at;
    if (!open_.empty()) {
      store(*open_.back(), at);
      open_.pop_back();
    }
  }

  /// No frame is made within another: if one is open still, slices within it were never ended.
  void end_last_frame(const SliceMark& next) {
    const auto last = std::find_if(open_.begin(), open_.end(), [&](const SliceMark* mark) {
      return mark->name == next.name && (mark->token != 0) == (next.token != 0);
    });
    if (last != open_.end()) {
      store(**last, std::max((*last)->at, last_end_));
      open_.erase(last, open_.end());
    }
  }

  void store(const SliceMark& begin, std::int64_t end) {
    if (std::vector<Slice>* list = list_for(process_, begin.name)) {
      const bool queued = begin.name == AtraceName::kQueueBuffer;
      list->push_back({begin.at, end, queued ? surface_ : begin.token, tid_,
                       begin.name == AtraceName::kOwnDraw});
    }
  }

  std::int32_t tid_;
  ProcessSlices& process_;
  std::vector<const SliceMark*> open_;
  std::int64_t surface_ = 0;   ///< that the last buffer was of
  std::int64_t last_end_ = 0;  ///< of any slice
};

}  // namespace

std::vector<ProcessSlices> find_slices(const TraceModel& model) {
  std::map<std::int32_t, ProcessSlices> processes;
  for (const ThreadTrack& track : model.processes.threads) {
    if (!track.marks.empty()) {
      ThreadSlices(track, processes[track.tgid != 0 ? track.tgid : track.tid])
          .add(track.marks, model.cpu.gaps);
    }
  }
  std::vector<ProcessSlices> found;
  for (auto& [tgid, process] : processes) {
    const SliceCounts& begun = process.begun;
    if (begun.do_frames == 0 && begun.queue_buffers == 0 && begun.draw_frames == 0 &&
        process.draw_frames.empty()) {
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

}  // namespace framegov::sim
