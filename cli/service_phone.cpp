// SPDX-License-Identifier: Apache-2.0
#include "cli/service_phone.h"

#include <csignal>
#include <nlohmann/json.hpp>

#include "base/monotonic_clock.h"
#include "cli/json_read.h"

namespace framegov::cli {

namespace {

sigset_t ending_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    sigaddset(&signals, signal);
  }
  return signals;
}

}  // namespace

void block_ending_signals() {
  const sigset_t signals = ending_signals();
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

ServicePhone::ServicePhone(ControlClient client, ab::FuelGauge gauge, App app)
    : client_(std::move(client)), gauge_(std::move(gauge)), app_(std::move(app)) {}

ServicePhone::~ServicePhone() { static_cast<void>(switch_app(app_.switched)); }

Status ServicePhone::switch_app(std::optional<bool> on) {
  nlohmann::json request = {{"cmd", "app"}, {"app", app_.package}, {"on", nullptr}};
  if (on) {
    request["on"] = *on;
  }
  const auto answer = client_.ask(request);
  return answer ? Status{} : tl::unexpected(answer.error());
}

Status ServicePhone::use(ab::Arm arm) { return switch_app(arm == ab::Arm::kFramegov); }

Result<ab::Observation> ServicePhone::observe() {
  const auto status = client_.ask({{"cmd", "status"}});
  if (!status) {
    return tl::unexpected(status.error());
  }
  ab::Observation observation;
  if (Status read = gauge_.read(observation); !read) {
    return tl::unexpected(read.error());
  }
  observation.at = monotonic_now();
  observation.frames = static_cast<std::uint64_t>(number_in(at(*status, "totals"), "frames"));
  observation.misses = static_cast<std::uint64_t>(number_in(*status, "misses"));
  observation.app_on_top = text_in(*status, "app") == app_.package;
  return observation;
}

Instant ServicePhone::now() { return monotonic_now(); }

bool ServicePhone::wait_until(Instant at) {
  const sigset_t signals = ending_signals();
  const Duration left = std::max(at - monotonic_now(), Duration::zero());
  const timespec timeout = to_timespec(left);
  return ::sigtimedwait(&signals, nullptr, &timeout) < 0;
}

}  // namespace framegov::cli
