// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <thread>

#include "base/time.h"

namespace framegov::cli {

/// "40 s", "3 min", "1 h 5 min": never shorter than it will be by more than a step of its unit.
[[nodiscard]] std::string rough_time(Duration time);

/// "12 %, 3 min left" for `part` (0 to 1) of a work that has taken `elapsed`; without the time left
/// where too little is done to say.
[[nodiscard]] std::string progress_text(double part, Duration elapsed);

/// One line on a terminal that says how far a long command is, until the object goes; nothing where
/// stderr is no terminal. Of one thread.
class ProgressLine {
 public:
  ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine();

  /// "reading: 12 %, 3 min left"
  void show(const std::string& what, double part);
  /// Makes room for another message.
  void clear() const;

 private:
  bool terminal_;
  Instant began_;
};

/// The same of a work that other threads do: "12 of 40 runs: 30 %, 3 min left", until it goes.
class ProgressWatch {
 public:
  /// `done` counts up to `total` and must outlive it; `what` is counted.
  ProgressWatch(const std::atomic<std::size_t>& done, std::size_t total, const char* what = "runs");

 private:
  std::jthread thread_;
};

}  // namespace framegov::cli
