// SPDX-License-Identifier: Apache-2.0
#include "probes/sources/frame_assembler.h"

#include <algorithm>

namespace framegov {
namespace {

/// Adds to `total` the frames that are appended while it lives.
class FrameCount {
 public:
  FrameCount(const FrameBatch& out, std::uint64_t& total)
      : out_(out), before_(out.size()), total_(total) {}
  FrameCount(const FrameCount&) = delete;
  FrameCount& operator=(const FrameCount&) = delete;
  ~FrameCount() {
    total_ += static_cast<std::uint64_t>(std::count_if(
        out_.begin() + before_, out_.end(),
        [](const FrameEvent& event) { return event.kind == FrameEvent::Kind::kFrame; }));
  }

 private:
  const FrameBatch& out_;
  std::size_t before_;
  std::uint64_t& total_;
};

}  // namespace

ProcessFrames* FrameAssembler::find(std::int32_t pid) {
  auto* const found = std::find_if(processes_.begin(), processes_.end(),
                                   [&](const ProcessFrames& known) { return known.pid() == pid; });
  return found == processes_.end() ? nullptr : found;
}

ProcessFrames& FrameAssembler::process(const ProbeHit& hit, FrameBatch& out) {
  ProcessFrames* known = find(hit.pid);
  if (known == nullptr && !processes_.full()) {
    processes_.push_back(ProcessFrames(hit.pid));
    known = &processes_.back();
  }
  if (known == nullptr) {
    known = std::min_element(processes_.begin(), processes_.end(),
                             [](const ProcessFrames& a, const ProcessFrames& b) {
                               return a.last_used() < b.last_used();
                             });
    known->release(Instant::max(), out);
    *known = ProcessFrames(hit.pid);
  }
  known->use(hit.at);
  return *known;
}

bool FrameAssembler::refuses(Instant at) {
  const bool refused = !is_plausible(at);
  rejected_ += refused ? 1U : 0U;
  return refused;
}

void FrameAssembler::frame_start(const ProbeHit& hit, FrameBatch& out) {
  if (refuses(hit.at)) {
    return;
  }
  const FrameCount count(out, frames_);
  process(hit, out).frame_start(hit, context_, out);
}

void FrameAssembler::frame_info(const ProbeHit& hit, std::span<const std::int64_t> fields,
                                FrameBatch& out) {
  if (refuses(hit.at)) {
    return;
  }
  const auto times = decode_frame_info(fields, hit.at);
  if (!times) {
    ++rejected_;
    return;
  }
  const FrameCount count(out, frames_);
  rejected_ += process(hit, out).frame_info(hit, *times, fields.size(), context_, out) ? 0U : 1U;
}

void FrameAssembler::dequeue_buffer(const BufferHit& buffer, Instant entered, FrameBatch& out) {
  // One after its return is as good as none.
  if (refuses(buffer.hit.at) || refuses(entered <= buffer.hit.at ? entered : Instant{})) {
    return;
  }
  const FrameCount count(out, frames_);
  process(buffer.hit, out).dequeue_buffer(buffer, entered, context_, out);
}

void FrameAssembler::queue_buffer(const BufferHit& buffer, FrameBatch& out) {
  if (refuses(buffer.hit.at)) {
    return;
  }
  const FrameCount count(out, frames_);
  rejected_ += process(buffer.hit, out).queue_buffer(buffer, context_, out) ? 0U : 1U;
}

void FrameAssembler::frame_finished(const ProbeHit& hit, std::span<const std::int64_t> fields) {
  if (refuses(hit.at)) {
    return;
  }
  if (ProcessFrames* const known = find(hit.pid); known != nullptr) {
    known->frame_finished(hit, fields);
  }
}

void FrameAssembler::hint_target(const ProbeHit& hit, Duration target, FrameBatch& out) {
  if (refuses(hit.at)) {
    return;
  }
  if (!TargetRate::can_be_told(target)) {
    ++rejected_;
    return;
  }
  const FrameCount count(out, frames_);
  process(hit, out).hint_target(target);
}

void FrameAssembler::expire(Instant now, FrameBatch& out) {
  const FrameCount count(out, frames_);
  for (ProcessFrames& known : processes_) {
    if (out.room() < ProcessFrames::kMaxWaiting) {
      return;
    }
    known.release(now - context_.settings.give_up, out);
  }
}

void FrameAssembler::forget(std::int32_t pid) {
  if (ProcessFrames* const known = find(pid); known != nullptr) {
    *known = processes_.back();
    processes_.pop_back();
  }
}

}  // namespace framegov
