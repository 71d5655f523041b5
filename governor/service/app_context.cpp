// SPDX-License-Identifier: Apache-2.0
#include "governor/service/app_context.h"

#include <algorithm>

namespace framegov {

ForegroundSettings foreground_settings(const ServiceSettings& settings) {
  ForegroundSettings foreground;
  foreground.proc_root = settings.proc_root;
  foreground.groups = settings.top_app_groups;
  foreground.activities = {settings.dumpsys.string(), "activity", "activities"};
  foreground.keyboard = {settings.settings_command.string(), "get", "secure",
                         "default_input_method"};
  return foreground;
}

AppContext::AppContext(const ServiceSettings& settings, const CpuTopology& topology, Log& log)
    : process_info_(settings.proc_root), meter_(topology, settings.cpu_root, find_cycle_events()) {
  if (settings.foreground == ForegroundChoice::kAll) {
    return;
  }
  auto tracker = ForegroundTracker::open(foreground_settings(settings), names_);
  if (tracker) {
    tracker_ = *std::move(tracker);
    log.info("app-tracker", "the app on top is known from " + tracker_->mechanism());
  } else {
    log.warning("no-app-tracker", tracker.error().to_string() + ": every app's frames count");
  }
}

bool AppContext::update(Instant now, FrameSource& source) {
  if (!tracker_ || !tracker_->update(now)) {
    return false;
  }
  narrow(source);
  return true;
}

AppContext::Owner AppContext::own(FrameEvent& event, Instant now, FrameSource& source) {
  const bool is_frame = event.kind == FrameEvent::Kind::kFrame;
  const Owner owner = is_frame ? owner_of(event.frame.pid, event.frame.app, now, source)
                               : owner_of(event.start.pid, event.start.app, now, source);
  if (owner == Owner::kOnTop) {
    is_frame ? meter_.on_frame(event.frame, now) : meter_.on_start(event.start, now);
  }
  return owner;
}

AppContext::Owner AppContext::owner_of(std::int32_t pid, AppId& app, Instant now,
                                       FrameSource& source) {
  if (!tracker_) {
    app = app_of_any(pid);
    return Owner::kOnTop;
  }
  if (tracker_->on_frame(pid, now)) {
    narrow(source);
  }
  app = tracker_->app_of(pid);
  if (app != AppId::kUnknown) {
    return Owner::kOnTop;
  }
  return tracker_->processes().empty() ? Owner::kUnknown : Owner::kOther;
}

bool AppContext::on_top(AppId app) const {
  return !tracker_ || std::any_of(tracker_->processes().begin(), tracker_->processes().end(),
                                  [app](const auto& process) { return process.app == app; });
}

AppId AppContext::app_of_any(std::int32_t pid) {
  const auto* const found = std::find_if(known_.begin(), known_.end(),
                                         [pid](const Known& known) { return known.pid == pid; });
  if (found != known_.end()) {
    return found->app;
  }
  Known fresh{pid, names_.add(process_info_.package(pid))};
  if (fresh.app == AppId::kUnknown) {
    fresh.app = AppId{static_cast<std::uint32_t>(pid)};  // nameless: an app of its own
  }
  if (!known_.try_push_back(fresh)) {
    known_[next_known_++ % known_.capacity()] = fresh;
  }
  return fresh.app;
}

void AppContext::narrow(FrameSource& source) const {
  StaticVector<std::int32_t, ForegroundTracker::kMostProcesses> pids;
  // Where changes do not announce themselves, another app's frames are what tells of one.
  if (tracker_->changes_announced()) {
    for (const ForegroundProcess& process : tracker_->processes()) {
      pids.push_back(process.pid);
    }
  }
  source.watch_only({pids.begin(), pids.size()});
}

}  // namespace framegov
