// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/settings.h"
#include "governor/log/log.h"
#include "governor/observers/service_observer.h"
#include "probes/context/child_command.h"

namespace framegov {

/// Runs a user's command for frames whose generation time is at or over a threshold, with
///   FRAMEGOV_APP            package, empty when not known
///   FRAMEGOV_PID            process
///   FRAMEGOV_GENERATION_US  generation time
///   FRAMEGOV_BUDGET_US      time it had until its deadline
/// in its environment. One at a time and at most one per JankHookSettings::at_most_every; a frame
/// that comes in between is counted and its command not run, so nothing piles up. The app's threads
/// wait for nothing.
class JankHook final : public ServiceObserver {
 public:
  JankHook(JankHookSettings settings, Log& log) : settings_(std::move(settings)), log_(log) {}

  void on_frame(const Frame& frame, std::string_view app, Instant now) override;
  void on_app(AppId, std::string_view, Instant) override {}
  void on_decision(const Decision&) override {}
  void on_frequencies(std::span<const Frequency>, Instant) override {}

  [[nodiscard]] std::uint64_t started() const { return started_; }
  [[nodiscard]] std::uint64_t skipped() const { return skipped_; }

 private:
  JankHookSettings settings_;
  Log& log_;
  std::optional<ChildCommand> running_;
  Instant last_;
  std::uint64_t started_ = 0;
  std::uint64_t skipped_ = 0;
  bool failed_ = false;
};

}  // namespace framegov
