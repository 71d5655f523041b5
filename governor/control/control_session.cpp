// SPDX-License-Identifier: Apache-2.0
#include "governor/control/control_session.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "governor/control/control_json.h"
#include "governor/control/control_protocol.h"

namespace framegov {

namespace {

using Json = nlohmann::json;

constexpr double kUsualHz = 4;
constexpr double kSlowestStream = 0.1;
constexpr double kLogHz = 5;
constexpr std::size_t kUsuallyExplained = 10;
constexpr std::size_t kLongestName = 256;

Duration period_of(double hz) {
  return seconds_to_duration(1 / std::clamp(hz, kSlowestStream, kFastestStream));
}

Json error_json(const Error& error) {
  return {{"code", static_cast<int>(error.code)}, {"message", error.message}, {"hint", error.hint}};
}

/// The request's id, to be repeated in its answer: a number or a short text, else null.
Json id_of(const Json& request) {
  const auto id = request.find("id");
  const bool usable = id != request.end() && (id->is_number() || id->is_string());
  return usable ? *id : Json();
}

tl::unexpected<Error> wrong(const std::string& what) {
  return fail(ExitCode::kBadInput, what, "docs/protocol.md lists the requests");
}

/// The text under `key`; empty when there is none. Error: it is something else, or too long.
Result<std::string> text_at(const Json& request, const char* key) {
  const auto found = request.find(key);
  if (found == request.end() || found->is_null()) {
    return std::string();
  }
  if (!found->is_string() || found->get_ref<const std::string&>().size() > kLongestName) {
    return wrong(std::string("'") + key + "' must be a text of at most 256 bytes");
  }
  return found->get<std::string>();
}

Result<double> number_at(const Json& request, const char* key, double otherwise) {
  const auto found = request.find(key);
  if (found == request.end()) {
    return otherwise;
  }
  if (!found->is_number()) {
    return wrong(std::string("'") + key + "' must be a number");
  }
  return found->get<double>();
}

/// Error: it is there and is neither true nor false.
Result<bool> flag_at(const Json& request, const char* key) {
  const auto found = request.find(key);
  if (found == request.end()) {
    return false;
  }
  return found->is_boolean() ? Result<bool>(found->get<bool>())
                             : wrong(std::string("'") + key + "' must be true or false");
}

Json event_line(const std::string& id, const char* event, Json data) {
  return {{"v", kProtocolVersion},
          {"id", Json::parse(id)},
          {"event", event},
          {"data", std::move(data)}};
}

}  // namespace

void ControlSession::on_line(std::string_view line, Instant now, std::int64_t unix_seconds,
                             std::string& out) {
  const Json request = Json::parse(line, nullptr, false);
  Json reply = {{"v", kProtocolVersion}, {"id", nullptr}};
  Result<Json> result = wrong("not a request: a line must be one JSON object");
  if (request.is_object()) {
    reply["id"] = id_of(request);
    result = answer(request, now, unix_seconds);
  }
  reply["ok"] = result.has_value();
  result ? reply["result"] = *std::move(result) : reply["error"] = error_json(result.error());
  out += to_line(reply);
}

Result<Json> ControlSession::answer(const Json& request, Instant now, std::int64_t unix_seconds) {
  const auto version = request.find("v");
  if (version != request.end() && *version != kProtocolVersion) {
    return fail(ExitCode::kUnsupported,
                "protocol version " + json_line(*version) + " is not supported",
                "this service supports version " + std::to_string(kProtocolVersion));
  }
  FRAMEGOV_TRY(const std::string command, text_at(request, "cmd"));
  if (command == "hello") {
    return desk_.hello();
  }
  if (command == "status") {
    FRAMEGOV_TRY(const bool seconds, flag_at(request, "seconds"));
    return seconds ? desk_.status_with_seconds(now) : desk_.status(now);
  }
  if (command == "watch") {
    return start_watch(request, now);
  }
  if (command == "log") {
    return log(request, now);
  }
  if (command == "explain") {
    const auto app = text_at(request, "app");
    const auto last = number_at(request, "last", kUsuallyExplained);
    if (!app || !last) {
      return tl::unexpected(app ? last.error() : app.error());
    }
    const double most = std::clamp(*last, 1.0, static_cast<double>(kMostExplained));
    return desk_.explain(*app, static_cast<std::size_t>(most), now);
  }
  if (command == "history") {
    return desk_.history(day_of(unix_seconds));
  }
  if (command == "mode") {
    return mode(request);
  }
  if (command == "app") {
    return app(request);
  }
  if (command == "pause") {
    return pause(request, unix_seconds);
  }
  if (command == "resume") {
    FRAMEGOV_TRY_STATUS(desk_.set_pause(std::nullopt));
    return Json{{"paused", nullptr}};
  }
  return wrong(command.empty() ? "no 'cmd' in the request" : "no command '" + command + "'");
}

Result<Json> ControlSession::start_watch(const Json& request, Instant now) {
  FRAMEGOV_TRY(const auto hz, number_at(request, "hz", kUsualHz));
  FRAMEGOV_TRY(watch_seconds_, flag_at(request, "seconds"));
  watch_ = Stream{json_line(id_of(request)), period_of(hz), now};
  return Json{{"period_ms", to_ms(watch_->period)}};
}

Result<Json> ControlSession::log(const Json& request, Instant now) {
  next_log_line_ = 0;
  const auto follow = request.find("follow");
  if (follow != request.end() && *follow == true) {
    log_ = Stream{json_line(id_of(request)), period_of(kLogHz), now};
  }
  return Json{{"lines", new_log_lines()}};
}

Json ControlSession::new_log_lines() {
  Json lines = Json::array();
  for (const auto& line : desk_.log().since(next_log_line_)) {
    // Lines that were overwritten before they could be told are counted.
    if (next_log_line_ > 0 && line.number > next_log_line_) {
      lines.push_back({{"skipped", line.number - next_log_line_}});
    }
    next_log_line_ = line.number + 1;
    lines.push_back({{"unix_ns", line.value.unix_ns},
                     {"level", line.value.level.view()},
                     {"code", line.value.code.view()},
                     {"text", line.value.text.view()}});
  }
  return lines;
}

Result<Json> ControlSession::mode(const Json& request) const {
  FRAMEGOV_TRY(const auto app, text_at(request, "app"));
  const bool change = request.contains("set");
  FRAMEGOV_TRY(const auto name, text_at(request, "set"));
  if (!app.empty()) {
    FRAMEGOV_TRY(const std::string held,
                 change ? desk_.set_app_mode(app, name) : desk_.app_mode(app));
    return Json{{"mode", held}, {"app", app}};
  }
  if (!change) {
    return desk_.mode();
  }
  FRAMEGOV_TRY(const std::string held, desk_.set_mode(name));
  return Json{{"mode", held}};
}

Result<Json> ControlSession::pause(const Json& request, std::int64_t unix_seconds) const {
  FRAMEGOV_TRY(const auto seconds, number_at(request, "for_s", 0));
  if (request.contains("for_s") && !(seconds >= 1 && seconds <= kLongestPause)) {
    return wrong("'for_s' must be 1 to " + std::to_string(static_cast<int>(kLongestPause)) +
                 " seconds; without it the pause ends with 'resume'");
  }
  const Pause pause{unix_seconds,
                    seconds > 0 ? unix_seconds + static_cast<std::int64_t>(seconds) : 0};
  FRAMEGOV_TRY_STATUS(desk_.set_pause(pause));
  return Json{{"paused", to_json(pause)}};
}

Result<Json> ControlSession::app(const Json& request) {
  const auto name = text_at(request, "app");
  if (!name || name->empty()) {
    return name ? wrong("'app' must name a package") : tl::unexpected(name.error());
  }
  const auto on = request.find("on");
  if (on == request.end() || !(on->is_boolean() || on->is_null())) {
    return wrong("'on' must be true, false or null (as the app's profile says)");
  }
  AppSwitch app{*name, on->is_null() ? std::nullopt : std::optional(on->get<bool>())};
  FRAMEGOV_TRY(app.held, flag_at(request, "hold"));
  FRAMEGOV_TRY_STATUS(app.held ? hold_app(app) : desk_.set_app(app));
  return Json{{"app", *name}, {"on", *on}};
}

Status ControlSession::hold_app(const AppSwitch& app) {
  // Before asking: a loop that answers too late may hold it all the same.
  held_apps_.insert(app.package);
  Status held = desk_.set_app(app);
  if (held && !app.on) {
    held_apps_.erase(app.package);
  }
  return held;
}

void ControlSession::end() {
  for (const std::string& app : held_apps_) {
    // Fails when the loop does not answer: what is held ends with the service then.
    (void)desk_.set_app({app, std::nullopt, true});
  }
  held_apps_.clear();
}

void ControlSession::on_time(Instant now, std::string& out) {
  if (watch_ && watch_->due <= now) {
    watch_->due = now + watch_->period;
    out += to_line(event_line(watch_->id, "watch",
                              watch_seconds_ ? desk_.status_with_seconds(now) : desk_.status(now)));
  }
  if (log_ && log_->due <= now) {
    log_->due = now + log_->period;
    Json lines = new_log_lines();
    if (!lines.empty()) {
      out += to_line(event_line(log_->id, "log", {{"lines", std::move(lines)}}));
    }
  }
}

void ControlSession::postpone(Instant now) {
  for (std::optional<Stream>* stream : {&watch_, &log_}) {
    if (*stream && (*stream)->due <= now) {
      (*stream)->due = now + (*stream)->period;
    }
  }
}

Instant ControlSession::due() const {
  if (!watch_ || !log_) {
    return watch_ ? watch_->due : log_ ? log_->due : Instant{};
  }
  return std::min(watch_->due, log_->due);
}

}  // namespace framegov
