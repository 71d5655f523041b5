// SPDX-License-Identifier: Apache-2.0
#include "governor/doctor/findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "governor/cpufreq/saved_limits.h"
#include "tests/support/cpufreq_tree.h"

namespace framegov {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class CpufreqFindings : public ::testing::Test {
 protected:
  CpufreqFindings() {
    settings_.cpu_root = tree_.root();
    settings_.proc_root = folder_.path() / "proc";
    settings_.state_dir = folder_.path();
    std::filesystem::create_directories(settings_.proc_root / "sys/kernel/random");
    std::ofstream(settings_.proc_root / "sys/kernel/random/boot_id") << "this-boot\n";
    tree_.set(4, "scaling_max_freq", "1200000\n");
  }

  /// As a service does that found `max` at policy4 before it capped it.
  void saved(Frequency max, const char* boot = "this-boot") const {
    SavedLimits limits;
    limits.boot_id = boot;
    limits.clusters.push_back({4, khz(300000), max});
    std::ofstream(folder_.path() / kSavedLimitsFile) << to_text(limits);
  }

  [[nodiscard]] DoctorFinding policy4(bool running) const {
    const std::vector<DoctorFinding> found = examine_cpufreq(settings_, running);
    EXPECT_THAT(found, SizeIs(3));
    EXPECT_EQ(found.at(1).id, "policy4");
    return found.at(1);
  }

  test::TemporaryFolder folder_;
  test::TemporaryCpufreqTree tree_;
  ServiceSettings settings_;
};

TEST_F(CpufreqFindings, ALimitBelowTheTopIsSomebodys) {
  const DoctorFinding found = policy4(true);
  EXPECT_EQ(found.health, Health::kDegraded);
  EXPECT_THAT(found.meaning, HasSubstr("another module or the owner"));
}

TEST_F(CpufreqFindings, TheServicesOwnLimitIsAsItShouldBe) {
  const Frequency top = khz(std::stoll(folder_.read(tree_.policy(4) / "cpuinfo_max_freq")));
  saved(top);
  const DoctorFinding found = policy4(true);
  EXPECT_EQ(found.health, Health::kOk) << found.meaning;
  EXPECT_THAT(found.what, AllOf(HasSubstr("to 1200 (framegov's; 300 to "), HasSubstr(" before)")));
}

TEST_F(CpufreqFindings, SomebodyElsesLimitBelowTheServicesOwnIsStillSomebodys) {
  saved(khz(1500000));
  const DoctorFinding found = policy4(true);
  EXPECT_EQ(found.health, Health::kDegraded);
  EXPECT_THAT(found.meaning, HasSubstr("another module or the owner"));
}

TEST_F(CpufreqFindings, PowerThatIsGuessedIsToldAndChangesNothing) {
  const auto guessed = examine_power(settings_, {});
  ASSERT_TRUE(guessed);
  EXPECT_EQ(guessed->health, Health::kDegraded);
  EXPECT_FALSE(guessed->needed);
  EXPECT_THAT(guessed->what, HasSubstr("no SoC that is known"));
  settings_.cpu_root = "/nonexistent";
  EXPECT_FALSE(examine_power(settings_, {}));
}

TEST_F(CpufreqFindings, LimitsThatAServiceLeftBehindAreToldWithWhatToDo) {
  saved(khz(2000000));
  const DoctorFinding found = policy4(false);
  EXPECT_EQ(found.health, Health::kDegraded);
  EXPECT_THAT(found.meaning, HasSubstr("left its limits behind"));
  EXPECT_THAT(found.action, HasSubstr("--restore"));
}

TEST_F(CpufreqFindings, WhatWasSavedBeforeARebootSaysNothing) {
  saved(khz(2000000), "another-boot");
  EXPECT_THAT(policy4(true).meaning, HasSubstr("another module or the owner"));
}

TEST_F(CpufreqFindings, AMinimumThatCannotBeWrittenLeavesCapsAlone) {
  tree_.set(4, "scaling_max_freq", folder_.read(tree_.policy(4) / "cpuinfo_max_freq"));
  tree_.remove(4, "scaling_min_freq");
  std::filesystem::create_directory(tree_.policy(4) / "scaling_min_freq");  // refused, root or not
  const DoctorFinding found = policy4(true);
  EXPECT_EQ(found.health, Health::kDegraded);
  EXPECT_THAT(found.meaning, HasSubstr("caps alone work"));
}

TEST_F(CpufreqFindings, CpusThatAreOfflineAreANote) {
  tree_.set_offline(4);
  const std::vector<DoctorFinding> found = examine_cpufreq(settings_, true);
  ASSERT_THAT(found, SizeIs(3));
  EXPECT_EQ(found[2].id, "policy4");
  EXPECT_EQ(found[2].health, Health::kDegraded);
  EXPECT_FALSE(found[2].needed);
  EXPECT_THAT(found[2].what, HasSubstr("offline"));
}

TEST_F(CpufreqFindings, WithoutPoliciesNothingCanBeGoverned) {
  settings_.cpu_root = folder_.path();
  const std::vector<DoctorFinding> found = examine_cpufreq(settings_, false);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].health, Health::kMissing);
}

}  // namespace
}  // namespace framegov
