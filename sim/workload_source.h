// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/deadline_mode.h"
#include "sim/plant/device_tables.h"
#include "sim/replay_source.h"
#include "sim/workload.h"

namespace framegov {

/// A recording, made to fit the simulated phone.
///
/// Work keeps its CoreMark worth: cycles scale by the reference cores' rates per MHz (by 1 where
/// the recorded core's is not known). Frames stay in the cluster of the recording, by rank: fastest
/// to fastest, slowest to slowest. Others' load stays too where both phones have as many clusters;
/// otherwise it goes to the slowest cluster that it fills to four fifths at most, as the kernel's
/// energy-aware placement would do.
class WorkloadSource final : public ReplaySource {
 public:
  /// `workload` and `tables` must outlive it; the workload must have work.
  WorkloadSource(const Workload& workload, const DeviceTables& tables, DeadlineMode mode);

  bool next_frame(ReplayFrame& frame) override;
  bool next_touch(double& at) override;
  bool next_load(double& at, std::span<ReplayLoad> loads) override;

 private:
  [[nodiscard]] std::int8_t placed(const StageLoad& stage) const;
  [[nodiscard]] std::size_t fitting_cluster(const ReplayLoad& load) const;

  const Workload* workload_;
  const DeviceTables* tables_;
  DeadlineMode mode_;
  double ns_per_work_;                  ///< work to ns at the reference speed
  std::vector<std::int8_t> placement_;  ///< recorded cluster -> cluster
  bool same_shape_ = false;
  std::vector<std::size_t> by_speed_;  ///< clusters of the phone, slowest first
  std::size_t next_frame_ = 0;
  std::size_t next_touch_ = 0;
  std::size_t next_window_ = 0;
};

}  // namespace framegov
