// SPDX-License-Identifier: Apache-2.0
#include "governor/doctor/doctor.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <optional>
#include <utility>

#include "base/file.h"
#include "base/unique_fd.h"
#include "governor/confinement/file_access.h"
#include "governor/control/control_protocol.h"
#include "governor/control/control_socket.h"
#include "governor/doctor/findings.h"
#include "governor/profiles/owner_switches.h"
#include "governor/startup/source_factory.h"
#include "governor/state/state_dir.h"
#include "governor/supervisor/boot_guard.h"
#include "probes/context/kernel_findings.h"

namespace framegov {

namespace {

namespace fs = std::filesystem;

DoctorFinding state(const fs::path& dir) {
  struct stat status {};
  if (::lstat(dir.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode) && status.st_uid == ::geteuid()) {
      return {.id = "state", .health = Health::kOk, .what = dir.string(), .needed = true};
    }
    return {.id = "state",
            .health = Health::kMissing,
            .what = dir.string() + ": no folder of this user",
            .meaning = "limits could not be put back after a crash",
            .action = "remove it",
            .needed = true};
  }
  if (::access(dir.parent_path().c_str(), W_OK) == 0) {
    return {.id = "state",
            .health = Health::kOk,
            .what = dir.string() + ": made at the first start",
            .needed = true};
  }
  return {.id = "state",
          .health = Health::kMissing,
          .what = dir.string() + ": cannot be made",
          .meaning = "limits could not be put back after a crash",
          .action = "service.state_dir in the configuration names it",
          .needed = true};
}

bool is_running(const fs::path& state_dir) {
  const UniqueFd lock = open_file(state_dir / "lock", O_RDONLY | O_NOFOLLOW);
  return lock && ::flock(lock.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

/// Error: it has ended early too often, and is not started any more.
Status may_start(const fs::path& state_dir) {
  std::error_code error;
  if (!fs::exists(state_dir, error)) {
    return {};  // opening would make it
  }
  const auto dir = StateDir::open(state_dir);
  return dir ? BootGuard(*dir).check() : Status{};
}

DoctorFinding service(const fs::path& state_dir, bool running) {
  if (!running) {
    const Status allowed = may_start(state_dir);
    return {.id = "service",
            .health = Health::kDegraded,
            .what = allowed ? "framegovd is not running" : allowed.error().message,
            .meaning = "nothing is governed",
            .action = allowed ? "restart the phone; its log and last_words in " +
                                    state_dir.string() + " say why it has ended"
                              : allowed.error().hint};
  }
  return {.id = "service",
          .health = Health::kOk,
          .what = "framegovd is running (process " + first_line(state_dir / "lock") + ")"};
}

/// Nothing where governing goes on, or where the switches cannot be read: the service then takes
/// none for granted either.
std::optional<DoctorFinding> pause(const fs::path& state_dir) {
  std::error_code error;
  if (!fs::exists(state_dir / OwnerSwitches::kFile, error)) {
    return std::nullopt;
  }
  const auto dir = StateDir::open(state_dir);
  const auto switches =
      dir ? OwnerSwitches::read(*dir) : Result<OwnerSwitches>(tl::unexpected(dir.error()));
  const bool on = switches && switches->pause() && is_on(*switches->pause(), std::time(nullptr));
  return on ? std::optional(DoctorFinding{.id = "pause",
                                          .health = Health::kDegraded,
                                          .what = "governing is " + words_of(*switches->pause()),
                                          .meaning = "every app is left alone",
                                          .action = "framegov resume ends it"})
            : std::nullopt;
}

/// What keeps a service that was taken over from doing harm.
DoctorFinding confinement() {
  const bool filters = ::prctl(PR_GET_SECCOMP, 0, 0, 0, 0) >= 0;
  const long landlock = landlock_version();
  const std::string what =
      std::string(filters ? "system call filters" : "no system call filters") +
      (landlock > 0 ? ", Landlock version " + std::to_string(landlock) : ", no Landlock");
  return filters && landlock > 0
             ? DoctorFinding{.id = "confinement", .health = Health::kOk, .what = what}
             : DoctorFinding{.id = "confinement",
                             .health = Health::kDegraded,
                             .what = what,
                             .meaning = "framegovd is confined less than it could be",
                             .action = "nothing to do: newer kernels have both (docs/security.md)"};
}

/// Ok where nobody listens: the service is told of by its own finding.
DoctorFinding control(const ServiceSettings& settings) {
  const std::string& name = settings.control_socket;
  const auto holder = name == "none" ? std::nullopt : holder_of(plain_socket_name(name));
  if (!holder || holder->uid == 0 || holder->uid == ::geteuid()) {
    return {
        .id = "control", .health = Health::kOk, .what = "the control socket's name is framegovd's"};
  }
  return {.id = "control",
          .health = Health::kDegraded,
          .what = "@" + std::string(plain_socket_name(name)) + " is held by process " +
                  std::to_string(holder->pid) + " of user " + std::to_string(holder->uid),
          .meaning = "framegovd is reached by " + (settings.state_dir / kControlFile).string() +
                     " until the name is free",
          .action = "end or uninstall that program; service.control_socket gives another name"};
}

}  // namespace

DoctorReport examine(const ServiceSettings& settings) {
  const PlanInput input = survey_sources(settings);
  DoctorReport report;
  report.findings = examine_kernel(input.kernel);
  const auto add = [&](DoctorFinding finding) { report.findings.push_back(std::move(finding)); };
  for (DoctorFinding& finding : examine_sources(input)) {
    add(std::move(finding));
  }
  const bool running = is_running(settings.state_dir);
  for (DoctorFinding& finding : examine_cpufreq(settings, running)) {
    add(std::move(finding));
  }
  if (auto power = examine_power(settings, phone_power_sources(settings.state_dir))) {
    add(*std::move(power));
  }
  add(examine_threads(settings));
  for (DoctorFinding& finding :
       examine_phone(settings, input.kernel.tracefs, {input.hwui.library, input.gui.library})) {
    add(std::move(finding));
  }
  for (DoctorFinding& finding : examine_engines(settings)) {
    add(std::move(finding));
  }
  add(state(settings.state_dir));
  add(service(settings.state_dir, running));
  if (auto paused = pause(settings.state_dir)) {
    add(*std::move(paused));
  }
  add(control(settings));
  add(confinement());
  report.can_govern =
      std::none_of(report.findings.begin(), report.findings.end(),
                   [](const DoctorFinding& f) { return f.needed && f.health == Health::kMissing; });
  return report;
}

}  // namespace framegov
