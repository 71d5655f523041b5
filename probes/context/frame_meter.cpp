// SPDX-License-Identifier: Apache-2.0
#include "probes/context/frame_meter.h"

#include <unistd.h>

#include <algorithm>
#include <string>

namespace framegov {

FrameMeter::Process& FrameMeter::process(std::int32_t pid, Instant now) {
  auto* found = std::find_if(processes_.begin(), processes_.end(),
                             [pid](const Process& known) { return known.pid == pid; });
  if (found == processes_.end()) {
    found = std::min_element(processes_.begin(), processes_.end(),
                             [](const Process& a, const Process& b) { return a.used < b.used; });
    *found = Process{};
    found->pid = pid;
  }
  found->used = now;
  return *found;
}

FrameMeter::Thread FrameMeter::thread(std::int32_t pid, std::int32_t tid) const {
  const std::string folder = "/proc/" + std::to_string(pid) + "/task/" + std::to_string(tid);
  if (::access(folder.c_str(), F_OK) != 0) {
    return {};
  }
  return {ThreadClock(tid), CycleCounter(tid, cycle_events_)};
}

const FrameMeter::Start* FrameMeter::start_of(const Process& process, const Frame& frame) {
  const auto* const found =
      std::find_if(process.starts.begin(), process.starts.end(),
                   [&frame](const Start& start) { return start.at == frame.start; });
  return frame.has(FramePart::kStart) && found != process.starts.end() ? &*found : nullptr;
}

void FrameMeter::on_start(const FrameStart& start, Instant now) {
  if (is_known(start.deadline)) {
    return;  // a game's: its frames are measured from buffer to buffer
  }
  Process& known = process(start.pid, now);
  if (start.tid != known.ui.clock.tid()) {
    known.ui = thread(start.pid, start.tid);
    known.starts = {};
  }
  Start& fresh = known.starts[known.next_start++ % kStarts];
  fresh = {start.at, known.ui.read(), {}, start.cluster};
  if (start.cluster >= 0) {
    fresh.frequency = frequencies_.mark(static_cast<std::size_t>(start.cluster), now);
  }
}

void FrameMeter::on_frame(Frame& frame, Instant now) {
  Process& known = process(frame.pid, now);
  CycleCount cycles = measure_ui(known, frame);
  cycles += measure_render(known, frame);
  measure_frequency(known, frame, now);
  if (const Frequency ran_at = cycles.frequency(); ran_at > Frequency{}) {
    frame.frequency = ran_at;
  }
}

CycleCount FrameMeter::measure_ui(Process& process, Frame& frame) {
  const Start* const start = start_of(process, frame);
  if (start == nullptr || !process.ui.clock) {
    return {};
  }
  // Up to the next frame's start where that came before this frame's end.
  const Start* next = nullptr;
  for (const Start& other : process.starts) {
    if (other.at > start->at && (next == nullptr || other.at < next->at)) {
      next = &other;
    }
  }
  const Use end = next == nullptr ? process.ui.read() : next->ui;
  // A thread that has ended may tell nothing any more.
  frame.ui_cpu_time = std::max(end.time - start->ui.time, Duration::zero());
  return end.cycles.since(start->ui.cycles);
}

CycleCount FrameMeter::measure_render(Process& process, Frame& frame) {
  if (frame.render_tid == 0) {
    return {};
  }
  if (frame.render_tid != process.render.clock.tid()) {
    process.render = thread(process.pid, frame.render_tid);
    process.render_known = false;
  }
  if (!process.render.clock) {
    return {};
  }
  const Use use = process.render.read();
  CycleCount ran;
  if (process.render_known) {
    frame.render_cpu_time = std::max(use.time - process.render_seen.time, Duration::zero());
    ran = use.cycles.since(process.render_seen.cycles);
  }
  process.render_seen = use;
  process.render_known = true;
  return ran;
}

void FrameMeter::measure_frequency(Process& process, Frame& frame, Instant now) {
  if (frame.cluster < 0) {
    return;
  }
  const FrequencyMark end = frequencies_.mark(static_cast<std::size_t>(frame.cluster), now);
  FrequencyMark begin = end;
  const Start* const start = start_of(process, frame);
  if (start != nullptr && start->cluster == frame.cluster) {
    begin = start->frequency;
  } else if (process.last_cluster == frame.cluster) {
    begin = process.last_end;
  }
  frame.frequency = frequencies_.mean(begin, end);
  process.last_end = end;
  process.last_cluster = frame.cluster;
}

}  // namespace framegov
