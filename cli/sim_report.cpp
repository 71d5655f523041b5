// SPDX-License-Identifier: Apache-2.0
#include "cli/sim_report.h"

#include <algorithm>
#include <atomic>
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
#include "sim/run/frame_table.h"

namespace framegov::cli {

namespace {

using nlohmann::json;

/// Timelines are for looking at: of one scene, under policies that do something.
json timelines(const SimJob& job) {
  json all = json::array();
  if (job.inputs.empty() || job.devices.empty()) {
    return all;
  }
  const sim::ReplayDevice& device = job.devices.front();
  const sim::ReplayScene scene(job.inputs.front(), device, job.settings.deadline,
                               job.settings.world());
  for (const sim::PolicyEntry* policy : job.policies) {
    sim::RunTimeline timeline(device.topology, device.tables.reference_hz * 1e-15);
    const sim::RunResult run = sim::replay(scene, *policy, job.settings, &timeline);
    all.push_back(timeline.take(run.input, run.device, run.policy));
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
                          {"energy", ranked.vs_strict > 0 ? ranked.vs_strict : ranked.vs_stock},
                          {"miss_rate", ranked.miss_rate}});
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

Status write_report(const std::string& path, const SimJob& job,
                    const std::vector<sim::ScoredRun>& runs, const json& sweeps,
                    const std::string& loop) {
  json data = sim::to_json(runs);
  data["world"] = sim::world_json(job.settings.world());
  data["sweeps"] = sweeps;
  data["timelines"] = timelines(job);
  if (!loop.empty()) {
    FRAMEGOV_TRY(const auto text, read_file(loop, "name a loop.json, as ./dev loop writes it"));
    data["loop"] = json::parse(text, nullptr, false);
    if (data["loop"].is_discarded() || !data["loop"].is_array()) {
      return fail(ExitCode::kBadInput, loop + ": not the JSON list that ./dev loop writes",
                  "name its loop.json");
    }
  }
  return write_output(path, sim::render_report(data));
}

}  // namespace framegov::cli
