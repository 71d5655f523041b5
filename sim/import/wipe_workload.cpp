// SPDX-License-Identifier: Apache-2.0
#include "sim/import/wipe_workload.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "socs/soc_table.h"

namespace framegov::sim {

namespace {

using Json = nlohmann::json;

constexpr Instant kStart = instant_from_ns(1'000'000'000);
constexpr std::size_t kBigCluster = 1;
constexpr double kMaxMs = 1e9;  // eleven days

tl::unexpected<Error> not_wipe(const std::string& what) {
  return fail(ExitCode::kBadInput, "no wipe-v2 scene: " + what,
              "a scene has freq, renderLoad and windowedLoad");
}

Instant at_ms(double ms) {
  return kStart + Duration{static_cast<std::int64_t>(ms * static_cast<double>(kNsPerMs))};
}

struct Scene {
  double frequency_mhz{};
  double load_scale{};
  double frame_ms{};
  double window_ms{};
  [[nodiscard]] double cycles(double load, double ms) const {
    return load / load_scale * ms * frequency_mhz * 1e3;
  }
};

void add_clusters(Workload& workload, Frequency locked) {
  const KnownSoc* soc = find_soc("sdm660");
  for (const SocCluster& cluster : soc->clusters) {
    std::uint64_t cpus = 0;
    for (int cpu = cluster.first_cpu; cpu < cluster.first_cpu + cluster.cpu_count; ++cpu) {
      cpus |= std::uint64_t{1} << static_cast<unsigned>(cpu);
    }
    workload.clusters.push_back({.cpufreq_id = cluster.first_cpu,
                                 .cpus = cpus,
                                 .max_frequency = cluster.max_frequency(),
                                 .relative_per_mhz = cluster.relative_per_mhz});
  }
  workload.reference = {.name = std::string(soc->fastest_core),
                        .max_frequency = locked,
                        .coremark_per_mhz = soc->coremark_per_mhz};
  workload.frequencies.push_back({kStart, kBigCluster, locked});
}

/// Status of a row's shape; `row` holds its numbers.
bool read_row(const Json& json, std::size_t size, std::vector<double>& row) {
  if (!json.is_array() || json.size() != size) {
    return false;
  }
  row.clear();
  for (const Json& value : json) {
    if (!value.is_number()) {
      return false;
    }
    row.push_back(value.get<double>());
  }
  return true;
}

Status read_frames(const Json& rows, const Scene& scene, Workload& workload) {
  std::vector<double> row;
  for (const Json& json : rows) {
    if (!read_row(json, 2, row) || row[0] < 0 || row[0] > kMaxMs || row[1] < 0) {
      return not_wipe("renderLoad row " + std::to_string(workload.frames.size()) +
                      " is not [ms, load]");
    }
    WorkloadFrame frame;
    frame.vsync = at_ms(row[0]);
    frame.start = frame.vsync;
    frame.interval = workload.interval;
    frame.deadline = frame.vsync + frame.interval;
    frame.deadline_edge = DeadlineEdge::kVsyncInterval;
    frame.render.work = Work{scene.cycles(row[1], scene.frame_ms)};
    frame.render.cluster = static_cast<std::int8_t>(kBigCluster);
    frame.render.frequency = workload.reference.max_frequency;
    workload.frames.push_back(frame);
  }
  std::stable_sort(
      workload.frames.begin(), workload.frames.end(),
      [](const WorkloadFrame& a, const WorkloadFrame& b) { return a.vsync < b.vsync; });
  return {};
}

/// Load that frames put on their core, per window.
std::vector<double> frame_loads(const Workload& workload, const Scene& scene, std::size_t windows) {
  std::vector<double> loads(windows, 0.0);
  for (const WorkloadFrame& frame : workload.frames) {
    const double begin = to_ms(frame.vsync - kStart);
    const double load = frame.render.work.count() / scene.cycles(1, scene.frame_ms);
    for (auto window = static_cast<std::size_t>(begin / scene.window_ms); window < windows;
         ++window) {
      const double from = std::max(begin, static_cast<double>(window) * scene.window_ms);
      const double to =
          std::min(begin + scene.frame_ms, static_cast<double>(window + 1) * scene.window_ms);
      if (to <= from) {
        break;
      }
      loads[window] += load * (to - from) / scene.window_ms;
    }
  }
  return loads;
}

Status read_windows(const Json& rows, const Scene& scene, std::size_t cores, Workload& workload) {
  OtherLoadSeries& other = workload.other;
  other.start = kStart;
  other.window = at_ms(scene.window_ms) - kStart;
  other.clusters = workload.clusters.size();
  other.loads.resize(rows.size() * other.clusters);
  const std::vector<double> of_frames = frame_loads(workload, scene, rows.size());
  const double per_second = 1000.0 / scene.window_ms;
  std::vector<double> row;
  for (std::size_t window = 0; window < rows.size(); ++window) {
    if (!read_row(rows[window], cores + 2, row)) {
      return not_wipe("windowedLoad row " + std::to_string(window) +
                      " is not [most, cores.., touch]");
    }
    std::vector<double> loads(row.begin() + 1, row.end() - 1);
    std::sort(loads.rbegin(), loads.rend());
    // The frames ran on the busiest core.
    loads[0] = std::max(0.0, loads[0] - of_frames[window]);
    OtherLoad& load = other.loads[window * other.clusters + kBigCluster];
    for (const double core : loads) {
      const double rate = scene.cycles(core, scene.window_ms) * per_second;
      load.total += static_cast<float>(rate);
      load.busiest = std::max(load.busiest, static_cast<float>(rate));
    }
    if (row.back() != 0) {
      constexpr Duration kFingerUp = std::chrono::milliseconds{100};
      const Instant down = at_ms(static_cast<double>(window) * scene.window_ms);
      const Instant up = down + other.window;
      if (!workload.touches.empty() && down - workload.touches.back().up < kFingerUp) {
        workload.touches.back().up = up;
      } else {
        workload.touches.push_back({down, up});
      }
    }
  }
  return {};
}

/// A quantum is the whole ms of the refresh interval: 16 at 60 Hz.
Duration refresh_interval(double frame_ms) {
  for (const double hz : {60.0, 90.0, 120.0, 144.0}) {
    if (std::floor(1e3 / hz) == std::floor(frame_ms + 0.5)) {
      return Duration{static_cast<Duration::rep>(1e9 / hz)};
    }
  }
  return Duration{static_cast<Duration::rep>(frame_ms * 1e6)};
}

}  // namespace

Result<Workload> read_wipe_workload(std::string_view text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) {
    return not_wipe("the JSON is damaged or cut off");
  }
  const auto number = [&](const char* key) {
    const auto found = json.find(key);
    return json.is_object() && found != json.end() && found->is_number() ? found->get<double>() : 0;
  };
  const Scene scene{.frequency_mhz = number("freq"),
                    .load_scale = number("loadScale"),
                    .frame_ms = number("frameQuantum") * number("quantumSec") * 1e3,
                    .window_ms = number("windowQuantum") * number("quantumSec") * 1e3};
  const double cores = number("coreNum");
  for (const double value :
       {scene.frequency_mhz, scene.load_scale, scene.frame_ms, scene.window_ms}) {
    if (!(value >= 0.1 && value <= 1e5)) {
      return not_wipe("freq, loadScale, frameQuantum, windowQuantum or quantumSec is missing");
    }
  }
  const auto frames = json.find("renderLoad");
  const auto windows = json.find("windowedLoad");
  if (frames == json.end() || !frames->is_array() || windows == json.end() ||
      !windows->is_array() || !(cores >= 1 && cores <= 8)) {
    return not_wipe("renderLoad, windowedLoad or coreNum is missing");
  }
  Workload workload;
  workload.device = "Smartisan Nut Pro 2 (sdm660)";
  workload.interval = refresh_interval(scene.frame_ms);
  workload.has_work = true;
  add_clusters(workload, khz(static_cast<std::int64_t>(scene.frequency_mhz * 1e3)));
  const auto source = json.find("src");
  workload.apps.push_back(
      {source != json.end() && source->is_array() && !source->empty() && source->front().is_string()
           ? source->front().get<std::string>()
           : "scene",
       0});
  FRAMEGOV_TRY_STATUS(read_frames(*frames, scene, workload));
  FRAMEGOV_TRY_STATUS(read_windows(*windows, scene, static_cast<std::size_t>(cores), workload));
  if (!workload.frames.empty()) {
    const auto saturated = std::count_if(
        workload.frames.begin(), workload.frames.end(), [&](const WorkloadFrame& frame) {
          return frame.render.work.count() >=
                 scene.cycles(scene.load_scale, scene.frame_ms) * 0.999;
        });
    workload.notes.push_back("work is the busiest big core's load in the " +
                             std::to_string(static_cast<int>(scene.frame_ms)) +
                             " ms from doFrame, one stage; " + std::to_string(saturated) +
                             " frames are at the scale's end and may have had more");
  }
  workload.notes.emplace_back("the little cluster was not recorded");
  return workload;
}

}  // namespace framegov::sim
