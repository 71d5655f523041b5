// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/cpu_topology.h"
#include "base/frame.h"
#include "base/result.h"
#include "base/time.h"
#include "base/unique_fd.h"
#include "config/effective_profile.h"
#include "config/settings.h"
#include "governor/log/log.h"
#include "governor/profiles/config_watch.h"
#include "governor/profiles/learned_apps.h"
#include "governor/profiles/owner_switches.h"
#include "governor/profiles/wall_timer.h"
#include "policy/policy.h"
#include "probes/context/phone_state.h"

namespace framegov {

/// The mode that the owner has chosen for `package`, by hand or in its entry; else the one chosen
/// by hand for all; else the configuration's. Without a package: for all.
[[nodiscard]] std::string chosen_mode(const Settings& settings, const OwnerSwitches& switches,
                                      std::string_view package = {});

/// effective_profile() with what the owner has switched by hand; off while governing is paused.
[[nodiscard]] EffectiveProfile switched_profile(const Settings& settings,
                                                const OwnerSwitches& switches,
                                                std::string_view mode, std::string_view package);

/// What a ProfileControl goes by.
struct ProfileParts {
  Settings settings;
  CpuTopology topology;
  SourceKind source;  ///< where frames come from
  OwnerSwitches switches;
  ConfigWatch watch;
  LearnedApps learned;
};

/// What holds for which app right now, and the policies for that: the owner's switches over the
/// configuration, which is read again whenever it is saved. A configuration with a mistake changes
/// nothing and is told in the log. One thread; nothing here is called for every frame.
class ProfileControl {
 public:
  ProfileControl(ProfileParts parts, Log& log);

  /// For epoll.
  [[nodiscard]] int fd() const { return epoll_.get(); }

  /// A frame has come, the first of its app or not. Allocates only when the phone's state is asked
  /// for.
  void on_frame(Instant now, bool app_changed);

  /// update() has something to tell, whether or not fd() is readable.
  [[nodiscard]] bool pending() const { return stale_; }
  /// Takes in what has happened. True when something holds that did not: policies got before are
  /// gone.
  [[nodiscard]] bool update();

  /// Reads the configuration again, saved or not; update() tells whether it was taken over.
  void reload();

  /// The mode that holds for `package`; without one, for apps that have none of their own.
  [[nodiscard]] std::string mode(std::string_view package = {}) const;
  /// The modes there are.
  [[nodiscard]] std::vector<std::string> modes() const;
  /// What holds for `package` (empty: an app without a name).
  [[nodiscard]] EffectiveProfile profile(std::string_view package) const;
  /// Why the configuration on the disk is not the one that holds; empty when it is.
  [[nodiscard]] const std::string& problem() const { return problem_; }

  [[nodiscard]] const OwnerSwitches& switches() const { return parts_.switches; }
  /// The switches with another mode; empty: as the configuration says. Nothing changes yet. Error:
  /// there is no such mode (the hint names those there are).
  [[nodiscard]] Result<OwnerSwitches> with_mode(std::string_view name) const;
  /// The same for one app; empty: as its profile says.
  [[nodiscard]] Result<OwnerSwitches> with_app_mode(const std::string& package,
                                                    std::string_view mode) const;
  /// From now on these hold.
  void hold(OwnerSwitches switches);

  /// The screen is still: the time for what takes time. Saves what was learned, but seldom.
  void on_still(Instant now);
  /// Saves what the policies have learned. A save that fails is told in the log.
  void save_learned();

  /// The policy for an app, built at its first frame and kept for a while: apps in split screen
  /// take turns. Valid until update() returns true or kKept other apps were asked for.
  [[nodiscard]] Policy& policy_for(AppId app, std::string_view package);

 private:
  static constexpr std::size_t kKept = 4;
  struct Built {
    AppId app{};
    std::string package;
    std::unique_ptr<Policy> policy;
  };

  void watch(int fd);
  void wait_for_the_pause_to_end();
  [[nodiscard]] Status mode_problem(std::string_view name) const;
  void take_phone_state();
  void on_phone_state();
  [[nodiscard]] std::unique_ptr<Policy> build(std::string_view package) const;
  void keep_learned(const Built& built);

  ProfileParts parts_;
  Log& log_;
  PhoneState phone_;
  UniqueFd epoll_;
  WallTimer pause_end_;
  bool stale_ = false;  ///< something holds that update() has not told yet
  std::string problem_;
  std::array<Built, kKept> built_;
  std::size_t next_ = 0;
  Instant saved_at_;
};

}  // namespace framegov
