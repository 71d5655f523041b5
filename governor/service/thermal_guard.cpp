// SPDX-License-Identifier: Apache-2.0
#include "governor/service/thermal_guard.h"

#include <string>
#include <utility>

namespace framegov {

namespace {

/// A level that goes to and fro must not fill the log.
constexpr Duration kTellLevelEvery = std::chrono::minutes{1};

}  // namespace

ThermalGuard::ThermalGuard(ThermalSources sources, const CpuTopology& topology, Log& log)
    : state_(std::move(sources)), ceiling_(topology), log_(log) {}

void ThermalGuard::look(Instant now) {
  if (!state_.look(now)) {
    return;
  }
  const ThermalLevel level = state_.level();
  tell(level, now);
  ceiling_.update(level, now);
}

void ThermalGuard::tell(ThermalLevel level, Instant now) {
  if (level == told_ || (is_known(told_at_) && now - told_at_ < kTellLevelEvery)) {
    return;
  }
  const bool hotter = level > told_;
  told_at_ = now;
  told_ = level;
  log_.info("thermal-level", "the phone's thermal level is " + std::string(to_string(level)) +
                                 ": ceilings " + (hotter ? "come down" : "go up") +
                                 " step by step");
}

}  // namespace framegov
