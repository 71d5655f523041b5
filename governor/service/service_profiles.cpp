// SPDX-License-Identifier: Apache-2.0
// What the service has to do with profiles.
#include "governor/service/service.h"

namespace framegov {

std::string Service::mode() const { return parts_.profiles ? parts_.profiles->mode() : ""; }

Result<OwnerSwitches> Service::with_mode(std::string_view name) const {
  return parts_.profiles ? parts_.profiles->with_mode(name)
                         : fail(ExitCode::kUnsupported, "this service has no modes");
}

Result<OwnerSwitches> Service::with_app(const AppSwitch& app) const {
  return parts_.profiles ? parts_.profiles->switches().with_app(app)
                         : fail(ExitCode::kUnsupported, "this service has no profiles");
}

void Service::hold(OwnerSwitches switches) {
  if (parts_.profiles) {
    parts_.profiles->hold(std::move(switches));
  }
}

void Service::on_profiles_changed(Instant now) {
  policy_ = parts_.policy.get();  // the profiles' own are gone
  mode_ = mode();
  if (!start_over_) {
    start_over_ = true;
    lift(ReasonCode::kStarting, now);
  }
}

}  // namespace framegov
