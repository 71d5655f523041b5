// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <thread>

#include "base/monotonic_clock.h"
#include "governor/observers/jank_hook.h"
#include "governor/observers/recorder.h"
#include "probes/context/app_names.h"
#include "tests/support/phone_topology.h"
#include "trace/byte_source.h"
#include "trace/perfetto_reader.h"

namespace framegov {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using ::testing::HasSubstr;

class ObserversTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "observers-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    root_ = name;
    auto log = Log::open(LogLevel::kInfo, root_ / "log");
    ASSERT_TRUE(log);
    log_ = *std::move(log);
  }
  void TearDown() override { fs::remove_all(root_); }

  static std::string contents(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static bool wait_for(const std::function<bool()>& condition) {
    for (int i = 0; i < 500 && !condition(); ++i) {
      std::this_thread::sleep_for(10ms);
    }
    return condition();
  }
  static Frame frame(Instant vsync, Duration generation) {
    Frame frame;
    frame.pid = 321;
    frame.vsync = vsync;
    frame.ready = vsync + generation;
    frame.interval = 8'333'333ns;
    frame.deadline = vsync + frame.interval;
    return frame;
  }

  fs::path root_;
  std::unique_ptr<Log> log_;
  Instant begin_ = instant_from_ns(1'000'000'000'000);
};

TEST_F(ObserversTest, TheHookTellsTheAppAndItsGenerationTimeToACommandWithoutAShell) {
  const fs::path script = root_ / "hook";
  const fs::path out = root_ / "out";
  std::ofstream(script) << "#!/bin/sh\nenv | grep FRAMEGOV_ > \"$1.tmp\"; echo \"arg=$2\" >> "
                           "\"$1.tmp\"; mv \"$1.tmp\" \"$1\"\n";
  fs::permissions(script, fs::perms::owner_all);
  JankHookSettings settings;
  settings.command = {script.string(), out.string(), "$(touch bad);"};
  JankHook hook(settings, *log_);
  hook.on_frame(frame(begin_, 3999us), "com.a", begin_);
  EXPECT_EQ(hook.started(), 0U);
  hook.on_frame(frame(begin_, 4000us), "com.a.game", begin_);
  EXPECT_EQ(hook.started(), 1U);
  ASSERT_TRUE(wait_for([&] { return fs::exists(out); }));
  const std::string told = contents(out);
  EXPECT_THAT(told, HasSubstr("FRAMEGOV_APP=com.a.game\n"));
  EXPECT_THAT(told, HasSubstr("FRAMEGOV_PID=321\n"));
  EXPECT_THAT(told, HasSubstr("FRAMEGOV_GENERATION_US=4000\n"));
  EXPECT_THAT(told, HasSubstr("FRAMEGOV_BUDGET_US=8333\n"));
  EXPECT_THAT(told, HasSubstr("arg=$(touch bad);\n"));
}

TEST_F(ObserversTest, OneHookAtATimeAndNotTooOften) {
  JankHookSettings settings;
  settings.command = {"/bin/sleep", "100"};
  settings.timeout = 10s;
  JankHook hook(settings, *log_);
  for (int i = 0; i < 100; ++i) {  // ten seconds, one slow frame each 100 ms
    hook.on_frame(frame(begin_, 20ms), "com.a", begin_ + i * 100ms);
  }
  EXPECT_EQ(hook.started(), 1U);
  EXPECT_EQ(hook.skipped(), 99U);
  hook.on_frame(frame(begin_, 20ms), "com.a", begin_ + 10s);  // the first is killed
  EXPECT_EQ(hook.started(), 2U);

  settings.command = {"/bin/true"};
  JankHook brief(settings, *log_);
  for (int i = 0; i < 10; ++i) {
    brief.on_frame(frame(begin_, 20ms), "com.a", begin_ + i * 1ms);
  }
  EXPECT_EQ(brief.started(), 1U);
}

TEST_F(ObserversTest, AHookThatCannotStartIsToldOnce) {
  JankHookSettings settings;
  settings.command = {"/nonexistent/hook"};
  JankHook hook(settings, *log_);
  hook.on_frame(frame(begin_, 20ms), "com.a", begin_);
  hook.on_frame(frame(begin_, 20ms), "com.a", begin_ + 1s);
  EXPECT_EQ(hook.started(), 0U);
  const std::string log = contents(root_ / "log");
  const std::size_t first = log.find("/nonexistent/hook");
  EXPECT_NE(first, std::string::npos);
  EXPECT_EQ(log.find("/nonexistent/hook", first + 1), std::string::npos);
}

/// The recording in `path`, read as anyone reads a trace.
std::optional<Recording> read_back(const fs::path& path) {
  RecordingReader reader;
  const auto bytes = open_bytes(path);
  EXPECT_TRUE(bytes && read_perfetto(**bytes, reader));
  return reader.take();
}

class RecorderTest : public ObserversTest {
 protected:
  void open(std::uint64_t max_bytes, Duration flight) {
    auto recorder = Recorder::open({root_ / "trace", max_bytes, flight}, "test", topology_, begin_);
    ASSERT_TRUE(recorder) << recorder.error().to_string();
    recorder_ = *std::move(recorder);
  }
  void play(int frames) {
    recorder_->on_app(app_id_of("com.a"), "com.a", begin_);
    for (int i = 0; i < frames; ++i) {
      const Instant at = begin_ + i * 10ms;
      Frame made = frame(at, 5ms);
      made.app = app_id_of("com.a");
      made.ui_cpu_time = 2ms;
      const std::array current{mhz(600 + i % 2), mhz(1500)};
      recorder_->on_frequencies(current, at + 5ms);
      FrequencyPlan plan =
          FrequencyPlan::uncapped(topology_.clusters.size(), ReasonCode::kTracking);
      plan.clusters[0].cap = mhz(800);
      recorder_->on_decision({at + 5ms, DecisionCause::kFrameEnd, made.app, &made, &plan});
      recorder_->on_frame(made, "com.a", at + 5ms);
    }
  }

  CpuTopology topology_ = test::phone_topology();
  std::unique_ptr<Recorder> recorder_;
};

TEST_F(RecorderTest, WhatTheServiceSeesIsReadBack) {
  open(1U << 20U, {});
  play(100);
  ASSERT_TRUE(recorder_->save());
  const auto recording = read_back(root_ / "trace");
  ASSERT_TRUE(recording);
  EXPECT_EQ(recording->device, "test");
  EXPECT_EQ(recording->topology.clusters.size(), topology_.clusters.size());
  ASSERT_EQ(recording->frames.size(), 100U);
  EXPECT_EQ(recording->apps.at(recording->frames[7].app), "com.a");
  EXPECT_EQ(recording->frames[7].frame.generation_time(), 5ms);
  EXPECT_EQ(recording->frames[7].frame.ui_cpu_time, 2ms);
  EXPECT_EQ(recording->frames[7].frame.app, app_id_of("com.a"));
  ASSERT_EQ(recording->plans.size(), 100U);
  EXPECT_EQ(recording->plans[3].plan.reason.code, ReasonCode::kTracking);
  EXPECT_EQ(recording->plans[3].plan.clusters[0].cap, mhz(800));
  EXPECT_EQ(recording->frequencies.size(), 101U);  // changes only
}

TEST_F(RecorderTest, TheFileStaysWithinItsSizeAndSaysWhatIsMissing) {
  open(20'000, {});
  play(1000);
  ASSERT_TRUE(recorder_->save());
  EXPECT_LE(fs::file_size(root_ / "trace"), 20'000U);
  EXPECT_GT(recorder_->dropped(), 0U);
  EXPECT_TRUE(read_back(root_ / "trace"));
}

TEST_F(RecorderTest, AFlightRecordingHoldsTheLastSeconds) {
  open(1U << 20U, 1s);
  play(1000);
  EXPECT_FALSE(fs::exists(root_ / "trace"));
  ASSERT_TRUE(recorder_->save());
  const auto recording = read_back(root_ / "trace");
  ASSERT_TRUE(recording);
  EXPECT_EQ(recording->topology.clusters.size(), topology_.clusters.size());
  EXPECT_GE(recording->frames.size(), 99U);
  EXPECT_LE(recording->frames.size(), 101U);
  // Times come back on the trace's clock: steps are compared.
  EXPECT_EQ(recording->frames.back().frame.vsync - recording->frames.front().frame.vsync,
            (static_cast<int>(recording->frames.size()) - 1) * 10ms);
  play(1);  // it goes on
  EXPECT_TRUE(recorder_->save());
}

TEST_F(RecorderTest, AFlightRecordingIsBoundedInBytes) {
  open(50'000, 3600s);
  play(1000);
  EXPECT_LE(recorder_->bytes(), 50'000U);
  ASSERT_TRUE(recorder_->save());
  EXPECT_TRUE(read_back(root_ / "trace"));
}

TEST_F(RecorderTest, AdbCanPullItWhateverTheUmaskIs) {
  const mode_t before = ::umask(077);
  open(50'000, 0s);
  ::umask(before);
  EXPECT_EQ(fs::status(root_ / "trace").permissions(), fs::perms(0644));
}

TEST_F(RecorderTest, AFolderThatIsNotThereIsNamed) {
  const auto recorder = Recorder::open({"/nonexistent/trace", 1000, {}}, "x", topology_, begin_);
  ASSERT_FALSE(recorder);
  EXPECT_THAT(recorder.error().message, HasSubstr("/nonexistent/trace"));
}

}  // namespace
}  // namespace framegov
