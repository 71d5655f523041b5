// SPDX-License-Identifier: Apache-2.0
#include "probes/sources/trace_text.h"

#include <charconv>
#include <cstddef>

namespace framegov {
namespace {

constexpr std::size_t kNameWidth = 16;
constexpr std::int64_t kMostSeconds = to_ns(kLastInstant) / kNsPerSecond - 1;

/// A number at the front of `text`, which is cut off with it.
template <class Number>
bool take_number(std::string_view& text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) {
    return false;
  }
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

/// Up to `end`, which is cut off too; nothing when it is not there.
std::optional<std::string_view> take_until(std::string_view& text, std::string_view end) {
  const std::size_t at = text.find(end);
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(at + end.size());
  return taken;
}

/// "5642.181952"
std::optional<Instant> parse_time(std::string_view text) {
  std::int64_t seconds = 0;
  std::int64_t microseconds = 0;
  if (!take_number(text, seconds) || seconds < 0 || seconds > kMostSeconds || text.size() != 7 ||
      text.front() != '.') {
    return std::nullopt;
  }
  text.remove_prefix(1);
  if (!take_number(text, microseconds) || !text.empty() || microseconds < 0) {
    return std::nullopt;
  }
  return Instant{} + std::chrono::seconds{seconds} + std::chrono::microseconds{microseconds};
}

}  // namespace

std::optional<TraceLine> parse_trace_line(std::string_view line) {
  TraceLine parsed;
  if (line.size() <= kNameWidth || line[kNameWidth] != '-') {
    return std::nullopt;
  }
  line.remove_prefix(kNameWidth + 1);
  if (!take_number(line, parsed.tid) || parsed.tid < 0 || !take_until(line, "[") ||
      !take_number(line, parsed.cpu) || parsed.cpu < 0 || !line.starts_with("] ")) {
    return std::nullopt;
  }
  line.remove_prefix(2);
  const auto stamp = take_until(line, ": ");
  const auto event = take_until(line, ": ");
  // A uprobe's event tells the address first, in parentheses; a tracepoint's does not.
  if (!stamp || !event || event->empty() || (line.starts_with("(") && !take_until(line, ")"))) {
    return std::nullopt;
  }
  // Flags may stand before the time.
  const std::size_t space = stamp->rfind(' ');
  const auto at = parse_time(space == std::string_view::npos ? *stamp : stamp->substr(space + 1));
  if (!at) {
    return std::nullopt;
  }
  parsed.at = *at;
  parsed.event = *event;
  parsed.arguments = line;
  return parsed;
}

std::optional<std::uint64_t> trace_argument(std::string_view arguments, std::string_view name) {
  while (!arguments.empty()) {
    const std::size_t end = arguments.find(' ');
    std::string_view item = arguments.substr(0, end);
    arguments.remove_prefix(end == std::string_view::npos ? arguments.size() : end + 1);
    if (item.size() <= name.size() || !item.starts_with(name) || item[name.size()] != '=') {
      continue;
    }
    item.remove_prefix(name.size() + 1);
    std::uint64_t value = 0;
    return take_number(item, value) && item.empty() ? std::optional(value) : std::nullopt;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> parse_lost_events(std::string_view line) {
  if (!line.starts_with("CPU:") || !take_until(line, "[LOST ")) {
    return std::nullopt;
  }
  std::uint64_t count = 0;
  return take_number(line, count) ? count : 1;
}

}  // namespace framegov
