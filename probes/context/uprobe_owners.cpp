// SPDX-License-Identifier: Apache-2.0
#include "probes/context/uprobe_owners.h"

#include <algorithm>
#include <optional>

namespace framegov {

namespace {

std::optional<TracefsUprobe> parse_definition(std::string_view line) {
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos || !(line.starts_with("p:") || line.starts_with("r:"))) {
    return std::nullopt;
  }
  std::string_view place = line.substr(space + 1);
  place = place.substr(0, place.find(' '));
  const std::size_t colon = place.rfind(":0x");
  if (!place.starts_with('/') || colon == std::string_view::npos || space == 2) {
    return std::nullopt;
  }
  return TracefsUprobe{std::string(line.substr(2, space - 2)), std::string(place.substr(0, colon))};
}

}  // namespace

std::vector<TracefsUprobe> parse_uprobe_events(std::string_view text) {
  std::vector<TracefsUprobe> uprobes;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (auto uprobe = parse_definition(line)) {
      uprobes.push_back(*std::move(uprobe));
    }
  }
  return uprobes;
}

}  // namespace framegov
