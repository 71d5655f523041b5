// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include "base/plan_numbers.h"
#include "base/plan_words.h"
#include "trace/recording.h"
#include "trace/recording_schema.h"

namespace framegov {

namespace {

constexpr std::size_t kMaxApps = 1U << 16U;

/// Times beyond this (36 years of uptime) are damage; below it sums cannot overflow.
bool is_plausible(std::int64_t ns) {
  constexpr std::int64_t kMaxNs = std::int64_t{1} << 60;
  return ns >= 0 && ns <= kMaxNs;
}

const Annotation* find(const TrackEvent& event, std::string_view name) {
  for (const Annotation& annotation : event.annotations) {
    if (annotation.name == name) {
      return &annotation;
    }
  }
  return nullptr;
}

std::int64_t integer(const TrackEvent& event, std::string_view name) {
  const Annotation* annotation = find(event, name);
  const auto* value =
      annotation == nullptr ? nullptr : std::get_if<std::int64_t>(&annotation->value);
  return value == nullptr ? 0 : *value;
}

double number(const TrackEvent& event, std::string_view name) {
  const Annotation* annotation = find(event, name);
  const auto* value = annotation == nullptr ? nullptr : std::get_if<double>(&annotation->value);
  return value == nullptr ? 0 : *value;
}

std::string_view text(const TrackEvent& event, std::string_view name) {
  const Annotation* annotation = find(event, name);
  const auto* value =
      annotation == nullptr ? nullptr : std::get_if<std::string_view>(&annotation->value);
  return value == nullptr ? std::string_view() : *value;
}

/// Cuts "a:b,c:d" into items at ',' and each into numbers at ':'; calls `handle(numbers)`, missing
/// ones zero.
template <std::size_t N, class Handler>
void each_item(std::string_view list, Handler&& handle) {
  while (!list.empty()) {
    std::string_view item = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), item.size() + 1));
    std::array<double, N> numbers{};
    for (double& value : numbers) {
      const std::string_view part = item.substr(0, item.find(':'));
      item.remove_prefix(std::min(item.size(), part.size() + 1));
      std::from_chars(part.data(), part.data() + part.size(), value);
    }
    handle(numbers);
  }
}

/// A number of a file that may be damaged, as a frequency.
Frequency frequency_of(double value) {
  constexpr double kMaxKhz = 1e9;
  return value >= 0 && value <= kMaxKhz ? khz(static_cast<std::int64_t>(value)) : Frequency{};
}

}  // namespace

void RecordingReader::on_track_event(const TrackEvent& event) {
  if (event.track < schema::kRoot ||
      event.track >= schema::counter_track(kMaxClusters, schema::kFrequencyCounter) ||
      !is_plausible(event.at)) {
    return;
  }
  found_ = true;
  const Instant at = instant_from_ns(event.at);
  if (event.track >= schema::kCounters) {
    const std::uint64_t index = event.track - schema::kCounters;
    if (event.type == TrackEventType::kCounter &&
        index % schema::kCounterKinds == schema::kFrequencyCounter) {
      recording_.frequencies.push_back(
          {at, index / schema::kCounterKinds, frequency_of(event.counter)});
    }
  } else if (event.track >= schema::kFrames) {
    if (event.type != TrackEventType::kSliceEnd && event.name == schema::kFrame) {
      take_frame(event);
    }
  } else if (event.type != TrackEventType::kInstant) {
    return;
  } else if (event.name == schema::kPlan) {
    take_plan(event);
  } else if (event.name == schema::kDevice) {
    take_device(event);
  } else if (event.name == schema::kTouch) {
    recording_.touches.push_back(at);
  }
}

void RecordingReader::take_device(const TrackEvent& event) {
  recording_.device = text(event, "name");
  Cluster cluster;
  cluster.cpufreq_id = static_cast<int>(integer(event, "policy"));
  cluster.cpus = static_cast<std::uint64_t>(integer(event, "cpus"));
  each_item<3>(text(event, "opps"), [&](const std::array<double, 3>& opp) {
    constexpr double kMaxSpeed = 1e12;
    if (frequency_of(opp[0]).count() > 0 && opp[1] > 0 && opp[1] < kMaxSpeed) {
      // What no phone has so many of is left out.
      (void)cluster.opps.try_push_back({frequency_of(opp[0]), Speed{opp[1]}, Power{opp[2]}});
    }
  });
  const auto& clusters = recording_.topology.clusters;
  const bool again = std::any_of(clusters.begin(), clusters.end(), [&](const Cluster& known) {
    return known.cpufreq_id == cluster.cpufreq_id;
  });
  if (!again && !cluster.opps.empty()) {
    (void)recording_.topology.clusters.try_push_back(cluster);
  }
}

void RecordingReader::take_frame(const TrackEvent& event) {
  RecordedFrame recorded;
  Frame& frame = recorded.frame;
  schema::visit_frame(frame, [&](std::string_view name, auto& member) {
    schema::from_integer(integer(event, name), member);
  });
  for (const Instant instant :
       {frame.vsync, frame.start, frame.ui_done, frame.ready, frame.deadline}) {
    if (!is_plausible(to_ns(instant))) {
      return;
    }
  }
  for (const Duration duration : {frame.interval, frame.pace, frame.ui_cpu_time,
                                  frame.render_cpu_time, frame.blocked, frame.gpu_time}) {
    if (!is_plausible(duration.count())) {
      return;
    }
  }
  if (frame.interval < kLeastRefreshInterval || frame.interval > kMostRefreshInterval) {
    frame.interval = Duration{};  // not known: no screen has it
  }
  // The members are on CLOCK_MONOTONIC, the event on the trace's clock.
  const Duration shift = instant_from_ns(event.at) - frame.origin();
  for (Instant* instant :
       {&frame.vsync, &frame.start, &frame.ui_done, &frame.ready, &frame.deadline}) {
    if (is_known(*instant)) {
      *instant += shift;
    }
  }
  const auto [place, is_new] = app_index_.try_emplace(
      std::string(text(event, "app")), static_cast<std::uint32_t>(recording_.apps.size()));
  if (is_new) {
    if (recording_.apps.size() >= kMaxApps) {
      app_index_.erase(place);
      return;
    }
    recording_.apps.push_back(place->first);
  }
  recorded.app = place->second;
  recording_.frames.push_back(recorded);
}

void RecordingReader::take_plan(const TrackEvent& event) {
  RecordedPlan recorded;
  recorded.at = instant_from_ns(event.at);
  FrequencyPlan& plan = recorded.plan;
  plan.reason.code = reason_named(text(event, "reason"));
  schema::from_integer(integer(event, "cluster"), plan.reason.cluster);
  visit_numbers(plan.reason, [&](const PlanNumber& each, auto& member) {
    using Member = std::decay_t<decltype(member)>;
    if constexpr (std::is_same_v<decltype(schema::to_number(member)), double>) {
      member = Member(number(event, each.recorded));
    } else {
      member = Member{integer(event, each.recorded)};
    }
  });
  each_item<2>(text(event, "limits_khz"), [&](const std::array<double, 2>& limits) {
    (void)plan.clusters.try_push_back({frequency_of(limits[0]), frequency_of(limits[1])});
  });
  each_item<4>(text(event, "steps"), [&](const std::array<double, 4>& step) {
    constexpr double kMaxAfter = 1e10;
    if (step[0] >= 0 && step[0] <= kMaxAfter && step[1] >= 0 && step[1] < kMaxClusters) {
      (void)plan.steps.try_push_back({Duration{static_cast<std::int64_t>(step[0])},
                                      static_cast<std::uint8_t>(step[1]),
                                      {frequency_of(step[2]), frequency_of(step[3])}});
    }
  });
  recording_.plans.push_back(recorded);
}

std::optional<Recording> RecordingReader::take() {
  if (!found_) {
    return std::nullopt;
  }
  std::stable_sort(recording_.frames.begin(), recording_.frames.end(),
                   [](const RecordedFrame& a, const RecordedFrame& b) {
                     return a.frame.origin() < b.frame.origin();
                   });
  const auto by_time = [](const auto& a, const auto& b) { return a.at < b.at; };
  std::stable_sort(recording_.frequencies.begin(), recording_.frequencies.end(), by_time);
  std::stable_sort(recording_.plans.begin(), recording_.plans.end(), by_time);
  std::sort(recording_.touches.begin(), recording_.touches.end());
  found_ = false;
  app_index_.clear();
  return std::exchange(recording_, {});
}

}  // namespace framegov
