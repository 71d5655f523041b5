// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "governor/service/service.h"
#include "tests/support/cpufreq_tree.h"
#include "tests/support/fake_frame_source.h"
#include "tests/unit/governor/governed_tree.h"

namespace framegov::test {

/// Caps policy4 with every frame, and remembers what it was shown.
class CappingPolicy final : public Policy {
 public:
  const FrequencyPlan& step(const PolicyInput& input) override {
    events.push_back(input.event);
    asked = true;
    on_step();
    app = input.app;
    write_lag = input.write_lag;
    plan_ = FrequencyPlan::uncapped(3, ReasonCode::kTracking);
    if (input.event == PolicyEvent::kTimer) {
      wake = Instant{};
      plan_.reason.code = ReasonCode::kStill;
      return plan_;
    }
    plan_.clusters[1] = {mhz(1200), mhz(800)};
    if (escalate) {
      plan_.steps.push_back({std::chrono::milliseconds{8}, 1, {mhz(2250), mhz(2250)}});
    }
    if (wake_after > Duration::zero()) {
      wake = input.now + wake_after;
    }
    return plan_;
  }
  [[nodiscard]] Instant wake_at() const override { return wake; }
  [[nodiscard]] std::string_view name() const override { return "capping"; }

  std::vector<PolicyEvent> events;
  std::atomic<bool> asked = false;  ///< for a helper that does not step the service itself
  AppId app{};
  Duration write_lag{};
  std::function<void()> on_step = [] {};
  bool escalate = false;
  Duration wake_after{};
  Instant wake;

 private:
  FrequencyPlan plan_;
};

/// A service on a temporary tree, with frames that the test makes and a clock that it moves.
class ServiceTest : public ::testing::Test {
 protected:
  static constexpr Duration kInterval = std::chrono::milliseconds{16};
  static constexpr Duration kFailSafeAfter = std::chrono::milliseconds{500};

  void make_service(LogLevel level = LogLevel::kInfo, std::unique_ptr<Policy> policy = nullptr) {
    auto log = Log::open(level, folder_.path() / "log");
    ASSERT_TRUE(log);
    log_ = *std::move(log);
    auto governed = govern_tree(tree_.root(), folder_.path() / "state", "this-boot", *log_);
    ASSERT_TRUE(governed) << governed.error().to_string();
    auto source = std::make_unique<FakeFrameSource>();
    source_ = source.get();
    if (!policy) {
      auto capping = std::make_unique<CappingPolicy>();
      policy_ = capping.get();
      policy = std::move(capping);
    }
    ServiceParts parts{governed->topology, std::move(source), std::move(policy),
                       std::move(governed->actuator), fail_safe_after_};
    parts.longest_turn = std::chrono::milliseconds{500};
    parts.clock = [] { return written_at; };
    parts.context = std::move(context_);
    auto service = Service::create(std::move(parts), *log_);
    ASSERT_TRUE(service) << service.error().to_string();
    service_ = *std::move(service);
  }

  [[nodiscard]] Frame frame(std::int32_t pid = 100) const {
    Frame made;
    made.pid = pid;
    made.vsync = made.start = now_ - std::chrono::milliseconds{10};
    made.ready = now_;
    made.interval = kInterval;
    made.deadline = made.vsync + kInterval;
    made.cluster = 1;
    made.add(FramePart::kUi);
    return made;
  }
  void make_frame(std::int32_t pid = 100) {
    now_ += kInterval;
    source_->push(frame(pid));
    step();
  }
  void start_frame(std::int32_t pid = 100, Duration ago = {}) {
    FrameStart start;
    start.pid = pid;
    start.at = now_ - ago;
    source_->push(start);
    step();
  }
  /// A frame that began 4 ms ago has 4 ms left until it is stepped up.
  void begin_frame_to_step_up() {
    make_service();
    policy_->escalate = true;
    make_frame();
    start_frame();
    now_ += std::chrono::milliseconds{4};
  }
  void step() { ASSERT_TRUE(service_->step(now_)); }
  [[nodiscard]] bool capped() const { return tree_.max(4) == 1200000; }
  [[nodiscard]] std::string log_text() const { return folder_.read("log"); }

  TemporaryFolder folder_;
  TemporaryCpufreqTree tree_;
  std::unique_ptr<Log> log_;
  FakeFrameSource* source_ = nullptr;
  CappingPolicy* policy_ = nullptr;
  std::unique_ptr<AppContext> context_;  ///< of the next service; null: every process counts
  std::unique_ptr<Service> service_;
  Instant now_ = instant_from_ns(10'000'000'000);
  static inline Instant written_at;  ///< when the service believes to be done with its writes
  Duration fail_safe_after_ = kFailSafeAfter;
};

}  // namespace framegov::test
