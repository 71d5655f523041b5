// SPDX-License-Identifier: Apache-2.0
#include "base/cpu_list.h"

#include <algorithm>
#include <charconv>

#include "base/cpu_topology.h"

namespace framegov {

namespace {

std::optional<unsigned> parse_cpu(std::string_view text) {
  unsigned cpu = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), cpu);
  if (error != std::errc{} || end != text.data() + text.size() || cpu >= kMaxCpus) {
    return std::nullopt;
  }
  return cpu;
}

}  // namespace

std::optional<std::uint64_t> parse_cpu_list(std::string_view text) {
  std::uint64_t mask = 0;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\n,"), text.size()));
    if (text.empty()) {
      break;
    }
    const std::string_view word = text.substr(0, text.find_first_of(" \t\n,"));
    text.remove_prefix(word.size());
    const std::size_t dash = word.find('-');
    const auto first = parse_cpu(word.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : parse_cpu(word.substr(dash + 1));
    if (!first || !last || *last < *first) {
      return std::nullopt;
    }
    for (unsigned cpu = *first; cpu <= *last; ++cpu) {
      mask |= std::uint64_t{1} << cpu;
    }
  }
  return mask == 0 ? std::nullopt : std::optional(mask);
}

std::string cpu_list(std::uint64_t cpus) {
  std::string list;
  for (int cpu = 0; cpu < static_cast<int>(kMaxCpus); ++cpu) {
    const auto has = [cpus](int n) {
      return n < static_cast<int>(kMaxCpus) && ((cpus >> static_cast<unsigned>(n)) & 1U) != 0;
    };
    if (!has(cpu)) {
      continue;
    }
    int last = cpu;
    while (has(last + 1)) {
      ++last;
    }
    list += (list.empty() ? "" : ",") + std::to_string(cpu);
    list += last > cpu ? "-" + std::to_string(last) : "";
    cpu = last;
  }
  return list;
}

}  // namespace framegov
