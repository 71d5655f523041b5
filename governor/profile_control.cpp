// SPDX-License-Identifier: Apache-2.0
#include "governor/profile_control.h"

#include <algorithm>

namespace framegov {

std::string ProfileControl::mode() const {
  return switches_.mode().empty() ? "balance" : switches_.mode();
}

std::vector<std::string> ProfileControl::modes() const {
  return {"powersave", "balance", "performance", "fast"};
}

bool ProfileControl::enabled(std::string_view package) const {
  return switches_.app(package).value_or(true);
}

Status ProfileControl::set_mode(std::string_view name) {
  const std::vector<std::string> known = modes();
  if (!name.empty() && std::find(known.begin(), known.end(), name) == known.end()) {
    std::string all;
    for (const std::string& each : known) {
      all += (all.empty() ? "" : ", ") + each;
    }
    return fail(ExitCode::kBadInput, "no mode is called '" + std::string(name) + "'",
                "modes: " + all);
  }
  return switches_.set_mode(name);
}

Status ProfileControl::set_app(std::string_view package, std::optional<bool> on) {
  return switches_.set_app(package, on);
}

}  // namespace framegov
