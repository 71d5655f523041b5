// SPDX-License-Identifier: Apache-2.0
#include "governor/state/pause.h"

#include <array>
#include <ctime>

namespace framegov {

std::string local_time(std::int64_t unix_seconds) {
  const std::time_t now = std::time(nullptr);
  const auto then = static_cast<std::time_t>(unix_seconds);
  std::tm today{};
  std::tm parts{};
  ::localtime_r(&now, &today);
  ::localtime_r(&then, &parts);
  const bool same_day = today.tm_year == parts.tm_year && today.tm_yday == parts.tm_yday;
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), same_day ? "%H:%M" : "%Y-%m-%d %H:%M", &parts);
  return text.data();
}

std::string words_of(const Pause& pause) {
  return "paused by hand since " + local_time(pause.since) +
         (pause.until > 0 ? ", until " + local_time(pause.until) : "");
}

}  // namespace framegov
