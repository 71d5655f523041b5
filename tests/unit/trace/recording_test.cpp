// SPDX-License-Identifier: Apache-2.0
#include "trace/recording.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/support/trace_bytes.h"
#include "tests/unit/trace/collecting_sink.h"

namespace framegov {
namespace {

using std::chrono::milliseconds;

CpuTopology two_clusters() {
  CpuTopology topology;
  Cluster little;
  little.cpufreq_id = 0;
  little.cpus = 0x0F;
  little.opps.push_back({khz(300'000), Speed{1e8}, Power{20}});
  little.opps.push_back({khz(1'800'000), Speed{6e8}, Power{200}});
  Cluster big;
  big.cpufreq_id = 4;
  big.cpus = 0xF0;
  big.opps.push_back({khz(2'800'000), Speed{2.8e9}, Power{1500.5}});
  topology.clusters.push_back(little);
  topology.clusters.push_back(big);
  return topology;
}

Frame a_frame(Instant vsync) {
  Frame frame;
  frame.pid = 1234;
  frame.app = AppId{7};
  frame.surface = 0xFFFF'FFFF'FFFF'FFF0;
  frame.vsync = vsync;
  frame.start = vsync + milliseconds{1};
  frame.ui_done = vsync + milliseconds{4};
  frame.ready = vsync + milliseconds{20};
  frame.deadline = vsync + milliseconds{16};
  frame.interval = milliseconds{16};
  frame.pace = milliseconds{32};
  frame.ui_cpu_time = milliseconds{2};
  frame.render_cpu_time = milliseconds{3};
  frame.blocked = milliseconds{1};
  frame.gpu_time = milliseconds{5};
  frame.frequency = khz(1'200'000);
  frame.ui_cpu = 4;
  frame.render_cpu = -1;
  frame.cluster = 1;
  frame.source = SourceKind::kTracefs;
  frame.deadline_edge = DeadlineEdge::kPlatform;
  frame.add(FramePart::kUi);
  frame.add(FramePart::kRender);
  return frame;
}

std::string recorded(const std::function<void(RecordingWriter&)>& record,
                     const ClockReadings& clocks) {
  std::string trace;
  TraceWriter writer(test::append_to(trace));
  writer.clock_snapshot(clocks);
  RecordingWriter recording(writer);
  record(recording);
  return trace;
}

Recording read_back(const std::string& trace) {
  RecordingReader reader;
  const auto read = test::read_all(trace, reader);
  EXPECT_TRUE(read) << read.error().message;
  auto recording = reader.take();
  EXPECT_TRUE(recording);
  return recording.value_or(Recording{});
}

const Instant kStart = instant_from_ns(5'000'000'000);

TEST(Recording, AnIntervalThatNoScreenHasIsNotKnown) {
  const Recording back = read_back(recorded(
      [&](RecordingWriter& writer) {
        writer.begin(kStart, "gs101", two_clusters());
        for (const Duration interval : {Duration{1}, Duration{1'000'000'000'000'000'000}}) {
          Frame frame = a_frame(kStart);
          frame.interval = interval;
          writer.frame(frame, "com.example");
        }
      },
      {.monotonic = kStart, .boottime_ns = 0, .realtime_ns = 0}));
  ASSERT_EQ(back.frames.size(), 2U);
  EXPECT_EQ(back.frames[0].frame.interval, Duration{});
  EXPECT_EQ(back.frames[1].frame.interval, Duration{});
}

TEST(Recording, ComesBackWithEveryMemberOfAFrame) {
  const Frame frame = a_frame(kStart);
  const Recording back = read_back(recorded(
      [&](RecordingWriter& writer) {
        writer.begin(kStart, "gs101", two_clusters());
        writer.frame(frame, "com.example");
      },
      {.monotonic = kStart, .boottime_ns = 0, .realtime_ns = 0}));
  EXPECT_EQ(back.device, "gs101");
  ASSERT_EQ(back.frames.size(), 1U);
  EXPECT_THAT(back.apps, ::testing::ElementsAre("com.example"));
  const Frame& got = back.frames[0].frame;
  EXPECT_EQ(got.pid, frame.pid);
  EXPECT_EQ(got.app, frame.app);
  EXPECT_EQ(got.surface, frame.surface);
  EXPECT_EQ(got.vsync, frame.vsync);
  EXPECT_EQ(got.start, frame.start);
  EXPECT_EQ(got.ui_done, frame.ui_done);
  EXPECT_EQ(got.ready, frame.ready);
  EXPECT_EQ(got.deadline, frame.deadline);
  EXPECT_EQ(got.interval, frame.interval);
  EXPECT_EQ(got.pace, frame.pace);
  EXPECT_EQ(got.ui_cpu_time, frame.ui_cpu_time);
  EXPECT_EQ(got.render_cpu_time, frame.render_cpu_time);
  EXPECT_EQ(got.blocked, frame.blocked);
  EXPECT_EQ(got.frequency, frame.frequency);
  EXPECT_EQ(got.ui_cpu, frame.ui_cpu);
  EXPECT_EQ(got.render_cpu, frame.render_cpu);
  EXPECT_EQ(got.cluster, frame.cluster);
  EXPECT_EQ(got.source, frame.source);
  EXPECT_EQ(got.deadline_edge, frame.deadline_edge);
  EXPECT_EQ(got.parts, frame.parts);
}

TEST(Recording, KeepsTopologyFrequenciesPlansAndTouches) {
  FrequencyPlan plan = FrequencyPlan::uncapped(2, ReasonCode::kScheduled);
  plan.clusters[1] = {khz(1'500'000), khz(700'000)};
  plan.steps.push_back({milliseconds{5}, 1, {khz(2'800'000), khz(1'000'000)}});
  plan.reason.cluster = 1;
  plan.reason.generation = milliseconds{9};
  plan.reason.error = 0.25F;
  plan.reason.wanted = Speed{1.25e9};
  plan.reason.chosen = khz(1'500'000);
  const Recording back = read_back(recorded(
      [&](RecordingWriter& writer) {
        writer.begin(kStart, "phone", two_clusters());
        writer.frequency(kStart + milliseconds{2}, 1, khz(900'000));
        writer.frequency(kStart + milliseconds{1}, 0, khz(300'000));
        writer.plan(kStart + milliseconds{3}, plan);
        writer.touch(kStart + milliseconds{4});
        writer.app_on_top(kStart, AppId{3}, "com.example");
      },
      {.monotonic = kStart, .boottime_ns = 0, .realtime_ns = 0}));
  ASSERT_EQ(back.topology.clusters.size(), 2U);
  EXPECT_EQ(back.topology.clusters[1].cpus, 0xF0U);
  ASSERT_EQ(back.topology.clusters[0].opps.size(), 2U);
  EXPECT_EQ(back.topology.clusters[0].opps[1].frequency, khz(1'800'000));
  EXPECT_DOUBLE_EQ(back.topology.clusters[1].opps[0].active.count(), 1500.5);
  ASSERT_EQ(back.frequencies.size(), 2U);  // sorted
  EXPECT_EQ(back.frequencies[0].cluster, 0U);
  EXPECT_EQ(back.frequencies[1].frequency, khz(900'000));
  ASSERT_EQ(back.plans.size(), 1U);
  const FrequencyPlan& got = back.plans[0].plan;
  EXPECT_EQ(got.clusters[0], plan.clusters[0]);
  EXPECT_EQ(got.clusters[1], plan.clusters[1]);
  ASSERT_EQ(got.steps.size(), 1U);
  EXPECT_EQ(got.steps[0], plan.steps[0]);
  EXPECT_EQ(got.reason.code, ReasonCode::kScheduled);
  EXPECT_EQ(got.reason.generation, plan.reason.generation);
  EXPECT_FLOAT_EQ(got.reason.error, 0.25F);
  EXPECT_EQ(got.reason.wanted, plan.reason.wanted);
  EXPECT_EQ(got.reason.chosen, plan.reason.chosen);
  EXPECT_THAT(back.touches, ::testing::ElementsAre(kStart + milliseconds{4}));
}

TEST(Recording, IsPlacedOnTheSystemTracesClock) {
  const auto boottime = to_ns(kStart) + 1'000'000;
  const Recording back = read_back(recorded(
      [&](RecordingWriter& writer) { writer.frame(a_frame(kStart), "app"); },
      {.monotonic = kStart, .boottime_ns = boottime, .realtime_ns = 1'700'000'000'000'000'000}));
  ASSERT_EQ(back.frames.size(), 1U);
  EXPECT_EQ(back.frames[0].frame.vsync, kStart + milliseconds{1});
  EXPECT_EQ(back.frames[0].frame.generation_time(), milliseconds{20});
}

TEST(Recording, PutsFramesThatOverlapOnTracksOfTheirOwn) {
  test::CollectingSink sink;
  ASSERT_TRUE(test::read_all(recorded(
                                 [&](RecordingWriter& writer) {
                                   writer.frame(a_frame(kStart), "app");
                                   writer.frame(a_frame(kStart + milliseconds{16}), "app");
                                   writer.frame(a_frame(kStart + milliseconds{32}), "app");
                                 },
                                 {.monotonic = kStart, .boottime_ns = 0, .realtime_ns = 0}),
                             sink));
  std::map<std::uint64_t, std::int64_t> busy_until;
  std::map<std::uint64_t, int> begun;
  for (const TrackEvent& event : sink.track_events) {
    if (event.type == TrackEventType::kSliceBegin) {
      EXPECT_GE(event.at, busy_until[event.track]);
      ++begun[event.track];
    } else {
      busy_until[event.track] = event.at;
    }
  }
  EXPECT_EQ(begun.size(), 2U);
}

TEST(Recording, ShowsMoreFramesThanItHasTracksForAsInstantsAndLosesNone) {
  const std::string trace = recorded(
      [&](RecordingWriter& writer) {
        writer.begin(kStart, "gs101", two_clusters());
        for (int i = 0; i < 7; ++i) {
          writer.frame(a_frame(kStart + milliseconds{i}), "app");
        }
      },
      {.monotonic = kStart, .boottime_ns = 0, .realtime_ns = 0});
  EXPECT_EQ(read_back(trace).frames.size(), 7U);
  test::CollectingSink sink;
  ASSERT_TRUE(test::read_all(trace, sink));
  const auto slices = std::count_if(
      sink.track_events.begin(), sink.track_events.end(),
      [](const TrackEvent& event) { return event.type == TrackEventType::kSliceBegin; });
  EXPECT_EQ(slices, 4);
}

TEST(TraceWriter, CountsWhatItsOwnerHasNoRoomFor) {
  std::size_t room = 100;
  TraceWriter writer([&](std::string_view packet) {
    if (packet.size() > room) {
      return false;
    }
    room -= packet.size();
    return true;
  });
  for (int i = 0; i < 10; ++i) {
    writer.counter(kStart, 1, 1.0);
  }
  EXPECT_GT(writer.packets_written(), 0U);
  EXPECT_EQ(writer.packets_written() + writer.packets_dropped(), 10U);
}

TEST(TraceWriter, WritesTheWireFormatByteForByte) {
  std::string bytes;
  TraceWriter writer([&](std::string_view packet) {
    bytes = packet;
    return true;
  });
  writer.slice_end(instant_from_ns(5), 9);
  // packet { timestamp 5, timestamp_clock_id 3, sequence id 0x66676f76, track_event { type 2, uuid
  // 9 } }
  EXPECT_EQ(
      bytes,
      std::string("\x0a\x11\x40\x05\xd0\x03\x03\x50\xf6\xde\x9d\xb3\x06\x5a\x04\x48\x02\x58\x09",
                  19));
}

TEST(RecordingReader, IgnoresOthersTracks) {
  RecordingReader reader;
  std::string trace;
  TraceWriter writer(test::append_to(trace));
  writer.clock_snapshot({.monotonic = kStart, .boottime_ns = 0, .realtime_ns = 0});
  writer.slice_begin(kStart, 12, "frame");
  ASSERT_TRUE(test::read_all(trace, reader));
  EXPECT_FALSE(reader.take());
}

}  // namespace
}  // namespace framegov
