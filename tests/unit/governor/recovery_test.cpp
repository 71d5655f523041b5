// SPDX-License-Identifier: Apache-2.0
#include "governor/cpufreq/recovery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <fstream>

#include "governor/cpufreq/actuator.h"
#include "governor/cpufreq/saved_limits.h"
#include "governor/cpufreq/topology_reader.h"
#include "tests/support/cpufreq_kernel.h"
#include "tests/support/cpufreq_tree.h"

namespace framegov {
namespace {

using ::testing::HasSubstr;

constexpr const char* kBoot = "this-boot";

class RecoveryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto log = Log::open(LogLevel::kInfo, folder_.path() / "log");
    ASSERT_TRUE(log);
    log_ = *std::move(log);
    tree_.set(4, "scaling_min_freq", "800000\n");
    tree_.set(6, "scaling_max_freq", "2400000\n");
  }

  /// A process that caps policy4 and policy6, and is then killed.
  void cap_and_die(const char* boot_id) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      auto tree = CpufreqTree::open(tree_.root());
      auto reading = read_topology(*tree, {});
      auto actuator = Actuator::create(*std::move(tree), reading->topology,
                                       *StateDir::open(state_path_), boot_id, *log_);
      ClusterPlans plan;
      plan.resize(3);
      plan[1] = {khz(1200000), khz(1200000)};
      plan[2] = {khz(1000000), khz(1000000)};
      (*actuator)->apply(plan, instant_from_ns(1));
      ::kill(::getpid(), SIGKILL);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    ASSERT_EQ(tree_.max(4), 1200000);
    ASSERT_EQ(tree_.max(6), 1000000);
    ASSERT_GE(tree_.min(6), 1000000);  // pinned
  }

  Result<Recovery> recover() {
    const auto tree = CpufreqTree::open(tree_.root());
    const auto state = StateDir::open(state_path_);
    return recover_limits(*tree, *state, kBoot, *log_);
  }
  /// The other policies have their limits back all the same, and the file is kept for the next try.
  void expect_that_only_policy6_fails() {
    const auto failed = recover();
    ASSERT_FALSE(failed);
    EXPECT_THAT(failed.error().message, HasSubstr("policy6"));
    EXPECT_EQ(tree_.max(4), 2250000);
    EXPECT_TRUE(file_is_there());
  }

  void write_state(const std::string& text) const {
    std::filesystem::create_directory(state_path_);
    std::ofstream(state_path_ / kSavedLimitsFile) << text;
  }
  [[nodiscard]] bool file_is_there() const {
    return std::filesystem::exists(state_path_ / kSavedLimitsFile);
  }
  [[nodiscard]] std::string log_text() const { return folder_.read("log"); }

  test::TemporaryFolder folder_;
  std::filesystem::path state_path_ = folder_.path() / "state";
  test::TemporaryCpufreqTree tree_;
  std::unique_ptr<Log> log_;
};

TEST_F(RecoveryTest, NothingToDo) {
  EXPECT_EQ(recover(), Recovery::kNothing);
  EXPECT_EQ(tree_.max(6), 2400000);
}

TEST_F(RecoveryTest, WhatAKilledServiceLeftIsPutBack) {
  cap_and_die(kBoot);
  EXPECT_EQ(recover(), Recovery::kRestored);
  EXPECT_EQ(tree_.max(4), 2250000);
  EXPECT_EQ(tree_.min(4), 800000);
  EXPECT_EQ(tree_.max(6), 2400000);
  EXPECT_EQ(tree_.min(6), 500000);
  EXPECT_FALSE(file_is_there());
  EXPECT_EQ(recover(), Recovery::kNothing);
}

TEST_F(RecoveryTest, AFileFromBeforeARebootIsIgnored) {
  cap_and_die("an-earlier-boot");
  EXPECT_EQ(recover(), Recovery::kStale);
  EXPECT_EQ(tree_.max(4), 1200000);
  EXPECT_FALSE(file_is_there());
}

TEST_F(RecoveryTest, WhatTheServiceCannotHaveLeftStays) {
  cap_and_die(kBoot);
  tree_.set(6, "scaling_max_freq", "2800000\n");  // above what was saved: somebody else's
  tree_.set(4, "scaling_min_freq", "400000\n");   // below
  EXPECT_EQ(recover(), Recovery::kRestored);
  EXPECT_EQ(tree_.max(6), 2800000);
  EXPECT_EQ(tree_.min(6), 500000);
  EXPECT_EQ(tree_.max(4), 2250000);
  EXPECT_EQ(tree_.min(4), 400000);
}

TEST_F(RecoveryTest, AKillWhileAMaximumIsUnmaskedLeavesTheOwners) {
  // policy6 at the hardware's maximum, as the service writes it for a moment.
  tree_.set(6, "scaling_max_freq", "2800000\n");
  const std::string policies = "policy 6 min 500000 max 2400000\nend\n";
  write_state("framegov saved limits 1\nboot this-boot\nunmasking\n" + policies);
  ASSERT_EQ(recover().value(), Recovery::kRestored);
  EXPECT_EQ(tree_.max(6), 2400000);
  // Otherwise somebody else has raised it.
  tree_.set(6, "scaling_max_freq", "2800000\n");
  write_state("framegov saved limits 1\nboot this-boot\n" + policies);
  ASSERT_EQ(recover().value(), Recovery::kRestored);
  EXPECT_EQ(tree_.max(6), 2800000);
}

TEST_F(RecoveryTest, ACorruptFileIsOneErrorAndUncaps) {
  for (const char* text :
       {"", "rubbish\n", "framegov saved limits 1\nboot this-boot\npolicy 4 m"}) {
    tree_.set(4, "scaling_max_freq", "1200000\n");
    tree_.set(4, "scaling_min_freq", "1200000\n");
    write_state(text);
    EXPECT_EQ(recover(), Recovery::kFallback);
    EXPECT_EQ(tree_.max(4), 2250000);
    EXPECT_EQ(tree_.min(4), 400000);
    EXPECT_EQ(tree_.max(6), 2800000);
    EXPECT_FALSE(file_is_there());
  }
  EXPECT_THAT(log_text(), HasSubstr("saved_limits:1: not 'framegov saved limits 1': every cluster "
                                    "is set to its hardware limits"));
}

TEST_F(RecoveryTest, ACorruptFileIsKeptUntilCpusThatAreOfflineCome) {
  cap_and_die(kBoot);
  write_state("rubbish\n");
  tree_.set_offline(6);
  expect_that_only_policy6_fails();
  tree_.set_online(6);
  EXPECT_EQ(recover(), Recovery::kFallback);
  EXPECT_EQ(tree_.max(6), 2800000);
  EXPECT_FALSE(file_is_there());
}

TEST_F(RecoveryTest, AFailureKeepsTheFile) {
  cap_and_die(kBoot);
  test::CpufreqKernel kernel(tree_, test::phone_policies());
  kernel.fail_writes(6, EBUSY);
  expect_that_only_policy6_fails();
  kernel.fail_writes(6, 0);
  EXPECT_EQ(recover(), Recovery::kRestored);
  EXPECT_EQ(tree_.max(6), 2400000);
}

TEST_F(RecoveryTest, ANodeThatIsRefusedIsNothingOwedWhereItStandsAsSaved) {
  cap_and_die(kBoot);
  tree_.set(6, "scaling_min_freq", "500000\n");
  test::CpufreqKernel kernel(tree_, test::phone_policies());
  kernel.fail_writes(6, EACCES, "scaling_min_freq");
  EXPECT_EQ(recover(), Recovery::kRestored);
  EXPECT_EQ(tree_.max(6), 2400000);
  EXPECT_FALSE(file_is_there());
}

TEST_F(RecoveryTest, ANodeThatIsRefusedIsOwedWhereAFloorOfOursStands) {
  cap_and_die(kBoot);
  test::CpufreqKernel kernel(tree_, test::phone_policies());
  kernel.fail_writes(6, EACCES, "scaling_min_freq");
  expect_that_only_policy6_fails();
}

TEST_F(RecoveryTest, WhatWasSavedOfCpusThatAreOfflineIsKeptUntilTheyCome) {
  cap_and_die(kBoot);
  tree_.set_offline(6);
  expect_that_only_policy6_fails();
  tree_.set_online(6);
  EXPECT_EQ(recover(), Recovery::kRestored);
  EXPECT_EQ(tree_.max(6), 2400000);
}

TEST_F(RecoveryTest, WhatIsBackIsNotWrittenAgainForTheSakeOfTheRest) {
  cap_and_die(kBoot);
  tree_.set_offline(6);
  ASSERT_FALSE(recover());
  EXPECT_EQ(folder_.read(state_path_ / kSavedLimitsFile),
            "framegov saved limits 1\nboot this-boot\npolicy 6 min 500000 max 2400000\nend\n");
  tree_.set(4, "scaling_max_freq", "1500000\n");  // another program
  EXPECT_FALSE(recover());
  tree_.set_online(6);
  EXPECT_EQ(recover(), Recovery::kRestored);
  EXPECT_EQ(tree_.max(6), 2400000);
  EXPECT_EQ(tree_.max(4), 1500000);
}

TEST_F(RecoveryTest, AModeThatLocksALimitIsPutBackToo) {
  cap_and_die(kBoot);
  const auto node = tree_.policy(4) / "scaling_max_freq";
  std::filesystem::permissions(node, std::filesystem::perms{0444});
  EXPECT_EQ(recover(), Recovery::kRestored);
  EXPECT_EQ(tree_.max(4), 2250000);
  EXPECT_EQ(std::filesystem::status(node).permissions(), std::filesystem::perms{0444});
}

TEST_F(RecoveryTest, APolicyThatIsGoneDoesNotHinderTheOthers) {
  cap_and_die(kBoot);
  tree_.remove_policy(6);
  EXPECT_EQ(recover(), Recovery::kRestored);
  EXPECT_EQ(tree_.max(4), 2250000);
  EXPECT_THAT(log_text(), HasSubstr("policy6 was saved but is not there"));
}

}  // namespace
}  // namespace framegov
