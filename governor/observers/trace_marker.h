// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>

#include "base/cpu_topology.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "governor/observers/service_observer.h"

namespace framegov {

/// Writes what the service sees and decides into the kernel's trace, as atrace does, so that any
/// Perfetto or systrace recording shows it next to the frames:
///   C|pid|framegov slack_us|N          a frame's slack
///   C|pid|framegov policy4 cap_khz|N   what is asked for; 0: none. On changes only
///   C|pid|framegov policy4 floor_khz|N
///   B|pid|framegov frame: tracking     a decision: its cause and reason, and
///   E|pid
/// Written when the step's limits are, so that they are not later for it. While nothing records,
/// one write a second finds that out. No allocation.
class TraceMarker final : public ServiceObserver {
 public:
  /// `tracefs`: where it is mounted. Error: its trace_marker cannot be opened.
  [[nodiscard]] static Result<std::unique_ptr<TraceMarker>> open(
      const std::filesystem::path& tracefs, const CpuTopology& topology);

  void on_frame(const Frame& frame, std::string_view app, Instant now) override;
  void on_app(AppId, std::string_view, Instant) override {}
  void on_decision(const Decision& decision) override;
  void on_frequencies(std::span<const Frequency>, Instant) override {}
  void on_step(const StepReport& report) override;

 private:
  TraceMarker(UniqueFd fd, const CpuTopology& topology);

  /// False: the kernel does not take it.
  [[gnu::format(printf, 2, 3)]] bool write(const char* format, ...) const;
  bool write_limits();
  bool write_step();

  UniqueFd fd_;
  pid_t pid_;
  StaticVector<int, kMaxClusters> policies_;
  StaticVector<ClusterPlan, kMaxClusters> wanted_;
  StaticVector<ClusterPlan, kMaxClusters> written_;
  Duration slack_{};
  bool has_frame_ = false;
  bool has_decision_ = false;
  DecisionCause cause_{};
  ReasonCode reason_{};
  Instant again_at_;  ///< nothing records: not before then
};

}  // namespace framegov
