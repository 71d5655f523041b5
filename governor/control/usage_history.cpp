// SPDX-License-Identifier: Apache-2.0
#include "governor/control/usage_history.h"
#include "base/text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <set>
#include <sstream>

namespace framegov {

namespace {

constexpr const char* kHeading = "framegov history 1";
constexpr std::size_t kLongestAppName = 96;
/// More frames than this in a day cannot be, nor more energy: 10 kWh.
constexpr std::uint64_t kMostFrames = 1'000'000'000;
constexpr Energy kMostEnergy{3.6e10};

bool is_day(std::string_view text) {
  constexpr std::string_view kShape = "dddd-dd-dd";
  return text.size() == kShape.size() &&
         std::equal(text.begin(), text.end(), kShape.begin(), [](char c, char shape) {
           return shape == 'd' ? std::isdigit(static_cast<unsigned char>(c)) != 0 : c == shape;
         });
}

std::string clean_name(std::string_view app) {
  std::string name(app.substr(0, kLongestAppName));
  std::erase_if(name, [](char c) { return c == ' ' || is_control(c); });
  return name.empty() ? "unknown" : name;
}

bool possible(const Usage& usage) {
  return usage.frames <= kMostFrames && usage.misses <= usage.frames &&
         std::isfinite(usage.energy.count()) && usage.energy >= Energy{} &&
         usage.energy <= kMostEnergy;
}

}  // namespace

UsageHistory UsageHistory::load(StateDir dir) {
  UsageHistory history(std::move(dir));
  const auto text = history.dir_.read_file(kFile);
  if (!text) {
    ++history.bad_lines_;  // too large or not readable: begins anew
  } else if (*text) {
    history.parse(**text);
  }
  return history;
}

void UsageHistory::parse(std::string_view text) {
  std::istringstream lines{std::string(text)};
  std::string line;
  if (!std::getline(lines, line) || line != kHeading) {
    ++bad_lines_;
    return;
  }
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string day;
    std::string app;
    Usage usage;
    double energy_mj = 0;
    words >> day >> usage.frames >> usage.misses >> energy_mj >> app;
    usage.energy = Energy{energy_mj};
    if (words.fail() || !is_day(day) || app != clean_name(app) || !possible(usage)) {
      ++bad_lines_;
      continue;
    }
    usage_[{day, app}] = usage;
    bound(day);
  }
}

std::string UsageHistory::to_text() const {
  std::string text = std::string(kHeading) + "\n";
  for (const auto& [key, usage] : usage_) {
    std::array<char, 96> numbers{};
    std::snprintf(numbers.data(), numbers.size(), " %llu %llu %.1f ",
                  static_cast<unsigned long long>(usage.frames),
                  static_cast<unsigned long long>(usage.misses), usage.energy.count());
    text += key.first + numbers.data() + key.second + "\n";
  }
  return text;
}

void UsageHistory::add(std::string_view day, std::string_view app, const Usage& usage) {
  Usage& sum = usage_[{std::string(day), clean_name(app)}];
  sum.frames = std::min(sum.frames + usage.frames, kMostFrames);
  sum.misses = std::min(sum.misses + usage.misses, sum.frames);
  sum.energy = std::min(sum.energy + usage.energy, kMostEnergy);
  changed_ = true;
  bound(std::string(day));
}

void UsageHistory::bound(const std::string& day) {
  std::set<std::string> days;
  auto fewest = usage_.end();
  std::size_t apps = 0;
  for (auto it = usage_.begin(); it != usage_.end(); ++it) {
    days.insert(it->first.first);
    if (it->first.first == day) {
      ++apps;
      if (fewest == usage_.end() || it->second.frames < fewest->second.frames) {
        fewest = it;
      }
    }
  }
  if (apps > kMostAppsPerDay) {
    usage_.erase(fewest);
  }
  if (days.size() > kMostDays) {
    const std::string first = *days.begin();
    std::erase_if(usage_, [&first](const auto& entry) { return entry.first.first == first; });
  }
}

Status UsageHistory::save() {
  if (!changed_) {
    return {};
  }
  Status written = dir_.write_file(kFile, to_text());
  changed_ = changed_ && !written;
  return written;
}

}  // namespace framegov
