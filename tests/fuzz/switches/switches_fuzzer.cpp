// SPDX-License-Identifier: Apache-2.0
// Any bytes as the file of the owner's switches.
#include <fstream>

#include "governor/profiles/owner_switches.h"
#include "tests/fuzz/invariants.h"
#include "tests/fuzz/memory_folder.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace framegov;
  using namespace framegov::fuzz;
  static const MemoryFolder kFolder;
  static const auto kDir = StateDir::open(kFolder.path() / "state");
  static const auto kLog = Log::open_anyway(LogLevel::kError, kFolder.path() / "log");
  const std::string text(text_of(data, size));
  const auto file = kFolder.path() / "state" / OwnerSwitches::kFile;
  std::ofstream(file, std::ios::binary | std::ios::trunc) << text;
  const OwnerSwitches switches = OwnerSwitches::load(*kDir, *kLog);
  need(!has_control_character(switches.mode()), "a mode is a word");
  need(switches.with_mode(switches.mode()).has_value(), "what is taken may be asked for");
  // Asked for by an app's own name, as the socket does.
  const std::string name = text.substr(0, text.find('\n'));
  const auto next = switches.with_app({name, size % 2 == 0, false});
  if (!next) {
    need_one_line(next.error().to_string());
    return 0;
  }
  need(next->app(name) == (size % 2 == 0), "a switch is as it was switched");
  need(next->save(*kDir).has_value(), "switches can be saved");
  const OwnerSwitches again = OwnerSwitches::load(*kDir, *kLog);
  need(again.mode() == switches.mode() && again.app(name) == next->app(name) &&
           again.pause() == switches.pause() && again.app_modes() == switches.app_modes(),
       "what is saved reads back");
  return 0;
}
