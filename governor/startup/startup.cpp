// SPDX-License-Identifier: Apache-2.0
#include "governor/startup/startup.h"

#include <ctime>
#include <optional>
#include <utility>

#include "base/monotonic_clock.h"
#include "config/load.h"
#include "governor/cpufreq/cpufreq_tree.h"
#include "governor/cpufreq/recovery.h"
#include "governor/cpufreq/saved_limits.h"
#include "governor/cpufreq/topology_reader.h"
#include "governor/engines/engine_switches.h"
#include "governor/observers/jank_hook.h"
#include "governor/observers/recorder.h"
#include "governor/observers/trace_marker.h"
#include "governor/profiles/owner_switches.h"
#include "governor/service/library_watch.h"
#include "governor/service/thermal_guard.h"
#include "governor/state/state_dir.h"
#include "governor/threads/saved_threads.h"
#include "governor/threads/thread_actuator.h"
#include "governor/threads/thread_recovery.h"
#include "policy/policy_factory.h"
#include "probes/context/kernel_features.h"
#include "probes/sources/trace_leftovers.h"

namespace framegov {

namespace {

/// The tree, and the state folder that is ours alone, when nothing of an earlier service is left.
struct CleanGround {
  CpufreqTree tree;
  StateDir state_dir;
  std::string boot_id;
};

Result<CleanGround> clear_ground(const ServiceSettings& settings, Log& log) {
  FRAMEGOV_TRY(auto tree, CpufreqTree::open(settings.cpu_root));
  FRAMEGOV_TRY(auto state_dir, StateDir::open(settings.state_dir));
  const auto holder = state_dir.lock();
  if (holder && !holder->is_this_process) {
    const std::string& id = holder->other_id;
    return fail(ExitCode::kFailure,
                "framegovd is already running" + (id.empty() ? "" : " (process " + id + ")"),
                "stop it first");
  }
  // A full disk or a damaged file is no reason to leave a phone capped.
  std::string boot_id = read_boot_id(settings.proc_root);
  // A calibration has come after the service, which puts all back before one begins.
  const auto calibration_recovered = recover_calibration(tree, state_dir, boot_id, log);
  const auto recovered = recover_limits(tree, state_dir, boot_id, log);
  const auto threads = make_thread_kernel(settings.proc_root, settings.cpu_root);
  const auto threads_recovered = recover_threads(*threads, state_dir, boot_id, log);
  remove_dead_probes(settings, log);
  FRAMEGOV_TRY_STATUS(calibration_recovered);
  FRAMEGOV_TRY_STATUS(recovered);
  FRAMEGOV_TRY_STATUS(threads_recovered);
  FRAMEGOV_TRY_STATUS(holder);
  return CleanGround{std::move(tree), std::move(state_dir), std::move(boot_id)};
}

/// "framegovd (process 812) is paused by hand since 14:02"; nothing: none runs, or it is not
/// paused.
Result<std::optional<std::string>> find_paused_service(const ServiceSettings& settings) {
  FRAMEGOV_TRY(auto state_dir, StateDir::open(settings.state_dir));
  const auto switches = OwnerSwitches::read(state_dir);
  if (!switches || !switches->pause() || !is_on(*switches->pause(), std::time(nullptr))) {
    return std::nullopt;
  }
  FRAMEGOV_TRY(const auto holder, state_dir.lock());
  if (holder.is_this_process) {
    return std::nullopt;
  }
  return "framegovd" + (holder.other_id.empty() ? "" : " (process " + holder.other_id + ")") +
         " is " + words_of(*switches->pause());
}

/// Beside a service that is paused: it leaves the limits to others, so that what a killed
/// calibration left is ours to put back. `who`: find_paused_service().
Status restore_beside(const std::string& who, const ServiceSettings& settings, Log& log) {
  FRAMEGOV_TRY(const auto tree, CpufreqTree::open(settings.cpu_root));
  FRAMEGOV_TRY(const auto state_dir, StateDir::open(settings.state_dir));
  if (state_dir.is_claimed(kCalibrationLock)) {
    return fail(ExitCode::kFailure, who + ", and framegov calibrate measures",
                "end framegov calibrate: it puts all limits back");
  }
  FRAMEGOV_TRY_STATUS(recover_calibration(tree, state_dir, read_boot_id(settings.proc_root), log));
  FRAMEGOV_TRY(const auto saved, state_dir.read_file(kSavedLimitsFile));
  if (saved) {
    return fail(ExitCode::kFailure, who + ", but has not put its limits back",
                "stop framegovd, then run framegovd --restore again");
  }
  log.info("paused-restored",
           who + ": its limits are put back, and nothing else is left to restore");
  return {};
}

std::vector<std::filesystem::path> probed_libraries(const ServiceSettings& settings) {
  std::vector<std::filesystem::path> files = settings.hwui_libraries;
  files.insert(files.end(), settings.gui_libraries.begin(), settings.gui_libraries.end());
  files.insert(files.end(), settings.android_libraries.begin(), settings.android_libraries.end());
  return files;
}

/// Null where the kernel cannot tell: then a replaced library is found at the next start only.
std::unique_ptr<LibraryWatch> watch_libraries(const ServiceSettings& settings, Log& log) {
  auto watch = LibraryWatch::open(probed_libraries(settings));
  if (!watch) {
    log.warning("library-unwatched",
                watch.error().to_string() + ": a replaced library is not noticed");
    return nullptr;
  }
  return *std::move(watch);
}

using Observers = std::vector<std::unique_ptr<ServiceObserver>>;

Result<Observers> make_observers(const Settings& settings, const CpuTopology& topology, Log& log) {
  Observers observers;
  if (!settings.jank_hook.command.empty()) {
    observers.push_back(std::make_unique<JankHook>(settings.jank_hook, log));
  }
  if (settings.service.trace_marker) {
    auto marker = TraceMarker::open(
        detect_kernel_features({settings.service.proc_root, "/sys"}).tracefs, topology);
    // A trace that cannot be written is no reason not to govern.
    marker ? observers.push_back(*std::move(marker))
           : log.warning("no-trace-marker", marker.error().to_string());
  }
  const RecordSettings& record = settings.service.record;
  if (!record.file.empty()) {
    FRAMEGOV_TRY(auto recorder, Recorder::open({record.file, record.max_bytes, {}}, device_name(),
                                               topology, monotonic_now()));
    observers.push_back(std::move(recorder));
  }
  return observers;
}

Result<std::unique_ptr<ProfileControl>> make_profiles(const Settings& settings,
                                                      const CpuTopology& topology, bool all_cpus,
                                                      SourceKind source, Log& log) {
  FRAMEGOV_TRY(auto state_dir, StateDir::open(settings.service.state_dir));
  FRAMEGOV_TRY(auto for_learned, StateDir::open(settings.service.state_dir));
  FRAMEGOV_TRY(auto watch, ConfigWatch::open(settings.file, profiles_folder(settings.service)));
  return std::make_unique<ProfileControl>(
      ProfileParts{settings, topology, source, OwnerSwitches::load(state_dir, log),
                   std::move(watch),
                   LearnedApps::load(std::move(for_learned), topology, all_cpus, log)},
      log);
}

/// Null where the owner does not want it.
std::unique_ptr<ThermalGuard> make_thermal_guard(const ServiceSettings& settings,
                                                 const CpuTopology& topology, Log& log) {
  return settings.thermal_ceilings
             ? std::make_unique<ThermalGuard>(
                   ThermalSources{settings.thermal_root,
                                  {settings.dumpsys.string(), "thermalservice"}},
                   topology, log)
             : nullptr;
}

/// Null where no plan of the policy steers threads.
Result<std::unique_ptr<ThreadActuator>> make_thread_actuator(const ServiceSettings& settings,
                                                             const CpuTopology& topology,
                                                             const Policy& policy,
                                                             std::string boot_id, Log& log) {
  if (!policy.steers_threads()) {
    return nullptr;
  }
  FRAMEGOV_TRY(auto state_dir, StateDir::open(settings.state_dir));
  auto kernel = make_thread_kernel(settings.proc_root, settings.cpu_root);
  ThreadMeans means = find_thread_means(*kernel, *start_trial_thread(settings.cpu_root), topology);
  means.levers.headroom = clamp_headroom(running_kernel());
  log.info("thread-means", "threads: " + means.words);
  return std::make_unique<ThreadActuator>(std::move(kernel), std::move(means), topology,
                                          std::move(state_dir), std::move(boot_id), log);
}

}  // namespace

Result<std::unique_ptr<Service>> start_service(const Settings& settings,
                                               const SourceMaker& make_source, Log& log) {
  FRAMEGOV_TRY(auto ground, clear_ground(settings.service, log));
  const bool calibration_runs = ground.state_dir.is_claimed(kCalibrationLock);
  FRAMEGOV_TRY(auto reading,
               read_topology(ground.tree, phone_power_sources(settings.service.state_dir)));
  for (const std::string& note : reading.notes) {
    log.info("cpufreq-note", note);
  }
  FRAMEGOV_TRY(auto policy, make_policy(settings.policy, reading.topology, settings.policies));
  std::unique_ptr<LibraryWatch> libraries = watch_libraries(settings.service, log);
  FRAMEGOV_TRY(auto source, make_source(settings.service, reading.topology));
  const bool all_cpus = ground.tree.left_out().empty();
  FRAMEGOV_TRY(auto threads, make_thread_actuator(settings.service, reading.topology, *policy,
                                                  ground.boot_id, log));
  FRAMEGOV_TRY(auto actuator,
               Actuator::create(std::move(ground.tree), reading.topology,
                                std::move(ground.state_dir), std::move(ground.boot_id), log));
  actuator->look_for_writers_in(settings.service.proc_root);
  if (calibration_runs) {
    FRAMEGOV_TRY_STATUS(actuator->stand_aside());
  }
  FRAMEGOV_TRY(auto observers, make_observers(settings, reading.topology, log));
  FRAMEGOV_TRY(auto profiles,
               make_profiles(settings, reading.topology, all_cpus, source->kind(), log));
  auto owned_feed = std::make_unique<ControlFeed>(reading.topology, monotonic_now, reading.power);
  ControlFeed* const feed = owned_feed.get();
  observers.push_back(std::move(owned_feed));
  log.info("governing", "governing " + std::to_string(reading.topology.clusters.size()) +
                            " clusters with policy " + std::string(policy->name()));
  return Service::create(
      {reading.topology, std::move(source), std::move(policy), std::move(actuator),
       settings.service.fail_safe_after,
       std::make_unique<AppContext>(settings.service, reading.topology, log), std::move(observers),
       std::move(libraries), std::move(profiles), feed,
       make_thermal_guard(settings.service, reading.topology, log), std::move(threads)},
      log);
}

Status restore_only(const ServiceSettings& settings, Log& log) {
  if (const auto paused = find_paused_service(settings); paused && *paused) {
    return restore_beside(**paused, settings, log);
  }
  FRAMEGOV_TRY_STATUS(clear_ground(settings, log));
  return {};
}

Status restore_engines(const ServiceSettings& settings, Log& log) {
  FRAMEGOV_TRY(auto state_dir, StateDir::open(settings.state_dir));
  const auto holder = state_dir.lock();
  return holder && !holder->is_this_process ? Status{} : recover_engines(settings, log);
}

void remove_dead_probes(const ServiceSettings& settings, Log& log) {
  const std::filesystem::path tracefs = find_tracefs(settings.proc_root);
  if (tracefs.empty()) {
    return;
  }
  if (remove_trace_leftovers(tracefs, settings.proc_root, probed_libraries(settings)) > 0) {
    log.info("old-probes-gone",
             "an earlier service did not end by itself: its probes in tracefs are gone");
  }
}

bool find_owed_limits(const ServiceSettings& settings) {
  auto state_dir = StateDir::open(settings.state_dir);
  if (!state_dir) {
    return false;
  }
  if (const auto holder = state_dir->lock(); holder && !holder->is_this_process) {
    return false;
  }
  if (!state_dir->is_claimed(kCalibrationLock)) {
    const auto calibration = state_dir->read_file(kCalibrationLimitsFile);
    if (!calibration || *calibration) {
      return true;
    }
  }
  const auto limits = state_dir->read_file(kSavedLimitsFile);
  const auto threads = state_dir->read_file(kSavedThreadsFile);
  return !limits || *limits || !threads || (*threads && !(*threads)->empty());
}

}  // namespace framegov
