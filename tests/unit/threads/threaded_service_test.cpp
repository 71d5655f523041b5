// SPDX-License-Identifier: Apache-2.0
// The service with a policy that says where the frame's threads run.
#include <gmock/gmock.h>
#include <unistd.h>

#include <csignal>

#include "tests/unit/governor/service_fixture.h"
#include "tests/unit/threads/steered_app.h"

namespace framegov::test {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

/// The UI thread on the little cluster, on the big one after 8 ms; RenderThread on the big one.
class PlacingPolicy final : public Policy {
 public:
  const FrequencyPlan& step(const PolicyInput& input) override {
    levers = input.levers;
    plan_ = FrequencyPlan::uncapped(3, ReasonCode::kTracking);
    plan_.clusters[1] = {mhz(1200), mhz(800)};
    if (input.levers.placement) {
      plan_.threads.push_back(on(1, 0, 256e6));
      plan_.threads.push_back(on(2));
      plan_.thread_steps.push_back({milliseconds{8}, kUiThread, on(2, 512e6, 0)});
    }
    return plan_;
  }
  [[nodiscard]] Instant wake_at() const override { return {}; }
  [[nodiscard]] std::string_view name() const override { return "placing"; }

  ThreadLevers levers;

 private:
  FrequencyPlan plan_;
};

class ThreadedService : public ServiceTest {
 protected:
  void SetUp() override {
    auto log = Log::open(LogLevel::kInfo, folder_.path() / "log");
    ASSERT_TRUE(log);
    log_ = *std::move(log);
  }

  void make(std::unique_ptr<Policy> policy, ThreadLevers levers = {true, true}) {
    auto governed = govern_tree(tree_.root(), folder_.path() / "state", "this-boot", *log_);
    ASSERT_TRUE(governed) << governed.error().to_string();
    auto source = std::make_unique<FakeFrameSource>();
    source_ = source.get();
    auto kernel = std::make_unique<FakeThreads>(0xff);
    threads_ = kernel.get();
    threads_->add(kApp, kUi);
    threads_->add(kApp, kRender);
    ServiceParts parts{governed->topology, std::move(source), std::move(policy),
                       std::move(governed->actuator), fail_safe_after_};
    parts.threads = std::make_unique<ThreadActuator>(
        std::move(kernel), ThreadMeans{levers, "as told"}, two_clusters(),
        *StateDir::open(folder_.path() / "state"), "this-boot", *log_);
    auto service = Service::create(std::move(parts), *log_);
    ASSERT_TRUE(service) << service.error().to_string();
    service_ = *std::move(service);
  }
  void make_placing() {
    auto policy = std::make_unique<PlacingPolicy>();
    placing_ = policy.get();
    make(std::move(policy));
  }
  void frame_of_app(std::int32_t pid = kApp) {
    now_ += kInterval;
    Frame made = frame(pid);
    made.ui_tid = kUi;
    made.render_tid = kRender;
    source_->push(made);
    step();
  }
  void start_of_app() {
    FrameStart start;
    start.pid = kApp;
    start.tid = kUi;
    start.at = now_;
    source_->push(start);
    step();
  }
  void expect_back() {
    for (const std::int32_t tid : {kUi, kRender}) {
      EXPECT_EQ(threads_->at(tid).asked, kEveryCpu) << tid;
      EXPECT_EQ(threads_->clamp(tid), UtilClamp{}) << tid;
    }
  }
  [[nodiscard]] bool saved_file_is_there() const {
    return std::filesystem::exists(folder_.path() / "state" / kSavedThreadsFile);
  }

  PlacingPolicy* placing_ = nullptr;
  FakeThreads* threads_ = nullptr;
};

TEST_F(ThreadedService, APolicyThatSaysNothingOfThreadsLeavesThemAlone) {
  make(std::make_unique<CappingPolicy>());
  threads_->calls = threads_->writes = 0;
  for (int i = 0; i < 5; ++i) {
    frame_of_app();
    start_of_app();
  }
  EXPECT_TRUE(capped());
  EXPECT_EQ(threads_->calls, 0);
  EXPECT_EQ(threads_->writes, 0);
  EXPECT_FALSE(saved_file_is_there());
}

TEST_F(ThreadedService, PlansAndTheirStepsReachTheThreads) {
  make_placing();
  frame_of_app();
  EXPECT_EQ(placing_->levers, (ThreadLevers{true, true}));
  EXPECT_EQ(threads_->cpus(kUi), kLittle);
  EXPECT_EQ(threads_->clamp(kUi), (UtilClamp{0, 256}));
  EXPECT_EQ(threads_->cpus(kRender), kBig);
  start_of_app();
  EXPECT_EQ(service_->wake_at(), now_ + milliseconds{8});
  now_ += milliseconds{8};
  step();
  EXPECT_EQ(threads_->cpus(kUi), kBig);
  EXPECT_EQ(threads_->clamp(kUi), (UtilClamp{512, 1024}));
  frame_of_app();
  EXPECT_EQ(threads_->cpus(kUi), kLittle);
}

TEST_F(ThreadedService, AStillScreenPutsThemBack) {
  make_placing();
  frame_of_app();
  now_ += kFailSafeAfter;
  step();
  expect_back();
  EXPECT_FALSE(capped());
}

TEST_F(ThreadedService, FramesThatAreNotUnderstoodPutThemBack) {
  make_placing();
  frame_of_app();
  source_->lose(3);
  now_ += milliseconds{30};
  step();
  expect_back();
}

TEST_F(ThreadedService, ASourceThatBreaksDownPutsThemBack) {
  make_placing();
  frame_of_app();
  source_->break_down();
  EXPECT_FALSE(service_->step(now_));
  expect_back();
}

TEST_F(ThreadedService, TheEndPutsThemBackAndLeavesNoFile) {
  block_service_signals();
  make_placing();
  frame_of_app();
  ASSERT_TRUE(saved_file_is_there());
  ASSERT_EQ(::kill(::getpid(), SIGTERM), 0);
  EXPECT_TRUE(service_->run());
  expect_back();
  EXPECT_FALSE(saved_file_is_there());
}

TEST_F(ThreadedService, WhereThreadsCannotBeSteeredThisFrameIsUncappedAndTheNextIsCapped) {
  make_placing();
  frame_of_app();
  ASSERT_TRUE(capped());
  ASSERT_EQ(threads_->write_cpus(kUi, 0x11), 0);
  start_of_app();
  now_ += milliseconds{8};
  step();
  EXPECT_FALSE(capped()) << "its caps were for where its threads do not run";
  EXPECT_EQ(threads_->at(kUi).asked, 0x11U);
  EXPECT_EQ(threads_->at(kRender).asked, kEveryCpu);
  frame_of_app();
  EXPECT_EQ(placing_->levers, ThreadLevers{});
  EXPECT_TRUE(capped());
  EXPECT_THAT(log_text(), HasSubstr("are left alone"));
}

TEST_F(ThreadedService, ASourceThatNamesNoThreadsOffersNoLevers) {
  make_placing();
  make_frame(kApp);
  EXPECT_EQ(placing_->levers, ThreadLevers{});
  EXPECT_TRUE(capped());
}

TEST_F(ThreadedService, AnotherAppsFramePutsThemBack) {
  make_placing();
  frame_of_app();
  make_frame(900);
  expect_back();
}

}  // namespace
}  // namespace framegov::test
