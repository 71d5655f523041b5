// SPDX-License-Identifier: Apache-2.0
#include "governor/control/control_desk.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <nlohmann/json.hpp>
#include <vector>

#include "governor/control/control_json.h"
#include "governor/control/control_protocol.h"
#include "governor/control/minute_json.h"
#include "governor/control/process_facts.h"
#include "probes/context/app_names.h"
#include "probes/sources/source_choice.h"

namespace framegov {

namespace {

using Json = nlohmann::json;

/// What the statistics of frames look back.
constexpr Duration kWindow = std::chrono::seconds{2};

template <class Numbered>
auto values(const std::vector<Numbered>& numbered) {
  std::vector<decltype(Numbered::value)> plain;
  plain.reserve(numbered.size());
  for (const Numbered& each : numbered) {
    plain.push_back(each.value);
  }
  return plain;
}

}  // namespace

std::string day_of(std::int64_t unix_seconds) {
  const auto time = static_cast<std::time_t>(unix_seconds);
  std::tm parts{};
  ::gmtime_r(&time, &parts);
  std::array<char, 16> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d", &parts);
  return text.data();
}

ControlDesk::ControlDesk(ControlFacts facts, const ControlFeed& feed, const LogLines& log,
                         UsageHistory history, OwnerActions owner)
    : facts_(std::move(facts)),
      feed_(feed),
      log_(log),
      history_(std::move(history)),
      owner_(std::move(owner)) {}

Json ControlDesk::hello() const {
  Json commands = Json::array();
  for (const std::string_view name : kCommandNames) {
    commands.push_back(name);
  }
  return {{"service", "framegovd"},
          {"version", facts_.version},
          {"protocol", kProtocolVersion},
          {"commands", commands}};
}

Json ControlDesk::clusters(const ServiceSnapshot& snapshot) const {
  Json clusters = clusters_json(snapshot, feed_.topology());
  if (!tree_) {
    return clusters;
  }
  for (std::size_t i = 0; i < clusters.size(); ++i) {
    for (const ClusterDir& dir : tree_->clusters()) {
      if (dir.id != feed_.topology().clusters[i].cpufreq_id) {
        continue;
      }
      const auto text = tree_->read(dir.path + "/scaling_cur_freq");
      const auto numbers = text ? parse_numbers(*text) : std::vector<std::int64_t>{};
      if (!numbers.empty()) {
        clusters[i]["current_khz"] = numbers.front();
      }
    }
  }
  return clusters;
}

std::optional<GpuReading> ControlDesk::read_gpu(Instant now) const {
  return gpu_ ? gpu_->read() : gpu_work_ ? gpu_work_->read(now) : std::nullopt;
}

std::optional<FrameKind> ControlDesk::frame_kind(const ServiceSnapshot& snapshot,
                                                 std::span<const FrameRecord> frames) const {
  const AppId app = app_id_of(snapshot.app.view());
  const auto newest = std::find_if(frames.rbegin(), frames.rend(),
                                   [app](const FrameRecord& each) { return each.app == app; });
  return proc_.empty() || newest == frames.rend() ? std::nullopt
                                                  : frame_kind_in(proc_, newest->thread);
}

std::vector<SecondRecord> ControlDesk::last_minute(Instant now) const {
  std::vector<SecondRecord> seconds = values(feed_.seconds().last(ControlFeed::kSeconds));
  if (const auto open = feed_.open_second().read();
      open && open->frames > 0 && (seconds.empty() || seconds.back().begin < open->begin)) {
    seconds.push_back(*open);
  }
  std::erase_if(seconds, [now](const SecondRecord& second) {
    return now - second.begin > std::chrono::seconds{60};
  });
  return seconds;
}

Json ControlDesk::status_with_seconds(Instant now) const {
  Json status = this->status(now);
  status["seconds"] = seconds_json(last_minute(now), feed_.topology());
  return status;
}

Json ControlDesk::status(Instant now) const {
  const ServiceSnapshot snapshot = feed_.snapshot().read().value_or(ServiceSnapshot{});
  const auto frames = values(feed_.frames().last(ControlFeed::kFrames));
  const auto decisions = feed_.decisions().last(1);
  const FrameStatistics statistics = frame_statistics(frames, now, kWindow);
  Json status = {{"version", facts_.version},
                 {"policy", snapshot.policy.view()},
                 {"mode", snapshot.mode.view()},
                 {"app_mode", snapshot.app_mode.view()},
                 {"app_enabled", snapshot.app_enabled},
                 {"paused", snapshot.paused ? to_json(snapshot.pause) : Json()},
                 {"source", source_name(snapshot.source)},
                 {"app", snapshot.app.view()},
                 {"now_ns", to_ns(now)},
                 {"uptime_s", to_seconds(now - facts_.started)},
                 {"frames", to_json(statistics)},
                 {"minute", minute_json(last_minute(now), feed_.topology())},
                 {"clusters", clusters(snapshot)},
                 {"thermal", to_string(snapshot.thermal)},
                 {"totals", to_json(snapshot.totals)},
                 {"misses", snapshot.misses},
                 {"energy_mj", snapshot.energy.count()},
                 {"reactions", to_json(snapshot.reactions)},
                 {"process", process_facts()}};
  if (const auto kind = frame_kind(snapshot, frames)) {
    status["frame_kind"] = name_of(*kind);
  }
  if (const auto gpu = read_gpu(now)) {
    status["gpu"] = gpu_json(*gpu);
  }
  if (statistics.gpu_time > Duration{}) {
    status["gpu_frames"] = gpu_frames_json(statistics);
  }
  if (!facts_.thread_means.empty()) {
    status["threads"] = {{"means", facts_.thread_means},
                         {"writes", snapshot.totals.threads.writes},
                         {"given_up", snapshot.totals.threads.given_up}};
  }
  if (const PowerKnowledge& power = feed_.power(); !power.words.empty()) {
    status["power"] = {{"model", name_of(power.model)}, {"soc", power.soc}, {"why", power.words}};
  }
  if (!socket_file_.empty()) {
    status["socket_file"] = socket_file_;
  }
  if (!name_taken_.empty()) {
    status["socket_name_taken"] = name_taken_;
  }
  if (!decisions.empty()) {
    status["decision"] = to_json(decisions.back().value, feed_.topology());
  }
  return status;
}

void ControlDesk::on_sockets(const ControlListeners& listeners) {
  name_taken_ = listeners.has_name() ? std::string() : listeners.name();
  socket_file_ = listeners.file();
}

Json ControlDesk::explain(std::string_view app, std::size_t most, Instant now) const {
  Json list = Json::array();
  const auto decisions = feed_.decisions().last(ControlFeed::kDecisions);
  for (auto it = decisions.rbegin(); it != decisions.rend() && list.size() < most; ++it) {
    if (app.empty() || it->value.app.view() == app) {
      list.insert(list.begin(), to_json(it->value, feed_.topology()));
    }
  }
  return {{"now_ns", to_ns(now)}, {"decisions", list}};
}

void ControlDesk::collect(std::string_view today) {
  for (const auto& slice : feed_.usage().since(slices_taken_)) {
    slices_lost_ += slice.number - slices_taken_;
    slices_taken_ = slice.number + 1;
    history_.add(today, slice.value.app.view(),
                 {slice.value.frames, slice.value.misses, slice.value.energy});
  }
}

Status ControlDesk::store(std::string_view today) {
  collect(today);
  return history_.save();
}

Json ControlDesk::history(std::string_view today) {
  collect(today);
  Json rows = Json::array();
  for (const auto& [key, usage] : history_.days()) {
    rows.push_back({{"day", key.first},
                    {"app", key.second},
                    {"frames", usage.frames},
                    {"misses", usage.misses},
                    {"energy_mj", usage.energy.count()}});
  }
  return {{"days", rows}, {"bad_lines", history_.bad_lines()}, {"lost", slices_lost_}};
}

Json ControlDesk::mode() const {
  const ServiceSnapshot snapshot = feed_.snapshot().read().value_or(ServiceSnapshot{});
  return {{"mode", snapshot.mode.view()}};
}

Result<std::string> ControlDesk::set_mode(const std::string& mode) const {
  if (!owner_.set_mode) {
    return fail(ExitCode::kUnsupported, "this service has no modes");
  }
  return owner_.set_mode(mode);
}

Result<std::string> ControlDesk::app_mode(const std::string& package) const {
  return owner_.app_mode ? owner_.app_mode(package)
                         : fail(ExitCode::kUnsupported, "this service has no modes");
}

Result<std::string> ControlDesk::set_app_mode(const std::string& package,
                                              const std::string& mode) const {
  return owner_.set_app_mode ? owner_.set_app_mode(package, mode)
                             : fail(ExitCode::kUnsupported, "this service has no modes");
}

Json ControlDesk::pause() const {
  const ServiceSnapshot snapshot = feed_.snapshot().read().value_or(ServiceSnapshot{});
  return snapshot.paused ? to_json(snapshot.pause) : Json();
}

Status ControlDesk::set_pause(const std::optional<Pause>& pause) const {
  return owner_.set_pause ? owner_.set_pause(pause)
                          : fail(ExitCode::kUnsupported, "this service cannot be paused");
}

Status ControlDesk::set_app(const AppSwitch& app) const {
  return owner_.set_app ? owner_.set_app(app)
                        : fail(ExitCode::kUnsupported, "this service has no switches for apps");
}

}  // namespace framegov
