// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "sim/import/slices.h"
#include "sim/import/trace_model.h"

namespace framegov {

/// How long the display's refreshes took over a recording: phones change their rate while an app
/// draws. Told by FrameTimeline's expected frames, else by VSYNC-app.
class RefreshRate {
 public:
  RefreshRate(const TraceModel& model, const std::vector<ProcessSlices>& processes);

  /// The recording's highest rate that is not rare, ns; also from doFrame's begins.
  [[nodiscard]] std::int64_t usual() const { return usual_; }
  /// Nothing tells the rate: 60 Hz.
  [[nodiscard]] bool assumed() const { return assumed_; }
  /// The interval (ns) that held around `at`; usual() where nothing near tells.
  [[nodiscard]] std::int64_t at(std::int64_t at) const;

 private:
  /// Between two moments that are one refresh of a known rate apart.
  struct Gap {
    std::int64_t begin{};
    std::int64_t length{};
    std::size_t rate{};
  };
  using Gaps = std::vector<Gap>;
  struct Estimate {
    std::size_t rate{};
    std::int64_t interval{};  ///< 0: nothing tells
  };

  [[nodiscard]] static Gaps gaps_of(std::vector<std::int64_t> moments);
  /// By process or thread.
  [[nodiscard]] static Gaps gaps_of_each(std::map<std::int32_t, std::vector<std::int64_t>> moments);
  [[nodiscard]] static Estimate estimate(Gaps::const_iterator begin, Gaps::const_iterator end);
  [[nodiscard]] static std::int64_t near(const Gaps& gaps, std::int64_t at);

  Gaps expected_;
  Gaps vsyncs_;
  std::int64_t usual_{};
  bool assumed_{};
};

}  // namespace framegov
