// SPDX-License-Identifier: Apache-2.0
#include "sim/sweep/sweep_key.h"

#include <iomanip>
#include <sstream>

#include "policy/policy_factory.h"
#include "sim/devices/content_hash.h"
#include "sim/sweep/sweep_world.h"

namespace framegov::sim {

namespace {

constexpr int kExactly = 17;  ///< digits that tell any two doubles apart

void add_policy(std::ostream& text, const SweepPolicy& policy) {
  text << "policy " << policy.entry.name << '\n';
  if (const PolicyKind* const kind = policy_kind(policy.entry.name)) {
    for (const PolicyParameter& parameter : kind->parameters) {
      text << parameter.name << ' ' << parameter.in(policy.settings) << '\n';
    }
  }
}

}  // namespace

std::string generator_text(const SyntheticSettings& settings) {
  std::ostringstream text;
  text << std::setprecision(kExactly) << "generated " << static_cast<int>(settings.scene);
  for (const double value : {settings.refresh_hz, settings.seconds, settings.median_ms,
                             settings.deviation, settings.correlation, settings.first_frame,
                             settings.skipped, settings.ui_share, settings.ui_share_deviation}) {
    text << ' ' << value;
  }
  return text.str();
}

std::string sweep_key(const SweepPlan& plan, std::size_t scene, std::size_t variant,
                      const std::string& input_sha256) {
  const SweepScene at = plan.scene(scene);
  const SweepInput& input = plan.inputs[at.input];
  std::ostringstream text;
  text << std::setprecision(kExactly) << "framegov sweep 1, " << simulator_version() << '\n';
  if (input.is_generated()) {
    text << generator_text(input.generated) << '\n';
  } else {
    text << "recording " << input_sha256 << " on " << plan.recorded_on << '\n';
  }
  text << "device " << plan.devices[at.device].sha256 << '\n'
       << "world " << exact_factors(plan.worlds[at.world].world) << '\n'
       << "seed " << at.seed << '\n'
       << deadline_name(plan.deadline) << ' ' << plan.drop_late << '\n';
  if (plan.is_bounds(variant)) {
    text << "bounds";
  } else {
    add_policy(text, plan.policies[variant]);
  }
  return sha256_hex(text.str());
}

}  // namespace framegov::sim
