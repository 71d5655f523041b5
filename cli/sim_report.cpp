// SPDX-License-Identifier: Apache-2.0
#include "cli/sim_report.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <iostream>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "base/json_text.h"
#include "base/output_file.h"
#include "cli/output_file.h"
#include "sim/report/report.h"
#include "sim/report/run_timeline.h"
#include "sim/results/ranking.h"
#include "sim/results/results_meta.h"
#include "sim/run/frame_table.h"

namespace framegov::cli {

namespace {

using nlohmann::json;

/// What the report shows of either side of a loop.
constexpr std::array<const char*, 3> kLoopFigures{"p50", "p95", "miss_rate"};

/// Of every run, in the order of replay_all(). Runs are replayed once more for it.
json timelines(const SimJob& job) {
  std::vector<sim::ReplayScene> scenes;
  scenes.reserve(job.inputs.size() * job.devices.size());
  std::vector<json> packed(scenes.capacity() * job.policies.size());
  const std::size_t share = sim::kMostTimelineBytes / std::max<std::size_t>(packed.size(), 1);
  std::vector<std::function<void()>> replays;
  for (const sim::ReplayInput& input : job.inputs) {
    for (const sim::ReplayDevice& device : job.devices) {
      const sim::ReplayScene& scene =
          scenes.emplace_back(input, device, job.settings.deadline, job.settings.world());
      for (const sim::PolicyEntry* policy : job.policies) {
        replays.emplace_back([&, policy, &to = packed[replays.size()]] {
          sim::RunTimeline timeline(device.topology, device.tables.reference_hz * 1e-15);
          const sim::RunResult run = sim::replay(scene, *policy, job.settings, &timeline);
          to = timeline.pack(share);
          to.update({{"input", run.input}, {"device", run.device}, {"policy", run.policy}});
        });
      }
    }
  }
  std::atomic<std::size_t> done{0};
  (void)sim::replay_all({}, {}, {}, job.settings, job.jobs, done, replays);
  return packed;
}

/// Of all phones under "", of each phone under its name.
json rankings(const SimJob& job, const std::vector<sim::ScoredRun>& runs) {
  json all = json::object();
  all[""] = sim::to_json(sim::rank(runs));
  for (const sim::ReplayDevice& device : job.devices) {
    std::vector<sim::ScoredRun> here;
    std::copy_if(runs.begin(), runs.end(), std::back_inserter(here),
                 [&](const sim::ScoredRun& each) { return each.run.device == device.name; });
    all[device.name] = sim::to_json(sim::rank(here));
  }
  return all;
}

std::vector<sim::RunResult> on_device(const std::vector<sim::RunResult>& runs,
                                      std::string_view device, std::string_view policy) {
  std::vector<sim::RunResult> found;
  std::copy_if(runs.begin(), runs.end(), std::back_inserter(found), [&](const sim::RunResult& run) {
    return run.device == device && run.policy == policy;
  });
  return found;
}

}  // namespace

Sweep sweep_eps(const SimJob& job, const std::vector<sim::RunResult>& runs,
                const std::vector<double>& values) {
  const Result<const sim::PolicyEntry*> mpc = sim::find_policy("mpc");
  Sweep sweep{json::array(), json::array()};
  if (!mpc) {
    return sweep;
  }
  std::vector<std::vector<sim::RunResult>> swept;  // one for each of `values`
  for (const double eps : values) {
    sim::ReplaySettings settings = job.settings;
    settings.policy.mpc.eps = eps;
    std::atomic<std::size_t> done{0};
    swept.push_back(sim::replay_all(job.inputs, job.devices, {*mpc}, settings, job.jobs, done));
  }
  for (const sim::ReplayDevice& device : job.devices) {
    json points = json::array();
    for (std::size_t i = 0; i < values.size(); ++i) {
      std::vector<sim::RunResult> here = on_device(runs, device.name, sim::kStockPolicy);
      const std::vector<sim::RunResult> ours = on_device(swept[i], device.name, (*mpc)->name);
      here.insert(here.end(), ours.begin(), ours.end());
      std::vector<sim::ScoredRun> scored = sim::score(here, job.bounds);
      std::erase_if(
          scored, [](const sim::ScoredRun& each) { return each.run.policy == sim::kStockPolicy; });
      for (const sim::RankedPolicy& ranked : sim::rank(scored)) {
        points.push_back({{"eps", values[i]},
                          {"energy", ranked.energy()},
                          {"miss_rate", ranked.miss_rate},
                          {"avoidable_rate", ranked.avoidable_rate}});
      }
      json results = sim::to_json(scored);
      for (json& run : results["runs"]) {
        run["eps"] = values[i];
        sweep.runs.push_back(std::move(run));
      }
    }
    sweep.curves.push_back({{"policy", "mpc"}, {"device", device.name}, {"points", points}});
  }
  return sweep;
}

Status write_json(const std::string& path, const json& results) {
  // File names, apps' names: whatever bytes the system has for them.
  return write_output(path, json_text(results) + '\n');
}

Status write_frames(const std::string& path, const SimJob& job) {
  UniqueFd file;
  if (path != "-") {
    FRAMEGOV_TRY(file, create_output(path));
  }
  Status written;
  const auto write = [&](std::string_view text) {
    if (path == "-") {
      std::cout << text;
    } else if (written) {
      written = write_all(file, path, text);
    }
  };
  write(sim::frames_csv_header());
  for (const sim::ReplayInput& input : job.inputs) {
    for (const sim::ReplayDevice& device : job.devices) {
      const sim::ReplayScene scene(input, device, job.settings.deadline, job.settings.world());
      sim::FullSpeed full_speed;
      for (const sim::PolicyEntry* policy : job.policies) {
        (void)sim::write_frames_csv(input, scene, *policy, job.settings, full_speed, write);
        FRAMEGOV_TRY_STATUS(written);
      }
    }
  }
  return written;
}

Result<json> read_loop(const std::string& path) {
  const auto is_side = [](const json& row, const char* side) {
    return row.contains(side) && row[side].is_object() &&
           std::ranges::all_of(kLoopFigures, [&](const char* figure) {
             return row[side].contains(figure) && row[side][figure].is_number();
           });
  };
  const auto is_row = [&](const json& row) {
    return row.is_object() && row.contains("scene") && row["scene"].is_string() &&
           row.contains("policy") && row["policy"].is_string() && is_side(row, "phone") &&
           is_side(row, "sim");
  };
  const auto wrong = [&](const std::string& what) {
    return fail(ExitCode::kBadInput, path + ": " + what, "name the loop.json of ./dev loop");
  };
  FRAMEGOV_TRY(const auto text, read_file(path, "name the loop.json of ./dev loop"));
  json loop = json::parse(text, nullptr, false);
  if (!loop.is_array()) {
    return wrong("not the JSON list that ./dev loop writes");
  }
  const auto bad = std::ranges::find_if_not(loop, is_row);
  if (bad != loop.end()) {
    return wrong("entry " + std::to_string(bad - loop.begin() + 1) +
                 " lacks a scene, a policy, or p50, p95 and miss_rate of phone and sim");
  }
  return loop;
}

Status write_report(const std::string& path, const SimJob& job,
                    const std::vector<sim::ScoredRun>& runs, const json& sweeps, const json& loop) {
  json data = sim::to_json(runs);
  data["meta"] =
      sim::results_meta(FRAMEGOV_VERSION, job.inputs, job.devices, job.policies, job.settings);
  data["rankings"] = rankings(job, runs);
  data["not_ranked"] = sim::not_ranked(runs);
  data["on_time"] = sim::kOnTime;
  data["sweeps"] = sweeps;
  data["timelines"] = timelines(job);
  if (!loop.is_null()) {
    data["loop"] = loop;
  }
  return write_output(path, sim::render_report(data));
}

}  // namespace framegov::cli
