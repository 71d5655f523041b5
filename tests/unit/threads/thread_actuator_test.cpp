// SPDX-License-Identifier: Apache-2.0
#include "governor/threads/thread_actuator.h"

#include <cerrno>
#include <initializer_list>

#include "tests/support/allocation_counter.h"
#include "tests/unit/threads/steered_app.h"

namespace framegov::test {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;

class ThreadActuatorTest : public SteeredApp {};

TEST_F(ThreadActuatorTest, WithoutPlansForThreadsNothingIsDone) {
  EXPECT_TRUE(apply({}));
  actuator_->refresh(now_);
  EXPECT_TRUE(actuator_->restore());
  EXPECT_EQ(threads_->calls, 0);
  EXPECT_FALSE(saved_file_is_there());
  EXPECT_FALSE(actuator_->stand());
}

TEST_F(ThreadActuatorTest, PlacesAndClamps) {
  EXPECT_TRUE(apply(plans({on(1, 128e6, 256e6), on(2)})));
  EXPECT_EQ(threads_->cpus(kUi), kLittle);
  EXPECT_EQ(threads_->clamp(kUi), (UtilClamp{128, 256}));
  EXPECT_EQ(threads_->cpus(kRender), kBig);
  EXPECT_EQ(threads_->clamp(kRender), UtilClamp{});
  EXPECT_TRUE(actuator_->stand());
}

TEST_F(ThreadActuatorTest, ASpeedBetweenTwoSharesIsRoundedDown) {
  EXPECT_TRUE(apply(plans({on(0, 200.9e6, 300.9e6)})));
  EXPECT_EQ(threads_->clamp(kUi), (UtilClamp{200, 300}));
}

TEST_F(ThreadActuatorTest, AFloorAboveTheCapIsTheCap) {
  EXPECT_TRUE(apply(plans({on(0, 800e6, 300e6)})));
  EXPECT_EQ(threads_->clamp(kUi), (UtilClamp{300, 300}));
}

TEST_F(ThreadActuatorTest, StaysWithinWhatOthersAskedFor) {
  threads_->at(kUi).clamp = {100, 600};
  EXPECT_TRUE(apply(plans({on(0, 800e6, 0), on(0)})));
  EXPECT_EQ(threads_->clamp(kUi), (UtilClamp{600, 600}));
  EXPECT_TRUE(apply(plans({on(0, 0, 50e6), on(0)})));
  EXPECT_EQ(threads_->clamp(kUi), (UtilClamp{100, 100}));
  EXPECT_TRUE(apply({}));
  EXPECT_EQ(threads_->clamp(kUi), (UtilClamp{100, 600}));
}

TEST_F(ThreadActuatorTest, WritesOnlyWhatDiffers) {
  EXPECT_TRUE(apply(plans({on(1, 0, 256e6), on(2)})));
  EXPECT_EQ(threads_->writes, 3);
  EXPECT_TRUE(apply(plans({on(1, 0, 256e6), on(2)})));
  EXPECT_EQ(threads_->writes, 3);
  EXPECT_TRUE(apply(plans({on(1, 0, 512e6), on(2)})));
  EXPECT_EQ(threads_->writes, 4);
  EXPECT_EQ(actuator_->counters().writes, 4U);
}

TEST_F(ThreadActuatorTest, AFrameAllocatesNothingOnceItsSpeedsAreKnown) {
  const auto slow = plans({on(1, 0, 256e6), on(2)});
  const auto fast = plans({on(2, 0, 512e6), on(2)});
  EXPECT_TRUE(apply(slow) && apply(fast));
  const std::uint64_t before = allocations();
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(apply(slow) && apply(fast));
  }
  EXPECT_EQ(allocations(), before);
}

TEST_F(ThreadActuatorTest, APlanThatIsGonePutsEverythingBack) {
  EXPECT_TRUE(apply(plans({on(1, 128e6, 256e6), on(2, 512e6, 0)})));
  EXPECT_TRUE(apply({}));
  expect_as_before();
  EXPECT_EQ(saved_text(), "");
  EXPECT_TRUE(actuator_->restore());
  EXPECT_FALSE(saved_file_is_there());
}

TEST_F(ThreadActuatorTest, AThreadWithoutAPlanOfItsOwnIsPutBack) {
  EXPECT_TRUE(apply(plans({on(1), on(2)})));
  EXPECT_TRUE(apply(plans({on(1)})));
  EXPECT_EQ(threads_->at(kRender).asked, kEveryCpu);
  EXPECT_EQ(threads_->cpus(kUi), kLittle);
}

TEST_F(ThreadActuatorTest, AnAffinityOfTheAppsOwnIsKeptToAndPutBack) {
  ASSERT_EQ(threads_->write_cpus(kUi, 0x3c), 0);
  EXPECT_TRUE(apply(plans({on(1), on(2)})));
  EXPECT_EQ(threads_->cpus(kUi), 0x0cU);
  EXPECT_TRUE(apply({}));
  EXPECT_EQ(threads_->at(kUi).asked, 0x3cU);
}

TEST_F(ThreadActuatorTest, AClusterThatTheThreadsCpusetLacksLeavesItAlone) {
  threads_->set_cpuset(kLittle);
  EXPECT_TRUE(apply(plans({on(2), on(2)})));
  EXPECT_EQ(threads_->at(kUi).asked, kEveryCpu);
  EXPECT_EQ(threads_->writes, 0);
}

TEST_F(ThreadActuatorTest, AnotherAppsThreadsTakeTheirPlace) {
  threads_->add(900, 900);
  EXPECT_TRUE(apply(plans({on(1, 0, 256e6), on(2)})));
  app_ = {900, {900, 0}};
  EXPECT_TRUE(apply(plans({on(2, 0, 512e6), on(2)})));
  EXPECT_EQ(threads_->at(kUi).asked, kEveryCpu);
  EXPECT_EQ(threads_->clamp(kUi), UtilClamp{});
  EXPECT_EQ(threads_->cpus(900), kBig);
  EXPECT_THAT(saved_text(), HasSubstr("process 900 "));
}

TEST_F(ThreadActuatorTest, AnotherRenderThreadTakesItsPlace) {
  threads_->add(kApp, 530);
  EXPECT_TRUE(apply(plans({on(1), on(2)})));
  app_.tids[kRenderThread] = 530;
  EXPECT_TRUE(apply(plans({on(1), on(2)})));
  EXPECT_EQ(threads_->at(kRender).asked, kEveryCpu);
  EXPECT_EQ(threads_->cpus(530), kBig);
}

TEST_F(ThreadActuatorTest, AThreadOfAnotherProcessIsNotTouched) {
  threads_->add(900, 901);
  app_.tids[kRenderThread] = 901;
  EXPECT_TRUE(apply(plans({on(1), on(2, 512e6, 0)})));
  EXPECT_EQ(threads_->at(901).asked, kEveryCpu);
  EXPECT_EQ(threads_->clamp(901), UtilClamp{});
}

TEST_F(ThreadActuatorTest, AThreadThatEndsIsForgotten) {
  EXPECT_TRUE(apply(plans({on(1), on(2)})));
  threads_->end(kRender);
  EXPECT_TRUE(apply(plans({on(2), on(1)})));
  EXPECT_EQ(threads_->cpus(kUi), kBig);
  EXPECT_TRUE(apply({}));
  EXPECT_FALSE(actuator_->stand());
}

TEST_F(ThreadActuatorTest, AThreadThatHasGotTheNumberOfAnotherIsNotPutBack) {
  EXPECT_TRUE(apply(plans({on(1), on(2, 128e6, 512e6)})));
  threads_->end(kRender);
  threads_->add(900, kRender);
  threads_->at(kRender).clamp = {128, 512};
  ASSERT_EQ(threads_->write_cpus(kRender, kBig), 0);
  EXPECT_TRUE(apply({}));
  EXPECT_EQ(threads_->at(kRender).asked, kBig);
  EXPECT_EQ(threads_->clamp(kRender), (UtilClamp{128, 512}));
}

TEST_F(ThreadActuatorTest, WhatTheAppAsksForMeanwhileStays) {
  EXPECT_TRUE(apply(plans({on(1, 0, 256e6), on(2)})));
  ASSERT_EQ(threads_->write_cpus(kUi, 0x11), 0);
  EXPECT_FALSE(apply(plans({on(2, 0, 256e6), on(2)})));
  EXPECT_EQ(threads_->at(kUi).asked, 0x11U);
  EXPECT_EQ(threads_->clamp(kUi), UtilClamp{});
  EXPECT_EQ(threads_->at(kRender).asked, kEveryCpu);
  EXPECT_THAT(log_text(), HasSubstr("threads of process 500 are left alone for a time that grows "
                                    "each time: the app or another program has changed them; caps "
                                    "and floors alone govern its frames"));
}

TEST_F(ThreadActuatorTest, AClampOfAnothersStays) {
  EXPECT_TRUE(apply(plans({on(1, 0, 256e6), on(2)})));
  threads_->at(kUi).clamp = {700, 1024};
  EXPECT_FALSE(apply(plans({on(1, 0, 512e6), on(2)})));
  EXPECT_EQ(threads_->clamp(kUi), (UtilClamp{700, 1024}));
  EXPECT_EQ(threads_->at(kUi).asked, kEveryCpu);
}

TEST_F(ThreadActuatorTest, IsTriedAgainLaterAndLaterAndToldOnce) {
  const auto steer = [&](std::uint8_t cluster) { return apply(plans({on(cluster)})); };
  Duration rest{};
  for (const Duration expected : {seconds{1}, seconds{2}, seconds{4}}) {
    now_ += rest;
    EXPECT_EQ(actuator_->levers(now_), (ThreadLevers{true, true}));
    EXPECT_TRUE(steer(1));
    ASSERT_EQ(threads_->write_cpus(kUi, 0x11), 0);
    EXPECT_FALSE(steer(2));
    EXPECT_EQ(actuator_->levers(now_), ThreadLevers{});
    EXPECT_EQ(actuator_->levers(now_ + expected - std::chrono::milliseconds{1}), ThreadLevers{});
    EXPECT_FALSE(steer(1)) << "it rests";
    rest = expected;
  }
  EXPECT_EQ(lines_of_log("are left alone"), 1);
  EXPECT_EQ(actuator_->counters().given_up, 3U);
}

TEST_F(ThreadActuatorTest, ARefusedWriteLeavesNothingBehind) {
  threads_->fail_clamps = EPERM;
  EXPECT_FALSE(apply(plans({on(1, 0, 256e6), on(2)})));
  threads_->fail_clamps = 0;
  expect_as_before();
  EXPECT_THAT(log_text(), HasSubstr("Operation not permitted"));
}

TEST_F(ThreadActuatorTest, AKernelThatSaysYesAndDoesNothingIsNoticed) {
  threads_->does_nothing = true;
  EXPECT_FALSE(apply(plans({on(1), on(2)})));
  EXPECT_THAT(log_text(), HasSubstr("the kernel takes it and does not keep to it"));
  EXPECT_FALSE(actuator_->stand());
}

TEST_F(ThreadActuatorTest, ANarrowerCpusetThatLeavesSomeOfItGoesOn) {
  EXPECT_TRUE(apply(plans({on(1), on(2)})));
  threads_->set_cpuset(0x3f);
  EXPECT_TRUE(apply(plans({on(1), on(1)})));
  EXPECT_EQ(threads_->cpus(kRender), kLittle);
  EXPECT_TRUE(apply({}));
  threads_->set_cpuset(0xff);
  EXPECT_EQ(threads_->cpus(kRender), 0xffU);
}

/// Since 6.2 what was asked for would come back with the cpuset.
TEST_F(ThreadActuatorTest, ACpusetThatLeavesNothingOfItDoesNotBringItBack) {
  EXPECT_TRUE(apply(plans({on(2), on(2)})));
  threads_->set_cpuset(kLittle);
  ASSERT_EQ(threads_->cpus(kUi), kLittle);
  EXPECT_TRUE(apply({}));
  threads_->set_cpuset(0xff);
  expect_as_before();
  EXPECT_EQ(threads_->cpus(kUi), 0xffU);
}

TEST_F(ThreadActuatorTest, ACpusetThatReplacesItLeavesItToThat) {
  threads_->remembers_mask = false;
  EXPECT_TRUE(apply(plans({on(2), on(2)})));
  threads_->set_cpuset(kLittle);
  EXPECT_FALSE(apply(plans({on(1), on(2)})));
  EXPECT_EQ(threads_->cpus(kUi), kLittle);
  threads_->set_cpuset(0xff);
  EXPECT_EQ(threads_->cpus(kUi), 0xffU);
}

TEST_F(ThreadActuatorTest, ThreadsThatInheritedItAreFreedWithinASecond) {
  EXPECT_TRUE(apply(plans({on(1, 0, 256e6), on(2)})));
  threads_->start_from(kUi, 600);
  ASSERT_EQ(threads_->cpus(600), kLittle);
  actuator_->refresh(now_);
  EXPECT_EQ(threads_->cpus(600), 0xffU);
  EXPECT_EQ(threads_->clamp(600), UtilClamp{});
  threads_->start_from(kUi, 601);
  actuator_->refresh(now_);
  EXPECT_EQ(threads_->cpus(601), kLittle);
  now_ += seconds{1};
  actuator_->refresh(now_);
  EXPECT_EQ(threads_->cpus(601), 0xffU);
  EXPECT_EQ(threads_->cpus(kUi), kLittle);
}

TEST_F(ThreadActuatorTest, ThreadsThatInheritedItAreFreedWhenItIsPutBack) {
  threads_->add(kApp, 590);
  threads_->at(590).asked = threads_->at(590).cpus = kLittle;  // its own, and older
  EXPECT_TRUE(apply(plans({on(1, 0, 256e6), on(2)})));
  threads_->start_from(kUi, 600);
  EXPECT_TRUE(apply({}));
  EXPECT_EQ(threads_->at(600).asked, kEveryCpu);
  EXPECT_EQ(threads_->clamp(600), UtilClamp{});
  EXPECT_EQ(threads_->at(590).asked, kLittle);
}

TEST_F(ThreadActuatorTest, WithoutClampsItOnlyPlaces) {
  make_actuator({true, false});
  threads_->add(kApp, kUi);
  threads_->at(kUi).clamp = {0, 0};  // as a kernel without them shows it
  app_.tids[kRenderThread] = 0;
  EXPECT_TRUE(apply(plans({on(1, 128e6, 256e6), on(2)})));
  EXPECT_EQ(threads_->cpus(kUi), kLittle);
  EXPECT_EQ(threads_->clamp(kUi), (UtilClamp{0, 0}));
}

TEST_F(ThreadActuatorTest, WhereNothingCanBeSavedNothingIsWritten) {
  std::filesystem::create_directory(state_path_ / kSavedThreadsFile);
  EXPECT_FALSE(apply(plans({on(1), on(2)})));
  EXPECT_EQ(threads_->writes, 0);
  EXPECT_EQ(actuator_->levers(now_ + std::chrono::hours{1}), ThreadLevers{});
  EXPECT_THAT(log_text(), HasSubstr("the threads cannot be saved, so none will be changed"));
  std::filesystem::remove(state_path_ / kSavedThreadsFile);
}

TEST_F(ThreadActuatorTest, WhatCannotBePutBackIsTriedAgain) {
  EXPECT_TRUE(apply(plans({on(1), on(2)})));
  threads_->fail_cpus = EPERM;
  const Status failed = actuator_->restore();
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().to_string(), HasSubstr("process 500"));
  EXPECT_TRUE(saved_file_is_there());
  threads_->fail_cpus = 0;
  EXPECT_TRUE(apply({}));
  expect_as_before();
}

TEST_F(ThreadActuatorTest, AHandlerPutsBackAndLeavesTheFile) {
  EXPECT_TRUE(apply(plans({on(1, 0, 256e6), on(2)})));
  const std::uint64_t before = allocations();
  actuator_->put_back_in_handler();
  EXPECT_EQ(allocations(), before);
  EXPECT_EQ(threads_->at(kUi).asked, kEveryCpu);
  EXPECT_EQ(threads_->clamp(kUi), UtilClamp{});
  EXPECT_NE(saved_text(), "");
}

TEST(FrameThreadsTest, AreLearnedFromStartsAndFrames) {
  FrameThreads threads;
  threads.learn(500, 500, 0);
  EXPECT_EQ(threads, (FrameThreads{500, {500, 0}}));
  threads.learn(500, 0, 512);
  EXPECT_EQ(threads, (FrameThreads{500, {500, 512}}));
  threads.learn(900, 0, 0);
  EXPECT_EQ(threads, (FrameThreads{900, {0, 0}}));
}

}  // namespace
}  // namespace framegov::test
