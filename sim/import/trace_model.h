// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "sim/import/trace_tracks.h"
#include "trace/recording.h"
#include "trace/trace_sink.h"

namespace framegov::sim {

/// What CPUs did.
struct CpuTracks {
  std::vector<std::vector<CpuSwitch>> switches;  ///< per CPU
  std::vector<CpuFrequencySample> frequencies;   ///< told at each change
  std::vector<CpuFrequencySample> polled;        ///< read now and then
  std::vector<CpuFrequencySample> minima;        ///< the least allowed from then on
  std::vector<CpuDescription> described;         ///< as the recorder saw them
  std::vector<std::int64_t> gaps;                ///< until then events of some CPU were lost
  std::int64_t complete_since = 0;  ///< what was before is left out: not all of it is known
  std::int64_t doubtful_until = 0;  ///< until then a CPU's events may be missing; nothing left out
};

/// Who ran.
struct RecordedProcesses {
  std::vector<ThreadTrack> threads;
  std::unordered_map<std::int32_t, std::uint32_t> thread_index;  ///< tid -> threads[]
  std::unordered_map<std::uint64_t, std::string> packages;       ///< by uid; empty: more than one

  [[nodiscard]] const ThreadTrack* find_thread(std::int32_t tid) const;
  /// Name of a process: its command line, else its user's only package, else its main thread's
  /// name, else "pid N". A command line from before the process became an app comes last.
  [[nodiscard]] std::string name_of(std::int32_t tgid) const;
};

/// What SurfaceFlinger told.
struct CompositorTracks {
  std::vector<FrameTimelineSlice> timelines;
  std::vector<std::int64_t> app_vsyncs;  ///< edges of VSYNC-app
  std::vector<std::int64_t> vsyncs;      ///< edges of VSYNC-sf
  std::vector<LayerCount> layer_counts;  ///< of any process
  std::int32_t pid = 0;                  ///< when VSYNC-app or VSYNC-sf is there
};

struct PowerTracks {
  std::map<std::uint32_t, std::string> rails;
  std::vector<EnergySample> energy;
};

struct RecordedDevice {
  std::string fingerprint;
  std::string soc;
};

/// How much of what there was.
struct TraceCounts {
  std::uint64_t switches{}, wakings{}, cpu_frequency{}, polled_frequency{}, cpu_idle{},
      gpu_frequency{}, prints{}, lost{}, frame_timeline{}, packages{}, energy{}, track_events{},
      cpu_limits{};
  [[nodiscard]] std::uint64_t stored() const {
    return switches + cpu_frequency + polled_frequency + prints + frame_timeline + energy +
           track_events + cpu_limits;
  }
};

/// A recording as events, whichever format it came in: sorted by time once finished.
struct TraceModel {
  CpuTracks cpu;
  RecordedProcesses processes;
  CompositorTracks compositor;
  PowerTracks power;
  RecordedDevice device;
  std::vector<std::int64_t> inputs;  ///< touch events delivered to apps
  TraceCounts counts;
  LeftOutPackets left_out;
  std::int64_t first = std::numeric_limits<std::int64_t>::max();  ///< of all events
  std::int64_t last = std::numeric_limits<std::int64_t>::min();
  std::optional<Recording> recording;  ///< framegov's own

  [[nodiscard]] double duration_s() const {
    return last > first ? static_cast<double>(last - first) / 1e9 : 0;
  }
};

/// Builds a TraceModel. Stops storing, and says is_full(), at `max_events`, so that memory stays
/// bounded (32 bytes per event) whatever the file claims.
class TraceModelBuilder final : public TraceSink {
 public:
  explicit TraceModelBuilder(std::uint64_t max_events = std::uint64_t{100'000'000})
      : max_events_(max_events) {}

  [[nodiscard]] bool is_full() const override { return model_.counts.stored() >= max_events_; }
  void on_switch(const SchedSwitch& event) override;
  void on_waking(std::int64_t at, std::int32_t tid) override;
  void on_cpu_frequency(const CpuFrequencySample& sample) override;
  void on_polled_frequency(const CpuFrequencySample& sample) override;
  void on_cpu_minimum(const CpuFrequencySample& minimum) override;
  void on_cpu_idle(std::int64_t at, std::int32_t cpu, std::uint32_t state) override;
  void on_gpu_frequency(std::int64_t at, std::uint32_t gpu, std::uint32_t khz) override;
  void on_print(const PrintLine& line) override;
  void on_lost_events(std::int32_t cpu, std::uint64_t count) override;
  void on_complete_since(std::int32_t cpu, std::int64_t at) override;
  void on_overwritten() override { overwritten_ = true; }
  void on_left_out(const LeftOutPackets& packets) override { model_.left_out = packets; }
  void on_thread(const ThreadInfo& thread) override;
  void on_frame_timeline(const FrameTimelineEvent& event) override;
  void on_power_rail(const PowerRail& rail) override;
  void on_energy(const EnergySample& sample) override;
  void on_package(std::string_view name, std::uint64_t uid) override;
  void on_device(const DeviceInfo& device) override;
  void on_cpu(const CpuDescription& cpu) override;
  void on_track(const TrackInfo& track) override;
  void on_track_event(const TrackEvent& event) override;

  /// Sorts and hands over. The builder is spent.
  [[nodiscard]] TraceModel finish();

 private:
  ThreadTrack& thread(std::int32_t tid);
  void end_gap(std::int32_t cpu, std::int64_t at);
  void join_early_ends();
  void leave_out_incomplete();
  void saw(std::int64_t at) {
    model_.first = at < model_.first ? at : model_.first;
    model_.last = at > model_.last ? at : model_.last;
  }

  std::uint64_t max_events_;
  TraceModel model_;
  std::vector<std::uint32_t> slots_;  ///< tid -> index + 1, for tids that a kernel can have
  std::unordered_map<std::int64_t, std::size_t> open_timelines_;  ///< cookie -> timelines[]
  std::unordered_map<std::int64_t, std::int64_t> early_ends_;     ///< by cookie: any order is right
  std::unordered_map<std::uint64_t, std::int32_t> thread_tracks_;  ///< track -> tid
  std::unordered_map<std::uint64_t, AtraceName> vsync_tracks_;
  std::uint64_t gap_cpus_ = 0;                           ///< that lost events, with none since
  std::uint64_t unswitched_ = 0;                         ///< and with no switch since
  std::map<std::int32_t, std::int64_t> complete_since_;  ///< by CPU
  bool overwritten_ = false;
  RecordingReader recording_;
};

}  // namespace framegov::sim
