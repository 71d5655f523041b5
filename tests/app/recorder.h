// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
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
  std::int64_t blocked_ns = 0;     ///< in hook_dequeueBuffer
  std::int64_t awake_ns = 0;       ///< the UI thread's wait for its vsync event was over
  std::int64_t taken_ns = 0;       ///< the thread that draws had a buffer
  std::int64_t ui_cpu_ns = 0;      ///< the UI thread's CPU time since ui_done_ns of a frame before
  std::int64_t render_cpu_ns = 0;  ///< that of the thread that draws, since ready_ns of one before
};

/// Collects the frames (from one thread) and writes them as CSV when told to.
class Recorder {
 public:
  /// With `live`, a line "live " and the summary of a second's frames goes to standard output as
  /// the first frame after that second is added.
  explicit Recorder(bool live = false) : live_(live) {}

  void add(const FrameRecord& record);
  /// Throws std::runtime_error when the file cannot be written.
  void write_csv(const std::string& path) const;
  /// "frames=.. missed=.. p50_ms=.. p95_ms=.. p99_ms=..", generation times.
  [[nodiscard]] std::string summary() const { return summary_from(0); }

 private:
  [[nodiscard]] std::string summary_from(std::size_t first) const;

  bool live_;
  std::vector<FrameRecord> records_;
  std::size_t second_first_ = 0;  ///< index of the first frame of the second at hand
  std::int64_t second_end_ns_ = 0;
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
