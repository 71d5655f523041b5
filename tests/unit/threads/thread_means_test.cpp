// SPDX-License-Identifier: Apache-2.0
#include "governor/threads/thread_means.h"

#include <cerrno>
#include <functional>

#include "tests/unit/threads/steered_app.h"

namespace framegov::test {
namespace {

/// Runs where the kernel has it run, at the frequency that its clamp asks for.
class FakeTrialThread final : public TrialThread {
 public:
  explicit FakeTrialThread(FakeThreads& threads) : threads_(threads) { threads_.add(1, kTid); }

  std::int32_t tid() const override { return kTid; }
  std::optional<int> seen_on(std::uint64_t /*cpus*/) override {
    return seen ? std::optional(stuck_on >= 0 ? stuck_on : 7) : std::nullopt;
  }
  std::optional<Frequency> busy_until(int /*cpu*/, Frequency /*wanted*/) override {
    const UtilClamp clamp = threads_.clamp(kTid);
    return frequency(clamp);
  }
  std::optional<Frequency> limit_of(int /*cpu*/) override { return khz(1024000); }

  static constexpr std::int32_t kTid = 77;
  bool seen = true;
  int stuck_on = -1;
  std::function<std::optional<Frequency>(UtilClamp)> frequency = [](UtilClamp clamp) {
    return std::optional(clamp.min == kFullUtil ? khz(1024000) : khz(512000));
  };

 private:
  FakeThreads& threads_;
};

class ThreadMeansTest : public ::testing::Test {
 protected:
  ThreadMeans find() { return find_thread_means(threads_, thread_, two_clusters()); }
  void expect(bool placement, bool clamps, const char* words) {
    const ThreadMeans means = find();
    EXPECT_EQ(means.levers, (ThreadLevers{placement, clamps}));
    EXPECT_EQ(means.words, words);
    EXPECT_EQ(threads_.at(FakeTrialThread::kTid).cpus, 0xffU) << "put back";
    EXPECT_EQ(threads_.clamp(FakeTrialThread::kTid), UtilClamp{}) << "put back";
  }

  FakeThreads threads_{0xff};
  FakeTrialThread thread_{threads_};
};

TEST_F(ThreadMeansTest, BothWorkWhereTheirEffectIsSeen) {
  expect(true, true, "placed by affinity, clamped by uclamp");
}

TEST_F(ThreadMeansTest, AKernelWithoutClampsPlaces) {
  threads_.fail_clamps = EOPNOTSUPP;
  expect(true, false, "placed by affinity, no clamps: Operation not supported");
}

TEST_F(ThreadMeansTest, WhereBothAreRefusedTheClustersLimitsRemain) {
  threads_.fail_clamps = EOPNOTSUPP;
  threads_.fail_cpus = EPERM;
  expect(false, false,
         "no placement: Operation not permitted, no clamps: Operation not supported: caps and "
         "floors of clusters alone");
}

TEST_F(ThreadMeansTest, AKernelThatSaysYesAndDoesNothingHasNoMeans) {
  threads_.does_nothing = true;
  expect(false, false,
         "no placement: the kernel takes an affinity and does not keep to it, no clamps: the "
         "kernel takes them and does not keep them: caps and floors of clusters alone");
}

TEST_F(ThreadMeansTest, AThreadThatRunsElsewhereIsNotPlaced) {
  thread_.stuck_on = 0;
  const ThreadMeans means = find();
  EXPECT_FALSE(means.levers.placement);
}

TEST_F(ThreadMeansTest, WhatCannotBeSeenIsSaid) {
  thread_.seen = false;
  thread_.frequency = [](UtilClamp) { return std::nullopt; };
  expect(true, true,
         "placed by affinity (set, effect not seen), clamped by uclamp (set, effect not seen)");
}

TEST_F(ThreadMeansTest, AFrequencyThatIsAtItsTopAnywaySaysNothing) {
  thread_.frequency = [](UtilClamp) { return std::optional(khz(1024000)); };
  expect(true, true, "placed by affinity, clamped by uclamp (set, effect not seen)");
}

TEST_F(ThreadMeansTest, AVendorsSchedulerThatIgnoresClampsIsNoticed) {
  thread_.frequency = [](UtilClamp) { return std::optional(khz(700000)); };
  expect(true, false,
         "placed by affinity, no clamps: the kernel takes them, frequencies do not follow");
}

/// On this machine, whatever it has: nothing stays, and what is said fits what is found.
TEST(OwnTrialThread, SaysWhatThisKernelHas) {
  const auto kernel = make_thread_kernel("/proc", "/sys/devices/system/cpu");
  const auto thread = start_trial_thread("/sys/devices/system/cpu");
  std::uint64_t before = 0;
  ASSERT_EQ(kernel->read_cpus(thread->tid(), before), 0);
  const ThreadMeans means = find_thread_means(*kernel, *thread, {});
  std::uint64_t after = 0;
  ASSERT_EQ(kernel->read_cpus(thread->tid(), after), 0);
  EXPECT_EQ(after, before);
  EXPECT_TRUE(means.levers.placement) << means.words;
  UtilClamp clamp;
  ASSERT_EQ(kernel->read_clamp(thread->tid(), clamp), 0);
  EXPECT_EQ(clamp, means.levers.clamps ? UtilClamp{} : (UtilClamp{0, 0})) << means.words;
  std::puts(means.words.c_str());
}

TEST_F(ThreadMeansTest, TheHeadroomOfClampsIsTheKernels) {
  EXPECT_EQ(clamp_headroom(parse_release("5.10.198-android13-4")), 1.25);
  EXPECT_EQ(clamp_headroom(parse_release("6.7.12")), 1.25);
  EXPECT_EQ(clamp_headroom(parse_release("6.8.0")), 1);
}

}  // namespace
}  // namespace framegov::test
