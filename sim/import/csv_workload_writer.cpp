// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <iomanip>
#include <sstream>
#include <string>
#include <utility>

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

void write_frame_rows(const Workload& workload, std::ostream& out) {
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
}

void write_other_rows(const Workload& workload, std::ostream& out) {
  const OtherLoadSeries& other = workload.other;
  out << csv::kOtherHeader << '\n' << std::setprecision(7);
  for (std::size_t i = 0; i < other.loads.size(); ++i) {
    const auto window = static_cast<std::int64_t>(i / other.clusters);
    out << to_ns(other.start + window * other.window) << ',' << i % other.clusters << ','
        << other.loads[i].total << ',' << other.loads[i].busiest << '\n';
  }
}

void write_touch_rows(const Workload& workload, std::ostream& out) {
  out << csv::kTouchHeader << '\n';
  for (const Touch& touch : workload.touches) {
    out << to_ns(touch.down) << ',' << to_ns(touch.up) << '\n';
  }
}

void write_boost_rows(const Workload& workload, std::ostream& out) {
  out << csv::kBoostHeader << '\n';
  for (const VendorBoost& boost : workload.boosts) {
    out << to_ns(boost.from) << ',' << to_ns(boost.until) << '\n';
  }
}

void write_frequency_rows(const Workload& workload, std::ostream& out) {
  out << csv::kFrequencyHeader << '\n';
  for (const FrequencyChange& change : workload.frequencies) {
    out << to_ns(change.at) << ',' << static_cast<int>(change.cluster) << ','
        << change.frequency.count() << '\n';
  }
}

/// The fields of a cluster, as kClusterHeader names them.
void write_cluster(const WorkloadCluster& cluster, const char* separator, std::ostream& out) {
  out << cluster.cpufreq_id << separator << cluster.cpus << separator
      << cluster.max_frequency.count() << separator << cluster.relative_per_mhz << '\n';
}

void write_device_rows(const Workload& workload, std::ostream& out) {
  out << csv::kDeviceHeader << '\n'
      << std::setprecision(12) << plain(workload.device) << ',' << workload.interval.count() << ','
      << plain(workload.reference.name) << ',' << workload.reference.max_frequency.count() << ','
      << workload.reference.coremark_per_mhz << ',' << (workload.knows_core_worth ? 1 : 0) << '\n';
}

void write_cluster_rows(const Workload& workload, std::ostream& out) {
  out << csv::kClusterHeader << '\n' << std::setprecision(12);
  for (const WorkloadCluster& cluster : workload.clusters) {
    write_cluster(cluster, ",", out);
  }
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
    out << "# cluster = ";
    write_cluster(cluster, ", ", out);
  }
  if (!workload.knows_core_worth) {
    out << "# core_worth = unknown\n";
  }
  out << "[frames]\n";
  write_frame_rows(workload, out);
  if (!workload.other.loads.empty()) {
    out << "[other]\n";
    write_other_rows(workload, out);
  }
  if (!workload.touches.empty()) {
    out << "[touches]\n";
    write_touch_rows(workload, out);
  }
  if (!workload.boosts.empty()) {
    out << "[boosts]\n";
    write_boost_rows(workload, out);
  }
  if (!workload.frequencies.empty()) {
    out << "[frequencies]\n";
    write_frequency_rows(workload, out);
  }
}

std::vector<WorkloadTable> workload_tables(const Workload& workload) {
  using Write = void (*)(const Workload&, std::ostream&);
  constexpr std::array<std::pair<std::string_view, Write>, 7> kTables{
      {{csv::kDeviceTable, write_device_rows},
       {csv::kClusterTable, write_cluster_rows},
       {csv::kFrameTable, write_frame_rows},
       {csv::kOtherTable, write_other_rows},
       {csv::kTouchTable, write_touch_rows},
       {csv::kBoostTable, write_boost_rows},
       {csv::kFrequencyTable, write_frequency_rows}}};
  std::vector<WorkloadTable> tables;
  for (const auto& [file, write] : kTables) {
    std::ostringstream text;
    write(workload, text);
    tables.push_back({std::string(file), text.str()});
  }
  return tables;
}

}  // namespace framegov::sim
