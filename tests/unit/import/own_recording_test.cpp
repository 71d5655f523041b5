// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/import/import.h"
#include "tests/support/trace_bytes.h"
#include "trace/recording.h"

namespace framegov::sim {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using ::testing::HasSubstr;

/// A recording of our own, of a phone with one cluster of four CPUs.
class OwnRecording {
 public:
  OwnRecording(Instant begin, std::int64_t boottime_ns, const char* device, int first_cpu) {
    Cluster cluster;
    cluster.cpufreq_id = first_cpu;
    cluster.cpus = std::uint64_t{0x0F} << static_cast<unsigned>(first_cpu);
    cluster.opps.push_back({khz(2'000'000), Speed{2e9}, Power{1000}});
    CpuTopology topology;
    topology.clusters.push_back(cluster);
    trace_.clock_snapshot({.monotonic = begin, .boottime_ns = boottime_ns, .realtime_ns = 0});
    writer_.begin(begin, device, topology);
  }

  [[nodiscard]] RecordingWriter& writer() { return writer_; }
  [[nodiscard]] Result<Imported> imported() const {
    const auto source = bytes_in_memory(bytes_);
    return import_bytes(**source, "recording", {});
  }

 private:
  std::string bytes_;
  TraceWriter trace_{test::append_to(bytes_)};
  RecordingWriter writer_{trace_};
};

TEST(Import, ReadsOwnRecordings) {
  Frame frame;
  frame.pid = 9;
  frame.vsync = instant_from_ns(1'000'000'000);
  frame.start = frame.vsync + milliseconds{1};
  frame.ui_done = frame.vsync + milliseconds{5};
  frame.ready = frame.vsync + milliseconds{9};
  frame.deadline = frame.vsync + milliseconds{8};
  frame.interval = milliseconds{8};
  frame.ui_cpu_time = milliseconds{3};
  frame.render_cpu_time = milliseconds{2};
  frame.ui_cpu = 4;
  frame.render_cpu = 5;
  frame.cluster = 0;
  frame.frequency = khz(1'000'000);
  frame.deadline_edge = DeadlineEdge::kPlatform;
  OwnRecording recording(frame.vsync, 2'000'000'000, "gs101", 4);
  recording.writer().frame(frame, "com.example");
  frame.ui_cpu_time = Duration{};  // a frame whose CPU time was not recorded
  recording.writer().frame(frame, "com.example");
  // RenderThread is free at 9 ms and has a buffer at 10, or is 1 ms in a call; 2 of the 3 ms from
  // then on it works.
  frame.vsync += milliseconds{8};
  frame.start = frame.vsync;
  frame.ui_done = frame.vsync + microseconds{500};
  frame.ready = frame.vsync + milliseconds{5};
  frame.blocked = milliseconds{1};
  frame.ui_cpu_time = microseconds{500};
  recording.writer().frame(frame, "com.example");

  const auto imported = recording.imported();
  ASSERT_TRUE(imported) << imported.error().to_string();
  EXPECT_EQ(imported->report.format, TraceFormat::kRecording);
  EXPECT_EQ(imported->report.counts.at("frame"), 3U);
  ASSERT_TRUE(imported->workload) << imported->no_workload->to_string();
  const Workload& workload = *imported->workload;
  ASSERT_EQ(workload.frames.size(), 2U);
  EXPECT_EQ(workload.frames[1].render.fixed, milliseconds{1});
  EXPECT_EQ(workload.dispatch, milliseconds{1});
  EXPECT_NEAR(workload.frames[0].ui.work.count(), 3e6, 1);
  EXPECT_EQ(workload.frames[0].ui.fixed, milliseconds{1});
  EXPECT_NEAR(workload.frames[0].render.work.count(), 2e6, 1);
  EXPECT_EQ(workload.frames[0].deadline - workload.frames[0].vsync, milliseconds{8});
  EXPECT_EQ(to_ns(workload.frames[0].vsync), 2'000'000'000);
  EXPECT_EQ(workload.reference.name, "cortex-x1");
  EXPECT_THAT(workload.notes, ::testing::Contains(HasSubstr("1 frames left out")));
}

TEST(Recording, AStageHoldsWhatItsThreadDidWithinItAndNoWaitForBuffers) {
  Frame frame;
  frame.pid = 9;
  frame.interval = milliseconds{10};
  frame.ui_cpu = 0;
  frame.render_cpu = 0;
  frame.cluster = 0;
  frame.frequency = khz(1'000'000);
  const Instant begin = instant_from_ns(1'000'000'000);
  OwnRecording recording(begin, 1'000'000'000, "phone", 0);
  const auto add = [&](int vsync, int start, int ui_done, int ready, Duration blocked) {
    frame.vsync = begin + milliseconds{vsync};
    frame.start = frame.vsync + milliseconds{start};
    frame.ui_done = frame.vsync + milliseconds{ui_done};
    frame.ready = frame.vsync + milliseconds{ready};
    frame.blocked = blocked;
    frame.ui_cpu_time = milliseconds{4};
    frame.render_cpu_time = milliseconds{3};
    recording.writer().frame(frame, "com.example");
  };
  add(0, -5, 2, 35, microseconds{200});
  add(10, 26, 27, 41, microseconds{200});
  add(20, 22, 23, 40, Duration{});
  add(30, 16, 17, 45, milliseconds{8});
  add(40, 16, 17, 42, microseconds{200});
  const auto imported = recording.imported();
  ASSERT_TRUE(imported) << imported.error().to_string();
  ASSERT_TRUE(imported->workload) << imported->no_workload->to_string();
  const std::vector<WorkloadFrame>& frames = imported->workload->frames;
  ASSERT_EQ(frames.size(), 5U);
  // Woken by the vsync before: this frame's time counts from its own. 2 ms cannot hold 4 of work.
  EXPECT_EQ(frames[0].start, frames[0].vsync);
  EXPECT_EQ(frames[0].ui.fixed, Duration{});
  EXPECT_NEAR(frames[0].ui.work.count(), 2e6, 1);
  // Buffers enough: the time in dequeueBuffer is the frame's own.
  EXPECT_EQ(frames[0].render.fixed, milliseconds{30});
  EXPECT_EQ(frames[1].render.fixed, milliseconds{11});
  EXPECT_EQ(frames[2].render.fixed, milliseconds{6});  // from 51, when RenderThread was free
  // The queue is full now, two frames wait for vsyncs of their own: 8 ms are a wait, 0.2 a call.
  EXPECT_EQ(frames[3].render.fixed, milliseconds{4});
  EXPECT_EQ(frames[4].render.fixed, milliseconds{4});
}

TEST(Recording, EachStageHasTheFrequenciesOfItsTimeAndTheGpuItsOwn) {
  Frame frame;
  frame.pid = 9;
  frame.vsync = instant_from_ns(1'000'000'000);
  frame.start = frame.vsync;
  frame.ui_done = frame.vsync + milliseconds{4};
  frame.ready = frame.vsync + milliseconds{12};
  frame.interval = milliseconds{16};
  frame.ui_cpu_time = milliseconds{4};
  frame.render_cpu_time = milliseconds{2};
  frame.ui_cpu = 0;
  frame.render_cpu = 1;
  frame.cluster = 0;
  frame.frequency = khz(1'500'000);
  for (const FramePart part : {FramePart::kUi, FramePart::kRender, FramePart::kGpu}) {
    frame.add(part);
  }
  OwnRecording recording(frame.vsync, 1'000'000'000, "phone", 0);
  recording.writer().frequency(frame.vsync - milliseconds{5}, 0, khz(1'000'000));
  recording.writer().frequency(frame.vsync + milliseconds{3}, 0, khz(2'000'000));
  recording.writer().frame(frame, "com.example");
  // RenderThread draws the next while the GPU is busy with the first, until 12 ms.
  frame.vsync += milliseconds{5};
  frame.start = frame.vsync;
  frame.ui_done = frame.vsync + milliseconds{4};
  frame.ready = frame.vsync + milliseconds{11};
  recording.writer().frame(frame, "com.example");

  const auto imported = recording.imported();
  ASSERT_TRUE(imported) << imported.error().to_string();
  ASSERT_TRUE(imported->workload) << imported->no_workload->to_string();
  ASSERT_EQ(imported->workload->frames.size(), 2U);
  const WorkloadFrame& first = imported->workload->frames[0];
  EXPECT_EQ(first.ui.frequency, khz(1'250'000));  // 3 ms at 1 GHz, 1 ms at 2 GHz
  EXPECT_NEAR(first.ui.work.count(), 5e6, 1);
  EXPECT_EQ(first.render.frequency, khz(2'000'000));
  EXPECT_NEAR(first.render.work.count(), 4e6, 1);
  EXPECT_EQ(first.render.fixed, Duration{});
  EXPECT_EQ(first.gpu, milliseconds{6});
  const WorkloadFrame& second = imported->workload->frames[1];
  EXPECT_EQ(second.render.fixed, Duration{});
  EXPECT_EQ(second.gpu, milliseconds{4});
}

TEST(Recording, AGamesFrameBeginsWhenItHasABuffer) {
  const Instant begin = instant_from_ns(1'000'000'000);
  OwnRecording recording(begin, 1'000'000'000, "phone", 0);
  Frame frame;
  frame.pid = 9;
  frame.interval = milliseconds{16};
  frame.render_cpu = 0;
  frame.cluster = 0;
  frame.frequency = khz(1'000'000);
  frame.deadline_edge = DeadlineEdge::kTargetRate;
  frame.pace = milliseconds{16};
  frame.add(FramePart::kSurface);
  frame.start = begin;
  for (const int blocked : {6, 4}) {
    frame.blocked = milliseconds{blocked};
    frame.ready = frame.start + milliseconds{16};
    frame.deadline = frame.start + frame.blocked + milliseconds{16};
    frame.render_cpu_time = milliseconds{9};
    recording.writer().frame(frame, "com.example.game");
    frame.start = frame.ready;
  }
  const auto imported = recording.imported();
  ASSERT_TRUE(imported) << imported.error().to_string();
  ASSERT_TRUE(imported->workload) << imported->no_workload->to_string();
  const std::vector<WorkloadFrame>& frames = imported->workload->frames;
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_EQ(frames[0].vsync, begin + milliseconds{6});
  EXPECT_EQ(frames[1].vsync, begin + milliseconds{20});
  EXPECT_EQ(frames[0].render.fixed, milliseconds{1});
  EXPECT_EQ(frames[1].render.fixed, milliseconds{3});
  EXPECT_EQ(frames[1].deadline - frames[1].vsync, milliseconds{16});
  EXPECT_EQ(frames[1].pace, milliseconds{16});
}

}  // namespace
}  // namespace framegov::sim
