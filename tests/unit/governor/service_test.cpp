// SPDX-License-Identifier: Apache-2.0
#include "governor/service/service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "governor/service/loss_watch.h"
#include "policy/policy_factory.h"
#include "tests/support/allocation_counter.h"
#include "tests/unit/governor/service_fixture.h"

namespace framegov {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using test::CappingPolicy;
using test::ServiceTest;

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

TEST_F(ServiceTest, ThePolicyIsShownHowLongStepsTakeToBeWritten) {
  make_service();
  policy_->escalate = true;
  make_frame();
  for (int i = 0; i < 16; ++i) {
    start_frame();
    now_ += milliseconds{8};
    written_at = now_ + milliseconds{1};
    step();
    EXPECT_EQ(policy_->write_lag, Duration::zero()) << i;
    make_frame();
  }
  EXPECT_EQ(policy_->write_lag, milliseconds{1});
}

TEST_F(ServiceTest, AStepThatWasDueBeforeItWasDecidedUponIsNotLate) {
  make_service();
  policy_->escalate = true;
  make_frame();
  for (int i = 0; i < 16; ++i) {
    start_frame(100, milliseconds{9});  // told of so late that its step is due at once
    written_at = now_ + milliseconds{1};
    step();
    make_frame();
  }
  EXPECT_EQ(policy_->write_lag, Duration::zero());
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

TEST_F(ServiceTest, StartsThatNeverBecomeFramesAreCappedOnceOnly) {
  make_service();
  make_frame();
  Duration capped_for{};
  for (Duration ran{}; ran < milliseconds{5000}; ran += kInterval) {
    now_ += kInterval;
    start_frame();
    capped_for += capped() ? kInterval : Duration{};
  }
  EXPECT_LE(capped_for, 2 * kFailSafeAfter + kInterval);
  EXPECT_FALSE(is_known(service_->wake_at()));
  const std::size_t asked = policy_->events.size();
  start_frame();
  EXPECT_EQ(policy_->events.size(), asked);
  make_frame();
  EXPECT_TRUE(capped());
  start_frame();
  EXPECT_EQ(policy_->events.back(), PolicyEvent::kFrameStart);
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

TEST_F(ServiceTest, PerfBuffersThatLoseForSecondsAreMadeAnewOnceAMinute) {
  for (const SourceKind kind : {SourceKind::kBpfRingBuffer, SourceKind::kBpfPerfBuffer}) {
    make_service();
    source_->pretend(kind);
    make_frame();
    for (const Instant first_minute = now_ + LossWatch::kNewBuffersEvery - milliseconds{100};
         now_ < first_minute;) {
      source_->lose(1);
      now_ += milliseconds{20};
      make_frame();
      ASSERT_EQ(service_->afresh(), "");
    }
    now_ += LossWatch::kTogether;
    for (const Instant seconds = now_ + LossWatch::kLong; now_ < seconds;) {
      ASSERT_EQ(service_->afresh(), "");  // a new loss
      now_ += milliseconds{20};
      source_->lose(1);
      make_frame();
    }
    source_->lose(1);
    now_ += milliseconds{20};
    make_frame();
    EXPECT_EQ(service_->afresh().empty(), kind == SourceKind::kBpfRingBuffer);
  }
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

TEST_F(ServiceTest, AStepTakesFramesForSoLongOnly) {
  make_service();
  policy_->on_step = [] { written_at += milliseconds{2}; };
  for (int i = 0; i < 20; ++i) {
    source_->push(frame());
  }
  step();
  EXPECT_LT(service_->counters().frames, 4U);
  for (int i = 0; i < 20; ++i) {
    step();
  }
  EXPECT_EQ(service_->counters().frames, 20U);
}

TEST_F(ServiceTest, LossIsNoticedThoughFramesOfABatchAreLeft) {
  make_service();
  make_frame();
  ASSERT_TRUE(capped());
  policy_->on_step = [] { written_at += milliseconds{10}; };
  for (int i = 0; i < 5; ++i) {
    source_->push(frame());
  }
  step();
  ASSERT_TRUE(capped());
  source_->lose(1);
  now_ += Doubts::kLossCheckEvery;
  step();
  EXPECT_FALSE(capped());
}

TEST_F(ServiceTest, FramesThatAreReadTooLateUncap) {
  make_service();
  make_frame();
  ASSERT_TRUE(capped());
  source_->push(frame());
  now_ += kFailSafeAfter / 2 + milliseconds{1};
  step();
  EXPECT_FALSE(capped());
  const Instant calm = now_ + FailSafe::kCalm;
  for (make_frame(); now_ < calm; make_frame()) {
    EXPECT_FALSE(capped());
  }
  EXPECT_TRUE(capped());
}

TEST_F(ServiceTest, TheEndOfAnAppLiftsBeforeTheFramesThatWaitAreRead) {
  const std::filesystem::path group = folder_.path() / "top-app" / "cgroup.procs";
  std::filesystem::create_directories(group.parent_path());
  std::filesystem::create_directories(folder_.path() / "proc/100");
  std::ofstream(folder_.path() / "proc/100/cmdline") << "com.a" << '\0';
  std::ofstream(folder_.path() / "proc/100/oom_score_adj") << "0\n";
  std::ofstream(group) << "100\n";
  ServiceSettings settings;
  settings.proc_root = folder_.path() / "proc";
  settings.cpu_root = tree_.root();
  settings.top_app_groups = {group.parent_path()};
  settings.dumpsys = settings.settings_command = "/nonexistent";
  const auto topology = read_topology(*CpufreqTree::open(tree_.root()), {})->topology;
  const auto log = Log::open(LogLevel::kInfo, folder_.path() / "context_log");
  context_ = std::make_unique<AppContext>(settings, topology, **log);
  make_service();
  make_frame();
  ASSERT_TRUE(capped());
  std::ofstream(group) << "";
  source_->push(frame());
  source_->on_drain = [this] { EXPECT_FALSE(capped()); };
  step();
  EXPECT_FALSE(capped());
}

TEST_F(ServiceTest, StepsAllocateNothing) {
  const auto topology = read_topology(*CpufreqTree::open(tree_.root()), {})->topology;
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

}  // namespace
}  // namespace framegov
