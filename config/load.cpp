// SPDX-License-Identifier: Apache-2.0
#include "config/load.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>

#include "config/map_reader.h"
#include "policy/policy_factory.h"

namespace framegov {

namespace {

constexpr std::uintmax_t kLargestFile = 1U << 20U;

/// What the kernel takes, less the byte that makes it abstract.
constexpr std::size_t kLongestSocketName = 107;

constexpr std::array<std::string_view, 4> kLogLevels = {"error", "warning", "info", "debug"};

void read_pid(MapReader map, PidSettings& pid) {
  map.number("margin", 0, 0.5, pid.margin);
  map.number("proportional_gain", 0, 2, pid.proportional_gain);
  map.number("integral_gain", 0.01, 2, pid.integral_gain);
  map.number("derivative_gain", 0, 2, pid.derivative_gain);
  map.number("envelope_rise", 0.01, 1, pid.envelope_rise);
  map.number("envelope_decay", 0.001, 1, pid.envelope_decay);
  map.number("escalate_after", 0, 1, pid.escalate_after);
  map.number("cap_headroom", 1, 4, pid.cap_headroom);
  map.integer("still_after_intervals", 2, 120, pid.still_after_intervals);
  map.number("background_floor", 0, 1, pid.background_floor);
  map.number("ui_share", 0.1, 1, pid.ui_share);
  map.finish();
}

void read_record(MapReader map, RecordSettings& record) {
  constexpr int kMostMiB = 4096;
  int mib = static_cast<int>(record.max_bytes >> 20U);
  map.path("file", record.file);
  map.integer("max_mib", 1, kMostMiB, mib);
  record.max_bytes = static_cast<std::uint64_t>(mib) << 20U;
  map.finish();
}

void read_jank_hook(MapReader map, JankHookSettings& hook) {
  using std::chrono::milliseconds;
  using std::chrono::seconds;
  map.duration("threshold", milliseconds{0}, seconds{10}, hook.threshold);
  map.command("command", hook.command);
  map.duration("at_most_every", milliseconds{10}, seconds{3600}, hook.at_most_every);
  map.duration("timeout", milliseconds{100}, seconds{600}, hook.timeout);
  map.finish();
}

void read_mpc(MapReader map, MpcSettings& mpc) {
  using std::chrono::milliseconds;
  map.number("eps", 0.0001, 0.2, mpc.eps);
  map.integer("parts", 1, 4, mpc.parts);
  map.duration("latency", Duration::zero(), milliseconds{10}, mpc.latency);
  map.duration("reserve", Duration::zero(), milliseconds{10}, mpc.reserve);
  map.integer("still_after_intervals", 2, 120, mpc.still_after_intervals);
  map.number("background_floor", 0, 1, mpc.background_floor);
  map.finish();
}

void read_service(MapReader map, ServiceSettings& service) {
  using std::chrono::milliseconds;
  using std::chrono::seconds;
  map.path("cpu_root", service.cpu_root);
  map.path("proc_root", service.proc_root);
  map.path("state_dir", service.state_dir);
  map.path("log_file", service.log_file);
  std::string level(kLogLevels[static_cast<std::size_t>(service.log_level)]);
  map.text("log_level", {kLogLevels.begin(), kLogLevels.end()}, level);
  service.log_level = static_cast<LogLevel>(std::find(kLogLevels.begin(), kLogLevels.end(), level) -
                                            kLogLevels.begin());
  map.duration("fail_safe_after", milliseconds{100}, seconds{10}, service.fail_safe_after);
  map.paths("hwui_libraries", service.hwui_libraries);
  map.paths("gui_libraries", service.gui_libraries);
  std::string source(kSourceChoices[static_cast<std::size_t>(service.source)]);
  map.text("source", {kSourceChoices.begin(), kSourceChoices.end()}, source);
  service.source = static_cast<SourceChoice>(
      std::find(kSourceChoices.begin(), kSourceChoices.end(), source) - kSourceChoices.begin());
  std::string foreground = service.foreground == ForegroundChoice::kAll ? "all" : "auto";
  map.text("foreground", {"auto", "all"}, foreground);
  service.foreground = foreground == "all" ? ForegroundChoice::kAll : ForegroundChoice::kAuto;
  map.paths("top_app_groups", service.top_app_groups);
  map.path("dumpsys", service.dumpsys);
  map.path("settings_command", service.settings_command);
  read_record(map.child("record"), service.record);
  map.word("control_socket", kLongestSocketName, service.control_socket);
  std::string marker = service.trace_marker ? "true" : "false";
  map.text("trace_marker", {"false", "true"}, marker);
  service.trace_marker = marker == "true";
  map.finish();
}

void read_settings(MapReader map, Settings& settings) {
  const auto policies = policy_names();
  map.text("policy", {policies.begin(), policies.end()}, settings.policy);
  read_pid(map.child("pid"), settings.policies.pid);
  read_mpc(map.child("mpc"), settings.policies.mpc);
  read_service(map.child("service"), settings.service);
  read_jank_hook(map.child("jank_hook"), settings.jank_hook);
  map.finish();
}

}  // namespace

Result<Settings> parse_settings(const std::string& yaml, const std::string& name) {
  Problems problems(name);
  Settings settings;
  try {
    const std::vector<YAML::Node> documents = YAML::LoadAll(yaml);
    if (documents.size() > 1) {
      problems.add(documents[1].Mark(), "only one YAML document is expected");
    }
    if (!documents.empty()) {
      read_settings(MapReader(documents[0], "", problems), settings);
    }
  } catch (const YAML::Exception& error) {
    problems.add(error.mark, error.msg);
  }
  if (!problems.empty()) {
    return fail(ExitCode::kBadInput, problems.to_string());
  }
  return settings;
}

Result<Settings> load_settings(const std::filesystem::path& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) {
    return fail(ExitCode::kBadInput, path.string() + ": " + error.message(),
                "name an existing YAML file");
  }
  if (size > kLargestFile) {
    return fail(ExitCode::kBadInput, path.string() + ": larger than 1 MiB",
                "a configuration file is a few kilobytes; is this the right file?");
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return fail(ExitCode::kBadInput, path.string() + ": cannot be read");
  }
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return parse_settings(text, path.string());
}

}  // namespace framegov
