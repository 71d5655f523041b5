// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "sim/import/slices.h"
#include "sim/import/trace_model.h"

namespace framegov::sim {

/// How long the display's refreshes took over a recording: phones change their rate while an app
/// draws. Told by FrameTimeline's expected frames, else by VSYNC-app; where no app asks for vsyncs,
/// by the display's expected frames, else by VSYNC-sf.
class RefreshRate {
 public:
  RefreshRate(const TraceModel& model, const std::vector<ProcessSlices>& processes);

  /// The recording's highest rate that is not rare, ns; also from doFrame's begins.
  [[nodiscard]] std::int64_t usual() const { return usual_; }
  /// Nothing tells the rate: 60 Hz, or the next usual rate that games' buffers do not exceed.
  [[nodiscard]] bool assumed() const { return assumed_; }
  /// The interval (ns) that held around `at`; usual() where nothing near tells.
  [[nodiscard]] std::int64_t at(std::int64_t at) const;

 private:
  /// Between two moments that may be one refresh apart.
  struct Gap {
    std::int64_t begin{};
    std::int64_t length{};
  };
  using Gaps = std::vector<Gap>;

  [[nodiscard]] static Gaps gaps_of(std::vector<std::int64_t> moments);
  /// By process or thread.
  [[nodiscard]] static Gaps gaps_of_each(
      const std::map<std::int32_t, std::vector<std::int64_t>>& moments);
  /// An interval, ns; 0: nothing tells.
  [[nodiscard]] static std::int64_t estimate(Gaps::const_iterator begin, Gaps::const_iterator end);
  [[nodiscard]] static std::int64_t near(const Gaps& gaps, std::int64_t at);

  std::array<Gaps, 4> sources_;  ///< the best first
  std::int64_t usual_{};
  bool assumed_{};
};

}  // namespace framegov::sim
