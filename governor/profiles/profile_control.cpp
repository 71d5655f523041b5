// SPDX-License-Identifier: Apache-2.0
#include "governor/profiles/profile_control.h"

#include <sys/epoll.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "base/unknown_name.h"
#include "governor/state/trusted_file.h"
#include "policy/policy_factory.h"

namespace framegov {

namespace {

/// What is learned in this time may be lost to a killed service.
constexpr Duration kSaveEvery = std::chrono::minutes{10};

PhoneStateSettings phone_state_settings(const ServiceSettings& settings) {
  return {{settings.settings_command.string(), "get", "global", "low_power"},
          {settings.dumpsys.string(), "deviceidle", "get", "screen"}};
}

}  // namespace

std::string chosen_mode(const Settings& settings, const OwnerSwitches& switches,
                        std::string_view package) {
  const Profiles& profiles = settings.profiles;
  const auto* entry = package.empty() ? nullptr : find_app(profiles, package);
  const std::string_view own =
      entry != nullptr && entry->second.mode ? entry->second.mode->value : std::string_view{};
  // A mode chosen by hand may have gone from the configuration since.
  for (const std::string_view name :
       {switches.app_mode(package), own, std::string_view(switches.mode())}) {
    if (profiles.modes.contains(name)) {
      return std::string(name);
    }
  }
  return profiles.mode.value;
}

EffectiveProfile switched_profile(const Settings& settings, const OwnerSwitches& switches,
                                  std::string_view mode, std::string_view package) {
  EffectiveProfile profile = effective_profile(settings, mode, package);
  if (const auto on = switches.app(package)) {
    profile.enabled = {*on, "switched by hand"};
  }
  if (switches.pause()) {
    profile.enabled = {false, "paused by hand"};
  }
  return profile;
}

ProfileControl::ProfileControl(ProfileParts parts, Log& log)
    : parts_(std::move(parts)),
      log_(log),
      phone_(phone_state_settings(parts_.settings.service)),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
  watch(parts_.watch.fd());
  watch(phone_.fd());
  watch(pause_end_.fd());
  wait_for_the_pause_to_end();
}

void ProfileControl::wait_for_the_pause_to_end() {
  const auto& pause = parts_.switches.pause();
  pause_end_.set(pause ? pause->until : 0);
}

void ProfileControl::watch(int fd) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = fd;
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0) {
    log_.warning(
        "profiles-unwatched",
        "changes of profiles take effect with SIGHUP only: no descriptor to wait for them");
  }
}

bool ProfileControl::update() {
  if (parts_.watch.changed()) {
    reload();
  }
  take_phone_state();
  if (pause_end_.has_come()) {
    log_.info("pause-over", "the pause is over: apps are governed again");
    hold(*parts_.switches.with_pause(std::nullopt));
  }
  if (stale_) {
    std::for_each(built_.begin(), built_.end(), [this](const Built& each) { keep_learned(each); });
    built_ = {};
  }
  return std::exchange(stale_, false);
}

void ProfileControl::on_frame(Instant now, bool app_changed) {
  const ModeConditions& when = parts_.settings.profiles.when;
  if (phone_.on_frame({.now = now,
                       .app_changed = app_changed,
                       .wants_saver = when.battery_saver.has_value(),
                       .wants_screen = when.screen_off.has_value()})) {
    on_phone_state();
  }
}

void ProfileControl::take_phone_state() {
  if (const std::string problem = phone_.take_problem(); !problem.empty()) {
    log_.warning("phone-state-unknown", "the phone's state does not choose a mode: " + problem);
  }
  if (phone_.update()) {
    on_phone_state();
  }
}

void ProfileControl::on_phone_state() {
  stale_ = true;
  log_.info("mode-by-phone", "mode " + mode() + ": battery saver is " +
                                 (phone_.battery_saver() ? "on" : "off") + ", the screen is " +
                                 (phone_.screen_off() ? "off" : "on"));
}

void ProfileControl::reload() {
  auto loaded = load_trusted_settings(parts_.settings.file);
  if (!loaded) {
    problem_ = loaded.error().to_string();
    log_.error("settings-wrong", "the settings on the disk have mistakes; those in force stay:");
    std::istringstream lines(problem_);
    for (std::string line; std::getline(lines, line);) {
      log_.error("settings-wrong", "  " + line);
    }
    return;
  }
  problem_.clear();
  Settings& settings = parts_.settings;
  const bool restart =
      loaded->service != settings.service || loaded->jank_hook != settings.jank_hook;
  // These were used at the start: what is in force is what they were then.
  loaded->service = settings.service;
  loaded->jank_hook = settings.jank_hook;
  settings = *std::move(loaded);
  stale_ = true;
  log_.info("settings-read",
            "settings read again: mode " + mode() + ", " +
                std::to_string(settings.profiles.apps.size()) + " entries for apps" +
                (restart ? "; sections service and jank_hook take effect at the next start" : ""));
}

std::string ProfileControl::mode(std::string_view package) const {
  const ModeConditions& when = parts_.settings.profiles.when;
  if (when.screen_off && phone_.screen_off()) {
    return when.screen_off->value;
  }
  if (when.battery_saver && phone_.battery_saver()) {
    return when.battery_saver->value;
  }
  return chosen_mode(parts_.settings, parts_.switches, package);
}

std::vector<std::string> ProfileControl::modes() const {
  std::vector<std::string> names;
  for (const auto& [name, mode] : parts_.settings.profiles.modes) {
    names.push_back(name);
  }
  return names;
}

EffectiveProfile ProfileControl::profile(std::string_view package) const {
  return switched_profile(parts_.settings, parts_.switches, mode(package), package);
}

Status ProfileControl::mode_problem(std::string_view name) const {
  if (name.empty() || parts_.settings.profiles.modes.contains(name)) {
    return {};
  }
  const std::vector<std::string> there = modes();
  return fail_unknown(ExitCode::kBadInput, "mode", name, {there.begin(), there.end()});
}

Result<OwnerSwitches> ProfileControl::with_mode(std::string_view name) const {
  FRAMEGOV_TRY_STATUS(mode_problem(name));
  return parts_.switches.with_mode(name);
}

Result<OwnerSwitches> ProfileControl::with_app_mode(const std::string& package,
                                                    std::string_view mode) const {
  FRAMEGOV_TRY_STATUS(mode_problem(mode));
  return parts_.switches.with_app_mode(package, mode);
}

void ProfileControl::hold(OwnerSwitches switches) {
  if (switches.pause() != parts_.switches.pause()) {
    switches.pause() ? log_.info("paused", "paused by hand: every app is left alone")
                     : log_.info("resumed", "resumed");
  }
  parts_.switches = std::move(switches);
  wait_for_the_pause_to_end();
  stale_ = true;
}

Policy& ProfileControl::policy_for(AppId app, std::string_view package) {
  auto* known = std::find_if(built_.begin(), built_.end(), [app](const Built& built) {
    return built.policy != nullptr && built.app == app;
  });
  if (known == built_.end()) {
    known = &built_.at(next_);
    next_ = (next_ + 1) % kKept;
    keep_learned(*known);
    *known = {app, std::string(package), build(package)};
  }
  return *known->policy;
}

std::unique_ptr<Policy> ProfileControl::build(std::string_view package) const {
  const EffectiveProfile held = profile(package);
  const bool seen_as_wanted = suits(held.source.value, parts_.source);
  if (!seen_as_wanted) {
    log_.info("app-uncapped",
              held.package + " is left uncapped: its profile (" + held.source.origin +
                  ") says source: " + std::string(to_string(held.source.value)) +
                  ", and frames come from " + std::string(source_name(parts_.source)));
  }
  if (!held.enabled.value || !seen_as_wanted) {
    return std::make_unique<UncappedPolicy>(parts_.topology.clusters.size());
  }
  auto policy =
      make_policy(held.policy.value, parts_.topology, policy_settings(held, parts_.settings));
  if (!policy) {
    log_.error("policy-failed", policy.error().to_string() + ": the app is left uncapped");
    return std::make_unique<UncappedPolicy>(parts_.topology.clusters.size());
  }
  if (const auto learned = parts_.learned.recall(package, held.policy.value)) {
    (*policy)->recall(*learned);
  }
  return std::make_unique<BoundedPolicy>(*std::move(policy), policy_bounds(held, parts_.topology));
}

void ProfileControl::keep_learned(const Built& built) {
  const auto learned = built.policy != nullptr ? built.policy->learned() : std::nullopt;
  if (learned) {
    parts_.learned.keep(built.package, built.policy->name(), *learned);
  }
}

void ProfileControl::on_still(Instant now) {
  if (!is_known(saved_at_) || now - saved_at_ >= kSaveEvery) {
    saved_at_ = now;
    save_learned();
  }
}

void ProfileControl::save_learned() {
  std::for_each(built_.begin(), built_.end(), [this](const Built& each) { keep_learned(each); });
  if (const Status saved = parts_.learned.save(); !saved) {
    log_.warning("learned-unsaved", "what was learned is not kept: " + saved.error().to_string());
  }
}

}  // namespace framegov
