// SPDX-License-Identifier: Apache-2.0
#include "governor/profiles/owner_switches.h"

#include <algorithm>

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

/// The word after `key` and a space; empty when the line is another.
std::string_view value_of(std::string_view line, std::string_view key) {
  return line.starts_with(key) ? line.substr(key.size()) : std::string_view{};
}

}  // namespace

OwnerSwitches OwnerSwitches::load(const StateDir& dir, Log& log) {
  auto text = dir.read_file(kFile);
  if (text && !*text) {
    return {};
  }
  Result<OwnerSwitches> switches = text ? parse(**text) : tl::unexpected(text.error());
  if (!switches) {
    log.warning((dir.path() / kFile).string() + ": " + switches.error().message +
                ": mode and apps are as the profiles say");
    return {};
  }
  return *std::move(switches);
}

Status OwnerSwitches::save(const StateDir& dir) const { return dir.write_file(kFile, to_text()); }

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
    return fail(ExitCode::kBadInput, "a mode's name is letters, digits and . _ - : /");
  }
  OwnerSwitches next = *this;
  next.mode_ = name;
  return next;
}

Result<OwnerSwitches> OwnerSwitches::with_app(const AppSwitch& app) const {
  if (!is_name(app.package)) {
    return fail(ExitCode::kBadInput, "a package's name is letters, digits and . _ - : /",
                "such as com.example.game");
  }
  OwnerSwitches next = *this;
  Apps& apps = app.held ? next.held_ : next.apps_;
  if (app.on) {
    apps.insert_or_assign(app.package, *app.on);
  } else {
    apps.erase(app.package);
  }
  if (apps.size() > kMostApps) {
    return fail(ExitCode::kFailure,
                "more than " + std::to_string(kMostApps) + " apps are switched by hand",
                "give them a profile in the configuration");
  }
  return next;
}

std::string OwnerSwitches::to_text() const {
  std::string text = std::string(kFirstLine) + "\n";
  if (!mode_.empty()) {
    text += "mode " + mode_ + "\n";
  }
  for (const auto& [package, on] : apps_) {
    text += (on ? "on " : "off ") + package + "\n";
  }
  return text + std::string(kLastLine) + "\n";
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
    const std::string_view mode = value_of(line, "mode ");
    const std::string_view on = value_of(line, "on ");
    const std::string_view app = on.empty() ? value_of(line, "off ") : on;
    if (number == 1) {
      if (line != kFirstLine) {
        return bad("not '" + std::string(kFirstLine) + "'");
      }
    } else if (line == kLastLine) {
      return text.empty() ? Result<OwnerSwitches>(std::move(switches))
                          : bad("something follows 'end'");
    } else if (is_name(mode) && switches.mode_.empty()) {
      switches.mode_ = mode;
    } else if (!is_name(app) || switches.apps_.size() == kMostApps ||
               !switches.apps_.emplace(app, !on.empty()).second) {
      return bad("not one 'mode NAME', 'on PACKAGE' or 'off PACKAGE' each");
    }
  }
  ++number;
  return bad("'end' is missing");
}

}  // namespace framegov
