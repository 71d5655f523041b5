// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

#include "base/unique_fd.h"
#include "probes/frame_source.h"

namespace framegov::test {

/// A frame source that hands on what a test puts in, from any thread. Its descriptor is an eventfd.
class FakeFrameSource final : public FrameSource {
 public:
  FakeFrameSource() : fd_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}

  void push(const Frame& frame) {
    FrameEvent event;
    event.kind = FrameEvent::Kind::kFrame;
    event.frame = frame;
    push(event);
  }
  void push(const FrameStart& start) {
    FrameEvent event;
    event.kind = FrameEvent::Kind::kStart;
    event.start = start;
    push(event);
  }
  void lose(std::uint64_t events) { counters_.lost += events; }
  void break_down() { broken_ = true; }
  /// Called when frames are asked for.
  std::function<void()> on_drain = [] {};
  void pretend(SourceKind kind) { kind_ = kind; }

  [[nodiscard]] SourceKind kind() const override { return kind_; }
  [[nodiscard]] int fd() const override { return fd_.get(); }
  [[nodiscard]] Result<bool> drain(FrameBatch& batch) override {
    on_drain();
    const std::lock_guard lock(mutex_);
    if (broken_) {
      return fail(ExitCode::kFailure, "the frame source broke down");
    }
    while (next_ < waiting_.size() && batch.try_push_back(waiting_[next_])) {
      ++next_;
    }
    if (next_ < waiting_.size()) {
      return true;
    }
    waiting_.clear();
    next_ = 0;
    std::uint64_t count = 0;
    (void)!::read(fd_.get(), &count, sizeof count);  // nothing to read when nothing was pushed
    return false;
  }
  [[nodiscard]] SourceCounters counters() const override {
    const std::lock_guard lock(mutex_);
    return counters_;
  }

 private:
  void push(const FrameEvent& event) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(event);
    ++counters_.events;
    const std::uint64_t one = 1;
    if (::write(fd_.get(), &one, sizeof one) != sizeof one) {
      broken_ = true;
    }
  }

  UniqueFd fd_;
  mutable std::mutex mutex_;
  SourceKind kind_ = SourceKind::kRecording;
  std::vector<FrameEvent> waiting_;
  std::size_t next_ = 0;
  SourceCounters counters_;
  bool broken_ = false;
};

}  // namespace framegov::test
