// SPDX-License-Identifier: Apache-2.0
#include "sim/import/import.h"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "base/cpu_list.h"
#include "base/json_text.h"
#include "base/output_file.h"
#include "cli/command.h"
#include "cli/option_values.h"
#include "cli/output_file.h"
#include "cli/progress_line.h"
#include "sim/import/csv_workload.h"

namespace framegov::cli {

namespace {

using OrderedJson = nlohmann::ordered_json;

struct ImportArguments {
  std::string trace;
  std::string csv;       ///< a folder
  std::string workload;  ///< a file, or "-"
  bool json = false;
  bool frames_only = false;
  bool partial = false;
  std::string recorded_on;
};

OrderedJson to_json(const sim::ImportedApp& app) {
  return {
      {"name", app.name},
      {"pid", app.pid},
      {"frames", app.frames},
      {"do_frame", app.do_frames},
      {"draw_frame", app.draw_frames},
      {"queue_buffer", app.queue_buffers},
      {"dequeue_buffer", app.dequeue_buffers},
      {"frame_timeline", {{"expected", app.timeline_expected}, {"actual", app.timeline_actual}}},
      {"jank_types", app.jank_types},
      {"jank_agreement",
       {{"labelled", app.labelled},
        {"platform_late", app.platform_late},
        {"late", app.late},
        {"agree", app.agree}}}};
}

OrderedJson to_json(const sim::ImportedCluster& cluster) {
  OrderedJson changes = OrderedJson::object();
  for (const auto& [khz, count] : cluster.changes) {
    changes[std::to_string(khz)] = count;
  }
  return {{"policy", cluster.cluster.cpufreq_id},
          {"cpus", cpu_list(cluster.cluster.cpus)},
          {"max_khz", cluster.cluster.max_frequency.count()},
          {"relative_per_mhz", cluster.cluster.relative_per_mhz},
          {"frequencies_khz", std::move(changes)}};
}

OrderedJson to_json(const sim::Imported& imported) {
  const sim::ImportReport& report = imported.report;
  OrderedJson json = {{"format", sim::format_name(report.format)},
                      {"device", report.device},
                      {"duration_s", report.duration_s},
                      {"refresh_hz", report.refresh_hz},
                      {"counts", report.counts},
                      {"clusters", OrderedJson::array()},
                      {"apps", OrderedJson::array()},
                      {"missing", report.missing},
                      {"notes", report.notes}};
  for (const sim::ImportedCluster& cluster : report.clusters) {
    json["clusters"].push_back(to_json(cluster));
  }
  for (const sim::ImportedApp& app : report.apps) {
    json["apps"].push_back(to_json(app));
  }
  if (imported.workload) {
    json["workload"] = {{"frames", imported.workload->frames.size()},
                        {"has_work", imported.workload->has_work},
                        {"knows_core_worth", imported.workload->knows_core_worth},
                        {"reference",
                         {{"core", imported.workload->reference.name},
                          {"max_khz", imported.workload->reference.max_frequency.count()},
                          {"coremark_per_mhz", imported.workload->reference.coremark_per_mhz}}},
                        {"touches", imported.workload->touches.size()}};
  } else {
    json["workload"] = nullptr;
    json["error"] = imported.no_workload->message;
  }
  return json;
}

void print_clusters(const sim::ImportReport& report) {
  for (const sim::ImportedCluster& cluster : report.clusters) {
    std::cout << "  policy" << cluster.cluster.cpufreq_id << "  cpus "
              << cpu_list(cluster.cluster.cpus) << "  top "
              << cluster.cluster.max_frequency.count() / 1000 << " MHz";
    if (!cluster.changes.empty()) {
      std::uint64_t changes = 0;
      for (const auto& [khz, count] : cluster.changes) {
        changes += count;
      }
      std::cout << "  seen " << cluster.changes.begin()->first / 1000 << " to "
                << cluster.changes.rbegin()->first / 1000 << " MHz, " << cluster.changes.size()
                << " frequencies, " << changes << " events";
    }
    std::cout << '\n';
  }
}

void print_app(const sim::ImportedApp& app) {
  std::cout << "  " << app.name << " (pid " << app.pid << "): " << app.frames << " frames; doFrame "
            << app.do_frames << ", DrawFrame " << app.draw_frames << ", queueBuffer "
            << app.queue_buffers << ", dequeueBuffer " << app.dequeue_buffers << ", FrameTimeline "
            << app.timeline_actual << " actual, " << app.timeline_expected << " expected\n";
  if (!app.jank_types.empty()) {
    std::cout << "    platform's jank types:";
    const char* separator = " ";
    for (const auto& [name, count] : app.jank_types) {
      std::cout << separator << name << ' ' << count;
      separator = ", ";
    }
    std::cout << '\n';
  }
  if (app.labelled != 0) {
    std::cout << "    shown late (app deadline missed or buffer stuffing): platform "
              << app.platform_late << ", ours " << app.late << ", they agree on " << app.agree
              << " of " << app.labelled << " frames\n";
  }
}

void print_report(const sim::Imported& imported) {
  const sim::ImportReport& report = imported.report;
  std::cout << sim::format_name(report.format) << ", device "
            << (report.device.empty() ? "unknown" : report.device) << '\n';
  char line[96];
  std::snprintf(line, sizeof(line), "%.2f s", report.duration_s);
  std::cout << line;
  if (report.refresh_hz > 0) {
    std::snprintf(line, sizeof(line), ", %.1f Hz", report.refresh_hz);
    std::cout << line;
  }
  std::cout << "\nevents:";
  for (const auto& [name, count] : report.counts) {
    if (count != 0) {
      std::cout << ' ' << name << ' ' << count;
    }
  }
  std::cout << "\nclusters:\n";
  print_clusters(report);
  std::cout << "apps:\n";
  for (const sim::ImportedApp& app : report.apps) {
    print_app(app);
  }
  for (const std::string& missing : report.missing) {
    std::cout << "missing: " << missing << '\n';
  }
  for (const std::string& note : report.notes) {
    std::cout << "note: " << note << '\n';
  }
  if (imported.workload) {
    std::cout << "workload: " << imported.workload->frames.size() << " frames"
              << (imported.workload->has_work ? "" : ", times only") << '\n';
    if (const Status energy = sim::require_energy(*imported.workload);
        imported.workload->has_work && !energy) {
      std::cout << "energy: " << energy.error().to_string() << '\n';
    }
  }
}

/// Can `folder` be filled with tables? Nothing is made or changed.
Status require_folder(const std::string& folder, const std::string& trace) {
  std::error_code error;
  if (folder.empty()) {
    return {};
  }
  if (std::filesystem::is_symlink(folder, error)) {
    FRAMEGOV_TRY_STATUS(check_output(folder));
  }
  if (!std::filesystem::exists(folder, error)) {
    return require_writable(folder);
  }
  if (!std::filesystem::is_directory(folder, error)) {
    return fail(ExitCode::kUsage, "--csv " + folder + ": not a folder",
                "name a folder for the tables; --workload FILE writes one file");
  }
  if (std::filesystem::equivalent(folder, trace, error)) {
    return fail(ExitCode::kUsage, "--csv would overwrite the input " + trace,
                "name another folder");
  }
  return {};
}

Status write_tables(const sim::Workload& workload, const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directory(folder, error);
  if (error) {
    return fail_errno(error.value(), folder + " cannot be made", "name a folder that can");
  }
  for (const sim::WorkloadTable& table : sim::workload_tables(workload)) {
    FRAMEGOV_TRY_STATUS(write_file(std::filesystem::path(folder) / table.file, table.text));
  }
  return {};
}

Status write_workload(const sim::Workload& workload, const ImportArguments& arguments) {
  if (!arguments.csv.empty()) {
    FRAMEGOV_TRY_STATUS(write_tables(workload, arguments.csv));
  }
  if (arguments.workload.empty()) {
    return {};
  }
  std::ostringstream csv;
  sim::write_workload_csv(workload, csv);
  return write_output(arguments.workload, csv.str());
}

void run_import(const ImportArguments& arguments, CommandResult& result) {
  const bool only_csv = arguments.workload == "-";
  if (only_csv && arguments.json) {
    report(result, {ExitCode::kUsage, "--json and --workload - would both print", "name a file"});
    return;
  }
  if (const Status writable =
          require_outputs({{"--workload", arguments.workload}}, {arguments.trace});
      !writable) {
    report(result, writable.error());
    return;
  }
  if (const Status writable = require_folder(arguments.csv, arguments.trace); !writable) {
    report(result, writable.error());
    return;
  }
  sim::ImportOptions options;
  options.frames_only = arguments.frames_only;
  options.partial = arguments.partial;
  options.recorded_on = arguments.recorded_on;
  const auto imported = [&] {
    ProgressLine line;
    options.on_progress = [&line](double part) { line.show("reading", part); };
    return sim::import_trace(arguments.trace, options);
  }();
  if (!imported) {
    report(result, imported.error());
    return;
  }
  if (only_csv) {
    // Standard output is the workload's.
  } else if (arguments.json) {
    std::cout << json_text(to_json(*imported)) << '\n';
  } else {
    print_report(*imported);
  }
  if (!imported->workload) {
    report(result, *imported->no_workload);  // described all the same, but nothing replays it
    return;
  }
  if (const Status written = write_workload(*imported->workload, arguments); !written) {
    report(result, written.error());
  }
}

}  // namespace

void register_import(CLI::App& app, CommandResult& result) {
  auto* command =
      app.add_subcommand("import", "Show what a recording holds and whether it can be replayed");
  auto arguments = std::make_shared<ImportArguments>();
  command
      ->add_option("TRACE", arguments->trace,
                   "Perfetto trace, ftrace text, systrace HTML, wipe-v2 JSON, workload CSV or a "
                   "framegov recording, plain or gzip; or a folder of --csv")
      ->required();
  command->add_flag("--json", arguments->json, "Print JSON");
  command->add_flag("--frames-only", arguments->frames_only,
                    "Take the frames' times where their work is not known");
  command->add_flag("--partial", arguments->partial,
                    "Of a damaged recording take what comes before the damage");
  command
      ->add_option("--recorded-on", arguments->recorded_on,
                   "SoC or device of a recording that does not tell its own, such as sm8250")
      ->type_name("NAME");
  command
      ->add_option("--csv", arguments->csv,
                   "Write the workload as tables into a folder: frames.csv and others "
                   "(docs/workload-csv.md)")
      ->check(file_name())
      ->type_name("DIR");
  command
      ->add_option("--workload", arguments->workload,
                   "Write it as one file; '-': to stdout, instead of the report")
      ->check(file_name())
      ->type_name("FILE");
  command->footer(
      "Examples:\n"
      "  framegov import scroll.perfetto-trace\n"
      "  framegov import --json systrace.html\n"
      "  framegov import --csv scroll scroll.perfetto-trace.gz\n"
      "  framegov import --workload - scroll.perfetto-trace | gzip > scroll.csv.gz\n"
      "Exits with 3 when the recording is damaged, has no frames or their work is not known.");
  command->callback([arguments, &result] { run_import(*arguments, result); });
}

}  // namespace framegov::cli
