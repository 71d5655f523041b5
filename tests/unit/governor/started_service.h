// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "config/load.h"
#include "governor/startup/startup.h"
#include "tests/support/cpufreq_tree.h"
#include "tests/support/fake_frame_source.h"

namespace framegov::test {

/// A service as framegovd starts it, from a file of settings, on a temporary tree and with frames
/// that the test makes.
class StartedServiceTest : public ::testing::Test {
 protected:
  static constexpr Duration kPeriod = std::chrono::milliseconds{16};
  static constexpr std::int32_t kPid = 100;

  void SetUp() override { log_ = *Log::open(LogLevel::kInfo, folder_.path() / "log"); }

  /// Settings of the section service that every such service has.
  [[nodiscard]] std::string service_settings() const {
    const std::string at = folder_.path().string();
    return "cpu_root: " + tree_.root().string() + ", proc_root: " + at + "/proc, state_dir: " + at +
           "/state, foreground: all, dumpsys: /nonexistent/dumpsys";
  }

  /// With the settings in f.yaml.
  void start_service_here() {
    const auto settings = load_settings(folder_.path() / "f.yaml");
    ASSERT_TRUE(settings) << settings.error().message;
    auto service = start_service(
        *settings,
        [this](const ServiceSettings&, const CpuTopology&) -> Result<std::unique_ptr<FrameSource>> {
          auto source = std::make_unique<FakeFrameSource>();
          source_ = source.get();
          return source;
        },
        *log_);
    ASSERT_TRUE(service) << service.error().to_string();
    service_ = *std::move(service);
  }

  /// A frame that is ready a period after the one before it.
  void push_frame(Duration generation, std::int8_t cluster) {
    now_ += kPeriod;
    Frame made;
    made.pid = kPid;
    made.vsync = made.start = now_ - generation;
    made.ready = now_;
    made.interval = kPeriod;
    made.deadline = made.vsync + kPeriod;
    made.cluster = cluster;
    made.add(FramePart::kUi);
    made.add(FramePart::kRender);
    source_->push(made);
  }

  void step() { ASSERT_TRUE(service_->step(now_)); }
  [[nodiscard]] std::string log_text() const { return folder_.read("log"); }

  TemporaryFolder folder_;
  TemporaryCpufreqTree tree_;
  std::unique_ptr<Log> log_;
  FakeFrameSource* source_ = nullptr;
  std::unique_ptr<Service> service_;
  Instant now_ = instant_from_ns(10'000'000'000);
};

}  // namespace framegov::test
