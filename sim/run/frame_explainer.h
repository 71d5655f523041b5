// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>

#include "base/cpu_topology.h"
#include "sim/plant/plant.h"

namespace framegov::sim {

/// Watches a run for one frame and says in sentences what the policy decided for it and why.
class FrameExplainer final : public PlantObserver {
 public:
  /// `frame`: its number, the first being 0. `topology` must outlive it.
  FrameExplainer(const CpuTopology& topology, std::uint64_t frame)
      : topology_(&topology), wanted_(frame) {}

  void on_frame(const PipelineFrame& frame, bool feasible, bool janky) override;
  void on_plan(double now, const FrequencyPlan& plan) override;

  /// Nothing when the run had no such frame.
  [[nodiscard]] std::optional<std::string> text() const { return text_; }

 private:
  struct Decision {
    double at = -1;
    FrequencyPlan plan;
  };
  /// A frame may wait for two others, each with a few decisions.
  static constexpr std::size_t kKept = 32;

  /// The decision in force when something began at `start`: at that very instant it is its own.
  [[nodiscard]] const Decision* decision_at(double start) const;
  /// The decision made for the wanted frame, which began at `start`.
  [[nodiscard]] const Decision* decision_for(double start) const;

  const CpuTopology* topology_;
  std::uint64_t wanted_;
  std::array<Decision, kKept> decisions_;
  std::size_t next_ = 0;
  bool ahead_just_ended_ = false;
  Decision after_ahead_;  ///< made when the frame before the wanted one had ended
  std::optional<std::string> text_;
};

/// `plan` in a sentence with its numbers: the work it is made for, the time it has, the margin, the
/// speed asked for, the OPPs chosen, and the limits that bound the choice.
[[nodiscard]] std::string explain(const FrequencyPlan& plan, const CpuTopology& topology);

}  // namespace framegov::sim
