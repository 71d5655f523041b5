// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iomanip>
#include <string>

#include "sim/import/csv_columns.h"
#include "sim/import/csv_workload.h"

namespace framegov::sim {

namespace {

void write_stage(const StageLoad& stage, std::ostream& out) {
  out << ',' << static_cast<std::int64_t>(stage.work.count()) << ',' << stage.fixed.count() << ','
      << stage.cpu << ',' << stage.frequency.count() << ',' << stage.wait_ns << ','
      << static_cast<int>(stage.wait_after);
}

/// A name in a comma-separated line.
std::string plain(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == ',' || c == '\n' || c == '\r'; }, '_');
  return text;
}

}  // namespace

void write_workload_csv(const Workload& workload, std::ostream& out) {
  out << kCsvMagic << " 1\n";
  out << "# device = " << plain(workload.device) << '\n';
  out << "# interval_ns = " << workload.interval.count() << '\n';
  out << std::setprecision(12) << "# reference = " << plain(workload.reference.name) << ", "
      << workload.reference.max_frequency.count() << ", " << workload.reference.coremark_per_mhz
      << '\n';
  for (const WorkloadCluster& cluster : workload.clusters) {
    out << "# cluster = " << cluster.cpufreq_id << ", " << cluster.cpus << ", "
        << cluster.max_frequency.count() << ", " << cluster.relative_per_mhz << '\n';
  }
  if (!workload.knows_core_worth) {
    out << "# core_worth = unknown\n";
  }
  out << "[frames]\n";
  for (std::size_t i = 0; i < csv::kFrameColumns.size(); ++i) {
    out << (i == 0 ? "" : ",") << csv::kFrameColumns[i].name;
  }
  out << '\n';
  for (const WorkloadFrame& frame : workload.frames) {
    out << to_ns(frame.vsync) << ',' << to_ns(frame.deadline) << ',' << frame.interval.count()
        << ',' << (frame.app < workload.apps.size() ? plain(workload.apps[frame.app].name) : "");
    write_stage(frame.ui, out);
    write_stage(frame.render, out);
    out << ',' << frame.gpu.count() << ',' << to_ns(frame.start) << ',' << to_ns(frame.ui_done)
        << ',' << to_ns(frame.ready) << ',' << frame.jank << ','
        << static_cast<int>(frame.deadline_edge) << ',' << frame.pace.count() << ','
        << frame.compositor_ns << ',' << static_cast<int>(frame.taken_late) << ',' << frame.taken_ns
        << ',' << static_cast<int>(frame.timestamped) << '\n';
  }
  const OtherLoadSeries& other = workload.other;
  if (!other.loads.empty()) {
    out << "[other]\nat_ns,cluster,total_per_s,busiest_per_s\n" << std::setprecision(7);
    for (std::size_t i = 0; i < other.loads.size(); ++i) {
      const auto window = static_cast<std::int64_t>(i / other.clusters);
      out << to_ns(other.start + window * other.window) << ',' << i % other.clusters << ','
          << other.loads[i].total << ',' << other.loads[i].busiest << '\n';
    }
  }
  if (!workload.touches.empty()) {
    out << "[touches]\ndown_ns,up_ns\n";
    for (const Touch& touch : workload.touches) {
      out << to_ns(touch.down) << ',' << to_ns(touch.up) << '\n';
    }
  }
  if (!workload.frequencies.empty()) {
    out << "[frequencies]\nat_ns,cluster,khz\n";
    for (const FrequencyChange& change : workload.frequencies) {
      out << to_ns(change.at) << ',' << static_cast<int>(change.cluster) << ','
          << change.frequency.count() << '\n';
    }
  }
}

}  // namespace framegov::sim
