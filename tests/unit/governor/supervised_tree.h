// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <thread>

#include "governor/cpufreq/actuator.h"
#include "governor/cpufreq/recovery.h"
#include "governor/supervisor/supervisor.h"
#include "tests/support/cpufreq_tree.h"
#include "tests/unit/governor/governed_tree.h"

namespace framegov::test {

/// What the service's processes tell the test.
struct SupervisedStarts {
  int starts = 0;
  bool clean = true;  ///< no start has found a cap
};

/// A cpufreq tree and folders of a service that is supervised.
class SupervisedTree : public ::testing::Test {
 protected:
  void SetUp() override {
    times_.first_delay = std::chrono::milliseconds{1};
    times_.longest_delay = std::chrono::milliseconds{4};
    times_.put_back_delay = std::chrono::milliseconds{2};
    void* const memory = ::mmap(nullptr, sizeof(SupervisedStarts), PROT_READ | PROT_WRITE,
                                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    shared_ = new (memory) SupervisedStarts;
  }
  void TearDown() override { ::munmap(shared_, sizeof(SupervisedStarts)); }

  /// In the service's process: caps policy4 and keeps the cap.
  void cap() const {
    ++shared_->starts;
    shared_->clean = shared_->clean && !capped();
    auto log = Log::open(LogLevel::kError, {});
    auto governed =
        govern_tree(tree_.root(), settings_.state_dir, read_boot_id(settings_.proc_root), **log);
    ClusterPlans plan;
    plan.resize(3);
    plan[1] = {khz(1200000), {}};
    governed->actuator->apply(plan, instant_from_ns(1));
    // The process will end without its destructor.
    static_cast<void>(governed->actuator.release());
  }
  [[nodiscard]] bool capped() const { return tree_.max(4) != 2250000; }
  /// A process that caps, and is killed together with its supervisor.
  void leave_a_cap() const {
    if (const pid_t killed = ::fork(); killed == 0) {
      cap();
      ::_exit(0);
    } else {
      ASSERT_EQ(::waitpid(killed, nullptr, 0), killed);
    }
    shared_->starts = 0;
    ASSERT_TRUE(capped());
  }
  /// The CPUs of policy4 go: its limits can be neither read nor written.
  void go_offline() const {
    std::filesystem::rename(node_, kept_);
    std::filesystem::create_directory(node_);
  }
  void come_back() const {
    std::filesystem::remove(node_);
    std::filesystem::rename(kept_, node_);
  }
  /// Returns when putting limits back has failed once.
  void wait_until_it_tries_again() const {
    while (log_text().find("tried again until it works") == std::string::npos) {
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
  }
  /// Supervises while they come back some time after the first try. A thread would take signals
  /// away from it.
  Result<int> supervise_until_they_come(const Supervisor::ServiceMain& serve,
                                        std::chrono::milliseconds after = std::chrono::milliseconds{
                                            30}) {
    const pid_t phone = ::fork();
    if (phone == 0) {
      wait_until_it_tries_again();
      std::this_thread::sleep_for(after);
      come_back();
      ::_exit(0);
    }
    auto status = supervise(serve);
    ::kill(phone, SIGKILL);
    EXPECT_EQ(::waitpid(phone, nullptr, 0), phone);
    return status;
  }
  Result<int> supervise(const Supervisor::ServiceMain& serve) {
    return Supervisor(settings_, times_).run(serve);
  }
  [[nodiscard]] std::string log_text() const { return folder_.read("log"); }

  TemporaryFolder folder_;
  TemporaryCpufreqTree tree_;
  const std::filesystem::path node_ = tree_.policy(4) / "scaling_max_freq";
  const std::filesystem::path kept_ = tree_.policy(4) / "kept";
  ServiceSettings settings_ = settings_of(tree_, folder_);
  SupervisorTimes times_;
  SupervisedStarts* shared_ = nullptr;
};

}  // namespace framegov::test
