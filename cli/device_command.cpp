// SPDX-License-Identifier: Apache-2.0
#include <iomanip>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/json_text.h"
#include "cli/command.h"
#include "cli/output_file.h"
#include "sim/devices/device_catalog.h"
#include "sim/devices/device_difference.h"
#include "sim/devices/device_import.h"

namespace framegov::cli {

namespace {

struct DeviceArguments {
  std::string directory;
  std::string name;
  sim::DeviceImport import;
  std::string output;
  std::string file;
  std::string against;
  bool json = false;
};

nlohmann::ordered_json to_json(const sim::DeviceModel& device, bool with_opps) {
  nlohmann::ordered_json json = {{"name", device.name}, {"model", device.model}};
  for (const sim::DeviceCluster& cluster : device.clusters) {
    nlohmann::ordered_json each = {{"policy", cluster.cpufreq_id},
                                   {"cpus", cluster.cpu_count()},
                                   {"core", cluster.core},
                                   {"max_khz", cluster.opps.back().frequency.count()}};
    for (const sim::DeviceOpp& opp : cluster.opps) {
      if (with_opps) {
        each["opps"].push_back({{"khz", opp.frequency.count()},
                                {"capacity", opp.capacity},
                                {"active_mw", opp.active.count()},
                                {"static_mw", opp.static_power.count()},
                                {"idle_mw", opp.idle.count()}});
      }
    }
    json["clusters"].push_back(std::move(each));
  }
  return json;
}

Status list(const DeviceArguments& arguments) {
  FRAMEGOV_TRY(const sim::DeviceCatalog catalog, sim::DeviceCatalog::load(arguments.directory));
  if (arguments.json) {
    auto json = nlohmann::ordered_json::array();
    for (const sim::DeviceModel& device : catalog.devices()) {
      json.push_back(to_json(device, false));
    }
    std::cout << json_text(json) << '\n';
    return {};
  }
  for (const sim::DeviceModel& device : catalog.devices()) {
    std::cout << std::left << std::setw(14) << device.name << std::setw(48) << device.model;
    for (const sim::DeviceCluster& cluster : device.clusters) {
      std::cout << cluster.cpu_count() << 'x' << cluster.core << "@"
                << cluster.opps.back().frequency.count() / 1000 << ' ';
    }
    std::cout << '\n';
  }
  return {};
}

Status show(const DeviceArguments& arguments) {
  FRAMEGOV_TRY(const sim::DeviceCatalog catalog, sim::DeviceCatalog::load(arguments.directory));
  FRAMEGOV_TRY(const sim::DeviceModel* const found, catalog.find(arguments.name));
  const sim::DeviceModel& device = *found;
  if (arguments.json) {
    std::cout << json_text(to_json(device, true)) << '\n';
    return {};
  }
  std::cout << device.name << ": " << device.model << '\n' << std::fixed;
  for (const sim::DeviceCluster& cluster : device.clusters) {
    std::cout << "\npolicy" << cluster.cpufreq_id << ": " << cluster.cpu_count() << " x "
              << cluster.core << ", transition " << cluster.transition_latency.count() / 1000
              << " us, idle residency " << cluster.idle_state.min_residency.count() / 1000
              << " us\n"
              << "       MHz  capacity  active mW  static mW  idle mW  mJ/Mcycle\n";
    for (const sim::DeviceOpp& opp : cluster.opps) {
      const double speed = device.reference_speed().count() * opp.capacity / 1024;
      const double per_mcycle = opp.busy().count() / speed * 1e6;
      std::cout << std::setprecision(0) << std::setw(10)
                << static_cast<double>(opp.frequency.count()) / 1e3 << std::setw(10) << opp.capacity
                << std::setprecision(1) << std::setw(11) << opp.active.count() << std::setw(11)
                << opp.static_power.count() << std::setw(9) << opp.idle.count()
                << std::setprecision(3) << std::setw(11) << per_mcycle << '\n';
    }
  }
  if (device.rail) {
    std::cout << "\nthe rail of policy" << device.clusters[device.rail->cluster].cpufreq_id
              << " has " << device.rail->shared_mw.size() << " levels that others raise\n";
  }
  return {};
}

Status import(const DeviceArguments& arguments) {
  FRAMEGOV_TRY(const std::string yaml, sim::import_device(arguments.import));
  return write_output(arguments.output.empty() ? "-" : arguments.output, yaml);
}

void print_differences(const std::vector<sim::OppDifference>& all) {
  int policy = -1;
  std::cout << std::fixed;
  for (const sim::OppDifference& each : all) {
    if (std::exchange(policy, each.cpufreq_id) != each.cpufreq_id) {
      std::cout << "\npolicy" << policy << ": one busy CPU\n"
                << "       MHz   this mW  other mW  difference\n";
    }
    std::cout << std::setprecision(0) << std::setw(10)
              << static_cast<double>(each.frequency.count()) / 1e3 << std::setprecision(1)
              << std::setw(10) << each.busy.count() << std::setw(10) << each.other.count()
              << std::showpos << std::setw(10) << 100 * each.relative() << std::noshowpos << " %"
              << (each.within_interval.value_or(false) ? "  within the interval\n" : "\n");
  }
}

nlohmann::ordered_json to_json(const std::vector<sim::OppDifference>& all) {
  auto json = nlohmann::ordered_json::array();
  for (const sim::OppDifference& each : all) {
    nlohmann::ordered_json row = {{"policy", each.cpufreq_id},
                                  {"khz", each.frequency.count()},
                                  {"busy_mw", each.busy.count()},
                                  {"other_mw", each.other.count()},
                                  {"difference", each.relative()}};
    row["within_interval"] = nullptr;
    if (each.within_interval) {
      row["within_interval"] = *each.within_interval;
    }
    json.push_back(std::move(row));
  }
  return json;
}

/// A file beside the phone that it may be of: how far apart they are.
Status check_file(const DeviceArguments& arguments) {
  FRAMEGOV_TRY(const std::string yaml,
               read_file(arguments.file, "framegov calibrate writes a device file"));
  FRAMEGOV_TRY(const sim::DeviceModel device, sim::parse_device(yaml, arguments.file));
  FRAMEGOV_TRY(const auto intervals, sim::busy_intervals(yaml, arguments.file, device));
  FRAMEGOV_TRY(const sim::DeviceCatalog catalog, sim::DeviceCatalog::load(arguments.directory));
  const sim::DeviceModel* other = sim::most_alike(device, catalog.devices());
  if (!arguments.against.empty()) {
    FRAMEGOV_TRY(other, catalog.find(arguments.against));
  }
  const auto all = other == nullptr ? std::vector<sim::OppDifference>{}
                                    : sim::differences(device, intervals, *other);
  if (other != nullptr && all.empty()) {
    return fail(
        ExitCode::kBadInput,
        arguments.file + ": " + other->name + " shares neither CPUs nor frequencies with it",
        "framegov device list shows the others");
  }
  if (arguments.json) {
    nlohmann::ordered_json json = {{"name", device.name}, {"other", nullptr}};
    if (other != nullptr) {
      json["other"] = other->name;
      json["median_difference"] = sim::median_difference(all);
      json["opps"] = to_json(all);
    }
    std::cout << json_text(json) << '\n';
    return {};
  }
  std::cout << arguments.file << ": a device file, " << device.name << '\n';
  if (other == nullptr) {
    std::cout << "no phone that is known has its clusters: --against NAME compares with one\n";
    return {};
  }
  std::cout << "compared with " << other->name << " (" << other->model << ")\n";
  print_differences(all);
  std::cout << std::setprecision(1) << "\nmedian difference " << 100 * sim::median_difference(all)
            << " % over " << all.size() << " OPPs\n";
  return {};
}

using Action = Status (*)(const DeviceArguments&);

void run(Action action, const std::shared_ptr<DeviceArguments>& arguments, CLI::App* command,
         CommandResult& result) {
  command->callback([action, arguments, &result] {
    if (const Status done = action(*arguments); !done) {
      report(result, done.error());
    }
  });
}

}  // namespace

void register_device(CLI::App& app, CommandResult& result) {
  auto arguments = std::make_shared<DeviceArguments>();
  auto* command = app.add_subcommand("device", "The phones that can be simulated");
  command->require_subcommand(1);
  command->footer(
      "Examples:\n"
      "  framegov device list\n"
      "  framegov device show tensor_g1\n"
      "  framegov device import --name my_phone --sysfs DUMP --freqbench results.csv > "
      "my_phone.yaml\n"
      "  framegov device check my_phone.yaml --against tensor_g1\n"
      "docs/devices.md says how to add a phone.");
  auto* list_command = command->add_subcommand("list", "List the phones");
  run(list, arguments, list_command, result);

  auto* show_command = command->add_subcommand("show", "Show one phone with its OPPs");
  show_command->add_option("NAME", arguments->name, "Name or alias")->required();
  run(show, arguments, show_command, result);
  auto* check_command =
      command->add_subcommand("check", "Check a device file and compare it with a known phone");
  check_command->add_option("FILE", arguments->file, "The device file")->required();
  check_command
      ->add_option("--against", arguments->against,
                   "The phone to compare with; without it the most alike")
      ->type_name("NAME");
  run(check_file, arguments, check_command, result);
  for (CLI::App* each : {list_command, show_command, check_command}) {
    each->add_flag("--json", arguments->json, "Print JSON");
  }
  for (CLI::App* each : {command, list_command, show_command, check_command}) {
    each->add_option("--device-dir", arguments->directory, "A folder of further device files")
        ->type_name("DIR");
  }

  auto* import_command =
      command->add_subcommand("import", "Make a device file from a phone's sysfs and freqbench");
  import_command->add_option("--name", arguments->import.name, "Name of the device")->required();
  import_command
      ->add_option("--sysfs", arguments->import.sysfs,
                   "A copy of /sys/devices/system/cpu (or a folder that holds it)")
      ->type_name("DIR")
      ->required();
  import_command
      ->add_option("--freqbench", arguments->import.freqbench,
                   "CSV with columns cpu, freq_khz, coremark_iter_s, power_mw")
      ->type_name("FILE")
      ->required();
  import_command->add_option("--soc", arguments->import.soc,
                             "Rows of this soc only, where there are several");
  import_command->add_option("--run", arguments->import.run, "Rows of this run only, likewise");
  import_command->add_option("-o,--output", arguments->output, "File, or '-' for stdout")
      ->type_name("FILE");
  run(import, arguments, import_command, result);
}

}  // namespace framegov::cli
