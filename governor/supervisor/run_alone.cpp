// SPDX-License-Identifier: Apache-2.0
#include "governor/supervisor/run_alone.h"

#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

#include "governor/log/log.h"
#include "governor/startup/startup.h"
#include "governor/state/state_dir.h"
#include "governor/supervisor/boot_guard.h"
#include "governor/supervisor/supervisor.h"

namespace framegov {

namespace {

/// False when it was asked to stop before `time` was over.
bool wait_out(Duration time, const std::stop_token& stop) {
  std::mutex nobody_elses;
  std::unique_lock lock(nobody_elses);
  std::condition_variable_any().wait_for(lock, stop, time, [] { return false; });
  return !stop.stop_requested();
}

}  // namespace

Result<int> run_alone(const ServiceSettings& settings, Duration lasted_after,
                      const LoneService& serve) {
  const auto state_dir = StateDir::open(settings.state_dir);
  if (!state_dir) {
    return tl::unexpected(state_dir.error());
  }
  const BootGuard guard(*state_dir);
  if (const Status allowed = guard.check(); !allowed) {
    (void)restore_only(settings, *Log::open_anyway(settings.log_level, settings.log_file));
    return tl::unexpected(allowed.error());
  }
  // Nobody is left to say how it ended. A full disk must not keep the service out.
  (void)guard.begin("did not end by itself");
  std::jthread watch;
  const int status = serve([&] {
    watch = std::jthread([&](const std::stop_token& stop) {
      if (wait_out(lasted_after, stop)) {
        (void)guard.lasted();
      }
    });
  });
  watch = {};
  const bool well =
      status == static_cast<int>(ExitCode::kOk) || status == static_cast<int>(ServiceEnd::kAfresh);
  (void)(well ? guard.lasted() : guard.ended_itself());
  const bool internal = status >= static_cast<int>(ServiceEnd::kAfresh);
  return internal ? static_cast<int>(ExitCode::kFailure) : status;
}

}  // namespace framegov
