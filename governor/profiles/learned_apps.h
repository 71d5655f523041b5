// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/cpu_topology.h"
#include "base/result.h"
#include "governor/log/log.h"
#include "governor/state/state_dir.h"
#include "policy/learned.h"

namespace framegov {

/// What the policies have learned of each app, over restarts: one small file of the state folder.
/// It can always be done without: a file that is corrupt, of another version or of another phone
/// counts as none, and the next save replaces it. The apps kept longest without a visit give way to
/// new ones. One thread.
class LearnedApps {
 public:
  static constexpr const char* kFile = "learned";
  static constexpr std::size_t kMostApps = 64;

  /// Unless these are `all_cpus` of the phone the file is neither read nor written: it is for the
  /// time when the others are back.
  [[nodiscard]] static LearnedApps load(StateDir dir, const CpuTopology& topology, bool all_cpus,
                                        Log& log);

  /// What `policy` has learned of `app` before.
  [[nodiscard]] std::optional<Learned> recall(std::string_view app, std::string_view policy) const;
  void keep(std::string_view app, std::string_view policy, const Learned& learned);

  /// Writes the file if something was kept since, and load() was told of all CPUs. Error: it cannot
  /// be written.
  [[nodiscard]] Status save();

  [[nodiscard]] std::size_t size() const { return apps_.size(); }

  /// The file's text and back; parse() changes nothing when it fails. Public for tests.
  [[nodiscard]] std::string to_text() const;
  [[nodiscard]] Status parse(std::string_view text);

 private:
  struct Entry {
    std::string policy;
    Learned learned;
    std::uint64_t visit;  ///< larger is later
  };
  using Apps = std::map<std::string, Entry, std::less<>>;

  LearnedApps(StateDir dir, std::string phone, bool all_cpus)
      : dir_(std::move(dir)), phone_(std::move(phone)), all_cpus_(all_cpus) {}

  StateDir dir_;
  std::string phone_;
  bool all_cpus_;
  Apps apps_;
  std::uint64_t visits_ = 0;
  bool changed_ = false;
};

}  // namespace framegov
