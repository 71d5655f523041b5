// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/plant/plant.h"
#include "trace/recording.h"
#include "trace/trace_writer.h"

namespace framegov::sim {

/// Writes one run as a Perfetto trace: what `framegov record` writes on a phone (frames, plans,
/// frequencies, limits), and beside it what only a simulator knows: slices of the UI thread, of
/// RenderThread and of the GPU, and missed deadlines. It opens in the Perfetto UI, and the importer
/// takes it for a recording.
class RunTrace final : public PlantObserver {
 public:
  /// All must outlive it. `name` stands for the app.
  RunTrace(const DeviceTables& tables, const CpuTopology& topology, TraceWriter& writer,
           const std::string& device, std::string name);

  void on_frame(const PipelineFrame& frame, FrameVerdict verdict) override;
  void on_plan(double now, const FrequencyPlan& plan) override;
  void on_frequency(double now, std::size_t cluster, std::uint8_t opp) override;

 private:
  void slice(double from, double until, std::uint64_t track, std::string_view name);
  /// The first of the tracks of the app's threads.
  [[nodiscard]] std::uint64_t tracks_of(std::uint32_t app);

  const DeviceTables* tables_;
  const CpuTopology* topology_;
  TraceWriter* writer_;
  RecordingWriter recording_;
  std::string name_;
  std::vector<std::uint32_t> apps_;  ///< that have tracks
  FrequencyPlan last_plan_;
};

}  // namespace framegov::sim
