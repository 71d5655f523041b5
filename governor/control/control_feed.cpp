// SPDX-License-Identifier: Apache-2.0
#include "governor/control/control_feed.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <utility>

namespace framegov {

namespace {

/// An app's frames are closed off as a slice after this long at the latest.
constexpr Duration kLongestSlice = std::chrono::seconds{60};
/// Slices are told of after this long, or when so many wait: rarely, so that storing them costs
/// next to nothing, and before the ring overwrites any.
constexpr Duration kTellEvery = std::chrono::minutes{5};
constexpr std::uint64_t kTellAt = ControlFeed::kSlices / 2;

}  // namespace

ControlFeed::ControlFeed(const CpuTopology& topology, Clock clock, PowerKnowledge power)
    : topology_(topology),
      power_(std::move(power)),
      clock_(clock),
      usage_waits_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      meter_(topology) {
  now_.clusters.resize(topology.clusters.size());  // uncapped
  snapshot_.publish(now_);
}

Energy ControlFeed::energy_of(const Frame& frame) const {
  if (frame.cluster < 0 || static_cast<std::size_t>(frame.cluster) >= topology_.clusters.size() ||
      frame.frequency <= Frequency{}) {
    return Energy{};
  }
  const Cluster& cluster = topology_.clusters[static_cast<std::size_t>(frame.cluster)];
  return energy_for(cluster.opps[cluster.opp_at_least(frame.frequency)].active,
                    to_seconds(frame.ui_cpu_time + frame.render_cpu_time));
}

void ControlFeed::on_frame(const Frame& frame, std::string_view app, Instant now) {
  FrameRecord record;
  record.ready = frame.ready;
  record.generation = frame.generation_time();
  record.budget = frame.budget();
  record.gpu_time = frame.gpu_time;
  record.gpu_bound = frame.gpu_bound();
  record.app = frame.app;
  record.energy = energy_of(frame);
  record.thread = buffer_thread_of(frame);
  frames_.push(record);
  turn_seconds(now);
  meter_.add_frame(frame, record, app);
  now_.misses += record.late() ? 1U : 0U;
  now_.energy += record.energy;
  unwritten_ = frame.ready;

  OpenSlice& slice = slice_of(app, now);
  ++slice.usage.frames;
  slice.usage.misses += record.late() ? 1U : 0U;
  slice.usage.energy += record.energy;
  if (now - slice.began >= kLongestSlice) {
    close(slice);
  }
}

void ControlFeed::on_app(AppId /*app*/, std::string_view name, Instant /*now*/) {
  close_slices();
  now_.app = AppText(name);
}

void ControlFeed::on_decision(const Decision& decision) {
  DecisionRecord record;
  record.at = decision.at;
  record.cause = decision.cause;
  record.app = now_.app;
  if (decision.frame != nullptr) {
    record.ended = times_of(*decision.frame);
  }
  record.reason = decision.plan->reason;
  record.clusters = decision.plan->clusters;
  decisions_.push(record);
  turn_seconds(decision.at);
  meter_.add_plan(record.clusters, record.reason.code);
  now_.cause = record.cause;
  now_.reason = record.reason;
  now_.clusters = record.clusters;
  if (decision.cause == DecisionCause::kFailSafe) {
    close_slices();
  }
}

void ControlFeed::on_step(const StepReport& report) {
  if (is_known(unwritten_)) {
    if (report.totals.writes.writes != writes_) {
      now_.reactions.add(clock_() - unwritten_);
    }
    unwritten_ = Instant{};
  }
  writes_ = report.totals.writes.writes;
  now_.at = report.now;
  now_.totals = report.totals;
  now_.source = report.source;
  now_.policy = FixedText<24>(report.policy);
  now_.mode = FixedText<24>(report.mode);
  now_.app_mode = FixedText<24>(report.app_mode);
  now_.app_enabled = report.app_enabled;
  now_.paused = report.pause.has_value();
  now_.pause = report.pause.value_or(Pause{});
  now_.limits.clear();
  for (const ClusterLimits& limits : report.limits) {
    now_.limits.push_back(limits);
  }
  now_.thermal = report.thermal;
  now_.ceilings = report.ceilings;
  snapshot_.publish(now_);
  turn_seconds(report.now);
  open_second_.publish(meter_.open());

  const std::uint64_t waiting = usage_.count() - told_count_;
  if (waiting >= kTellAt || (waiting > 0 && report.now - told_at_ >= kTellEvery)) {
    told_at_ = report.now;
    told_count_ = usage_.count();
    const std::uint64_t one = 1;
    // Cannot block; a full eventfd is readable already.
    (void)!::write(usage_waits_.get(), &one, sizeof one);
  }
}

void ControlFeed::turn_seconds(Instant now) {
  if (const auto over = meter_.advance(now)) {
    seconds_.push(*over);
  }
}

ControlFeed::OpenSlice& ControlFeed::slice_of(std::string_view app, Instant now) {
  OpenSlice* chosen = open_.data();
  for (OpenSlice& slice : open_) {
    if (slice.usage.frames > 0 && slice.usage.app.view() == AppText(app).view()) {
      return slice;
    }
    // An empty one, else the one that is open for longest.
    if (slice.usage.frames == 0 || (chosen->usage.frames > 0 && slice.began < chosen->began)) {
      chosen = &slice;
    }
  }
  close(*chosen);
  chosen->usage.app = AppText(app);
  chosen->began = now;
  return *chosen;
}

void ControlFeed::close(OpenSlice& slice) {
  if (slice.usage.frames > 0) {
    usage_.push(slice.usage);
  }
  slice = OpenSlice{};
}

void ControlFeed::close_slices() {
  for (OpenSlice& slice : open_) {
    close(slice);
  }
}

}  // namespace framegov
