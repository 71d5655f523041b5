// SPDX-License-Identifier: Apache-2.0
#include "governor/doctor/findings.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/file.h"
#include "base/monotonic_clock.h"
#include "governor/service/app_context.h"
#include "probes/context/child_command.h"
#include "probes/context/dumpsys_text.h"
#include "probes/context/foreground_tracker.h"
#include "probes/context/uprobe_owners.h"
#include "probes/sources/trace_leftovers.h"

namespace framegov {

namespace {

constexpr Duration kPatience = std::chrono::seconds{5};

/// Told in one line of the doctor.
struct ProbesOfOthers {
  const std::vector<std::string>& probed;  ///< the files that we probe
  std::string what;
  bool shared = false;  ///< one of them is among ours

  void add(const std::string& who, const std::string& file) {
    what += (what.empty() ? "" : ", ") + who + " (" + file + ")";
    shared = shared || std::find(probed.begin(), probed.end(), file) != probed.end();
  }
};

DoctorFinding refresh(const std::filesystem::path& dumpsys) {
  const auto unknown = [](std::string why) {
    return DoctorFinding{.id = "refresh",
                         .health = Health::kDegraded,
                         .what = "not known: " + std::move(why),
                         .meaning = "it will be learned from the first frames"};
  };
  if (::access(dumpsys.c_str(), X_OK) != 0) {
    return unknown(dumpsys.string() + ": there is no such command");
  }
  const auto text = run_command({dumpsys.string(), "SurfaceFlinger"}, kPatience);
  if (!text) {
    return unknown(text.error().to_string());
  }
  const auto interval = refresh_interval(*text);
  if (!interval) {
    return unknown(dumpsys.string() + " SurfaceFlinger prints it in an unknown form");
  }
  std::array<char, 48> rate{};
  std::snprintf(rate.data(), rate.size(), "%.2f Hz (%.3f ms)", 1 / to_seconds(*interval),
                to_ms(*interval));
  return {.id = "refresh", .health = Health::kOk, .what = rate.data()};
}

DoctorFinding foreground(const ServiceSettings& settings) {
  constexpr const char* kAll = "every app's frames count, on top or not";
  if (settings.foreground == ForegroundChoice::kAll) {
    return {.id = "foreground",
            .health = Health::kOk,
            .what = "service.foreground is all",
            .meaning = kAll};
  }
  AppNames names;
  auto tracker = ForegroundTracker::open(foreground_settings(settings), names);
  if (!tracker) {
    return {.id = "foreground",
            .health = Health::kDegraded,
            .what = tracker.error().to_string(),
            .meaning = kAll};
  }
  // A frame of no process makes it look.
  (void)(*tracker)->on_frame(0, monotonic_now());
  for (const Instant end = monotonic_now() + kPatience;
       (*tracker)->asking() && monotonic_now() < end;) {
    constexpr int kLookMs = 100;
    pollfd answer{(*tracker)->fd(), POLLIN, 0};
    ::poll(&answer, 1, kLookMs);
    (void)(*tracker)->update(monotonic_now());
  }
  std::string apps;
  for (const ForegroundProcess& process : (*tracker)->processes()) {
    apps += (apps.empty() ? "" : ", ") + std::string(names.name(process.app));
  }
  const std::string known = ", known from " + (*tracker)->mechanism();
  if (apps.empty()) {
    return {.id = "foreground",
            .health = Health::kOk,
            .what = "no app on top" + known,
            .meaning = "nothing is governed right now"};
  }
  return {.id = "foreground", .health = Health::kOk, .what = apps + known};
}

/// False when tracefs cannot be read.
bool add_tracefs_uprobes(const std::filesystem::path& tracefs, const std::filesystem::path& proc,
                         ProbesOfOthers& others) {
  const auto text = read_file(tracefs / "uprobe_events", {});
  if (tracefs.empty() || !text) {
    return false;
  }
  for (const TracefsUprobe& uprobe : parse_uprobe_events(*text)) {
    if (!is_a_services(uprobe.event, proc)) {
      others.add("tracefs " + uprobe.event, uprobe.file);
    }
  }
  return true;
}

void add_bpf_uprobes(const std::filesystem::path& proc, ProbesOfOthers& others) {
  for (const BpfUprobe& uprobe : bpf_uprobes(proc)) {
    if (uprobe.process != "framegovd" && uprobe.pid != ::getpid()) {
      others.add("BPF of " + uprobe.process + ", process " + std::to_string(uprobe.pid),
                 uprobe.file);
    }
  }
}

DoctorFinding others(const ServiceSettings& settings, const std::filesystem::path& tracefs,
                     const std::vector<std::string>& probed) {
  ProbesOfOthers others{probed, {}};
  const bool tracefs_known = add_tracefs_uprobes(tracefs, settings.proc_root, others);
  add_bpf_uprobes(settings.proc_root, others);
  if (others.shared) {
    return {.id = "others",
            .health = Health::kDegraded,
            .what = "uprobes of others: " + others.what,
            .meaning = "each hit of theirs costs the app's frames time",
            .action =
                "stop the process that is named; a tracefs event goes by a line -:group/name in "
                "uprobe_events"};
  }
  return {.id = "others",
          .health = Health::kOk,
          .what = (others.what.empty() ? "no other program probes"
                                       : "uprobes of others: " + others.what) +
                  (tracefs_known ? "" : "; through tracefs not known: no uprobe_events to read")};
}

}  // namespace

std::vector<DoctorFinding> examine_phone(const ServiceSettings& settings,
                                         const std::filesystem::path& tracefs,
                                         const std::vector<std::string>& probed) {
  return {refresh(settings.dumpsys), foreground(settings), others(settings, tracefs, probed)};
}

}  // namespace framegov
