// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "base/time.h"
#include "base/unique_fd.h"
#include "probes/context/child_command.h"

namespace framegov {

struct PhoneStateSettings {
  CommandLine battery_saver;  ///< `settings get global low_power`: 1 is on
  CommandLine screen;         ///< `dumpsys deviceidle get screen`: false is off
};

/// Is battery saver on, is the screen off? Android tells both by commands only, so they are asked
/// while frames come: when an app comes to the top or frames come after a pause, at most every
/// kSoon, and otherwise every kLater. Nobody is woken and nothing is asked while nothing is drawn.
/// What cannot be known, also because the command cannot be started this time, counts as off
/// (saver) and on (screen). One thread.
class PhoneState {
 public:
  static constexpr Duration kSoon = std::chrono::seconds{5};
  static constexpr Duration kLater = std::chrono::seconds{60};
  /// While the screen is taken to be off: frames say that it may be on again.
  static constexpr Duration kInTheDark = std::chrono::seconds{2};

  explicit PhoneState(PhoneStateSettings settings);

  /// For epoll: readable when update() has something to do.
  [[nodiscard]] int fd() const { return epoll_.get(); }

  struct FrameSeen {
    Instant now;
    bool app_changed = false;  ///< it is the first of its app
    bool wants_saver = false;  ///< somebody goes by battery saver
    bool wants_screen = false;
  };
  /// A frame has come. Only what is wanted is asked. True when an answer does not hold any more, as
  /// it cannot be asked for.
  [[nodiscard]] bool on_frame(const FrameSeen& frame);

  /// Takes answers. True when one differs from what held before.
  [[nodiscard]] bool update();

  [[nodiscard]] bool battery_saver() const { return saver_.answer; }
  [[nodiscard]] bool screen_off() const { return screen_.answer; }

  /// Once: why a question cannot be asked here; it is not asked again. Otherwise empty.
  [[nodiscard]] std::string take_problem();

 private:
  struct Question {
    CommandLine command;
    std::string yes;  ///< what the command answers then
    std::optional<ChildCommand> asked{};
    bool answer = false;
    bool hopeless = false;
  };

  [[nodiscard]] bool ask(Question& question);
  [[nodiscard]] static bool take(Question& question);

  UniqueFd epoll_;
  Question saver_;
  Question screen_;
  Instant asked_at_;
  Instant last_frame_;
  std::string problem_;
};

}  // namespace framegov
