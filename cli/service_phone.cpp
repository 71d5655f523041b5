// SPDX-License-Identifier: Apache-2.0
#include "cli/service_phone.h"

#include <csignal>
#include <nlohmann/json.hpp>

#include "base/monotonic_clock.h"
#include "cli/json_read.h"

namespace framegov::cli {

sigset_t ending_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP}) {
    sigaddset(&signals, signal);
  }
  return signals;
}

void block_ending_signals() {
  const sigset_t signals = ending_signals();
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

bool ending_signal_within(Duration time) {
  const sigset_t signals = ending_signals();
  const timespec timeout = to_timespec(time);
  return ::sigtimedwait(&signals, nullptr, &timeout) >= 0;
}

ServicePhone::ServicePhone(ControlClient client, ab::FuelGauge gauge, std::string package)
    : client_(std::move(client)), gauge_(std::move(gauge)), package_(std::move(package)) {}

Status ServicePhone::use(ab::Arm arm) {
  FRAMEGOV_TRY_STATUS(client_.ask(
      {{"cmd", "app"}, {"app", package_}, {"on", arm == ab::Arm::kFramegov}, {"hold", true}}));
  return {};
}

Result<ab::Observation> ServicePhone::observe() {
  FRAMEGOV_TRY(const auto status, client_.ask({{"cmd", "status"}}));
  ab::Observation observation;
  FRAMEGOV_TRY_STATUS(gauge_.read(observation));
  observation.at = monotonic_now();
  observation.frames = static_cast<std::uint64_t>(number_in(at(status, "totals"), "frames"));
  observation.misses = static_cast<std::uint64_t>(number_in(status, "misses"));
  observation.app_on_top = text_in(status, "app") == package_;
  return observation;
}

Instant ServicePhone::now() { return monotonic_now(); }

bool ServicePhone::wait_until(Instant at) {
  return !ending_signal_within(std::max(at - monotonic_now(), Duration::zero()));
}

}  // namespace framegov::cli
