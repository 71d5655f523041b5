// SPDX-License-Identifier: Apache-2.0
// Others write the same nodes, or take them away.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "governor/cpufreq/node_holders.h"
#include "tests/unit/governor/actuator_fixture.h"

namespace framegov {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class Arbitration : public ActuatorFixture {
 protected:
  /// How long nothing is written to policy4 from now on, to 100 ms, while plans ask for it.
  Duration quiet_for() {
    kernel_.forget_writes();
    const Instant from = now_;
    while (kernel_.writes().empty() && now_ - from < seconds{600}) {
      now_ += milliseconds{100};
      apply(plan(1200000));
    }
    return now_ - from;
  }
};

TEST_F(Arbitration, AnotherWriterIsToldOnceAndGivenWayTo) {
  make_actuator();
  apply(plan(1200000, 800000));
  kernel_.write_as_other(4, kMax, 2000000);
  look();
  EXPECT_EQ(actuator_->counters().overwritten, 1U);
  EXPECT_EQ(tree_.max(4), 2000000);  // its own
  EXPECT_EQ(tree_.min(4), 400000);   // ours is withdrawn
  kernel_.forget_writes();
  for (int i = 0; i < 4; ++i) {
    apply(plan(1200000, 800000));
    look();
  }
  EXPECT_THAT(kernel_.writes(), IsEmpty());
  EXPECT_THAT(log_text(), HasSubstr("another program sets the limits of policy4 too"));
  // What stands there is not ours: it stays.
  ASSERT_TRUE(actuator_->restore());
  EXPECT_EQ(tree_.max(4), 2000000);
}

TEST_F(Arbitration, WhoKeepsTheLimitsOpenIsNamedWhenThereIsTimeToLook) {
  make_actuator();
  actuator_->look_for_writers_in(folder_.path() / "proc");
  const auto process = folder_.path() / "proc/4711";
  std::filesystem::create_directories(process / "fd");
  std::filesystem::create_directories(process / "fdinfo");
  std::filesystem::create_symlink(tree_.policy(4) / kMax, process / "fd/3");
  std::ofstream(process / "fdinfo/3") << "pos: 0\nflags: 0100001\n";
  std::ofstream(process / "comm") << "perfd\n";
  actuator_->name_other_writers();
  apply(plan(1200000));
  kernel_.write_as_other(4, kMax, 2000000);
  look();
  EXPECT_THAT(log_text(), HasSubstr("another program sets the limits of policy4 too"));
  EXPECT_THAT(log_text(), Not(HasSubstr("4711")));
  actuator_->name_other_writers();
  actuator_->name_other_writers();
  const std::string text = log_text();
  const std::string line = "the limits of policy4 are kept open for writing by";
  EXPECT_THAT(text, HasSubstr("(process 4711)"));
  EXPECT_EQ(text.find(line), text.rfind(line));
}

TEST_F(Arbitration, WhatItWroteIsTheOwnersWillFromThenOn) {
  make_actuator();
  apply(plan(1200000));
  kernel_.write_as_other(4, kMax, 2000000);
  look();
  look(seconds{2});
  apply(plan(1600000));
  EXPECT_EQ(tree_.max(4), 1600000);
  apply(plan(0));
  EXPECT_EQ(tree_.max(4), 2000000);
  EXPECT_THAT(folder_.read(saved_file()), HasSubstr("policy 4 min 400000 max 2000000"));
}

TEST_F(Arbitration, BackingOffGrowsWithEveryMeeting) {
  make_actuator();
  apply(plan(1200000));
  for (const int step : {1, 2, 4, 8, 16, 32, 64, 64}) {
    const seconds expected{step};
    kernel_.write_as_other(4, kMax, 2000000);
    look(milliseconds{100});
    look(milliseconds{100});
    const Duration quiet = quiet_for();
    EXPECT_GE(quiet, expected - milliseconds{200});
    EXPECT_LE(quiet, expected + milliseconds{200});
  }
  const std::string text = log_text();
  const std::string line = "sets the limits of policy4";
  EXPECT_EQ(text.find(line, text.find(line) + 1), std::string::npos);
  // One that has not been seen for long is met like the first.
  look(seconds{200});
  kernel_.write_as_other(4, kMax, 1600000);
  look();
  EXPECT_LE(quiet_for(), milliseconds{1200});
}

TEST_F(Arbitration, AWriterEveryFewMillisecondsCostsAFewWritesOnly) {
  make_actuator();
  apply(plan(1200000));
  kernel_.forget_writes();
  std::size_t ours = 0;
  for (int i = 0; i < 300; ++i) {
    now_ += milliseconds{10};
    kernel_.write_as_other(4, kMax, 2000000);
    actuator_->refresh(now_);
    kernel_.forget_writes();
    apply(plan(i % 2 == 0 ? 1200000 : 800000));
    ours += kernel_.writes().size();
  }
  EXPECT_LT(ours, 60U);  // in three seconds
  ASSERT_TRUE(actuator_->restore());
}

TEST_F(Arbitration, AThermalCeilingIsNotTakenForTheOthersWill) {
  make_actuator();
  apply(plan(800000));
  kernel_.hold_max(4, 1600000);
  apply(plan(2000000));
  look();
  ASSERT_EQ(actuator_->limits()[1].max, khz(1600000));
  apply(plan(800000));
  kernel_.write_as_other(4, kMax, 2250000);
  look();
  EXPECT_EQ(tree_.max(4), 1600000);
  kernel_.hold_max(4, 0);
  look(seconds{2});
  apply(plan(800000));
  apply(plan(0));
  EXPECT_EQ(tree_.max(4), 2250000);  // not slow for ever
}

TEST_F(Arbitration, ARequestOfOursThatTheKernelIsVeryLateWithIsNobodysWill) {
  make_actuator();
  kernel_.apply_late();
  apply(plan(2000000));
  kernel_.take_over();
  now_ += milliseconds{100};
  apply(plan(1200000));
  look();  // overloaded: 2000000 is still in force
  kernel_.take_over();
  look(seconds{2});
  apply(plan(1200000));
  kernel_.take_over();
  apply(plan(0));
  kernel_.take_over();
  EXPECT_EQ(tree_.max(4), 2250000);
}

TEST_F(Arbitration, APhoneThatStoodStillHasKeptTheKernelFromItsWorkToo) {
  make_actuator();
  kernel_.apply_late();
  apply(plan(2000000));
  kernel_.take_over();
  now_ += milliseconds{100};
  apply(plan(1200000));
  look(seconds{3});  // 2000000 is still in force
  EXPECT_EQ(actuator_->counters().overwritten, 0U);
  kernel_.take_over();
  apply(plan(0));
  kernel_.take_over();
  EXPECT_EQ(tree_.max(4), 2250000);
}

TEST_F(Arbitration, AKernelThatIsVeryLateKeepsNoCapAtTheEnd) {
  make_actuator();
  kernel_.apply_late();
  apply(plan(2000000, 1600000));
  kernel_.take_over();
  now_ += milliseconds{100};
  apply(plan(800000));
  ASSERT_TRUE(actuator_->restore());
  kernel_.take_over();
  EXPECT_EQ(tree_.max(4), 2250000);
  EXPECT_EQ(tree_.min(4), 400000);
}

TEST_F(Arbitration, AMinimumThatIsRefusedLeavesCapsAlone) {
  make_actuator();
  kernel_.fail_writes(4, EACCES, kMin);
  for (const std::int64_t khz : {1200000, 2000000, 800000}) {
    apply(plan(khz, khz));
    EXPECT_EQ(tree_.max(4), khz);
    EXPECT_FALSE(is_known(actuator_->retry_at()));
  }
  const std::string text = log_text();
  const std::string line = "policy4 takes no floor: scaling_min_freq: Permission denied";
  ASSERT_THAT(text, HasSubstr(line));
  EXPECT_EQ(text.find(line), text.rfind(line));
  // It is tried again, and works when it is allowed.
  kernel_.fail_writes(4, 0);
  now_ += seconds{2};
  apply(plan(1200000, 1200000));
  apply(plan(1600000, 1600000));
  EXPECT_EQ(tree_.min(4), 1600000);
}

TEST_F(Arbitration, AMinimumThatIsRefusedStandsAndIsPutBack) {
  make_actuator();
  kernel_.fail_writes(4, EACCES, kMin);
  apply(plan(1200000, 1200000));
  EXPECT_TRUE(actuator_->restore());
  EXPECT_EQ(tree_.max(4), 2250000);
  EXPECT_FALSE(std::filesystem::exists(saved_file()));
}

TEST_F(Arbitration, AReadOnlyNodeIsToldOnceAndRestoresTheRest) {
  make_actuator();
  kernel_.fail_writes(4, EROFS);
  for (int i = 0; i < 5; ++i) {
    now_ += seconds{2};
    apply(plan(1200000));
  }
  const std::string text = log_text();
  ASSERT_THAT(text, HasSubstr("policy4 cannot be set: Read-only file system"));
  EXPECT_EQ(text.find("cannot be set"), text.rfind("cannot be set"));
  EXPECT_TRUE(actuator_->restore());  // nothing of ours was ever there
}

TEST_F(Arbitration, ANodeThatLeadsElsewhereIsLeftAlone) {
  tree_.remove(4, kMax);
  std::filesystem::create_symlink("/proc/version", tree_.policy(4) / kMax);
  make_actuator();
  apply(plan(1200000));
  EXPECT_THAT(log_text(), HasSubstr("policy4 is left alone"));
}

TEST_F(Arbitration, APolicyThatComesLateIsNoticed) {
  make_actuator();
  look();
  EXPECT_FALSE(actuator_->clusters_have_come());
  tree_.add_policy({7, {7}, {500000, 1000000}, 1024});
  look();
  EXPECT_TRUE(actuator_->clusters_have_come());
}

TEST_F(Arbitration, AnotherFolderBesideThePoliciesIsNone) {
  make_actuator();
  std::filesystem::create_directory(tree_.root() / "cpufreq" / "schedutil");
  look();
  EXPECT_FALSE(actuator_->clusters_have_come());
}

TEST(NodeHolders, AreNamedWithTheirProcess) {
  const test::TemporaryCpufreqTree tree;
  const pid_t child = ::fork();
  if (child == 0) {
    if (::open((tree.policy(4) / "scaling_max_freq").c_str(), O_WRONLY) < 0) {
      ::_exit(1);
    }
    ::pause();
  }
  std::string holders;
  for (int i = 0; i < 2000 && holders.empty(); ++i) {
    ::usleep(1000);
    holders = holders_of("/proc", tree.policy(4), ::getpid());
  }
  EXPECT_THAT(holders, HasSubstr("(process " + std::to_string(child) + ")"));
  EXPECT_EQ(holders_of("/proc", tree.policy(6), ::getpid()), "");
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

}  // namespace
}  // namespace framegov
