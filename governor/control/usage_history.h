// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "base/units.h"
#include "governor/state/state_dir.h"

namespace framegov {

/// Frames of one app on one day.
struct Usage {
  std::uint64_t frames{};
  std::uint64_t misses{};
  Energy energy;
};

/// Per app and day (UTC, "2026-11-21"): frames, misses and estimated energy. Kept in one small file
/// of the state folder; the days longest ago, and the apps of a day with the fewest frames, give
/// way to new ones. One thread.
class UsageHistory {
 public:
  static constexpr const char* kFile = "history";
  static constexpr std::size_t kMostDays = 28;
  static constexpr std::size_t kMostAppsPerDay = 16;

  using Key = std::pair<std::string, std::string>;  ///< day, app

  /// What the file says; nothing when there is none. Lines that cannot be understood are left out
  /// and counted: the rest is still worth having.
  [[nodiscard]] static UsageHistory load(StateDir dir);

  /// Adds to a day's figures. An app's name is what is left of it without white space.
  void add(std::string_view day, std::string_view app, const Usage& usage);

  /// Writes the file if something was added since. Error: it cannot be written.
  [[nodiscard]] Status save();

  [[nodiscard]] const std::map<Key, Usage>& days() const { return usage_; }
  [[nodiscard]] std::size_t bad_lines() const { return bad_lines_; }

  /// The file's text and back. Public for tests.
  [[nodiscard]] std::string to_text() const;
  void parse(std::string_view text);

 private:
  explicit UsageHistory(StateDir dir) : dir_(std::move(dir)) {}
  void bound(const std::string& day);

  StateDir dir_;
  std::map<Key, Usage> usage_;
  std::size_t bad_lines_ = 0;
  bool changed_ = false;
};

}  // namespace framegov
