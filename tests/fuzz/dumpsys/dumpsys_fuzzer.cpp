// SPDX-License-Identifier: Apache-2.0
// Any bytes as what dumpsys and settings print.
#include <algorithm>
#include <set>

#include "probes/context/dumpsys_text.h"
#include "tests/fuzz/invariants.h"

namespace {

using namespace framegov;
using namespace framegov::fuzz;

void need_package(std::string_view name) {
  need(!name.empty() && name.size() <= 255, "a package's name has a length");
  need(std::all_of(name.begin(), name.end(),
                   [](unsigned char c) { return std::isalnum(c) != 0 || c == '.' || c == '_'; }),
       "a package's name has the letters of one");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = text_of(data, size);
  const auto packages = resumed_packages(text);
  need(std::set(packages.begin(), packages.end()).size() == packages.size(), "each package once");
  std::for_each(packages.begin(), packages.end(), need_package);
  if (const auto interval = refresh_interval(text)) {
    need_within(to_seconds(*interval), 0.001, 1, "a screen refreshes with 1 to 1000 Hz");
  }
  if (const std::string keyboard = keyboard_package(text); !keyboard.empty()) {
    need_package(keyboard);
  }
  if (const auto level = thermal_level(text)) {
    need(static_cast<std::size_t>(*level) < kThermalLevels, "a level that there is");
  }
  return 0;
}
