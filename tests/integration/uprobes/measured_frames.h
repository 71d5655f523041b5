// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <vector>

#include "base/cpu_topology.h"
#include "base/frame.h"
#include "base/result.h"
#include "probes/frame_source.h"
#include "probes/locate/probe_sites.h"
#include "tests/integration/uprobes/demo_app.h"

namespace framegov::test {

/// All of this machine's CPUs in one cluster.
[[nodiscard]] CpuTopology one_cluster();

/// Sites of one of demo-app's libraries.
[[nodiscard]] Result<LibrarySites> sites_of(const char* library);

/// What a source tells while demo-app runs.
class MeasuredFrames {
 public:
  /// Waits for the app's end and takes all that the source has by then. Fails the test when the
  /// source or the app fails.
  void follow(FrameSource& source, DemoApp& app);
  /// Takes what the source has.
  void take(FrameSource& source);
  /// Leaves a playing app's frames with the source until it has lost some, and takes the rest.
  void overflow(FrameSource& source, DemoApp& app);
  void clear() { *this = {}; }

  [[nodiscard]] const std::vector<Frame>& frames() const { return frames_; }
  [[nodiscard]] const std::vector<FrameStart>& starts() const { return starts_; }
  /// Times that follow() was woken for something to read.
  [[nodiscard]] std::size_t wakeups() const { return wakeups_; }
  /// Frames with UI and render part, by vsync.
  [[nodiscard]] std::map<std::int64_t, Frame> by_vsync() const;

 private:
  std::vector<Frame> frames_;
  std::vector<FrameStart> starts_;
  std::size_t wakeups_ = 0;
};

/// Expects the measured frames' generation times to be the app's: nearly all frames found, the 95th
/// percentile within 5 %. Prints both.
void expect_generation_times(const MeasuredFrames& measured, const DemoApp& app);

/// The same where libhwui is not probed: nearly every frame from its own start to its own buffer.
/// Prints both 95th percentiles.
void expect_unrecorded_frames(const MeasuredFrames& measured, const DemoApp& app);

/// Most of a game's frames are held to this many a second, a rate that is no usual one: without its
/// word the pace would be that of the next usual rate.
void expect_pace(const MeasuredFrames& measured, double fps);

template <class Value>
Value quantile(std::vector<Value> values, double q) {
  std::sort(values.begin(), values.end());
  return values.at(static_cast<std::size_t>(q * static_cast<double>(values.size() - 1)));
}

}  // namespace framegov::test
