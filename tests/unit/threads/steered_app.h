// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "governor/threads/thread_actuator.h"
#include "tests/support/cpufreq_tree.h"
#include "tests/support/fake_threads.h"
#include "tests/support/phone_topology.h"

namespace framegov::test {

inline constexpr std::int32_t kApp = 500;
inline constexpr std::int32_t kUi = 500;
inline constexpr std::int32_t kRender = 512;

/// Two clusters of four CPUs, the second twice as fast.
inline CpuTopology two_clusters() {
  CpuTopology topology;
  Cluster little;
  little.cpufreq_id = 0;
  little.cpus = 0x0f;
  little.opps.push_back({khz(500000), Speed(256e6), {}});
  little.opps.push_back({khz(1000000), Speed(512e6), {}});
  Cluster big;
  big.cpufreq_id = 4;
  big.cpus = 0xf0;
  big.opps.push_back({khz(512000), Speed(512e6), {}});
  big.opps.push_back({khz(1024000), Speed(1024e6), {}});
  topology.clusters.push_back(little);
  topology.clusters.push_back(big);
  return topology;
}

inline constexpr std::uint64_t kLittle = 0x0f;
inline constexpr std::uint64_t kBig = 0xf0;

inline ThreadPlan on(std::uint8_t clusters, double floor = 0, double cap = 0) {
  return {clusters, Speed(floor), Speed(cap)};
}
inline ThreadPlans plans(std::initializer_list<ThreadPlan> each) {
  ThreadPlans made;
  for (const ThreadPlan& plan : each) {
    made.push_back(plan);
  }
  return made;
}

/// An app with a UI thread and a RenderThread, in a kernel that a test moves.
class SteeredApp : public ::testing::Test {
 protected:
  void SetUp() override {
    log_ = *Log::open(LogLevel::kInfo, folder_.path() / "log");
    make_actuator();
    threads_->add(kApp, kUi);
    threads_->add(kApp, kRender);
    threads_->writes = 0;
    threads_->calls = 0;
  }

  void make_actuator(ThreadLevers levers = {true, true}) {
    auto kernel = std::make_unique<FakeThreads>(0xff);
    threads_ = kernel.get();
    actuator_ = std::make_unique<ThreadActuator>(std::move(kernel), ThreadMeans{levers, "as told"},
                                                 two_clusters(), *StateDir::open(state_path_),
                                                 "this-boot", *log_);
  }

  [[nodiscard]] bool apply(const ThreadPlans& plans) {
    now_ += std::chrono::milliseconds{8};
    return actuator_->apply(app_, plans, now_);
  }
  void expect_as_before() {
    for (const std::int32_t tid : {kUi, kRender}) {
      EXPECT_EQ(threads_->at(tid).asked, kEveryCpu) << tid;
      EXPECT_EQ(threads_->clamp(tid), UtilClamp{}) << tid;
    }
    EXPECT_FALSE(actuator_->stand());
  }
  [[nodiscard]] bool saved_file_is_there() const {
    return std::filesystem::exists(state_path_ / kSavedThreadsFile);
  }
  [[nodiscard]] std::string saved_text() const {
    return folder_.read(state_path_ / kSavedThreadsFile);
  }
  [[nodiscard]] std::string log_text() const { return folder_.read("log"); }
  [[nodiscard]] int lines_of_log(const std::string& word) const {
    int lines = 0;
    const std::string text = log_text();
    for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
      ++lines;
    }
    return lines;
  }

  TemporaryFolder folder_;
  std::filesystem::path state_path_ = folder_.path() / "state";
  std::unique_ptr<Log> log_;
  FakeThreads* threads_ = nullptr;
  std::unique_ptr<ThreadActuator> actuator_;
  FrameThreads app_{kApp, {kUi, kRender}};
  Instant now_ = instant_from_ns(1'000'000'000);
};

}  // namespace framegov::test
