// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sim/plant/device_tables.h"
#include "sim/plant/fitted_source.h"
#include "sim/workload/deadline_mode.h"
#include "sim/workload/workload.h"

namespace framegov::sim {

/// A recording, made to fit one phone: once for all policies that replay it there.
///
/// Work keeps its CoreMark worth: cycles scale by the reference cores' rates per MHz (by 1 where
/// the recorded core's is not known). Frames stay in the cluster of the recording, by rank: fastest
/// to fastest, slowest to slowest. Others' load stays too where both phones have as many clusters;
/// otherwise it goes to the slowest cluster that it fills to four fifths at most, as the kernel's
/// energy-aware placement would do. About 130 bytes for a frame, 24
/// for each window of others' load and cluster.
struct FittedWorkload {
  /// When UI threads take their frames up: as each did in the recording, or as all usually did.
  enum class Starts : std::uint8_t { kRecorded, kUsual };

  /// The workload must have work.
  FittedWorkload(const Workload& workload, const DeviceTables& tables, DeadlineMode mode,
                 Starts starts = Starts::kRecorded);

  /// When a window of others' load begins, ns.
  [[nodiscard]] double window_begin(std::size_t index) const {
    return std::max(0.0, first_window + static_cast<double>(index) * window);
  }

  /// Those that have frames, in the order in which they come.
  std::vector<std::uint32_t> apps;
  double origin = 0;  ///< ns: instants are the recording's less this; they start near zero
  std::vector<FittedFrame> frames;
  std::vector<double> touches;
  struct Boost {
    double from = 0;
    double until = 0;
  };
  std::vector<Boost> boosts;  ///< the vendor's: as recorded, else for each touch
  std::size_t clusters = 0;
  double first_window = 0;
  double window = 0;
  std::size_t windows = 0;        ///< the last is empty: after the recording nothing is known
  std::vector<FittedLoad> loads;  ///< [window * clusters + cluster]
};

/// Hands a fitted recording to one plant.
class WorkloadSource final : public FittedSource {
 public:
  explicit WorkloadSource(std::shared_ptr<const FittedWorkload> workload)
      : workload_(std::move(workload)), next_of_(workload_->apps.size()) {}

  bool next_frame(FittedFrame& frame) override;
  [[nodiscard]] std::size_t apps() const override { return workload_->apps.size(); }
  bool next_frame_of(std::size_t app, FittedFrame& frame) override;
  bool next_touch(double& at) override;
  bool next_boost(double& from, double& until) override;
  std::span<const FittedLoad> next_load(double& at) override;

 private:
  std::shared_ptr<const FittedWorkload> workload_;
  std::size_t next_frame_ = 0;
  std::vector<std::size_t> next_of_;  ///< by app
  std::size_t next_touch_ = 0;
  std::size_t next_boost_ = 0;
  std::size_t next_window_ = 0;
};

}  // namespace framegov::sim
