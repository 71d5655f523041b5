// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "base/monotonic_clock.h"
#include "governor/log/log.h"
#include "governor/service/record_session.h"
#include "governor/startup/source_factory.h"
#include "tests/support/phone_topology.h"
#include "trace/byte_source.h"
#include "trace/perfetto_reader.h"

namespace framegov {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

/// The demo app's frames, through uprobes, the app context and the recorder, to a file and back.
class RecordTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "record-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    root_ = name;
    const fs::path app = FRAMEGOV_DEMO_APP_DIR;
    settings_.state_dir = root_ / "state";
    settings_.hwui_libraries = {app / "libhwui.so"};
    settings_.gui_libraries = {app / "libgui.so"};
    settings_.cpu_root = root_ / "cpu";
    fs::create_directories(settings_.state_dir);
    fs::create_directories(settings_.cpu_root / "cpufreq" / "policy0");
    std::ofstream(settings_.cpu_root / "cpufreq" / "policy0" / "scaling_cur_freq") << "1500000\n";
    auto log = Log::open(LogLevel::kWarning, root_ / "log");
    ASSERT_TRUE(log);
    log_ = *std::move(log);
  }
  void TearDown() override { fs::remove_all(root_); }

  static pid_t start(std::vector<std::string> arguments) {
    std::string program = std::string(FRAMEGOV_DEMO_APP_DIR) + "/demo-app";
    std::vector<char*> words{program.data()};
    for (std::string& argument : arguments) {
      words.push_back(argument.data());
    }
    words.push_back(nullptr);
    pid_t pid = -1;
    EXPECT_EQ(::posix_spawn(&pid, program.c_str(), nullptr, nullptr, words.data(), environ), 0);
    return pid;
  }

  fs::path root_;
  ServiceSettings settings_;
  std::unique_ptr<Log> log_;
};

TEST_F(RecordTest, TheDemoAppsFramesComeBackFromTheTrace) {
  CpuTopology topology = test::phone_topology();
  topology.clusters.resize(1);
  topology.clusters[0].cpus = ~std::uint64_t{0};
  auto source = make_frame_source(settings_, topology, *log_);
  if (!source && (source.error().code == ExitCode::kNoPermission ||
                  source.error().code == ExitCode::kUnsupported)) {
    GTEST_SKIP() << source.error().to_string();
  }
  ASSERT_TRUE(source) << source.error().to_string();
  auto recorder =
      Recorder::open({root_ / "trace", 8U << 20U, {}}, device_name(), topology, monotonic_now());
  ASSERT_TRUE(recorder);
  block_record_signals();
  RecordSession session(*std::move(source),
                        std::make_unique<AppContext>(settings_, topology, *log_),
                        *std::move(recorder), 1);
  const pid_t app =
      start({"--scene", "scroll", "--seconds", "2", "--fixed-khz", "1000000", "--events",
             (root_ / "events").string(), "--record", (root_ / "frames.csv").string()});
  int told = 0;
  ASSERT_TRUE(session.run(3s, [&told](const RecordProgress&) { ++told; }));
  ::waitpid(app, nullptr, 0);
  EXPECT_GE(told, 2);
  EXPECT_EQ(session.progress(monotonic_now()).dropped, 0U);

  RecordingReader reader;
  const auto bytes = open_bytes(root_ / "trace");
  ASSERT_TRUE(bytes && read_perfetto(**bytes, reader));
  const auto recording = reader.take();
  ASSERT_TRUE(recording);
  std::ifstream csv(root_ / "frames.csv");
  const auto lines = std::count(std::istreambuf_iterator<char>(csv), {}, '\n') - 1;
  const auto frames = static_cast<std::ptrdiff_t>(recording->frames.size());
  ASSERT_GT(frames, 20);
  EXPECT_NEAR(static_cast<double>(frames), static_cast<double>(lines),
              3 + 0.03 * static_cast<double>(lines));
  std::ptrdiff_t with_cpu_time = 0;
  double cpu = 0;
  double generation = 0;
  for (const RecordedFrame& recorded : recording->frames) {
    const Frame& frame = recorded.frame;
    EXPECT_EQ(frame.pid, app);
    EXPECT_NE(recording->apps.at(recorded.app).find("demo-app"), std::string::npos);
    with_cpu_time +=
        frame.ui_cpu_time > Duration::zero() && frame.render_cpu_time > Duration::zero();
    cpu += to_ms(frame.ui_cpu_time + frame.render_cpu_time);
    generation += to_ms(frame.generation_time());
  }
  std::printf(
      "%td of %td frames, CPU time known for %td, %.2f ms CPU and %.2f ms generation each\n",
      frames, static_cast<std::ptrdiff_t>(lines), with_cpu_time, cpu / static_cast<double>(frames),
      generation / static_cast<double>(frames));
  EXPECT_GE(with_cpu_time, frames * 9 / 10);
  EXPECT_EQ(recording->frames.back().frame.frequency, khz(1'500'000));
}

}  // namespace
}  // namespace framegov
