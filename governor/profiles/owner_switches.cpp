// SPDX-License-Identifier: Apache-2.0
#include "governor/profiles/owner_switches.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace framegov {

namespace {

constexpr std::string_view kFirstLine = "framegov owner switches 1";
constexpr std::string_view kLastLine = "end";
constexpr std::size_t kLongestName = 128;

/// Letters, digits and the signs that names of modes, packages and programs have.
bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= kLongestName &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '.' || c == '_' || c == '-' || c == ':' || c == '/';
         });
}

/// What follows `key`; empty when the line is another.
std::string_view value_of(std::string_view line, std::string_view key) {
  return line.starts_with(key) ? line.substr(key.size()) : std::string_view{};
}

/// The two words that a space parts; empty ones where there are not two.
std::pair<std::string_view, std::string_view> two_words(std::string_view text) {
  const std::size_t space = text.find(' ');
  return space == std::string_view::npos ? std::pair<std::string_view, std::string_view>{}
                                         : std::pair{text.substr(0, space), text.substr(space + 1)};
}

std::optional<std::int64_t> seconds_in(std::string_view text) {
  std::int64_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole && seconds >= 0 ? std::optional(seconds) : std::nullopt;
}

tl::unexpected<Error> too_many_apps() {
  return fail(
      ExitCode::kFailure,
      "more than " + std::to_string(OwnerSwitches::kMostApps) + " apps are switched by hand",
      "give them a profile in the configuration");
}

Status package_problem(const std::string& package) {
  return is_name(package)
             ? Status{}
             : fail(ExitCode::kBadInput, "a package's name is letters, digits and . _ - : /",
                    "such as com.example.game");
}

constexpr const char* kModeRule = "a mode's name is letters, digits and . _ - : /";

}  // namespace

Result<OwnerSwitches> OwnerSwitches::read(const StateDir& dir) {
  FRAMEGOV_TRY(const auto text, dir.read_file(kFile));
  return text ? parse(*text) : OwnerSwitches{};
}

OwnerSwitches OwnerSwitches::load(const StateDir& dir, Log& log) {
  Result<OwnerSwitches> switches = read(dir);
  if (!switches) {
    log.warning("switches-unread", (dir.path() / kFile).string() + ": " + switches.error().message +
                                       ": mode and apps are as the profiles say");
    return {};
  }
  return *std::move(switches);
}

Status OwnerSwitches::save(const StateDir& dir) const { return dir.write_file(kFile, to_text()); }

std::string_view OwnerSwitches::app_mode(std::string_view package) const {
  const auto found = app_modes_.find(package);
  return found == app_modes_.end() ? std::string_view{} : std::string_view(found->second);
}

std::optional<bool> OwnerSwitches::app(std::string_view package) const {
  for (const Apps* apps : {&held_, &apps_}) {
    if (const auto found = apps->find(package); found != apps->end()) {
      return found->second;
    }
  }
  return std::nullopt;
}

Result<OwnerSwitches> OwnerSwitches::with_mode(std::string_view name) const {
  if (!name.empty() && !is_name(name)) {
    return fail(ExitCode::kBadInput, kModeRule);
  }
  OwnerSwitches next = *this;
  next.mode_ = name;
  return next;
}

Result<OwnerSwitches> OwnerSwitches::with_app_mode(const std::string& package,
                                                   std::string_view mode) const {
  FRAMEGOV_TRY_STATUS(package_problem(package));
  if (!mode.empty() && !is_name(mode)) {
    return fail(ExitCode::kBadInput, kModeRule);
  }
  OwnerSwitches next = *this;
  if (mode.empty()) {
    next.app_modes_.erase(package);
  } else {
    next.app_modes_.insert_or_assign(package, mode);
  }
  return next.app_modes_.size() > kMostApps ? Result<OwnerSwitches>(too_many_apps()) : next;
}

Result<OwnerSwitches> OwnerSwitches::with_pause(const std::optional<Pause>& pause) const {
  if (pause && (pause->since < 0 || (pause->until != 0 && pause->until <= pause->since))) {
    return fail(ExitCode::kBadInput, "a pause must end after it begins");
  }
  OwnerSwitches next = *this;
  next.pause_ = pause;
  return next;
}

Result<OwnerSwitches> OwnerSwitches::with_app(const AppSwitch& app) const {
  FRAMEGOV_TRY_STATUS(package_problem(app.package));
  OwnerSwitches next = *this;
  Apps& apps = app.held ? next.held_ : next.apps_;
  if (app.on) {
    apps.insert_or_assign(app.package, *app.on);
  } else {
    apps.erase(app.package);
  }
  return apps.size() > kMostApps ? Result<OwnerSwitches>(too_many_apps()) : next;
}

std::string OwnerSwitches::to_text() const {
  std::string text = std::string(kFirstLine) + "\n";
  if (pause_) {
    text += "paused " + std::to_string(pause_->since) + " " + std::to_string(pause_->until) + "\n";
  }
  for (const auto& [package, mode] : app_modes_) {
    text += "mode-of " + package + " " + mode + "\n";
  }
  if (!mode_.empty()) {
    text += "mode " + mode_ + "\n";
  }
  for (const auto& [package, on] : apps_) {
    text += (on ? "on " : "off ") + package + "\n";
  }
  return text + std::string(kLastLine) + "\n";
}

/// False: it is no line of the file, or one too many.
bool OwnerSwitches::take_entry(std::string_view line) {
  if (const std::string_view times = value_of(line, "paused "); !times.empty() && !pause_) {
    const auto [first, second] = two_words(times);
    const auto since = seconds_in(first);
    const auto until = seconds_in(second);
    if (!since || !until || (*until != 0 && *until <= *since)) {
      return false;
    }
    pause_ = Pause{*since, *until};
    return true;
  }
  if (const std::string_view mode = value_of(line, "mode "); is_name(mode) && mode_.empty()) {
    mode_ = mode;
    return true;
  }
  if (const auto [package, mode] = two_words(value_of(line, "mode-of "));
      is_name(package) && is_name(mode)) {
    return app_modes_.size() < kMostApps && app_modes_.emplace(package, mode).second;
  }
  const std::string_view on = value_of(line, "on ");
  const std::string_view app = on.empty() ? value_of(line, "off ") : on;
  return is_name(app) && apps_.size() < kMostApps && apps_.emplace(app, !on.empty()).second;
}

Result<OwnerSwitches> OwnerSwitches::parse(std::string_view text) {
  OwnerSwitches switches;
  int number = 0;
  const auto bad = [&number](const std::string& what) {
    return fail(ExitCode::kBadInput, "line " + std::to_string(number) + ": " + what);
  };
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    ++number;
    if (number == 1) {
      if (line != kFirstLine) {
        return bad("not '" + std::string(kFirstLine) + "'");
      }
    } else if (line == kLastLine) {
      return text.empty() ? Result<OwnerSwitches>(std::move(switches))
                          : bad("something follows 'end'");
    } else if (!switches.take_entry(line)) {
      return bad(
          "not one 'paused SINCE UNTIL', 'mode NAME', 'mode-of PACKAGE NAME', 'on PACKAGE' or "
          "'off PACKAGE' each");
    }
  }
  ++number;
  return bad("'end' is missing");
}

}  // namespace framegov
