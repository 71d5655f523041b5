// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "tests/app/scene.h"

namespace demo {

/// The true times of one frame, CLOCK_MONOTONIC ns; zero where a game has no such moment.
struct FrameRecord {
  std::int64_t frame = 0;
  std::int64_t vsync_ns = 0;
  std::int64_t start_ns = 0;    ///< the thread got its vsync event (game: began the frame)
  std::int64_t ui_done_ns = 0;  ///< just before nSyncAndDrawFrame is called
  std::int64_t ready_ns = 0;    ///< just before hook_queueBuffer is called
  std::int64_t deadline_ns = 0;
  std::int64_t interval_ns = 0;
  double ui_work = 0;  ///< reference cycles
  double render_work = 0;
  std::int64_t blocked_ns = 0;  ///< in hook_dequeueBuffer
};

/// Collects the frames (from one thread) and writes them as CSV when told to.
class Recorder {
 public:
  void add(const FrameRecord& record) { records_.push_back(record); }
  /// Throws std::runtime_error when the file cannot be written.
  void write_csv(const std::string& path) const;
  /// "frames=.. missed=.. p50_ms=.. p95_ms=.. p99_ms=..", generation times.
  [[nodiscard]] std::string summary() const;

 private:
  std::vector<FrameRecord> records_;
};

/// Tells of touches and bursts as they happen, a line "time_ns,kind" each.
class EventLog {
 public:
  /// Standard output when `path` is empty. Throws std::runtime_error when it cannot be opened.
  explicit EventLog(const std::string& path);
  void write(std::int64_t time_ns, UserEvent event);

 private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

}  // namespace demo
