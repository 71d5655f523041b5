// SPDX-License-Identifier: Apache-2.0
#include "cli/pause_text.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <string_view>

#include "cli/json_read.h"
#include "governor/control/control_protocol.h"
#include "governor/state/pause.h"

namespace framegov::cli {

namespace {

constexpr double kLatest = 253402300799;  // the end of the year 9999

double seconds_of(char unit) {
  switch (unit) {
    case 's':
      return 1;
    case 'm':
      return 60;
    case 'h':
      return 3600;
    case 'd':
      return 86400;
    default:
      return 0;
  }
}

}  // namespace

std::string pause_text(const nlohmann::json& paused, const OwnerTexts& texts) {
  if (!paused.is_object()) {
    return {};
  }
  const auto seconds = [&paused](const char* key) {
    return static_cast<std::int64_t>(std::clamp(number_in(paused, key), 0.0, kLatest));
  };
  const Pause pause{seconds("since_unix_s"), seconds("until_unix_s")};
  if (texts.is_english()) {
    return words_of(pause) + "; framegov resume ends it";
  }
  return texts.text("isPaused") + texts.text("cli_and") +
         texts.text(pause.until > 0 ? "pausedUntil" : "pausedSince",
                    {{"since", local_time(pause.since)}, {"until", local_time(pause.until)}}) +
         texts.text("gap") + texts.text("cli_resumeEnds");
}

Result<double> pause_seconds(const std::string& text) {
  const auto wrong = [&text] {
    return fail(ExitCode::kUsage, "'" + text + "' is not a time from 1s to 30d",
                "such as 90s, 30m, 1h, 2d or 1h30m");
  };
  double sum = 0;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    unsigned count = 0;
    const auto [stopped, error] = std::from_chars(at, end, count);
    if (error != std::errc{} || stopped == end || seconds_of(*stopped) == 0) {
      return wrong();
    }
    sum += count * seconds_of(*stopped);
    at = stopped + 1;
  }
  return sum >= 1 && sum <= kLongestPause ? Result<double>(sum) : wrong();
}

}  // namespace framegov::cli
