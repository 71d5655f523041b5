// SPDX-License-Identifier: Apache-2.0
#include "cli/progress_line.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

#include "base/monotonic_clock.h"

namespace framegov::cli {

std::string rough_time(Duration time) {
  constexpr double kMinute = 60;
  constexpr double kHour = 3600;
  constexpr double kRoughly = 10;  // nobody reads seconds one by one
  const double seconds = std::max(0.0, to_seconds(time));
  const auto whole = [](double number) { return std::to_string(std::llround(number)); };
  if (seconds < kMinute) {
    return whole(seconds < kRoughly ? std::ceil(seconds)
                                    : kRoughly * std::ceil(seconds / kRoughly)) +
           " s";
  }
  const double minutes = std::ceil(seconds / kMinute);
  if (seconds <= kHour) {
    return whole(minutes) + " min";
  }
  const double hours = std::floor(minutes / kMinute);
  return whole(hours) + " h " + whole(minutes - hours * kMinute) + " min";
}

std::string progress_text(double part, Duration elapsed) {
  constexpr double kSoonest = 2;  // seconds
  constexpr double kLeastPart = 0.01;
  const double done = std::clamp(part, 0.0, 1.0);
  std::string text = std::to_string(static_cast<int>(100 * done)) + " %";
  const double seconds = to_seconds(elapsed);
  if (seconds >= kSoonest && done >= kLeastPart && done < 1) {
    text += ", " + rough_time(seconds_to_duration(seconds * (1 - done) / done)) + " left";
  }
  return text;
}

ProgressLine::ProgressLine() : terminal_(::isatty(STDERR_FILENO) == 1), began_(monotonic_now()) {}

ProgressLine::~ProgressLine() { clear(); }

void ProgressLine::clear() const {
  if (terminal_) {
    std::fputs("\r\x1b[K", stderr);
  }
}

void ProgressLine::show(const std::string& what, double part) {
  if (terminal_) {
    std::fprintf(stderr, "\r\x1b[K%s: %s", what.c_str(),
                 progress_text(part, monotonic_now() - began_).c_str());
  }
}

ProgressWatch::ProgressWatch(const std::atomic<std::size_t>& done, std::size_t total,
                             const char* what)
    : thread_([&done, total, what](const std::stop_token& over) {
        ProgressLine line;
        while (!over.stop_requested()) {
          const std::size_t now = done;
          line.show(
              std::to_string(now) + " of " + std::to_string(total) + ' ' + what,
              static_cast<double>(now) / static_cast<double>(std::max<std::size_t>(total, 1)));
          std::this_thread::sleep_for(std::chrono::milliseconds{100});
        }
      }) {}

}  // namespace framegov::cli
