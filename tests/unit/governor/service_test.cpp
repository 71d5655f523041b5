// SPDX-License-Identifier: Apache-2.0
#include "governor/service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <fstream>
#include <functional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/monotonic_clock.h"
#include "governor/cpufreq/topology_reader.h"
#include "policy/policy_factory.h"
#include "tests/support/allocation_counter.h"
#include "tests/support/cpufreq_tree.h"
#include "tests/support/fake_frame_source.h"

namespace framegov {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr Duration kInterval = milliseconds{16};
constexpr Duration kFailSafeAfter = milliseconds{500};

/// Caps policy4 with every frame, and remembers what it was shown.
class CappingPolicy final : public Policy {
 public:
  FrequencyPlan step(const PolicyInput& input) override {
    events.push_back(input.event);
    asked = true;
    app = input.app;
    FrequencyPlan plan = FrequencyPlan::uncapped(3, ReasonCode::kTracking);
    if (input.event == PolicyEvent::kTimer) {
      wake = Instant{};
      plan.reason.code = ReasonCode::kStill;
      return plan;
    }
    plan.clusters[1] = {mhz(1200), mhz(800)};
    if (escalate) {
      plan.steps.push_back({milliseconds{8}, 1, {mhz(2250), mhz(2250)}});
    }
    if (wake_after > Duration::zero()) {
      wake = input.now + wake_after;
    }
    return plan;
  }
  [[nodiscard]] Instant wake_at() const override { return wake; }
  [[nodiscard]] std::string_view name() const override { return "capping"; }

  std::vector<PolicyEvent> events;
  std::atomic<bool> asked = false;  ///< for a helper that does not step the service itself
  AppId app{};
  bool escalate = false;
  Duration wake_after{};
  Instant wake;
};

class ServiceTest : public ::testing::Test {
 protected:
  void make_service(LogLevel level = LogLevel::kInfo, std::unique_ptr<Policy> policy = nullptr) {
    auto log = Log::open(level, folder_.path() / "log");
    ASSERT_TRUE(log);
    log_ = *std::move(log);
    auto tree = CpufreqTree::open(tree_.root());
    ASSERT_TRUE(tree);
    auto reading = read_topology(*tree, "/nonexistent");
    ASSERT_TRUE(reading);
    auto state = StateDir::open(folder_.path() / "state");
    ASSERT_TRUE(state);
    auto actuator = Actuator::create(*std::move(tree), reading->topology, *std::move(state),
                                     "this-boot", *log_);
    ASSERT_TRUE(actuator);
    auto source = std::make_unique<test::FakeFrameSource>();
    source_ = source.get();
    if (!policy) {
      auto capping = std::make_unique<CappingPolicy>();
      policy_ = capping.get();
      policy = std::move(capping);
    }
    ServiceParts parts{reading->topology, std::move(source), std::move(policy),
                       *std::move(actuator), fail_safe_after_};
    parts.longest_turn = milliseconds{500};
    auto service = Service::create(std::move(parts), *log_);
    ASSERT_TRUE(service) << service.error().to_string();
    service_ = *std::move(service);
  }

  [[nodiscard]] Frame frame(std::int32_t pid = 100) const {
    Frame made;
    made.pid = pid;
    made.vsync = made.start = now_ - milliseconds{10};
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
  void start_frame(std::int32_t pid = 100) {
    FrameStart start;
    start.pid = pid;
    start.at = now_;
    source_->push(start);
    step();
  }
  /// A frame that began 4 ms ago has 4 ms left until it is stepped up.
  void begin_frame_to_step_up() {
    make_service();
    policy_->escalate = true;
    make_frame();
    start_frame();
    now_ += milliseconds{4};
  }
  void step() { ASSERT_TRUE(service_->step(now_)); }
  [[nodiscard]] bool capped() const { return tree_.max(4) == 1200000; }
  [[nodiscard]] std::string log_text() const { return folder_.read("log"); }

  test::TemporaryFolder folder_;
  test::TemporaryCpufreqTree tree_;
  std::unique_ptr<Log> log_;
  test::FakeFrameSource* source_ = nullptr;
  CappingPolicy* policy_ = nullptr;
  std::unique_ptr<Service> service_;
  Instant now_ = instant_from_ns(10'000'000'000);
  Duration fail_safe_after_ = kFailSafeAfter;
};

TEST_F(ServiceTest, AFrameBecomesLimits) {
  make_service();
  make_frame();
  EXPECT_EQ(tree_.max(4), 1200000);
  EXPECT_EQ(tree_.min(4), 800000);
  EXPECT_EQ(tree_.max(0), 1800000);
  EXPECT_THAT(policy_->events, ElementsAre(PolicyEvent::kAppChanged, PolicyEvent::kFrameEnd));
  EXPECT_EQ(policy_->app, AppId{100});
}

TEST_F(ServiceTest, TheAppThatMakesFramesGoverns) {
  make_service();
  make_frame(100);
  make_frame(200);
  make_frame(200);
  EXPECT_EQ(policy_->app, AppId{200});
  EXPECT_THAT(policy_->events, ElementsAre(PolicyEvent::kAppChanged, PolicyEvent::kFrameEnd,
                                           PolicyEvent::kAppChanged, PolicyEvent::kFrameEnd,
                                           PolicyEvent::kFrameEnd));
  start_frame(100);  // draws nothing
  EXPECT_EQ(policy_->events.size(), 5U);
}

TEST_F(ServiceTest, TwoAppsThatDrawAtOnceAreNotCapped) {
  make_service();
  for (int i = 0; i < 20; ++i) {
    make_frame(i % 2 == 0 ? 100 : 200);
  }
  EXPECT_FALSE(capped());
  EXPECT_EQ(log_text().find("two apps draw at once"), log_text().rfind("two apps draw at once"));
  for (int i = 0; i < 100; ++i) {
    make_frame(200);
  }
  EXPECT_TRUE(capped());
  EXPECT_THAT(log_text(), HasSubstr("one app draws again"));
  // A clock beside it draws now and then: that is not told each time.
  for (int i = 0; i < 5; ++i) {
    make_frame(100);
    make_frame(200);
    EXPECT_FALSE(capped());
    for (int frame = 0; frame < 100; ++frame) {
      make_frame(200);
    }
    EXPECT_TRUE(capped());
  }
  EXPECT_EQ(log_text().find("two apps draw at once"), log_text().rfind("two apps draw at once"));
  EXPECT_EQ(log_text().find("one app draws again"), log_text().rfind("one app draws again"));
}

TEST_F(ServiceTest, AFrameThatRunsLongIsSteppedUp) {
  make_service();
  policy_->escalate = true;
  make_frame();
  start_frame();
  EXPECT_EQ(service_->wake_at(), now_ + milliseconds{8});
  now_ += milliseconds{8};
  step();
  EXPECT_EQ(tree_.max(4), 2250000);
  EXPECT_EQ(tree_.min(4), 2250000);
  make_frame();
  EXPECT_TRUE(capped());
}

TEST_F(ServiceTest, AFrameInTimeIsNotSteppedUp) {
  begin_frame_to_step_up();
  Frame ended = frame();
  ended.vsync = ended.start = now_ - milliseconds{4};
  source_->push(ended);
  step();
  EXPECT_EQ(service_->wake_at(), now_ + kFailSafeAfter);
  now_ += milliseconds{8};
  step();
  EXPECT_TRUE(capped());
}

TEST_F(ServiceTest, AFrameThatEndsDoesNotKeepTheOneThatHasBegunFromBeingSteppedUp) {
  begin_frame_to_step_up();
  source_->push(frame());  // began 6 ms before the one that has just started
  step();
  EXPECT_TRUE(capped());
  EXPECT_EQ(service_->wake_at(), now_ + milliseconds{4});
  now_ += milliseconds{4};
  step();
  EXPECT_EQ(tree_.min(4), 2250000);
}

TEST_F(ServiceTest, AnotherAppsFrameIsNotSteppedUpForTheOneThatHadBegun) {
  begin_frame_to_step_up();
  source_->push(frame(200));
  step();
  EXPECT_EQ(service_->wake_at(), now_ + kFailSafeAfter);
}

TEST_F(ServiceTest, ThePolicysTimerIsKept) {
  make_service();
  policy_->wake_after = milliseconds{64};
  make_frame();
  EXPECT_EQ(service_->wake_at(), now_ + milliseconds{64});
  now_ += milliseconds{64};
  step();
  EXPECT_EQ(policy_->events.back(), PolicyEvent::kTimer);
  EXPECT_FALSE(capped());
  EXPECT_EQ(tree_.min(4), 400000);
}

TEST_F(ServiceTest, CapsAreLiftedWhenFramesStopAndNothingIsDueAfterwards) {
  make_service();
  make_frame();
  make_frame();
  ASSERT_TRUE(capped());
  now_ += kFailSafeAfter - milliseconds{1};
  step();
  EXPECT_TRUE(capped());
  now_ += milliseconds{1};
  step();
  EXPECT_EQ(tree_.max(4), 2250000);
  EXPECT_EQ(tree_.min(4), 400000);
  EXPECT_FALSE(is_known(service_->wake_at()));
  make_frame();
  EXPECT_TRUE(capped());
}

TEST_F(ServiceTest, LossUncapsUntilFramesAreWholeAgain) {
  make_service();
  make_frame();
  ASSERT_TRUE(capped());
  source_->lose(3);
  now_ += milliseconds{20};
  make_frame();
  EXPECT_FALSE(capped());
  EXPECT_EQ(service_->plan().reason.code, ReasonCode::kNotUnderstood);
  for (int i = 2; i < FailSafe::kGoodFrames; ++i) {
    make_frame();
    EXPECT_FALSE(capped());
  }
  policy_->events.clear();
  make_frame();
  EXPECT_TRUE(capped());
  EXPECT_THAT(policy_->events, ElementsAre(PolicyEvent::kAppChanged, PolicyEvent::kFrameEnd));
  EXPECT_THAT(log_text(), HasSubstr("3 frame events were lost"));
}

TEST_F(ServiceTest, AFrameOfNobodyUncaps) {
  make_service();
  make_frame();
  make_frame(0);
  EXPECT_FALSE(capped());
  EXPECT_EQ(service_->plan().reason.code, ReasonCode::kNotUnderstood);
  make_frame();
  EXPECT_TRUE(capped());
}

TEST_F(ServiceTest, ABrokenSourceUncapsAndIsAnError) {
  make_service();
  make_frame();
  source_->break_down();
  const Status stepped = service_->step(now_);
  ASSERT_FALSE(stepped);
  EXPECT_THAT(stepped.error().message, HasSubstr("broke down"));
  EXPECT_FALSE(capped());
}

TEST_F(ServiceTest, AFullBatchIsTakenInTurns) {
  make_service();
  for (std::size_t i = 0; i < kMaxFrameBatch + 10; ++i) {
    source_->push(frame());
  }
  step();
  EXPECT_EQ(service_->counters().frames, kMaxFrameBatch);
  step();
  EXPECT_EQ(service_->counters().frames, kMaxFrameBatch + 10);
}

TEST_F(ServiceTest, StepsAllocateNothing) {
  const auto topology = read_topology(*CpufreqTree::open(tree_.root()), "/nonexistent")->topology;
  make_service(LogLevel::kInfo, *make_policy("pid", topology, PolicySettings{}));
  for (int i = 0; i < 20; ++i) {
    make_frame();
  }
  std::uint64_t allocated = 0;
  std::set<std::int64_t> caps;
  for (int i = 0; i < 1000; ++i) {
    FrameStart start;
    start.pid = 100;
    start.at = now_;
    source_->push(start);
    now_ += milliseconds{i / 100 % 2 == 0 ? 2 : 14};
    Frame made = frame();
    made.vsync = made.start = start.at;
    made.deadline = made.vsync + kInterval;
    source_->push(made);
    const std::uint64_t before = test::allocations();
    ASSERT_TRUE(service_->step(now_));
    allocated += test::allocations() - before;
    caps.insert(tree_.max(4));
    now_ += milliseconds{2};
  }
  EXPECT_EQ(allocated, 0U);
  EXPECT_GT(caps.size(), 2U);  // there was something to write
}

TEST_F(ServiceTest, EveryDecisionIsALineAtDebugLevel) {
  make_service(LogLevel::kDebug);
  make_frame();
  service_.reset();
  log_.reset();
  EXPECT_THAT(log_text(), AllOf(HasSubstr("decision at_ns="), HasSubstr("cause=app app=100"),
                                HasSubstr("cause=frame app=100 pid=100 vsync_ns="),
                                HasSubstr("policy4=1200000/800000")));
}

/// run() in this thread, with a helper that plays the phone.
class ServiceRunTest : public ServiceTest {
 protected:
  static void SetUpTestSuite() { block_service_signals(); }
  void run_and(const std::function<void()>& play) {
    std::thread helper(play);
    status_ = service_->run();
    helper.join();
  }
  /// How often this program's first thread, which runs the service, has gone to sleep.
  static std::int64_t times_slept() {
    std::ifstream file("/proc/self/task/" + std::to_string(::getpid()) + "/status");
    for (std::string word; file >> word;) {
      std::int64_t count = 0;
      if (word == "voluntary_ctxt_switches:" && file >> count) {
        return count;
      }
    }
    return -1;
  }
  Status status_;
};

TEST_F(ServiceRunTest, SigtermPutsEverythingBack) {
  fail_safe_after_ = std::chrono::minutes{10};  // so that a busy machine's helper sees the cap
  for (const int signal : {SIGTERM, SIGINT}) {
    make_service();
    now_ = monotonic_now();
    source_->push(frame());
    run_and([&] {
      while (!capped()) {
        std::this_thread::sleep_for(milliseconds{1});
      }
      ::kill(::getpid(), signal);
    });
    EXPECT_TRUE(status_) << status_.error().to_string();
    EXPECT_EQ(tree_.max(4), 2250000);
    EXPECT_EQ(tree_.min(4), 400000);
    EXPECT_FALSE(std::filesystem::exists(folder_.path() / "state" / "saved_limits"));
    service_.reset();
  }
}

class EndlessPolicy final : public Policy {
 public:
  FrequencyPlan step(const PolicyInput& /*input*/) override {
    for (std::atomic<int> turns = 0;; ++turns) {
    }
  }
  [[nodiscard]] Instant wake_at() const override { return {}; }
  [[nodiscard]] std::string_view name() const override { return "endless"; }
};

TEST_F(ServiceRunTest, ATurnThatNeverEndsEndsTheProcess) {
  make_service(LogLevel::kInfo, std::make_unique<EndlessPolicy>());
  now_ = monotonic_now();
  source_->push(frame());
  EXPECT_EXIT((void)service_->run(), ::testing::KilledBySignal(SIGXCPU), "");
}

TEST_F(ServiceRunTest, AStillScreenWakesNobody) {
  make_service();
  now_ = monotonic_now();
  source_->push(frame());
  std::int64_t at_rest = 0;
  std::int64_t later = 0;
  run_and([&] {
    while (!policy_->asked) {
      std::this_thread::sleep_for(milliseconds{1});
    }
    std::this_thread::sleep_for(kFailSafeAfter);  // a busy machine's helper may not see the cap
    while (capped()) {                            // until the fail-safe lifts it
      std::this_thread::sleep_for(milliseconds{5});
    }
    std::this_thread::sleep_for(milliseconds{20});
    at_rest = times_slept();
    std::this_thread::sleep_for(milliseconds{300});
    later = times_slept();
    ::kill(::getpid(), SIGTERM);
  });
  EXPECT_GT(at_rest, 0);
  EXPECT_EQ(later, at_rest);
}

TEST_F(ServiceRunTest, HangupIsNotTheEnd) {
  make_service();
  run_and([&] {
    ::kill(::getpid(), SIGHUP);
    while (log_text().find("SIGHUP") == std::string::npos) {
      std::this_thread::sleep_for(milliseconds{1});
    }
    ::kill(::getpid(), SIGTERM);
  });
  EXPECT_TRUE(status_);
  EXPECT_EQ(service_->counters().wakeups, 2U);
}

TEST_F(ServiceRunTest, ABrokenSourceEndsTheServiceUncapped) {
  make_service();
  make_frame();
  ASSERT_TRUE(capped());
  source_->push(frame());
  source_->break_down();
  run_and([] {});
  EXPECT_FALSE(status_);
  EXPECT_FALSE(capped());
}

}  // namespace
}  // namespace framegov
