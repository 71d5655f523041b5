// SPDX-License-Identifier: Apache-2.0
#include "config/load.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>

#include "base/file.h"
#include "base/yaml/load_yaml.h"
#include "config/map_reader.h"
#include "config/profile_reader.h"
#include "policy/policy_factory.h"

namespace framegov {

namespace embedded {
/// config/profiles/shipped.yaml, compiled in: a phone needs no further file to have them.
extern const std::string_view kShippedProfiles;
}  // namespace embedded

namespace {

constexpr std::uintmax_t kLargestFile = 1U << 20U;
constexpr std::size_t kMostFiles = 64;

/// What the kernel takes, less the byte that makes it abstract.
constexpr std::size_t kLongestSocketName = 107;

constexpr std::array<std::string_view, 4> kLogLevels = {"error", "warning", "info", "debug"};

/// A policy's own section.
void read_policy(MapReader map, const PolicyKind& kind, Settings& settings) {
  const auto from_ms = [](double ms) { return seconds_to_duration(ms / 1e3); };
  for (const PolicyParameter& each : kind.parameters) {
    const PolicyParameter::Place at = each.place(settings.policies);
    if (double* const* number = std::get_if<double*>(&at)) {
      map.number(each.name, each.low, each.high, **number);
    } else if (int* const* whole = std::get_if<int*>(&at)) {
      map.integer(each.name, static_cast<int>(each.low), static_cast<int>(each.high), **whole);
    } else {
      map.duration(each.name, from_ms(each.low), from_ms(each.high), *std::get<Duration*>(at));
    }
    if (map.has(each.name)) {
      settings.origins.parameters[{kind.name, each.name}] = map.origin(each.name);
    }
  }
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

void read_service(MapReader map, Settings& settings) {
  using std::chrono::milliseconds;
  using std::chrono::seconds;
  ServiceSettings& service = settings.service;
  map.path("cpu_root", service.cpu_root);
  map.path("proc_root", service.proc_root);
  map.path("sys_root", service.sys_root);
  map.path("state_dir", service.state_dir);
  map.path("profiles_dir", service.profiles_dir);
  map.path("log_file", service.log_file);
  std::string level(kLogLevels[static_cast<std::size_t>(service.log_level)]);
  map.text("log_level", {kLogLevels.begin(), kLogLevels.end()}, level);
  service.log_level = static_cast<LogLevel>(std::find(kLogLevels.begin(), kLogLevels.end(), level) -
                                            kLogLevels.begin());
  map.duration("fail_safe_after", milliseconds{100}, seconds{10}, service.fail_safe_after);
  map.paths("hwui_libraries", service.hwui_libraries);
  map.paths("gui_libraries", service.gui_libraries);
  map.paths("android_libraries", service.android_libraries);
  std::string source(kSourceChoices[static_cast<std::size_t>(service.source)]);
  map.text("source", {kSourceChoices.begin(), kSourceChoices.end()}, source);
  service.source = static_cast<SourceChoice>(
      std::find(kSourceChoices.begin(), kSourceChoices.end(), source) - kSourceChoices.begin());
  std::string foreground = service.foreground == ForegroundChoice::kAll ? "all" : "auto";
  map.text("foreground", {"auto", "all"}, foreground);
  service.foreground = foreground == "all" ? ForegroundChoice::kAll : ForegroundChoice::kAuto;
  map.paths("top_app_groups", service.top_app_groups);
  map.path("thermal_root", service.thermal_root);
  map.flag("thermal_ceilings", service.thermal_ceilings);
  map.path("dumpsys", service.dumpsys);
  map.path("settings_command", service.settings_command);
  map.path("getprop", service.getprop);
  read_record(map.child("record"), service.record);
  map.word("control_socket", kLongestSocketName, service.control_socket);
  map.flag("trace_marker", service.trace_marker);
  map.finish();
}

/// What a file may hold.
enum class Content : std::uint8_t { kEverything, kProfiles };

void read_settings(MapReader map, Content content, Settings& settings) {
  if (content == Content::kEverything) {
    map.text("policy", policy_names(), settings.policy);
    for (const PolicyKind& kind : policy_kinds()) {
      read_policy(map.child(kind.name), kind, settings);
    }
    read_service(map.child("service"), settings);
    read_jank_hook(map.child("jank_hook"), settings.jank_hook);
    if (map.has("policy")) {
      settings.origins.policy = map.origin("policy");
    }
  }
  read_profiles(map.child("profiles"), settings.profiles);
  map.finish();
}

/// Lays the text of a file over `settings`. What is wrong is added to `problems`, a line each.
void lay_over(Settings& settings, const std::string& yaml, const std::string& name, Content content,
              std::string& problems) {
  Problems found(name);
  try {
    if (const auto root = load_yaml(yaml)) {
      read_settings(MapReader(*root, "", found), content, settings);
    }
  } catch (const YAML::Exception& error) {
    found.add(error.mark, error.msg);
  }
  if (!found.empty()) {
    problems += (problems.empty() ? "" : "\n") + found.to_string();
  }
}

/// Read once: they are part of the program.
Settings built_in_settings(std::string& problems) {
  struct BuiltIn {
    BuiltIn() {
      lay_over(settings, std::string(embedded::kShippedProfiles), "shipped profiles",
               Content::kProfiles, problems);
    }
    Settings settings;
    std::string problems;
  };
  static const BuiltIn kBuiltIn;
  problems += kBuiltIn.problems;
  return kBuiltIn.settings;
}

/// The end of loading: names used in one file may stand in another.
Result<Settings> checked(Settings settings, std::string problems) {
  if (problems.empty()) {
    problems = reference_problems(settings.profiles);
  }
  if (!problems.empty()) {
    // One a line, and each was made printable; fail() would make one line of them.
    return tl::unexpected<Error>(Error{ExitCode::kBadInput, problems, {}});
  }
  return settings;
}

/// The files of the profiles folder in the order of their names; none without the folder. Names
/// that begin with a dot are editors' own.
Result<std::vector<std::filesystem::path>> profile_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const std::filesystem::path& path : entries_of(folder, error)) {
    if (path.extension() == ".yaml" && path.filename().string().front() != '.') {
      files.push_back(path);
    }
  }
  if (error && error != std::errc::no_such_file_or_directory) {
    return fail_input(error.value(), folder.string(), "the profiles folder must be readable");
  }
  if (files.size() > kMostFiles) {
    return fail(ExitCode::kBadInput,
                folder.string() + ": more than " + std::to_string(kMostFiles) + " files");
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

Result<std::string> read_small_file(const std::filesystem::path& path) {
  return read_file(path, "name a configuration file that is there; it is a few kilobytes",
                   kLargestFile);
}

std::filesystem::path config_or_usual(const std::string& given) {
  if (!given.empty()) {
    return given;
  }
  // One that nobody lets us look at is there too, and says so when it is read.
  const auto* const found =
      std::find_if(kUsualConfigs.begin(), kUsualConfigs.end(),
                   [](const char* file) { return ::access(file, F_OK) == 0 || errno == EACCES; });
  return found == kUsualConfigs.end() ? std::filesystem::path() : *found;
}

std::filesystem::path profiles_folder(const ServiceSettings& settings) {
  return settings.profiles_dir.empty() ? settings.state_dir / "profiles" : settings.profiles_dir;
}

Result<Settings> parse_settings(const std::string& yaml, const std::string& name) {
  std::string problems;
  Settings settings = built_in_settings(problems);
  lay_over(settings, yaml, name, Content::kEverything, problems);
  return checked(std::move(settings), std::move(problems));
}

Result<Settings> load_settings(const std::filesystem::path& path) {
  return load_settings(path, ProfileDraft{});
}

Result<ServiceSettings> parse_service_settings(const std::string& yaml, const std::string& name) {
  Settings settings;
  Problems problems(name);
  try {
    if (const auto document = load_yaml(yaml)) {
      MapReader map(*document, "", problems);
      read_service(map.child("service"), settings);
    }
  } catch (const YAML::Exception& error) {
    return fail(ExitCode::kBadInput,
                name + ":" + std::to_string(error.mark.line + 1) + ": " + error.msg);
  }
  return settings.service;
}

Result<Settings> load_settings(const std::filesystem::path& path, const ProfileDraft& draft,
                               const SettingsReader& read) {
  std::string problems;
  Settings settings = built_in_settings(problems);
  settings.file = path;
  const auto add = [&](const std::filesystem::path& file, Content content) -> Status {
    FRAMEGOV_TRY(auto text, read(file));
    lay_over(settings, text, file.string(), content, problems);
    return {};
  };
  if (!path.empty()) {
    FRAMEGOV_TRY_STATUS(add(path, Content::kEverything));
  }
  const std::filesystem::path folder = profiles_folder(settings.service);
  FRAMEGOV_TRY(auto more, profile_files(folder));
  const std::filesystem::path drafted = folder / draft.name;
  std::erase(more, drafted);
  if (draft.yaml) {
    more.insert(std::upper_bound(more.begin(), more.end(), drafted), drafted);
  }
  for (const std::filesystem::path& file : more) {
    if (draft.yaml && file == drafted) {
      lay_over(settings, *draft.yaml, file.string(), Content::kProfiles, problems);
    } else if (Status added = add(file, Content::kProfiles); !added) {
      return tl::unexpected(added.error());
    }
  }
  return checked(std::move(settings), std::move(problems));
}

}  // namespace framegov
