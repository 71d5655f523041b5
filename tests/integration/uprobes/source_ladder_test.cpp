// SPDX-License-Identifier: Apache-2.0
// Each rung of the ladder, forced by the configuration, through the service's own factory.
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <string>

#include "base/monotonic_clock.h"
#include "governor/doctor/doctor.h"
#include "governor/startup/source_factory.h"
#include "tests/integration/uprobes/measured_frames.h"
#include "tests/integration/uprobes/mounted_tracefs.h"

namespace framegov {
namespace {

namespace fs = std::filesystem;
using test::DemoApp;
using test::expect_generation_times;
using test::MeasuredFrames;
using test::MountedTracefs;
using test::one_cluster;
using test::quantile;
using test::RecordedFrame;

class SourceLadder : public ::testing::Test {
 protected:
  SourceLadder() {
    std::string name = fs::temp_directory_path() / "framegov-ladder-XXXXXX";
    if (::mkdtemp(name.data()) != nullptr) {
      folder_ = name;
    }
    settings_.state_dir = folder_ / "state";
    settings_.hwui_libraries = {DemoApp::folder() / "libhwui.so"};
    settings_.gui_libraries = {DemoApp::folder() / "libgui.so"};
    settings_.dumpsys = folder_ / "dumpsys";
    log_ = *Log::open(LogLevel::kInfo, folder_ / "log");
  }
  ~SourceLadder() override {
    source_.reset();
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  void open(SourceChoice choice) {
    settings_.source = choice;
    auto source = make_frame_source(settings_, one_cluster(), *log_);
    ASSERT_TRUE(source) << source.error().to_string();
    source_ = *std::move(source);
  }

  [[nodiscard]] std::string log() const {
    std::ifstream file(folder_ / "log");
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

  void expect_the_apps_frames(SourceChoice choice) {
    if (::geteuid() != 0) {
      GTEST_SKIP() << "uprobes need root";
    }
    open(choice);
    ASSERT_EQ(source_->kind(), chosen_kind(choice)) << log();
    DemoApp app({"--scene", "scroll", "--hz", "60", "--seconds", "2"});
    measured_.follow(*source_, app);
    expect_generation_times(measured_, app);
    EXPECT_EQ(source_->counters().lost, 0U);
  }

  fs::path folder_;
  ServiceSettings settings_;
  std::unique_ptr<Log> log_;
  std::unique_ptr<FrameSource> source_;
  MeasuredFrames measured_;
};

TEST_F(SourceLadder, RingBuffer) { expect_the_apps_frames(SourceChoice::kRingBuffer); }

TEST_F(SourceLadder, PerfBuffer) { expect_the_apps_frames(SourceChoice::kPerfBuffer); }

TEST_F(SourceLadder, Tracefs) {
  const MountedTracefs tracefs;
  if (tracefs.path().empty()) {
    GTEST_SKIP() << tracefs.why_not();
  }
  expect_the_apps_frames(SourceChoice::kTracefs);
  source_.reset();
}

TEST_F(SourceLadder, AutoTakesTheBest) {
  const SourceKind best = best_rung(plan_sources(survey_sources(settings_))).kind;
  open(SourceChoice::kAuto);
  EXPECT_EQ(source_->kind(), best) << log();
}

TEST_F(SourceLadder, NoneStaysUpAndSaysWhy) {
  settings_.hwui_libraries = {folder_ / "libhwui.so"};
  settings_.gui_libraries = {folder_ / "libgui.so"};
  open(SourceChoice::kAuto);
  EXPECT_EQ(source_->kind(), SourceKind::kNone);
  for (const char* part :
       {"frames not from ringbuf, perf, tracefs: ", "frames not from surfaceflinger: ",
        "libhwui.so", "libgui.so", "nothing is capped"}) {
    EXPECT_NE(log().find(part), std::string::npos) << part << " in\n" << log();
  }
}

/// A dumpsys that lists one game and prints the latency file, as SurfaceFlinger would.
class SurfaceFlingerRung : public SourceLadder {
 protected:
  static constexpr std::int32_t kPid = 4242;

  SurfaceFlingerRung() {
    std::ofstream(folder_ / "dumpsys")
        << "#!/bin/sh\n"
           "case \"$2\" in\n"
           "--list) printf 'Task=1#5\\nSurfaceView[com.example.game/.Main](BLAST)#7\\n' ;;\n"
           "--latency) [ \"$3\" = 'SurfaceView[com.example.game/.Main](BLAST)#7' ] && cat "
        << latency_file() << " ;;\nesac\n";
    fs::permissions(folder_ / "dumpsys", fs::perms::owner_all);
    const fs::path process = folder_ / "proc" / std::to_string(kPid);
    fs::create_directories(process);
    std::ofstream(process / "cmdline") << "com.example.game" << '\0' << "--x" << '\0';
    settings_.proc_root = folder_ / "proc";
    show({}, monotonic_now());
  }

  [[nodiscard]] fs::path latency_file() const { return folder_ / "latency"; }

  /// As it stands at `now`: unused rows, frames, one that is pending.
  void show(const std::vector<std::int64_t>& ready, Instant now) const {
    std::vector<std::int64_t> done;
    for (const std::int64_t at : ready) {
      if (at <= to_ns(now)) {
        done.push_back(at);
      }
    }
    constexpr std::size_t kRows = 126;
    const std::size_t first = done.size() > kRows ? done.size() - kRows : 0;
    {
      std::ofstream file(folder_ / "latency.new");
      file << "16666666\n";
      for (std::size_t i = done.size() - first; i < kRows; ++i) {
        file << "0\t0\t0\n";
      }
      for (std::size_t i = first; i < done.size(); ++i) {
        file << done[i] - 1000 << '\t' << done[i] + 5'000'000 << '\t' << done[i] << '\n';
      }
      const std::int64_t pending = std::numeric_limits<std::int64_t>::max();
      file << to_ns(now) << '\t' << pending << '\t' << pending << "\n\n";
    }
    fs::rename(folder_ / "latency.new", latency_file());
  }
};

TEST_F(SurfaceFlingerRung, IntervalsAreTheApps) {
  DemoApp app({"--scene", "game", "--hz", "60", "--fps", "60", "--seconds", "2"});
  while (!app.ended()) {
    ::usleep(10'000);
  }
  open(SourceChoice::kSurfaceFlinger);
  ASSERT_EQ(source_->kind(), SourceKind::kSurfaceFlinger) << log();

  // The app's frames, played again from now on.
  const std::vector<RecordedFrame> record = app.record();
  ASSERT_GE(record.size(), 5U);  // a busy machine makes few
  const std::int64_t shift = to_ns(monotonic_now()) + 100'000'000 - record.front().ready_ns;
  std::vector<std::int64_t> ready;
  std::vector<double> apps;
  for (std::size_t i = 0; i < record.size(); ++i) {
    ready.push_back(record[i].ready_ns + shift);
    if (i > 0) {
      apps.push_back(static_cast<double>(record[i].ready_ns - record[i - 1].ready_ns) * 1e-6);
    }
  }
  const Instant end = instant_from_ns(ready.back()) + std::chrono::seconds{3};
  while (monotonic_now() < end && measured_.frames().size() < apps.size()) {
    show(ready, monotonic_now());
    pollfd readable{source_->fd(), POLLIN, 0};
    ::poll(&readable, 1, 50);
    measured_.take(*source_);
  }

  std::vector<double> mine;
  for (const Frame& frame : measured_.frames()) {
    EXPECT_EQ(frame.pid, kPid);
    EXPECT_TRUE(frame.has(FramePart::kSurface));
    EXPECT_EQ(frame.source, SourceKind::kSurfaceFlinger);
    EXPECT_EQ(frame.interval, Duration{16'666'666});
    mine.push_back(to_ms(frame.generation_time()));
  }
  ASSERT_GE(mine.size(), apps.size() * 95 / 100);
  const double p95 = quantile(mine, 0.95);
  const double true_p95 = quantile(apps, 0.95);
  std::printf("p95 interval measured %.3f ms, the app's own %.3f ms (%zu of %zu)\n", p95, true_p95,
              mine.size(), apps.size());
  EXPECT_LE(std::abs(p95 - true_p95), 0.05 * true_p95);
  EXPECT_EQ(source_->counters().rejected, 0U);
  EXPECT_EQ(source_->counters().lost, 0U);
}

TEST_F(SurfaceFlingerRung, ADumpsysThatHangsOrPrintsRubbishStopsNothing) {
  open(SourceChoice::kSurfaceFlinger);
  ASSERT_EQ(source_->kind(), SourceKind::kSurfaceFlinger) << log();
  for (const char* script : {"#!/bin/sh\nexec sleep 60\n", "#!/bin/sh\necho rubbish\n",
                             "#!/bin/sh\nexec cat /dev/zero\n"}) {
    std::ofstream(folder_ / "dumpsys.new") << script;
    fs::permissions(folder_ / "dumpsys.new", fs::perms::owner_all);
    fs::rename(folder_ / "dumpsys.new", folder_ / "dumpsys");
    const std::uint64_t before = source_->counters().rejected;
    const Instant end = monotonic_now() + std::chrono::seconds{20};
    while (source_->counters().rejected == before && monotonic_now() < end) {
      pollfd readable{source_->fd(), POLLIN, 0};
      ::poll(&readable, 1, 100);
      measured_.take(*source_);
    }
    EXPECT_GT(source_->counters().rejected, before) << script;
  }
  EXPECT_TRUE(measured_.frames().empty());
}

TEST_F(SurfaceFlingerRung, ADumpsysThatDoesNotAnswerIsNotTaken) {
  std::ofstream(folder_ / "dumpsys") << "#!/bin/sh\nexit 20\n";
  open(SourceChoice::kSurfaceFlinger);
  EXPECT_EQ(source_->kind(), SourceKind::kNone);
  EXPECT_NE(log().find("does not answer"), std::string::npos) << log();
}

TEST_F(SurfaceFlingerRung, DoctorNamesTheRungAndWhatItCosts) {
  settings_.hwui_libraries.clear();
  settings_.gui_libraries.clear();
  const fs::path policy = folder_ / "cpu" / "cpufreq" / "policy0";
  fs::create_directories(policy);
  for (const auto& [name, value] : {std::pair{"related_cpus", "0 1"},
                                    {"cpuinfo_min_freq", "300000"},
                                    {"cpuinfo_max_freq", "1800000"},
                                    {"scaling_min_freq", "300000"},
                                    {"scaling_max_freq", "1200000"},
                                    {"scaling_governor", "schedutil"}}) {
    std::ofstream(policy / name) << value << '\n';
  }
  settings_.cpu_root = folder_ / "cpu";
  const DoctorReport report = examine(settings_);
  const auto find = [&](const char* id) {
    for (const DoctorFinding& finding : report.findings) {
      if (finding.id == id) {
        return finding;
      }
    }
    ADD_FAILURE() << id;
    return DoctorFinding{};
  };
  EXPECT_EQ(find("source").health, Health::kDegraded);
  EXPECT_TRUE(find("source").what.starts_with("surfaceflinger"));
  EXPECT_EQ(find("policy0").health, Health::kDegraded);
  EXPECT_NE(find("policy0").what.find("300 to 1800 MHz, limits now 300 to 1200"),
            std::string::npos);
  EXPECT_EQ(find("state").health, Health::kOk);
  EXPECT_EQ(report.can_govern, ::geteuid() == 0);
  fs::remove_all(folder_ / "cpu");
  EXPECT_FALSE(examine(settings_).can_govern);
}

}  // namespace
}  // namespace framegov
