// SPDX-License-Identifier: Apache-2.0
#include "sim/run/frame_explainer.h"

#include <cstdarg>
#include <cstdio>

#include "base/plan_numbers.h"
#include "base/plan_words.h"

namespace framegov::sim {

namespace {

__attribute__((format(printf, 2, 3))) void add(std::string& out, const char* format, ...) {
  char buffer[256];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(buffer, sizeof buffer, format, arguments);
  va_end(arguments);
  out += buffer;
}

double ms(Duration time) { return to_seconds(time) * 1e3; }

void add_limits(std::string& out, const FrequencyPlan& plan, const CpuTopology& topology) {
  for (std::size_t c = 0; c < plan.clusters.size(); ++c) {
    add(out, "%s policy%d %s", c == 0 ? "" : ",", topology.clusters[c].cpufreq_id,
        limits_words(plan.clusters[c]).c_str());
  }
}

template <class T>
std::string words(const PlanNumber& number, T value) {
  return number_words(number, static_cast<double>(in_key_unit(value)));
}

/// Which end of the frame's cluster's OPPs bound the choice, if any did.
void add_bounds(std::string& out, const PlanReason& reason, const CpuTopology& topology) {
  if (reason.cluster < 0 || reason.wanted.count() <= 0 || reason.chosen.count() <= 0) {
    return;
  }
  const Cluster& cluster = topology.clusters[static_cast<std::size_t>(reason.cluster)];
  const Speed chosen = cluster.opps[cluster.opp_at_least(reason.chosen)].speed;
  add(out, " It asked for %s and chose %s on policy%d, worth %s%s.",
      words(plan_numbers::kWanted, reason.wanted).c_str(),
      words(plan_numbers::kChosen, reason.chosen).c_str(), cluster.cpufreq_id,
      words(plan_numbers::kWanted, chosen).c_str(),
      reason.wanted > chosen                            ? ": a limit bound it"
      : reason.chosen == cluster.opps.back().frequency  ? ", its highest OPP"
      : reason.chosen == cluster.opps.front().frequency ? ", its lowest OPP"
                                                        : ", bound by no limit");
}

}  // namespace

std::string explain(const FrequencyPlan& plan, const CpuTopology& topology) {
  const PlanReason& reason = plan.reason;
  std::string out = "Decision:";
  add_limits(out, plan, topology);
  for (const PlanStep& step : plan.steps) {
    add(out, "; after %.2f ms policy%d %s", ms(step.after),
        topology.clusters[step.cluster].cpufreq_id, limits_words(step.limits).c_str());
  }
  out.append(". Why: ").append(reason_words(reason.code)).append(".");
  const auto say = [&out, &reason](const PlanNumber& number, auto value, const char* before,
                                   const char* after) {
    const bool is = is_said(reason, number, value);
    if (is) {
      out.append(before).append(words(number, value)).append(after);
    }
    return is;
  };
  say(plan_numbers::kLoad, reason.load, " At most ", " were expected (quantile and margin).");
  if (say(plan_numbers::kBudget, reason.budget, " Its deadline is ", " after its vsync")) {
    say(plan_numbers::kMargin, reason.margin, ", of which ", " are kept free");
    say(plan_numbers::kGeneration, reason.generation, "; the frame before took ", "");
    out += ".";
  }
  add_bounds(out, reason, topology);
  return out;
}

const FrameExplainer::Decision* FrameExplainer::decision_at(double start) const {
  const Decision* newest = nullptr;
  for (std::size_t i = 0; i < kKept; ++i) {
    const Decision& each = decisions_[(next_ + i) % kKept];
    if (each.at >= 0 && each.at <= start) {
      newest = &each;
    }
  }
  return newest;
}

const FrameExplainer::Decision* FrameExplainer::decision_for(double start) const {
  // Until the frame ahead is done, plans are for that one: its own comes then.
  return after_ahead_.at > start ? &after_ahead_ : decision_at(start);
}

void FrameExplainer::on_plan(double now, const FrequencyPlan& plan) {
  if (text_) {
    return;
  }
  decisions_[next_] = {now, plan};
  next_ = (next_ + 1) % kKept;
  if (ahead_just_ended_) {
    after_ahead_ = {now, plan};
    ahead_just_ended_ = false;
  }
}

void FrameExplainer::on_frame(const PipelineFrame& frame, FrameVerdict verdict) {
  if (frame.index != wanted_) {
    ahead_just_ended_ = frame.index + 1 == wanted_;
    return;
  }
  std::string out;
  const double slack = (frame.load.deadline - frame.ready) * 1e-6;
  add(out,
      "Frame %llu, vsync at %.3f s: began %.2f ms after it, ready after %.2f ms, %.2f ms %s%s%s.\n",
      static_cast<unsigned long long>(frame.index), frame.load.vsync * 1e-9,
      (frame.start - frame.load.vsync) * 1e-6, (frame.ready - frame.load.vsync) * 1e-6,
      slack < 0 ? -slack : slack, slack < 0 ? "late" : "before its deadline",
      verdict.feasible ? "" : " (full speed would be late too)",
      verdict.stuffed ? ", for a full queue alone (buffer stuffing)" : "");
  add(out, "It had %.2f Mcycles of work.\n",
      (frame.load.ui_work + frame.load.render_work) *
          topology_->clusters[topology_->fastest_cluster()].max_speed().count() * 1e-15);
  if (frame.load.beside) {
    out += "It was drawn beside another app's, whose frames govern.\n";
  } else if (const Decision* decision = decision_for(frame.start)) {
    if (decision->at > frame.start) {
      add(out, "The frame before it was in flight for another %.2f ms; then its own turn came.\n",
          (decision->at - frame.start) * 1e-6);
    }
    out += explain(decision->plan, *topology_) + "\n";
  }
  text_ = out;
}

}  // namespace framegov::sim
