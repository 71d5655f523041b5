// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <string>

#include "base/plan_words.h"
#include "base/static_vector.h"
#include "trace/recording.h"
#include "trace/recording_schema.h"

namespace framegov {

namespace {

/// Text built in place; what does not fit is left out.
class FixedText {
 public:
  template <class... Values>
  void add(const char* format, Values... values) {
    const int length = std::snprintf(text_ + size_, sizeof(text_) - size_, format, values...);
    if (length > 0 && size_ + static_cast<std::size_t>(length) < sizeof(text_)) {
      size_ += static_cast<std::size_t>(length);
    }
  }
  [[nodiscard]] std::string_view view() const { return {text_, size_}; }

 private:
  char text_[512] = {};
  std::size_t size_ = 0;
};

long long khz_of(Frequency frequency) { return static_cast<long long>(frequency.count()); }

std::string opp_list(const Cluster& cluster) {
  std::string text;
  char item[96];
  for (const Opp& opp : cluster.opps) {
    std::snprintf(item, sizeof(item), "%s%lld:%.0f:%.4f", text.empty() ? "" : ",",
                  khz_of(opp.frequency), opp.speed.count(), opp.active.count());
    text += item;
  }
  return text;
}

}  // namespace

void RecordingWriter::begin(Instant at, std::string_view device, const CpuTopology& topology) {
  writer_.track(schema::kRoot, 0, "framegov");
  writer_.track(schema::kContext, schema::kRoot, "context");
  writer_.track(schema::kPlans, schema::kRoot, "plans");
  for (std::size_t lane = 0; lane < schema::kLanes; ++lane) {
    writer_.track(schema::kFrames + lane, schema::kRoot, "frames");
  }
  for (std::size_t i = 0; i < topology.clusters.size(); ++i) {
    const std::string policy = "policy" + std::to_string(topology.clusters[i].cpufreq_id);
    const auto counter = [&](schema::CounterKind kind, const char* what) {
      writer_.counter_track(schema::counter_track(i, kind), schema::kRoot, policy + what);
    };
    counter(schema::kFrequencyCounter, " kHz");
    counter(schema::kCapCounter, " cap kHz");
    counter(schema::kFloorCounter, " floor kHz");
  }
  // One instant per cluster, so that a reader needs no nested values.
  for (const Cluster& cluster : topology.clusters) {
    const std::string opps = opp_list(cluster);
    const Annotation annotations[] = {{"name", device},
                                      {"policy", std::int64_t{cluster.cpufreq_id}},
                                      {"cpus", static_cast<std::int64_t>(cluster.cpus)},
                                      {"opps", std::string_view(opps)}};
    writer_.instant(at, schema::kContext, schema::kDevice, annotations);
  }
}

void RecordingWriter::frame(const Frame& frame, std::string_view app) {
  StaticVector<Annotation, schema::kFrameMembers + 1> annotations;
  annotations.push_back({"app", app});
  schema::visit_frame(frame, [&](std::string_view name, const auto& member) {
    annotations.push_back({name, schema::to_integer(member)});
  });
  const Instant end = std::max(frame.ready, frame.origin());
  std::size_t lane = 0;
  while (lane < kLanes && lane_busy_until_[lane] > frame.origin()) {
    ++lane;
  }
  if (lane == kLanes) {
    // Slices of a track that overlap would end each other.
    writer_.instant(frame.origin(), schema::kFrames, schema::kFrame,
                    {annotations.begin(), annotations.size()});
    return;
  }
  lane_busy_until_[lane] = end;
  writer_.slice_begin(frame.origin(), schema::kFrames + lane, schema::kFrame,
                      {annotations.begin(), annotations.size()});
  writer_.slice_end(end, schema::kFrames + lane);
}

void RecordingWriter::frequency(Instant at, std::size_t cluster, Frequency frequency) {
  writer_.counter(at, schema::counter_track(cluster, schema::kFrequencyCounter),
                  static_cast<double>(frequency.count()));
}

void RecordingWriter::plan(Instant at, const FrequencyPlan& plan) {
  FixedText limits;
  for (std::size_t i = 0; i < plan.clusters.size(); ++i) {
    const ClusterPlan& cluster = plan.clusters[i];
    limits.add("%s%lld:%lld", i == 0 ? "" : ",", khz_of(cluster.cap), khz_of(cluster.floor));
    writer_.counter(at, schema::counter_track(i, schema::kCapCounter),
                    static_cast<double>(cluster.cap.count()));
    writer_.counter(at, schema::counter_track(i, schema::kFloorCounter),
                    static_cast<double>(cluster.floor.count()));
  }
  FixedText steps;
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const PlanStep& step = plan.steps[i];
    steps.add("%s%lld:%d:%lld:%lld", i == 0 ? "" : ",", static_cast<long long>(step.after.count()),
              static_cast<int>(step.cluster), khz_of(step.limits.cap), khz_of(step.limits.floor));
  }
  StaticVector<Annotation, schema::kReasonMembers + 6> annotations;
  annotations.push_back({"reason", to_string(plan.reason.code)});
  schema::visit_reason(plan.reason, [&](std::string_view name, const auto& member) {
    annotations.push_back({name, schema::to_integer(member)});
  });
  annotations.push_back({"error", static_cast<double>(plan.reason.error)});
  annotations.push_back({"load_cycles", plan.reason.load.count()});
  annotations.push_back({"wanted_speed", plan.reason.wanted.count()});
  annotations.push_back({"limits_khz", limits.view()});
  annotations.push_back({"steps", steps.view()});
  writer_.instant(at, schema::kPlans, schema::kPlan, {annotations.begin(), annotations.size()});
}

void RecordingWriter::app_on_top(Instant at, AppId app, std::string_view name) {
  const Annotation annotations[] = {{"app", name}, {"app_id", static_cast<std::int64_t>(app)}};
  writer_.instant(at, schema::kContext, schema::kApp, annotations);
}

void RecordingWriter::touch(Instant at) { writer_.instant(at, schema::kContext, schema::kTouch); }

}  // namespace framegov
