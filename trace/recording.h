// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/cpu_topology.h"
#include "base/frame.h"
#include "base/frequency_plan.h"
#include "trace/trace_sink.h"
#include "trace/trace_writer.h"

namespace framegov {

/// No screen has a refresh interval beyond these: what a file tells is damage then, or a mistake.
inline constexpr Duration kLeastRefreshInterval = std::chrono::milliseconds{1};
inline constexpr Duration kMostRefreshInterval = std::chrono::seconds{1};

// framegov's own recording, within a Perfetto trace. The service writes it, the simulator writes
// and replays it. Tracks, all below one called "framegov":
//   "frames"       slices "frame", from the frame's origin until it is ready, annotated with every
//                  member of Frame and the app's name; frames that overlap go to further lanes,
//                  and are instants where all lanes are taken
//   "context"      instants "device" (topology), "app" (app on top), "touch"
//   "plans"        instants "plan": reason and steps
//   "policyN kHz", "policyN cap kHz", "policyN floor kHz"    counters per cluster

struct RecordedFrame {
  Frame frame;
  std::uint32_t app{};  ///< index into Recording::apps
};

struct RecordedFrequency {
  Instant at;
  std::size_t cluster{};
  Frequency frequency;
};

struct RecordedPlan {
  Instant at;
  FrequencyPlan plan;
};

struct Recording {
  std::string device;
  CpuTopology topology;
  std::vector<std::string> apps;
  std::vector<RecordedFrame> frames;
  std::vector<RecordedFrequency> frequencies;
  std::vector<RecordedPlan> plans;
  std::vector<Instant> touches;
};

/// Writes a recording. The writer must outlive it.
class RecordingWriter {
 public:
  explicit RecordingWriter(TraceWriter& writer) : writer_(writer) {}

  /// First of all: tracks and the device. `device` is free text.
  void begin(Instant at, std::string_view device, const CpuTopology& topology);
  void frame(const Frame& frame, std::string_view app);
  void frequency(Instant at, std::size_t cluster, Frequency frequency);
  void plan(Instant at, const FrequencyPlan& plan);
  void app_on_top(Instant at, AppId app, std::string_view name);
  void touch(Instant at);

 private:
  static constexpr std::size_t kLanes = 4;  ///< frames in flight that are shown as slices

  TraceWriter& writer_;
  std::array<Instant, kLanes> lane_busy_until_{};
};

/// Collects a recording from a trace's track events; events of other producers are ignored. Times
/// come out on the trace's clock.
class RecordingReader : public TraceSink {
 public:
  void on_track_event(const TrackEvent& event) override;

  /// Everything found, frames ascending by origin; nothing when the trace holds no recording.
  [[nodiscard]] std::optional<Recording> take();

 private:
  void take_device(const TrackEvent& event);
  void take_frame(const TrackEvent& event);
  void take_plan(const TrackEvent& event);

  bool found_ = false;
  Recording recording_;
  std::unordered_map<std::string, std::uint32_t> app_index_;
};

}  // namespace framegov
