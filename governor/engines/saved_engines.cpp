// SPDX-License-Identifier: Apache-2.0
#include "governor/engines/saved_engines.h"

#include <algorithm>
#include <optional>

#include "base/text.h"

namespace framegov {

namespace {

constexpr std::string_view kEnginesFirstLine = "framegov saved engines 1";
constexpr std::string_view kEnginesLastLine = "end";
constexpr std::size_t kMostSaved = 64;

/// Takes `word` off the front of `line`; false when it does not begin with it.
bool take_off(std::string_view& line, std::string_view word) {
  if (!line.starts_with(word)) {
    return false;
  }
  line.remove_prefix(word.size());
  return true;
}

/// "engine fpsgo was 1 at /sys/kernel/fpsgo/common/fpsgo_enable"
std::optional<SavedSwitch> parse_switch(std::string_view line) {
  if (!take_off(line, "engine ")) {
    return std::nullopt;
  }
  const auto engine = find_engine(line.substr(0, line.find(' ')));
  if (!engine || !take_off(line, (*engine)->name) || !take_off(line, " was ") || line.empty()) {
    return std::nullopt;
  }
  SavedSwitch saved{*engine, {{}, line.front()}};
  line.remove_prefix(1);
  if (!saved.before.on() || !take_off(line, " at ") || !is_switch(**engine, line)) {
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
  const std::string_view whole = text;
  SavedEngines engines;
  int number = 0;
  const auto bad = [&](const std::string& what) {
    return fail(ExitCode::kBadInput,
                std::string(kSavedEnginesFile) + ":" + std::to_string(number) + ": " + what);
  };
  const auto next_line = [&] {
    ++number;
    return take_line(text);
  };
  if (next_line() != kEnginesFirstLine) {
    return bad("not '" + std::string(kEnginesFirstLine) + "'");
  }
  std::string_view line = next_line();
  if (!take_off(line, "boot ") || std::any_of(line.begin(), line.end(), is_control)) {
    return bad("the boot id is missing");
  }
  engines.boot_id = line;
  for (line = next_line(); line != kEnginesLastLine; line = next_line()) {
    auto saved = parse_switch(line);
    if (!saved) {
      return bad("not 'engine NAME was 1 at NODE' with a switch of that engine, nor 'end'");
    }
    if (engines.has(saved->before.path) || engines.switches.size() == kMostSaved) {
      return bad("this node stands there already, or there are too many");
    }
    engines.switches.push_back(*std::move(saved));
  }
  if (to_text(engines) != whole) {
    return bad("it is not written as framegov writes it");
  }
  return engines;
}

}  // namespace framegov
