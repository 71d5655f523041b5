// SPDX-License-Identifier: Apache-2.0
#include "governor/profiles/learned_apps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <sstream>
#include <vector>

#include "base/text.h"

namespace framegov {

namespace {

constexpr std::string_view kVersionLine = "framegov learned 1";
constexpr std::string_view kEndLine = "end";
constexpr std::size_t kLongestWord = 128;

/// The clusters' CPUs and OPPs: margins of one phone mean nothing on another.
std::string phone_line(const CpuTopology& topology) {
  std::string line = "phone";
  for (const Cluster& cluster : topology.clusters) {
    line += fmt::format(" {:x}:{}:{:.4g}", cluster.cpus, cluster.opps.size(),
                        cluster.max_speed().count());
  }
  return line;
}

/// One word of the file, or an app that is not kept.
bool is_word(std::string_view text) {
  return !text.empty() && text.size() <= kLongestWord &&
         std::none_of(text.begin(), text.end(), [](char c) { return c == ' ' || is_control(c); });
}

/// "APP POLICY frames eps margin margin fixed work...", as to_text() writes it.
struct Line {
  std::string app;
  std::string policy;
  Learned learned;
};

/// Damage may be a number that no policy can have learned, and none should have to expect.
bool can_be(const Learned& learned) {
  constexpr std::uint64_t kMostFrames = 1'000'000'000'000;
  constexpr double kLargestMargin = 10;  // a factor of 22,000
  constexpr double kLongestFixed = 10;
  constexpr double kMostWork = 1e15;
  return learned.frames <= kMostFrames && learned.eps > 0 && learned.eps < 1 &&
         std::abs(learned.beginning_margin) <= kLargestMargin &&
         std::abs(learned.going_margin) <= kLargestMargin && learned.fixed_s >= 0 &&
         learned.fixed_s <= kLongestFixed &&
         std::all_of(learned.beginning_work.begin(), learned.beginning_work.end(),
                     [](double work) { return work >= 0 && work <= kMostWork; });
}

std::optional<Line> parse_line(const std::string& text) {
  std::istringstream words(text);
  Line line;
  Learned& learned = line.learned;
  words >> line.app >> line.policy >> learned.frames >> learned.eps >> learned.beginning_margin >>
      learned.going_margin >> learned.fixed_s;
  if (words.fail() || !is_word(line.app) || !is_word(line.policy)) {
    return std::nullopt;
  }
  for (double work = 0; words >> work;) {
    if (!learned.beginning_work.try_push_back(work)) {
      return std::nullopt;
    }
  }
  return words.eof() && can_be(learned) ? std::optional(line) : std::nullopt;
}

}  // namespace

LearnedApps LearnedApps::load(StateDir dir, const CpuTopology& topology, bool all_cpus, Log& log) {
  LearnedApps apps(std::move(dir), phone_line(topology), all_cpus);
  if (!all_cpus) {
    log.info("learning-waits", "what was learned about apps is not read until all CPUs are online");
    return apps;
  }
  const auto text = apps.dir_.read_file(kFile);
  if (text && !*text) {
    return apps;
  }
  const Status parsed = text ? apps.parse(**text) : tl::unexpected(text.error());
  if (!parsed) {
    log.warning("learned-unread", (apps.dir_.path() / kFile).string() + ": " +
                                      parsed.error().message + ": every app is learned anew");
  }
  return apps;
}

std::optional<Learned> LearnedApps::recall(std::string_view app, std::string_view policy) const {
  const auto found = apps_.find(app);
  return found != apps_.end() && found->second.policy == policy
             ? std::optional(found->second.learned)
             : std::nullopt;
}

void LearnedApps::keep(std::string_view app, std::string_view policy, const Learned& learned) {
  if (!is_word(app)) {
    return;
  }
  apps_.insert_or_assign(std::string(app), Entry{std::string(policy), learned, ++visits_});
  if (apps_.size() > kMostApps) {
    apps_.erase(std::min_element(apps_.begin(), apps_.end(), [](const auto& a, const auto& b) {
      return a.second.visit < b.second.visit;
    }));
  }
  changed_ = true;
}

Status LearnedApps::save() {
  if (!changed_ || !all_cpus_) {
    return {};
  }
  Status written = dir_.write_file(kFile, to_text());
  changed_ = changed_ && !written;
  return written;
}

std::string LearnedApps::to_text() const {
  std::vector<Apps::const_iterator> by_visit;
  for (auto it = apps_.begin(); it != apps_.end(); ++it) {
    by_visit.push_back(it);
  }
  std::sort(by_visit.begin(), by_visit.end(),
            [](const auto& a, const auto& b) { return a->second.visit < b->second.visit; });
  std::string text = fmt::format("{}\n{}\n", kVersionLine, phone_);
  for (const auto& it : by_visit) {
    const Learned& learned = it->second.learned;
    fmt::format_to(std::back_inserter(text), "{} {} {} {} {} {} {}", it->first, it->second.policy,
                   learned.frames, learned.eps, learned.beginning_margin, learned.going_margin,
                   learned.fixed_s);
    for (const double work : learned.beginning_work) {
      fmt::format_to(std::back_inserter(text), " {:.6g}", work);
    }
    text += '\n';
  }
  return text.append(kEndLine) + "\n";
}

Status LearnedApps::parse(std::string_view text) {
  std::istringstream lines{std::string(text)};
  std::string line;
  if (!std::getline(lines, line) || line != kVersionLine) {
    return fail(ExitCode::kBadInput, "not '" + std::string(kVersionLine) + "'");
  }
  if (!std::getline(lines, line) || line != phone_) {
    return fail(ExitCode::kBadInput, "learned on other CPUs");
  }
  Apps apps;
  std::uint64_t visits = 0;
  while (std::getline(lines, line) && line != kEndLine) {
    auto entry = parse_line(line);
    if (!entry || apps.size() == kMostApps) {
      return fail(ExitCode::kBadInput,
                  "app " + std::to_string(apps.size() + 1) + ": not understood");
    }
    apps.insert_or_assign(std::move(entry->app),
                          Entry{std::move(entry->policy), entry->learned, ++visits});
  }
  if (line != kEndLine || lines.peek() != std::istringstream::traits_type::eof()) {
    return fail(ExitCode::kBadInput, "cut short, or followed by something");
  }
  apps_ = std::move(apps);
  visits_ = visits;
  return {};
}

}  // namespace framegov
