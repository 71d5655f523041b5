// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/wire/governed_frames.h"

#include <cmath>
#include <optional>

#include "policy/policy_factory.h"
#include "tests/fuzz/wire/require.h"
#include "tests/support/phone_topology.h"

namespace framegov::fuzz {

namespace {

/// One CPU with one speed.
CpuTopology least_topology() {
  CpuTopology topology;
  Cluster cluster;
  cluster.cpus = 1;
  cluster.opps.push_back({mhz(1000), Speed{1e9}, Power{100}});
  topology.clusters.push_back(cluster);
  return topology;
}

/// As many clusters and speeds as there can be; each frame may be on any of them.
CpuTopology greatest_topology() {
  CpuTopology topology;
  for (std::size_t i = 0; i < kMaxClusters; ++i) {
    Cluster cluster;
    cluster.cpufreq_id = static_cast<int>(i);
    cluster.cpus = 1ULL << i;
    for (std::size_t opp = 1; opp <= kMaxOpps; ++opp) {
      const auto part = static_cast<double>(opp) / static_cast<double>(kMaxOpps);
      cluster.opps.push_back({mhz(static_cast<std::int64_t>(40 * opp)), Speed{2.56e9 * part},
                              Power{900 * part * (0.2 + part)}});
    }
    topology.clusters.push_back(cluster);
  }
  return topology;
}

CpuTopology topology_of(unsigned choice) {
  return choice == 0   ? least_topology()
         : choice == 1 ? greatest_topology()
                       : test::phone_topology();
}

PolicyBounds bounds_of(unsigned choice, const CpuTopology& topology) {
  PolicyBounds bounds;
  if ((choice & 1U) != 0) {
    for (const Cluster& cluster : topology.clusters) {
      const Frequency middle = cluster.opps[cluster.opps.size() / 2].frequency;
      bounds.clusters.push_back({middle, cluster.min_frequency()});
    }
  }
  if ((choice & 2U) != 0) {
    for (const double fps : {30.0, 60.0, 90.0}) {
      bounds.target_fps.push_back(fps);
    }
  }
  return bounds;
}

std::unique_ptr<Policy> policy_of(std::string_view name, const CpuTopology& topology) {
  auto policy = make_policy(name, topology, {});
  require(policy.has_value(), "the policy cannot be made");
  return *std::move(policy);
}

bool makes_frames(const FrequencyPlan& plan) {
  return plan.reason.code == ReasonCode::kStarting || plan.reason.code == ReasonCode::kTracking ||
         plan.reason.code == ReasonCode::kRescue || plan.reason.code == ReasonCode::kScheduled;
}

}  // namespace

GovernedPhone::GovernedPhone(unsigned choice)
    : topology(topology_of(choice & 3U)),
      bounds(bounds_of(choice >> 2U, topology)),
      levers{.placement = (choice & 16U) != 0, .clamps = (choice & 32U) != 0} {
  topology.power_measured = levers.placement;
}

GovernedFrames::GovernedFrames(std::string_view policy, const GovernedPhone& phone)
    : phone_(phone),
      policy_(policy_of(policy, phone_.topology), phone_.bounds),
      heat_(phone_.topology) {
  for (std::size_t i = 0; i < phone_.topology.clusters.size(); ++i) {
    const Cluster& cluster = phone_.topology.clusters[i];
    limits_[i] = {cluster.min_frequency(), cluster.max_frequency()};
  }
}

void GovernedFrames::on_event(const FrameEvent& event, Instant now) {
  if (event.kind == FrameEvent::Kind::kStart) {
    if (start_over_ || AppId{static_cast<std::uint32_t>(event.start.pid)} != app_) {
      return;
    }
    schedule_.cancel();
    decide(PolicyEvent::kFrameStart, now, nullptr, &event.start);
    schedule_.arm(event.start.at, plan_.steps);
    take_due(now);
    return;
  }
  const AppId app{static_cast<std::uint32_t>(event.frame.pid)};
  schedule_.end(event.frame);
  if (app != app_ || start_over_) {
    app_ = app;
    start_over_ = false;
    schedule_.cancel();
    decide(PolicyEvent::kAppChanged, now, nullptr, nullptr);
  }
  decide(PolicyEvent::kFrameEnd, now, &event.frame, nullptr);
  schedule_.replace(plan_.steps);
  take_due(now);
}

void GovernedFrames::on_timer(Instant now) {
  take_due(now);
  // One timer may stand for several.
  for (int again = 0; is_known(policy_.wake_at()) && policy_.wake_at() <= now; ++again) {
    require(again < 4, "the policy wants to be woken in the past, for ever");
    decide(PolicyEvent::kTimer, now, nullptr, nullptr);
    schedule_.replace(plan_.steps);
  }
}

void GovernedFrames::on_heat(ThermalLevel level, Instant now) {
  static_cast<void>(heat_.update(level, now));
}

void GovernedFrames::decide(PolicyEvent event, Instant now, const Frame* frame,
                            const FrameStart* start) {
  PolicyInput input;
  input.event = event;
  input.now = now;
  input.app = app_;
  input.frame = frame;
  input.start = start;
  input.limits =
      narrowed(std::span(limits_).first(phone_.topology.clusters.size()), heat_.bounds(), room_);
  input.levers = phone_.levers;
  plan_ = policy_.step(input);
  hold(plan_, heat_.bounds());
  check_plan();
}

void GovernedFrames::take_due(Instant now) {
  Instant last;
  std::size_t taken = 0;
  for (Instant due = schedule_.next_due(); schedule_.take_due(now); due = schedule_.next_due()) {
    require(!is_known(last) || due >= last, "steps are due out of order");
    require(++taken <= kMaxPlanSteps, "steps without end");
    last = due;
  }
}

void GovernedFrames::check_plan() const {
  require(plan_.clusters.size() == phone_.topology.clusters.size(), "a plan for other clusters");
  for (std::size_t i = 0; i < plan_.clusters.size(); ++i) {
    check(plan_.clusters[i], i);
  }
  Duration last{};
  for (const PlanStep& step : plan_.steps) {
    require(step.after >= last, "steps do not ascend");
    require(step.cluster < plan_.clusters.size(), "a step for no cluster");
    check(step.limits, step.cluster);
    last = step.after;
  }
  check_threads();
  const PlanReason& reason = plan_.reason;
  require(reason.cluster >= -1 && reason.cluster < static_cast<int>(plan_.clusters.size()),
          "a reason with no cluster");
  require(std::isfinite(reason.error) && std::isfinite(reason.load.count()) &&
              std::isfinite(reason.wanted.count()) && reason.wanted.count() >= 0,
          "a reason that is no number");
}

void GovernedFrames::check_threads() const {
  require(phone_.levers.any() || (plan_.threads.empty() && plan_.thread_steps.empty()),
          "threads are steered where they cannot be");
  const std::uint32_t all = (1U << plan_.clusters.size()) - 1;
  const auto check_one = [&](const ThreadPlan& thread) {
    require((thread.clusters & ~all) == 0, "a thread on no cluster");
    require(std::isfinite(thread.floor.count()) && thread.floor.count() >= 0 &&
                (thread.cap.count() == 0 || thread.floor <= thread.cap),
            "a clamp that is none");
    require(phone_.levers.clamps || (thread.floor.count() == 0 && thread.cap.count() == 0),
            "a clamp where there are none");
  };
  for (const ThreadPlan& thread : plan_.threads) {
    check_one(thread);
  }
  Duration last{};
  for (const ThreadStep& step : plan_.thread_steps) {
    require(step.after >= last, "threads' steps do not ascend");
    require(step.thread < plan_.threads.size(), "a step for no thread");
    check_one(step.plan);
    last = step.after;
  }
}

void GovernedFrames::check(const ClusterPlan& plan, std::size_t index) const {
  const Cluster& cluster = phone_.topology.clusters[index];
  require(plan.cap.count() == 0 || plan.cap >= cluster.min_frequency(), "a cap below all OPPs");
  require(plan.floor.count() >= 0 && plan.cap <= cluster.max_frequency() &&
              plan.floor <= cluster.max_frequency(),
          "a limit beyond all OPPs");
  require(plan.cap.count() == 0 || plan.floor <= plan.cap, "a floor above its cap");
  if (!makes_frames(plan_)) {
    return;
  }
  for (const ClusterBounds* const bounds : {&phone_.bounds.clusters, &heat_.bounds()}) {
    const Frequency ceiling = index < bounds->size() ? (*bounds)[index].ceiling : Frequency{};
    require(ceiling.count() == 0 || (plan.cap.count() > 0 && plan.cap <= ceiling),
            "a cap above the ceiling");
  }
}

void check_event(const FrameEvent& event, const CpuTopology& topology) {
  const auto is_cluster = [&](int cluster) {
    return cluster >= -1 && cluster < static_cast<int>(topology.clusters.size());
  };
  if (event.kind == FrameEvent::Kind::kStart) {
    require(is_cluster(event.start.cluster), "a start on no cluster");
    require(is_known(event.start.at), "a start at no time");
    return;
  }
  const Frame& frame = event.frame;
  require(is_cluster(frame.cluster), "a frame on no cluster");
  require(frame.blocked >= Duration::zero(), "blocked for less than nothing");
  require(frame.interval >= Duration::zero() && frame.interval <= std::chrono::seconds{1},
          "an interval that is none");
  require(frame.pace >= Duration::zero(), "a pace that is none");
  require(frame.gpu_time >= Duration::zero() && frame.gpu_time < std::chrono::minutes{10},
          "a GPU that was at it for longer than anything was seen");
  require(frame.origin() <= frame.ready && frame.start <= frame.ready, "ready before it began");
  require(frame.busy_time() >= Duration::zero(), "blocked for longer than it took");
  if (frame.has(FramePart::kUi)) {
    require(is_known(frame.vsync) && frame.vsync <= frame.ui_done, "handed over before its vsync");
    require(frame.ui_done <= frame.ready, "ready before it was handed over");
    require(!is_known(frame.deadline) || frame.deadline >= frame.vsync, "due before its vsync");
  }
}

}  // namespace framegov::fuzz
