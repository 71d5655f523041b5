// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "base/units.h"
#include "sim/plant/buffer_queue.h"
#include "sim/workload/workload_frame.h"

namespace framegov::sim {

/// The core whose cycles the work is counted in: the fastest core of the recorded device, as in
/// base/units.h. A stage that ran t seconds at f Hz on a core of relative performance per MHz r
/// (reference: 1) has t * f * r reference cycles.
///
/// To replay on another device, scale work by coremark_per_mhz(recorded) / coremark_per_mhz(other).
struct ReferenceCore {
  std::string name;           ///< e.g. "cortex-a73"
  Frequency max_frequency;    ///< its top OPP; the highest one seen when the table is not known
  double coremark_per_mhz{};  ///< single-thread CoreMark rate per MHz (freqbench); 0: not known
};

/// A cluster of the recorded device.
struct WorkloadCluster {
  int cpufreq_id = -1;
  std::uint64_t cpus{};         ///< bit n set: CPU n belongs to it
  Frequency max_frequency;      ///< top OPP, or the highest frequency seen
  double relative_per_mhz = 1;  ///< performance per MHz relative to the reference core
};

/// What else ran in one cluster during one window, frames' own threads excluded.
struct OtherLoad {
  float total{};    ///< reference cycles per second, all CPUs of the cluster together
  float busiest{};  ///< the busiest CPU's part of it
};

/// Other load over time: equal windows, piecewise constant. The value of cluster c in window w is
/// loads[w * clusters + c]. Empty when the recording does not tell.
struct OtherLoadSeries {
  Instant start;
  Duration window{};
  std::size_t clusters{};
  std::vector<OtherLoad> loads;

  [[nodiscard]] std::size_t window_count() const {
    return clusters == 0 ? 0 : loads.size() / clusters;
  }
};

/// A frequency that a cluster had from `at` on.
struct FrequencyChange {
  Instant at;
  std::int8_t cluster{};
  Frequency frequency;
};

/// A finger on the screen from `down` to `up`.
struct Touch {
  Instant down;
  Instant up;
};

/// The vendor held clusters' least frequencies up, as for a finger on the screen.
struct VendorBoost {
  Instant from;
  Instant until;
};

/// What one of the phone's power meters had counted at `at`.
struct RailSample {
  Instant at;
  std::uint32_t rail{};  ///< index into Workload::rails
  double mj{};           ///< since the meter was started
};

/// How the kernel sees one of an app's threads, beside its frames.
struct AppThread {
  float beside = 0;           ///< what it ran between frames, for each cycle it ran for them
  bool on_big_cores = false;  ///< the app binds it to cores of twice the slowest's capacity
};

struct WorkloadApp {
  std::string name;  ///< package or process name
  std::int32_t pid{};
  AppThread ui{};
  AppThread render{};
};

/// A frame that its thread took up later than this after its vsync says nothing of the app.
inline constexpr Duration kLongestDispatch = std::chrono::seconds{1};

/// When the UI thread of each app was free to take the next frame, as recorded: RenderThread had
/// taken the one before and had a buffer for it. Frames are told in order.
class UiThreads {
 public:
  /// Before the app's first frame, and after one whose times are not recorded: zero.
  [[nodiscard]] Instant free_at(std::uint32_t app) const {
    return app < apps_.size() ? apps_[app].ui : Instant{};
  }
  /// When the GPU was done with the app's frame before; zero where that is not known.
  [[nodiscard]] Instant gpu_free_at(std::uint32_t app) const {
    return app < apps_.size() ? apps_[app].gpu : Instant{};
  }
  void took(const WorkloadFrame& frame);

 private:
  struct Free {
    Instant ui, render, gpu;
    BufferQueue buffers;
  };
  std::vector<Free> apps_;
};

/// The median time from vsync to start of those `frames` whose start is recorded and that did not
/// have to wait for the frame before; of all with a recorded start where each had to. `counts`
/// says of an index whether that frame is looked at; empty: all are.
[[nodiscard]] Duration median_dispatch(std::span<const WorkloadFrame> frames,
                                       const std::function<bool(std::size_t)>& counts = {});

/// A recording as the plant replays it: what had to be done and when, and beside it what the
/// recorded device did about it. Instants are on the recording's own monotonic clock, frames
/// ascend by vsync.
struct Workload {
  std::string source;   ///< file or generator
  std::string device;   ///< as the recording names it; may be empty
  Duration interval{};  ///< refresh interval most frames had
  /// From a vsync until a UI thread that waits for it begins: the median, for frames whose own
  /// start is not recorded or waited for the frame before. Zero: no frame's start is recorded.
  Duration dispatch{};
  ReferenceCore reference;
  std::vector<WorkloadCluster> clusters;  ///< ascending by policy id; empty: not known
  std::vector<WorkloadApp> apps;
  std::vector<WorkloadFrame> frames;
  OtherLoadSeries other;
  std::vector<Touch> touches;                ///< ascending
  std::vector<VendorBoost> boosts;           ///< ascending; empty: not recorded
  std::vector<FrequencyChange> frequencies;  ///< ascending by time
  std::vector<std::string> rails;        ///< names of power rails; empty where there are no meters
  std::vector<RailSample> rail_samples;  ///< ascending by time
  bool has_work{};  ///< false: frames only (--frames-only), every stage's work is zero
  /// False: what the clusters' cores are worth beside each other is not known, work on all counts
  /// alike. Times can be compared at the recorded frequencies, energies cannot.
  bool knows_core_worth = true;
  std::vector<std::string> notes;  ///< what was assumed or is missing, for people
};

/// Refuses a workload of times only: whatever replays it would have nothing to do.
[[nodiscard]] Status require_work(const Workload& workload);

/// Refuses one whose cores' worth is not known, too: its energy would be a guess.
[[nodiscard]] Status require_energy(const Workload& workload);

}  // namespace framegov::sim
