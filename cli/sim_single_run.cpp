// SPDX-License-Identifier: Apache-2.0
#include "cli/sim_single_run.h"

#include <iostream>
#include <limits>

#include "sim/run/frame_explainer.h"
#include "sim/run/run_trace.h"
#include "trace/packet_sinks.h"

namespace framegov::cli {

namespace {

Status only_one(const SimJob& job, const std::string& option) {
  if (job.inputs.size() == 1 && job.devices.size() == 1 && job.policies.size() == 1) {
    return {};
  }
  return fail(ExitCode::kUsage, option + " takes one run",
              "name one input, one --device and one --policy");
}

sim::RunResult run_one(const SimJob& job, sim::PlantObserver& observer) {
  const sim::ReplayScene scene(job.inputs.front(), job.devices.front(), job.settings.deadline,
                               job.settings.world());
  return sim::replay(scene, *job.policies.front(), job.settings, &observer);
}

}  // namespace

Status write_perfetto(const std::string& path, const SimJob& job) {
  if (Status one = only_one(job, "--perfetto"); !one) {
    return one;
  }
  if (path == "-") {
    return fail(ExitCode::kUsage, "--perfetto does not write to the standard output",
                "name a file");
  }
  Result<TraceFile> file = TraceFile::create(path, std::numeric_limits<std::uint64_t>::max());
  if (!file) {
    return tl::unexpected(file.error());
  }
  TraceWriter writer([&](std::string_view packet) { return file->write(packet); });
  const sim::ReplayDevice& device = job.devices.front();
  sim::RunTrace trace(device.tables, device.topology, writer, device.name, job.inputs.front().name);
  (void)run_one(job, trace);
  return file->flush();
}

Status explain_frame(std::uint64_t frame, const SimJob& job) {
  if (Status one = only_one(job, "--explain"); !one) {
    return one;
  }
  sim::FrameExplainer explainer(job.devices.front().topology, frame);
  const sim::RunResult run = run_one(job, explainer);
  const std::optional<std::string> text = explainer.text();
  if (!text && run.totals.frames == 0) {
    return fail(ExitCode::kUsage, "--explain: no frame in this run", "take a longer input");
  }
  if (!text) {
    return fail(ExitCode::kUsage, "--explain: no frame " + std::to_string(frame) + " in this run",
                "it has frames 0 to " + std::to_string(run.totals.frames - 1));
  }
  std::cout << run.input << " on " << run.device << " under " << run.policy << " in the "
            << run.world << " world: " << *text;
  return {};
}

}  // namespace framegov::cli
