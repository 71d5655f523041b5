// SPDX-License-Identifier: Apache-2.0
#include "governor/engines/saved_engines.h"

#include <algorithm>
#include <optional>

#include "governor/state/saved_lines.h"

namespace framegov {

namespace {

constexpr std::string_view kEnginesFirstLine = "framegov saved engines 1";
constexpr std::string_view kEnginesLastLine = "end";
constexpr std::size_t kMostSaved = 64;

/// "engine fpsgo was 1 at /sys/kernel/fpsgo/common/fpsgo_enable"
std::optional<SavedSwitch> parse_switch(std::string_view line) {
  if (!take_prefix(line, "engine ")) {
    return std::nullopt;
  }
  const auto engine = find_engine(line.substr(0, line.find(' ')));
  if (!engine || !take_prefix(line, (*engine)->name) || !take_prefix(line, " was ") ||
      line.empty()) {
    return std::nullopt;
  }
  SavedSwitch saved{*engine, {{}, line.front()}};
  line.remove_prefix(1);
  if (!saved.before.on() || !take_prefix(line, " at ") || !is_switch(**engine, line)) {
    return std::nullopt;
  }
  saved.before.path = line;
  return saved;
}

}  // namespace

bool SavedEngines::has(std::string_view path) const {
  return std::any_of(switches.begin(), switches.end(),
                     [path](const SavedSwitch& each) { return each.before.path == path; });
}

bool SavedEngines::has(const FrameEngine& engine) const {
  return std::any_of(switches.begin(), switches.end(),
                     [&](const SavedSwitch& each) { return each.engine == &engine; });
}

std::string to_text(const SavedEngines& engines) {
  std::string text = std::string(kEnginesFirstLine) + "\nboot " + engines.boot_id + "\n";
  for (const SavedSwitch& each : engines.switches) {
    text += "engine " + std::string(each.engine->name) + " was " + each.before.value + " at " +
            each.before.path + "\n";
  }
  return text + std::string(kEnginesLastLine) + "\n";
}

Result<SavedEngines> parse_saved_engines(std::string_view text) {
  SavedEngines engines;
  SavedLines lines(kSavedEnginesFile, text);
  FRAMEGOV_TRY(engines.boot_id, lines.boot_id(kEnginesFirstLine));
  for (std::string_view line = lines.next(); line != kEnginesLastLine; line = lines.next()) {
    auto saved = parse_switch(line);
    if (!saved) {
      return lines.bad("not 'engine NAME was 1 at NODE' with a switch of that engine, nor 'end'");
    }
    if (engines.has(saved->before.path) || engines.switches.size() == kMostSaved) {
      return lines.bad("this node stands there already, or there are too many");
    }
    engines.switches.push_back(*std::move(saved));
  }
  if (to_text(engines) != text) {
    return lines.bad("it is not written as framegov writes it");
  }
  return engines;
}

}  // namespace framegov
