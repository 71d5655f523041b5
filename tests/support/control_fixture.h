// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "governor/control/control_desk.h"
#include "governor/control/control_feed.h"
#include "probes/context/app_names.h"
#include "probes/context/frame_kind.h"
#include "tests/support/cpufreq_tree.h"
#include "tests/support/phone_topology.h"

namespace framegov::test {

/// A feed as a service at 120 Hz fills it, and a desk that answers from it.
class ControlFixture {
 public:
  static constexpr Duration kInterval = std::chrono::nanoseconds{8'333'333};

  static Instant now() { return instant_from_ns(now_ns()); }
  static std::int64_t& now_ns() {
    static std::int64_t ns = 1'000'000'000'000;
    return ns;
  }

  explicit ControlFixture(OwnerActions owner = {})
      : feed(phone_topology(), &ControlFixture::now,
             {PowerModel::kTable, "sm8250", "measured on sm8250"}),
        desk({"1.2.3", now(), "placed by affinity"}, feed, log,
             UsageHistory::load(*StateDir::open(folder.path() / "state")), std::move(owner)) {}

  void open_app(const std::string& app) {
    app_ = app;
    feed.on_app(app_id_of(app), app, now());
  }

  void make_frame(Duration generation) { make_frame(app_, generation); }
  /// Of another app than the one that governs, maybe.
  void make_frame(const std::string& app, Duration generation) {
    now_ns() += kInterval.count();
    Frame frame;
    frame.app = app_id_of(app);
    frame.pid = thread.pid;
    frame.render_tid = thread.tid;
    if (thread.own_surface) {
      frame.add(FramePart::kSurface);
    }
    frame.vsync = now() - generation;
    frame.ready = now();
    frame.deadline = frame.vsync + kInterval;
    frame.cluster = 2;
    frame.frequency = mhz(2800);
    frame.ui_cpu_time = std::chrono::milliseconds{2};
    FrequencyPlan plan = FrequencyPlan::uncapped(3, ReasonCode::kTracking);
    plan.clusters[2] = {mhz(2800), mhz(1500)};
    plan.reason.cluster = 2;
    plan.reason.budget = kInterval;
    plan.reason.margin = std::chrono::milliseconds{1};
    plan.reason.wanted = Speed{1.4e9};
    plan.reason.chosen = mhz(1500);
    feed.on_decision({now(), DecisionCause::kFrameEnd, frame.app, &frame, &plan});
    feed.on_frame(frame, app, now());
    totals_.service.frames++;
    totals_.writes.writes += 2;
    totals_.threads.writes += 3;
    feed.on_step(report());
  }
  void stop_frames() {
    now_ns() += std::chrono::nanoseconds{std::chrono::milliseconds{500}}.count();
    const FrequencyPlan plan = FrequencyPlan::uncapped(3, ReasonCode::kStill);
    feed.on_decision({now(), DecisionCause::kFailSafe, app_id_of(app_), nullptr, &plan});
    feed.on_step(report());
  }

  TemporaryFolder folder;
  LogLines log;
  ControlFeed feed;
  ControlDesk desk;
  BufferThread thread;  ///< of the frames to come

 private:
  [[nodiscard]] StepReport report() const {
    StepReport made;
    made.now = now();
    made.totals = totals_;
    made.source = SourceKind::kBpfRingBuffer;
    made.policy = "mpc";
    made.mode = "balance";
    return made;
  }

  std::string app_ = "com.a";
  StepTotals totals_;
};

}  // namespace framegov::test
