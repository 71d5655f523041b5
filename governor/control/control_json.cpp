// SPDX-License-Identifier: Apache-2.0
#include "governor/control/control_json.h"

#include <nlohmann/json.hpp>

#include "base/cpu_list.h"
#include "base/json_text.h"
#include "base/plan_numbers.h"

namespace framegov {

namespace {

using Json = nlohmann::json;

Json limits_json(const CpuTopology& topology, const StaticVector<ClusterPlan, kMaxClusters>& plan) {
  Json clusters = Json::array();
  for (std::size_t i = 0; i < plan.size() && i < topology.clusters.size(); ++i) {
    clusters.push_back({{"policy", topology.clusters[i].cpufreq_id},
                        {"cap_khz", plan[i].cap.count()},
                        {"floor_khz", plan[i].floor.count()}});
  }
  return clusters;
}

}  // namespace

Json to_json(const FrameStatistics& statistics) {
  return {{"count", statistics.frames},
          {"misses", statistics.misses},
          {"fps", statistics.fps},
          {"power_mw", statistics.power_mw},
          {"budget_ms", to_ms(statistics.budget)},
          {"p50_ms", to_ms(statistics.p50)},
          {"p95_ms", to_ms(statistics.p95)},
          {"longest_ms", to_ms(statistics.longest)},
          {"bins_to_deadline", FrameStatistics::kBinsToDeadline},
          {"histogram", statistics.histogram}};
}

Json to_json(const DecisionRecord& decision, const CpuTopology& topology) {
  const PlanReason& reason = decision.reason;
  Json json = {{"at_ns", to_ns(decision.at)},
               {"cause", to_string(decision.cause)},
               {"app", decision.app.view()},
               {"reason", to_string(reason.code)},
               {"clusters", limits_json(topology, decision.clusters)}};
  const auto add = [&json](const PlanNumber& number, auto value) {
    json[std::string(number.key)] = value;
  };
  visit_said(decision.ended, add);
  visit_demand(reason, add);
  if (reason.cluster >= 0 && static_cast<std::size_t>(reason.cluster) < topology.clusters.size()) {
    json["frame_policy"] = topology.clusters[static_cast<std::size_t>(reason.cluster)].cpufreq_id;
  }
  return json;
}

Json to_json(const ReactionTimes& times) {
  Json bins = Json::array();
  for (std::size_t i = 0; i < ReactionTimes::kBins; ++i) {
    if (times.counts()[i] > 0) {
      bins.push_back({{"below_ns", ReactionTimes::bound(i).count()}, {"count", times.counts()[i]}});
    }
  }
  return bins;
}

Json to_json(const StepTotals& totals) {
  return {{"wakeups", totals.service.wakeups},     {"frames", totals.service.frames},
          {"decisions", totals.service.decisions}, {"fail_safes", totals.service.fail_safes},
          {"events", totals.source.events},        {"lost", totals.source.lost},
          {"rejected", totals.source.rejected},    {"writes", totals.writes.writes},
          {"failed_writes", totals.writes.failed}, {"overwritten", totals.writes.overwritten}};
}

Json to_json(const Pause& pause) {
  return {{"since_unix_s", pause.since},
          {"until_unix_s", pause.until > 0 ? Json(pause.until) : Json()}};
}

Json clusters_json(const ServiceSnapshot& snapshot, const CpuTopology& topology) {
  Json clusters = limits_json(topology, snapshot.clusters);
  for (std::size_t i = 0; i < clusters.size(); ++i) {
    const Cluster& cluster = topology.clusters[i];
    clusters[i]["cpus"] = cpu_list(cluster.cpus);
    clusters[i]["min_khz"] = cluster.min_frequency().count();
    clusters[i]["max_khz"] = cluster.max_frequency().count();
    if (i < snapshot.limits.size()) {
      clusters[i]["limit_min_khz"] = snapshot.limits[i].min.count();
      clusters[i]["limit_max_khz"] = snapshot.limits[i].max.count();
    }
    if (i < snapshot.ceilings.size() && snapshot.ceilings[i].ceiling > Frequency{}) {
      clusters[i]["thermal_ceiling_khz"] = snapshot.ceilings[i].ceiling.count();
    }
  }
  return clusters;
}

Json gpu_json(const GpuReading& gpu) {
  constexpr double kPercent = 100;
  Json json = {{"busy_percent", gpu.busy * kPercent}, {"at_its_limit", gpu.at_its_limit()}};
  if (gpu.clock > Frequency{}) {
    json["clock_khz"] = gpu.clock.count();
  }
  if (gpu.top > Frequency{}) {
    json["top_khz"] = gpu.top.count();
  }
  return json;
}

Json gpu_frames_json(const FrameStatistics& frames) {
  return {{"frame_ms", to_ms(frames.gpu_time)}, {"bound", frames.gpu_bound}};
}

std::string to_line(const Json& json) { return json_line(json) + "\n"; }

}  // namespace framegov
