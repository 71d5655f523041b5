// SPDX-License-Identifier: Apache-2.0
#include <bpf/bpf.h>
#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/monotonic_clock.h"
#include "probes/context/frame_meter.h"
#include "tests/unit/context/worker.h"

namespace framegov {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

/// What a worker's own polling costs at most while it waits 30 ms and more. A machine that is
/// itself a guest may count more now and then, for time that it was not given.
constexpr Duration kPolling = 10ms;

/// Frames of this process that two workers make.
struct MadeFrames {
  Worker ui;
  Worker render;

  void begin(FrameMeter& meter) {
    FrameStart begun;
    begun.pid = ::getpid();
    begun.tid = ui.tid;
    begun.at = start = monotonic_now();
    begun.cluster = 0;
    meter.on_start(begun, start);
  }
  Frame end(FrameMeter& meter) const {
    Frame frame;
    frame.pid = ::getpid();
    frame.ui_tid = ui.tid;
    frame.render_tid = render.tid;
    frame.cluster = 0;
    frame.add(FramePart::kStart);
    frame.start = start;
    frame.ready = monotonic_now();
    meter.on_frame(frame, frame.ready);
    return frame;
  }

  Instant start;
};

class FrameMeterTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "meter-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    root_ = name;
    fs::create_directories(root_ / "cpufreq" / "policy0");
    frequency(1'000'000);
    Cluster cluster;
    cluster.cpus = 0x3;
    topology_.clusters.push_back(cluster);
  }
  void TearDown() override { fs::remove_all(root_); }
  void frequency(int khz) const {
    std::ofstream(root_ / "cpufreq" / "policy0" / "scaling_cur_freq") << khz << '\n';
  }

  fs::path root_;
  CpuTopology topology_;
};

TEST_F(FrameMeterTest, CountsTheThreadsWorkNotItsWaiting) {
  if (!ThreadClock(thread_id())) {
    GTEST_SKIP() << "perf_event_open gives no task clock here (root or perf_event_paranoid)";
  }
  FrameMeter meter(topology_, root_);
  MadeFrames made;
  Duration ui_beyond = 1s;
  Duration render_beyond = 1s;
  for (int i = 0; i < 6; ++i) {
    made.begin(meter);
    const Duration ui_work = made.ui.work();
    std::this_thread::sleep_for(30ms);  // waiting, by both
    const Duration render_work = made.render.work();
    const Frame frame = made.end(meter);
    EXPECT_GE(frame.ui_cpu_time, ui_work);
    ui_beyond = std::min(ui_beyond, frame.ui_cpu_time - ui_work);
    if (i > 0) {
      EXPECT_GE(frame.render_cpu_time, render_work);
      render_beyond = std::min(render_beyond, frame.render_cpu_time - render_work);
    }
    EXPECT_EQ(frame.frequency, mhz(1000));
  }
  EXPECT_LT(ui_beyond, kPolling);
  EXPECT_LT(render_beyond, kPolling);
}

TEST_F(FrameMeterTest, AGamesThreadIsMeasuredFromBufferToBufferAndOnce) {
  FrameMeter meter(topology_, root_);
  FrameStart start;
  start.pid = ::getpid();
  start.tid = thread_id();
  start.at = monotonic_now();
  start.deadline = start.at + 16ms;
  meter.on_start(start, start.at);
  Frame frame;
  frame.pid = start.pid;
  frame.render_tid = start.tid;
  frame.start = start.at;
  frame.cluster = 0;
  frame.add(FramePart::kSurface);
  frame.add(FramePart::kStart);
  do {
    frame.ready = monotonic_now();  // it works
  } while (frame.ready - frame.start < 5ms);
  meter.on_frame(frame, frame.ready);
  EXPECT_EQ(frame.ui_cpu_time, Duration::zero());
}

TEST_F(FrameMeterTest, ThreadsOfAnotherProcessAreNotMeasured) {
  const pid_t other = ::fork();
  if (other == 0) {
    // A loop that changes nothing may be left out: the child would go on, and kill its own group.
    for (std::atomic<int> turns = 0;; ++turns) {
    }
  }
  ASSERT_GT(other, 0);
  FrameMeter meter(topology_, root_);
  FrameStart start;
  start.pid = ::getpid();
  start.tid = other;
  start.at = monotonic_now();
  meter.on_start(start, start.at);
  Frame frame;
  frame.pid = start.pid;
  frame.ui_tid = frame.render_tid = other;
  frame.start = start.at;
  frame.add(FramePart::kStart);
  for (int i = 0; i < 2; ++i) {
    std::this_thread::sleep_for(20ms);
    frame.ready = monotonic_now();
    meter.on_frame(frame, frame.ready);
  }
  ::kill(other, SIGKILL);
  ::waitpid(other, nullptr, 0);
  EXPECT_EQ(frame.ui_cpu_time, Duration::zero());
  EXPECT_EQ(frame.render_cpu_time, Duration::zero());
}

TEST_F(FrameMeterTest, CyclesTellTheFrequencyThatTheThreadsHad) {
  // A clock that counts 1000 a microsecond while the thread runs: a PMU of cores at 1 GHz.
  const CycleEvents clock = [] {
    CycleEvents events;
    events.push_back({PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK});
    return events;
  }();
  MadeFrames made;
  if (!CycleCounter(made.ui.tid, clock)) {
    GTEST_SKIP() << "perf_event_open counts nothing here (root or perf_event_paranoid)";
  }
  frequency(2'000'000);
  FrameMeter meter(topology_, root_, clock);
  for (int i = 0; i < 2; ++i) {
    made.begin(meter);
    made.ui.work();
    made.render.work();
    const Frame frame = made.end(meter);
    EXPECT_NEAR(static_cast<double>(frame.frequency.count()), 1e6, 1e4);
  }
}

TEST(ThreadClock, SchedstatKnowsTheWorkOfAThreadThatHasSlept) {
  Worker other;
  const ThreadClock clock = ThreadClock::from_schedstat(other.tid);
  ASSERT_TRUE(clock);
  EXPECT_EQ(clock.tid(), other.tid);
  Duration beyond = 1s;
  for (int i = 0; i < 4; ++i) {
    const Duration before = clock.read();
    const Duration work = other.work();
    std::this_thread::sleep_for(30ms);
    const Duration counted = clock.read() - before;
    EXPECT_GE(counted, work);
    beyond = std::min(beyond, counted - work);
  }
  EXPECT_LT(beyond, kPolling);
}

TEST(ThreadClock, NoThreadHasNoTime) {
  const ThreadClock clock(0x3fffff);
  EXPECT_FALSE(clock);
  EXPECT_EQ(clock.read(), Duration::zero());
}

TEST_F(FrameMeterTest, AProcessThatIsGoneGivesNoTimes) {
  FrameMeter meter(topology_, root_);
  Frame frame;
  frame.pid = 0x3fffff;
  frame.ui_tid = frame.render_tid = 0x3fffff;
  frame.ready = monotonic_now();
  meter.on_frame(frame, frame.ready);
  EXPECT_EQ(frame.ui_cpu_time, Duration::zero());
  EXPECT_EQ(frame.render_cpu_time, Duration::zero());
}

TEST_F(FrameMeterTest, TheMeanFrequencyCountsHowLongEachStood) {
  const FrequencyMeter meter(topology_, root_);
  if (!meter.exact()) {
    GTEST_SKIP() << "the kernel does not allow the cpu_frequency tracepoint";
  }
  // The tracepoint's program, run as the kernel would: 500 MHz for most of the time, then 2000.
  const auto change_to = [&](std::uint64_t khz) {
    std::array<std::uint64_t, 2> arguments{khz, 0};
    LIBBPF_OPTS(bpf_test_run_opts, options, .ctx_in = arguments.data(),
                .ctx_size_in = sizeof(arguments));
    return ::bpf_prog_test_run_opts(meter.program_fd(), &options);
  };
  if (change_to(500'000) != 0) {
    GTEST_SKIP() << "the kernel does not run raw tracepoint programs for tests (before 5.10)";
  }
  const Instant begin = monotonic_now();
  const FrequencyMark from = meter.mark(0, begin);
  EXPECT_EQ(from.current, mhz(500));
  std::this_thread::sleep_for(60ms);
  // The program reads the clock between these two, however busy the machine is.
  const Instant before = monotonic_now();
  ASSERT_EQ(change_to(2'000'000), 0);
  const Instant after = monotonic_now();
  std::this_thread::sleep_for(20ms);
  const Instant end = monotonic_now();
  const auto mean_if_changed_at = [&](Instant change) {
    const double slow = to_seconds(change - begin) / to_seconds(end - begin);
    return 500'000 * slow + 2'000'000 * (1 - slow);
  };
  const auto mean = static_cast<double>(meter.mean(from, meter.mark(0, end)).count());
  EXPECT_GE(mean, mean_if_changed_at(after) - 1);
  EXPECT_LE(mean, mean_if_changed_at(before) + 1);
}

/// What a reading costs; ratios in one run, nothing asserted.
TEST_F(FrameMeterTest, PrintsTheCostOfReadings) {
  Worker other;
  const ThreadClock clock(other.tid);
  if (!clock) {
    GTEST_SKIP() << "perf_event_open gives no task clock here";
  }
  const FrequencyMeter meter(topology_, root_);
  const std::string schedstat = "/proc/self/task/" + std::to_string(other.tid) + "/schedstat";
  constexpr int kTimes = 2000;
  const auto cost = [](auto&& call) {
    const Instant begin = monotonic_now();
    for (int i = 0; i < kTimes; ++i) {
      call();
    }
    return to_seconds(monotonic_now() - begin) / kTimes * 1e9;
  };
  std::printf(
      "thread clock %.0f ns, schedstat %.0f ns, frequency mark %.0f ns, empty call %.0f ns\n",
      cost([&] { (void)clock.read(); }), cost([&] {
        std::ifstream file(schedstat);
        std::uint64_t time = 0;
        file >> time;
      }),
      cost([&] { (void)meter.mark(0, monotonic_now()); }),
      cost([] { (void)::syscall(SYS_getppid); }));
}

}  // namespace
}  // namespace framegov
