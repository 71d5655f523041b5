// SPDX-License-Identifier: Apache-2.0
// Any bytes as the history of days and apps.
#include <set>

#include "governor/control/usage_history.h"
#include "tests/fuzz/invariants.h"
#include "tests/fuzz/memory_folder.h"

namespace {

using namespace framegov;
using namespace framegov::fuzz;

void need_bounded(const UsageHistory& history) {
  std::map<std::string, std::size_t> apps;
  for (const auto& [key, usage] : history.days()) {
    ++apps[key.first];
    need(!has_control_character(key.first) && !has_control_character(key.second),
         "names are words");
    need(usage.misses <= usage.frames, "no more misses than frames");
    need_within(usage.energy.count(), 0, 1e15, "an energy of a day");
  }
  need(apps.size() <= UsageHistory::kMostDays, "no more days than there may be");
  for (const auto& [day, count] : apps) {
    need(count <= UsageHistory::kMostAppsPerDay, "no more apps of a day than there may be");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const MemoryFolder kFolder;
  UsageHistory history = UsageHistory::load(*StateDir::open(kFolder.path() / "state"));
  const std::string_view text = text_of(data, size);
  history.parse(text);
  need_bounded(history);
  history.add("2026-11-21", text.substr(0, 200), {1, 1, Energy{0.5}});
  need_bounded(history);
  const std::string written = history.to_text();
  UsageHistory again = UsageHistory::load(*StateDir::open(kFolder.path() / "state"));
  again.parse(written);
  need(again.bad_lines() == 0 && again.to_text() == written, "what is written reads back");
  return 0;
}
