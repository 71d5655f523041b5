// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <csignal>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "base/unique_fd.h"
#include "config/settings.h"
#include "governor/log/log.h"
#include "governor/service/heartbeat.h"
#include "governor/supervisor/boot_guard.h"
#include "governor/supervisor/end_notice.h"

namespace framegov {

/// Exit statuses between the service's process and its supervisor, beside those of ExitCode.
enum class ServiceEnd : int {
  kAfresh = 100,    ///< what was found at the start has changed: start again at once
  kBrokeDown = 101  ///< it ran, and then failed
};

struct SupervisorTimes {
  Duration lasted_after = std::chrono::seconds{60};  ///< then a start counts as a good one
  Duration first_delay = std::chrono::milliseconds{200};
  Duration longest_delay = std::chrono::seconds{30};
  Duration put_back_delay = std::chrono::seconds{1};  ///< the first one, and each when asked to end
  Duration end_within = std::chrono::seconds{2};      ///< of being asked to, then it is killed
  /// Of the service's loop while limits stand; it is looked at again after `look_again`.
  Duration longest_turn = std::chrono::milliseconds{2500};
  Duration look_again = std::chrono::milliseconds{500};
};

/// Runs the service in a process of its own and puts the limits back whenever that ends without
/// having done so: killed or crashed. A service that is stopped, that is stuck within a turn while
/// limits stand, or that does not end when asked to cannot lift a cap, so it is killed. A limit
/// that cannot be put back (its CPUs are offline) is tried again, with a growing delay, until it
/// can. Starts the service again with a growing delay, until BootGuard says that it does not last.
///
/// Holds nothing but the settings and a folder, and sleeps in one system call; what it does on its
/// rare occasions is the production path of `framegovd --restore`. When it dies itself, the
/// service gets SIGTERM. One thread; to be used before there are others.
class Supervisor {
 public:
  /// The service, from its start to the exit status of its process.
  using ServiceMain = std::function<int()>;

  Supervisor(ServiceSettings settings, SupervisorTimes times)
      : settings_(std::move(settings)), times_(times), heartbeat_(times.longest_turn) {}

  /// What the service shows its turns on.
  [[nodiscard]] Heartbeat& heartbeat() { return heartbeat_; }

  /// Returns the exit status when the service has ended for good: by SIGTERM or SIGINT (handed on
  /// to it) or because it cannot start. When asked to end it tries kTriesWhenAsked times to put the
  /// limits back, and says what stays. Error: it does not last, or cannot be forked.
  [[nodiscard]] Result<int> run(const ServiceMain& serve);

  static constexpr int kTriesWhenAsked = 3;

 private:
  struct Ending {
    int status{};                  ///< as waitpid tells it
    bool asked = false;            ///< SIGTERM or SIGINT was handed on before
    bool early = false;            ///< before lasted_after
    std::string_view killed_as{};  ///< why we have killed it; empty: we have not
    [[nodiscard]] bool exited_with(int code) const;
    /// Why it cannot start is told by the service itself.
    [[nodiscard]] bool could_not_start() const;
    /// Asked before it could heed that itself: while it was starting.
    [[nodiscard]] bool asked_too_soon() const;
    [[nodiscard]] std::string words() const;
  };

  [[nodiscard]] Result<pid_t> start(const ServiceMain& serve, EndNotice& end);
  [[nodiscard]] Ending watch(pid_t service, EndNotice& end, const BootGuard& guard);
  [[nodiscard]] std::unique_ptr<Log> open_log() const;
  [[nodiscard]] int next_signal(Instant end, int also = -1) const;
  void put_back_at_once() const;
  [[nodiscard]] bool put_back(bool& asked) const;
  void account_for(const Ending& ending, const BootGuard& guard) const;
  [[nodiscard]] bool pause(Duration delay) const;
  [[nodiscard]] Duration next_delay(Duration delay, Duration first) const;

  ServiceSettings settings_;
  SupervisorTimes times_;
  Heartbeat heartbeat_;
  UniqueFd signals_;     ///< those of handled_
  sigset_t handled_{};   ///< blocked while run() runs
  sigset_t original_{};  ///< what the service gets
};

/// Lets a service start again that BootGuard has disabled.
[[nodiscard]] Status enable(const ServiceSettings& settings);

}  // namespace framegov
