// SPDX-License-Identifier: Apache-2.0
#include "cli/calibrate_phone.h"

#include "cli/service_phone.h"

namespace framegov::cli {

namespace {

/// The lowest `count` CPUs of a mask.
std::uint64_t first_cpus(std::uint64_t cpus, std::size_t count) {
  std::uint64_t chosen = 0;
  for (; count > 0 && cpus != 0; --count) {
    chosen |= cpus & -cpus;
    cpus &= cpus - 1;
  }
  return chosen;
}

}  // namespace

Status CalibratePhone::use(const calibrate::Load& load) {
  loops_.stop();
  load_ = load;
  times_.clear();
  plans_.clear();
  for (const Cluster& cluster : topology_.clusters) {
    plans_.push_back({cluster.min_frequency(), cluster.min_frequency()});
  }
  const Cluster& cluster = topology_.clusters[load.cluster];
  const Frequency frequency = cluster.opps[load.opp].frequency;
  if (load.busy > 0) {
    plans_[load.cluster] = {frequency, frequency};
  }
  actuator_->apply(plans_, monotonic_now());
  return loops_.run_on(first_cpus(cluster.cpus, load.busy));
}

Result<calibrate::Reading> CalibratePhone::read(const ab::FuelGauge& gauge) {
  ab::Observation observation;
  FRAMEGOV_TRY_STATUS(gauge.read(observation));
  if (!observation.current) {
    return fail(ExitCode::kUnsupported, "the battery does not report its current",
                "without current_now no OPP can be measured on this phone");
  }
  calibrate::Reading reading;
  reading.power = *observation.current * observation.voltage_v;
  reading.charging = observation.charging;
  reading.celsius = gauge.celsius();
  reading.percent = gauge.percent();
  return reading;
}

Result<calibrate::Reading> CalibratePhone::read() {
  const Instant now = monotonic_now();
  // What the kernel did to the limits on the way is nobody's will.
  if (const Duration total = suspended(); total - suspended_ > calibrate::kShortestSuspend) {
    actuator_->on_resumed(now);
    suspended_ = total;
  }
  actuator_->refresh(now);
  actuator_->apply(plans_, now);
  FRAMEGOV_TRY(auto reading, read(gauge_));
  reading.held = held();
  return reading;
}

double CalibratePhone::held() {
  const Cluster& cluster = topology_.clusters[load_.cluster];
  const ClusterDir& dir = tree_.clusters()[load_.cluster];
  const auto text = tree_.read(dir.path + "/stats/time_in_state");
  auto now = text ? calibrate::opp_times(cluster, *text) : calibrate::OppTimes{};
  const auto part = calibrate::part_at(load_.opp, times_, now);
  times_ = std::move(now);
  if (part) {
    return *part;
  }
  const Frequency runs = actuator_->read_current()[load_.cluster];
  return runs > Frequency{} && calibrate::nearest_opp(cluster, runs) == load_.opp ? 1 : 0;
}

Instant CalibratePhone::now() { return monotonic_now(); }

Duration CalibratePhone::suspended() { return time_suspended(); }

bool CalibratePhone::wait_until(Instant at) {
  return !ending_signal_within(std::max(at - monotonic_now(), Duration::zero()));
}

}  // namespace framegov::cli
