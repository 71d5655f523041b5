// SPDX-License-Identifier: Apache-2.0
#include "governor/cpufreq/saved_limits.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "governor/cpufreq/cpufreq_tree.h"
#include "governor/state/saved_lines.h"

namespace framegov {

namespace {

constexpr std::string_view kFirstLine = "framegov saved limits 1";
constexpr std::string_view kUnmasking = "unmasking";
constexpr std::string_view kLastLine = "end";

template <class Number>
bool take_number(std::string_view& line, Number& number) {
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
  if (error != std::errc{} || number < 0) {
    return false;
  }
  line.remove_prefix(static_cast<std::size_t>(end - line.data()));
  return true;
}

/// "policy 4 min 300000 max 1800000"
bool parse_cluster(std::string_view line, SavedLimit& limit) {
  std::int64_t min = 0;
  std::int64_t max = 0;
  const bool parsed = take_prefix(line, "policy ") && take_number(line, limit.cpufreq_id) &&
                      take_prefix(line, " min ") && take_number(line, min) &&
                      take_prefix(line, " max ") && take_number(line, max) && line.empty();
  limit.min = khz(min);
  limit.max = khz(max);
  return parsed && min > 0 && min <= max && limit.max <= kHighestFrequency;
}

}  // namespace

std::string to_text(const SavedLimits& limits) {
  std::string text = std::string(kFirstLine) + "\nboot " + limits.boot_id + "\n";
  if (limits.unmasking) {
    text += std::string(kUnmasking) + "\n";
  }
  for (const SavedLimit& limit : limits.clusters) {
    text += "policy " + std::to_string(limit.cpufreq_id) + " min " +
            std::to_string(limit.min.count()) + " max " + std::to_string(limit.max.count()) + "\n";
  }
  return text + std::string(kLastLine) + "\n";
}

Result<SavedLimits> parse_saved_limits(std::string_view text, std::string_view file) {
  const std::string_view whole = text;
  SavedLimits limits;
  int number = 0;
  const auto bad = [&](const std::string& what) {
    return fail(ExitCode::kBadInput,
                std::string(file) + ":" + std::to_string(number) + ": " + what);
  };
  const auto next_line = [&]() -> std::string_view {
    ++number;
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) {
      text = {};
      return {};
    }
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    return line;
  };

  if (next_line() != kFirstLine) {
    return bad("not '" + std::string(kFirstLine) + "'");
  }
  std::string_view line = next_line();
  if (!take_prefix(line, "boot ") || std::any_of(line.begin(), line.end(), is_control)) {
    return bad("the boot id is missing");
  }
  limits.boot_id = line;
  line = next_line();
  limits.unmasking = line == kUnmasking;
  for (line = limits.unmasking ? next_line() : line; line != kLastLine; line = next_line()) {
    SavedLimit limit;
    if (!parse_cluster(line, limit)) {
      return bad("not 'policy N min KHZ max KHZ', nor 'end'");
    }
    const bool twice =
        std::any_of(limits.clusters.begin(), limits.clusters.end(),
                    [&](const SavedLimit& each) { return each.cpufreq_id == limit.cpufreq_id; });
    if (twice || !limits.clusters.try_push_back(limit)) {
      return bad(twice ? "this policy stands there already" : "too many policies");
    }
  }
  if (!text.empty()) {
    return bad("something follows 'end'");
  }
  if (to_text(limits) != whole) {
    return bad("a number is not written as the service writes it");
  }
  return limits;
}

}  // namespace framegov
