// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "base/monotonic_clock.h"
#include "cli/ab/fuel_gauge.h"
#include "cli/calibrate/residency.h"
#include "cli/calibrate/run.h"
#include "cli/cpu_load.h"
#include "governor/cpufreq/actuator.h"
#include "governor/cpufreq/cpufreq_tree.h"

namespace framegov::cli {

/// This phone: frequencies are held as the service holds them, so that what was there is saved
/// first and put back when this object goes. Ending signals must be blocked
/// (block_ending_signals()).
class CalibratePhone final : public calibrate::Phone {
 public:
  CalibratePhone(std::unique_ptr<Actuator> actuator, const CpufreqTree& tree,
                 const CpuTopology& topology, ab::FuelGauge gauge)
      : actuator_(std::move(actuator)),
        tree_(tree),
        topology_(topology),
        gauge_(std::move(gauge)) {}

  [[nodiscard]] Status use(const calibrate::Load& load) override;
  [[nodiscard]] Result<calibrate::Reading> read() override;
  [[nodiscard]] Instant now() override;
  [[nodiscard]] Duration suspended() override;
  [[nodiscard]] bool wait_until(Instant at) override;

  /// What the battery says now, without any frequency.
  [[nodiscard]] static Result<calibrate::Reading> read(const ab::FuelGauge& gauge);

 private:
  /// As in Reading: by time_in_state, or, where that does not say, by the frequency just now.
  [[nodiscard]] double held();

  std::unique_ptr<Actuator> actuator_;
  const CpufreqTree& tree_;
  CpuTopology topology_;
  ab::FuelGauge gauge_;
  CpuLoad loops_;
  calibrate::Load load_;
  ClusterPlans plans_;
  calibrate::OppTimes times_;  ///< of the load's cluster, at the last reading
  Duration suspended_ = time_suspended();
};

}  // namespace framegov::cli
