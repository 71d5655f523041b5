// SPDX-License-Identifier: Apache-2.0
// Threads of another process, steered on this machine's own kernel.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fstream>
#include <functional>
#include <memory>
#include <random>
#include <thread>

#include "governor/confinement/capabilities.h"
#include "governor/confinement/system_call_filter.h"
#include "governor/cpufreq/recovery.h"
#include "governor/cpufreq/topology_reader.h"
#include "governor/service/fatal_end.h"
#include "governor/startup/startup.h"
#include "governor/threads/thread_actuator.h"
#include "governor/threads/thread_recovery.h"
#include "tests/integration/threads/other_app.h"
#include "tests/support/cpufreq_tree.h"
#include "tests/unit/governor/governed_tree.h"

namespace framegov::test {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using ::testing::HasSubstr;

constexpr const char* kCpuRoot = "/sys/devices/system/cpu";

/// This machine's clusters; where it has no cpufreq, its CPUs in two halves, the second twice as
/// fast.
CpuTopology this_machine(std::uint64_t cpus) {
  if (const auto tree = CpufreqTree::open(kCpuRoot)) {
    if (const auto reading = read_topology(*tree, {})) {
      return reading->topology;
    }
  }
  CpuTopology topology;
  std::uint64_t first = 0;
  for (std::uint64_t left = cpus; std::popcount(first) < std::popcount(cpus) / 2;
       left &= left - 1) {
    first |= left & (~left + 1);
  }
  for (const std::uint64_t half : {first, cpus & ~first}) {
    Cluster cluster;
    cluster.cpus = half;
    cluster.cpufreq_id = std::countr_zero(half);
    cluster.opps.push_back({khz(500000), Speed(half == first ? 256e6 : 512e6), {}});
    cluster.opps.push_back({khz(1000000), Speed(half == first ? 512e6 : 1024e6), {}});
    topology.clusters.push_back(cluster);
  }
  return topology;
}

/// How a thread stands.
struct Standing {
  std::uint64_t cpus{};
  UtilClamp clamp;
  bool operator==(const Standing&) const = default;
};

// NOLINTNEXTLINE(readability-identifier-naming): GoogleTest asks for it
void PrintTo(const Standing& standing, std::ostream* out) {
  *out << std::hex << standing.cpus << std::dec << " [" << standing.clamp.min << ", "
       << standing.clamp.max << "]";
}

class RealThreads : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(kernel_->read_cpus(0, cpus_), 0);
    if (std::popcount(cpus_) < 2) {
      GTEST_SKIP() << "needs two CPUs";
    }
    topology_ = this_machine(cpus_);
    if (topology_.clusters.size() < 2) {
      GTEST_SKIP() << "needs CPUs of two clusters";
    }
    means_ = find_thread_means(*kernel_, *start_trial_thread(kCpuRoot), topology_);
    log_ = *Log::open(LogLevel::kError, folder_.path() / "log");
  }

  [[nodiscard]] std::unique_ptr<ThreadActuator> actuator(std::string boot_id = "boot") const {
    return std::make_unique<ThreadActuator>(make_thread_kernel("/proc", kCpuRoot), means_,
                                            topology_, *StateDir::open(state_path_),
                                            std::move(boot_id), *log_);
  }
  /// Steers in a process of its own, which then does `end`.
  void steer_and(const std::function<void(ThreadActuator&)>& end) const {
    const pid_t steering = ::fork();
    if (steering == 0) {
      auto steers = actuator(read_boot_id("/proc"));
      if (steers->apply(frame_threads(), plans(1, 2, share(0.5)), now_)) {
        end(*steers);
      }
      ::kill(::getpid(), SIGKILL);
    }
    ASSERT_EQ(::waitpid(steering, nullptr, 0), steering);
  }
  [[nodiscard]] FrameThreads frame_threads() const {
    return {app_->pid(), {app_->ui(), app_->render()}};
  }
  [[nodiscard]] std::uint64_t cluster(std::size_t i) const { return topology_.clusters[i].cpus; }
  [[nodiscard]] Standing standing(std::int32_t tid) const {
    Standing now;
    EXPECT_EQ(kernel_->read_cpus(tid, now.cpus), 0) << tid;
    EXPECT_EQ(kernel_->read_clamp(tid, now.clamp), 0) << tid;
    return now;
  }
  static ThreadPlans plans(std::uint8_t ui, std::uint8_t render, double ui_share = 0) {
    ThreadPlans made;
    made.push_back({ui, {}, Speed(ui_share)});
    made.push_back({render, {}, {}});
    return made;
  }
  [[nodiscard]] double share(double of) const {
    return of * topology_.clusters[topology_.fastest_cluster()].max_speed().count();
  }
  Status recover() const {
    return recover_threads(*kernel_, *StateDir::open(state_path_), "boot", *log_);
  }
  /// Steers in a process of its own, until that is killed. Returns when it has begun to, or at
  /// once.
  [[nodiscard]] pid_t start_steering(bool wait) const {
    std::array<int, 2> begun{};
    EXPECT_EQ(::pipe(begun.data()), 0);
    const pid_t steering = ::fork();
    if (steering == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      auto steers = actuator();
      for (int i = 0;; ++i) {
        const double part = 0.05 * (1 + i % 19);
        (void)steers->apply(frame_threads(),
                            i % 50 == 49
                                ? ThreadPlans{}
                                : plans(i % 2 == 0 ? 1 : 2, i % 3 == 0 ? 1 : 2, share(part)),
                            instant_from_ns(1'000'000'000 + i));
        if (i == 0) {
          (void)!::write(begun[1], "x", 1);
        }
      }
    }
    char letter{};
    if (wait) {
      EXPECT_EQ(::read(begun[0], &letter, 1), 1);
    }
    ::close(begun[0]);
    ::close(begun[1]);
    return steering;
  }

  TemporaryFolder folder_;
  std::filesystem::path state_path_ = folder_.path() / "state";
  std::unique_ptr<ThreadKernel> kernel_ = make_thread_kernel("/proc", kCpuRoot);
  std::uint64_t cpus_{};
  CpuTopology topology_;
  ThreadMeans means_;
  std::unique_ptr<Log> log_;
  std::unique_ptr<OtherApp> app_ = std::make_unique<OtherApp>();
  Instant now_ = instant_from_ns(1'000'000'000);
};

TEST_F(RealThreads, RunWhereTheyArePlacedAndComeBack) {
  const Standing ui = standing(app_->ui());
  const Standing render = standing(app_->render());
  const auto steers = actuator();
  for (std::uint8_t which : {1, 2, 1}) {
    ASSERT_TRUE(steers->apply(frame_threads(), plans(which, 2), now_));
    EXPECT_EQ(standing(app_->ui()).cpus, cluster(which - 1U) & cpus_);
    const int cpu = app_->work();
    EXPECT_NE(cluster(which - 1U) & (std::uint64_t{1} << static_cast<unsigned>(cpu)), 0U) << cpu;
  }
  EXPECT_TRUE(steers->apply(frame_threads(), {}, now_));
  EXPECT_EQ(standing(app_->ui()), ui);
  EXPECT_EQ(standing(app_->render()), render);
}

TEST_F(RealThreads, AreClampedAndComeBack) {
  if (!means_.levers.clamps) {
    GTEST_SKIP() << means_.words;
  }
  const Standing ui = standing(app_->ui());
  const auto steers = actuator();
  ASSERT_TRUE(steers->apply(frame_threads(), plans(0, 0, share(0.5)), now_));
  EXPECT_EQ(standing(app_->ui()).clamp, (UtilClamp{0, 512}));
  ThreadPlans floor;
  floor.push_back({0, Speed(share(0.75)), {}});
  ASSERT_TRUE(steers->apply(frame_threads(), floor, now_));
  EXPECT_EQ(standing(app_->ui()).clamp, (UtilClamp{768, 1024}));
  EXPECT_TRUE(steers->apply(frame_threads(), {}, now_));
  EXPECT_EQ(standing(app_->ui()), ui);
}

TEST_F(RealThreads, OfAKilledServiceComeBackWheneverItWasKilled) {
  Standing ui = standing(app_->ui());
  const Standing render = standing(app_->render());
  std::mt19937 random(1);
  int altered = 0;
  constexpr int kKills = 50;
  for (int i = 0; i < kKills; ++i) {
    if (i == kKills / 2) {
      ASSERT_EQ(app_->go_to(std::countr_zero(cpus_)), 0);  // its own wish comes back, too
      ui = standing(app_->ui());
    }
    const pid_t steering = start_steering(i % 4 != 0);
    std::this_thread::sleep_for(microseconds{std::uniform_int_distribution(0, 3000)(random)});
    ::kill(steering, SIGKILL);
    ASSERT_EQ(::waitpid(steering, nullptr, 0), steering);
    altered += standing(app_->ui()) == ui && standing(app_->render()) == render ? 0 : 1;
    ASSERT_TRUE(recover()) << folder_.read("log");
    ASSERT_EQ(standing(app_->ui()), ui) << i;
    ASSERT_EQ(standing(app_->render()), render) << i;
  }
  EXPECT_EQ(folder_.read("log"), "");
  std::printf("%d kills, %d of them left something\n", kKills, altered);
  EXPECT_GT(altered, 0) << "none was killed while something stood";
}

TEST_F(RealThreads, ThatAKilledServicesThreadsStartedComeBackToo) {
  const Standing before = standing(app_->render());
  steer_and([](ThreadActuator&) {});
  const std::int32_t heir = app_->start_thread();
  ASSERT_EQ(standing(heir).cpus, cluster(0) & cpus_);
  ASSERT_TRUE(
      recover_threads(*kernel_, *StateDir::open(state_path_), read_boot_id("/proc"), *log_));
  EXPECT_EQ(standing(heir), before);
}

TEST_F(RealThreads, AreOwedAndPutBackByRestore) {
  const TemporaryCpufreqTree tree;
  ServiceSettings settings = settings_of(tree, folder_);
  settings.proc_root = "/proc";
  settings.state_dir = state_path_;
  const Standing before = standing(app_->ui());
  EXPECT_FALSE(find_owed_limits(settings));
  steer_and([](ThreadActuator&) {});
  ASSERT_FALSE(standing(app_->ui()) == before);
  EXPECT_TRUE(find_owed_limits(settings));
  const Status restored = restore_only(settings, *log_);
  EXPECT_TRUE(restored) << restored.error().to_string();
  EXPECT_EQ(standing(app_->ui()), before);
  EXPECT_FALSE(find_owed_limits(settings));
}

TEST_F(RealThreads, OfAServiceWithAFaultComeBackBeforeItEnds) {
  const TemporaryCpufreqTree tree;
  const Standing before = standing(app_->ui());
  steer_and([&](ThreadActuator& steers) {
    auto governed = govern_tree(tree.root(), folder_.path() / "limits", "boot", *log_);
    ::signal(SIGSEGV, SIG_DFL);  // a sanitizer would answer the fault itself
    const FatalEnd fatal_end(*governed->actuator, &steers);
    ::raise(SIGSEGV);
  });
  EXPECT_EQ(standing(app_->ui()), before);
}

TEST_F(RealThreads, ThatAreStartedMeanwhileAreFreed) {
  const Standing before = standing(app_->render());
  const auto steers = actuator();
  ASSERT_TRUE(steers->apply(frame_threads(), plans(1, 2, share(0.5)), now_));
  const std::int32_t heir = app_->start_thread();
  ASSERT_EQ(standing(heir).cpus, cluster(0) & cpus_);
  steers->refresh(now_);
  EXPECT_EQ(standing(heir), before);
}

TEST_F(RealThreads, ThatTheAppMovesItselfStayThere) {
  const auto steers = actuator();
  ASSERT_TRUE(steers->apply(frame_threads(), plans(2, 2), now_));
  const int cpu = std::countr_zero(cluster(0) & cpus_);
  ASSERT_EQ(app_->go_to(cpu), 0);
  EXPECT_FALSE(steers->apply(frame_threads(), plans(0, 1), now_));
  EXPECT_EQ(standing(app_->ui()).cpus, std::uint64_t{1} << static_cast<unsigned>(cpu));
}

/// The number that comes next is `number`, or a few before it. False where that takes too long.
bool come_to(std::int32_t number) {
  if (std::ofstream last("/proc/sys/kernel/ns_last_pid"); last << number - 1 << std::flush) {
    return true;
  }
  constexpr int kFew = 6;
  constexpr int kMostForks = 3000;
  for (int i = 0; i < kMostForks; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::_exit(0);
    }
    ::waitpid(child, nullptr, 0);
    if (number - kFew < child && child < number) {
      return true;
    }
  }
  return false;
}

TEST_F(RealThreads, WithTheNumberOfOneThatEndedAreNotTouched) {
  const std::int32_t first = app_->start_thread();
  const auto steers = actuator();
  FrameThreads threads = frame_threads();
  threads.tids[kRenderThread] = first;
  ASSERT_TRUE(steers->apply(threads, plans(1, 1), now_));
  app_->end_thread();
  std::unique_ptr<OtherApp> next;
  const auto has_it = [&] { return next && (next->pid() == first || next->render() == first); };
  for (int tries = 0; tries < 50 && !has_it(); ++tries) {
    if (!come_to(first)) {
      GTEST_SKIP() << "the next thread's number cannot be chosen, and there are too many";
    }
    next = std::make_unique<OtherApp>();
  }
  if (!has_it()) {
    GTEST_SKIP() << "other processes take the number again and again";
  }
  // Its own wish looks like ours.
  ASSERT_EQ(kernel_->write_cpus(first, cluster(0) & cpus_), 0);
  EXPECT_TRUE(steers->apply(frame_threads(), {}, now_));
  EXPECT_EQ(standing(first).cpus, cluster(0) & cpus_);
}

/// As the service steers: without root's other rights, and with the calls that it may make.
class ConfinedSteering : public RealThreads {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) {
      GTEST_SKIP() << "needs root: the app is another user's";
    }
    RealThreads::SetUp();
    app_ = std::make_unique<OtherApp>(kUser);
  }
  /// Did it hold? Steers in a process of its own that has `capabilities` and is confined.
  [[nodiscard]] bool steers_with(CapabilitySet capabilities, ThreadSteering steering) const {
    const pid_t child = ::fork();
    if (child == 0) {
      const bool confined = StateDir::open(state_path_) && keep_only(capabilities) &&
                            allow_service_calls(MemoryReading::kRefused, steering);
      auto steers = actuator();
      const bool held = confined && steers->apply(frame_threads(), plans(1, 2, share(0.5)), now_) &&
                        standing(app_->ui()).cpus == (cluster(0) & cpus_);
      steers->refresh(now_);
      ::_exit(held && steers->restore() ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  static constexpr uid_t kUser = 10123;
  static constexpr CapabilitySet kDacOverride = 1U << 1U;
  static constexpr CapabilitySet kNice = 1U << 23U;
};

TEST_F(ConfinedSteering, NeedsOneRightAndThreeCalls) {
  const Standing before = standing(app_->ui());
  EXPECT_TRUE(steers_with(kDacOverride | kNice, ThreadSteering::kAllowed));
  EXPECT_EQ(standing(app_->ui()), before);
  EXPECT_FALSE(steers_with(kDacOverride, ThreadSteering::kAllowed));
  EXPECT_EQ(standing(app_->ui()), before);
  EXPECT_FALSE(steers_with(kDacOverride | kNice, ThreadSteering::kRefused));
  EXPECT_EQ(standing(app_->ui()), before);
}

}  // namespace
}  // namespace framegov::test
