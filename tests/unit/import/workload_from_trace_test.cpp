// SPDX-License-Identifier: Apache-2.0
// Frames of hand-made traces, with work computed by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "sim/import/import.h"
#include "tests/support/perfetto_builder.h"

namespace framegov::sim {
namespace {

using test::bundle_packet;
using test::frequency_event;
using test::limits_event;
using test::Message;
using test::print_event;
using test::switch_event;
using test::trace_of;
using ::testing::Contains;
using ::testing::HasSubstr;

constexpr std::uint64_t kMs = 1'000'000;
constexpr std::uint64_t kApp = 100;     // UI thread and process
constexpr std::uint64_t kRender = 101;  // RenderThread

Message process(std::uint64_t pid, const char* name) {
  return Message().message(2, Message().message(1, Message().varint(1, pid).bytes(3, name)));
}
Message slice_begin(std::uint64_t at, std::uint64_t tid, const std::string& name) {
  return print_event(at, tid, "B|100|" + name);
}
Message slice_end(std::uint64_t at, std::uint64_t tid) { return print_event(at, tid, "E|100"); }

/// One frame that began at 10 ms: UI thread on CPU 0 (1 GHz) runs 10-12 and 13-14, RenderThread on
/// CPU 4 runs 14-16 at 1 GHz and 16-17 at 2 GHz, waits, runs 18-19, queues at 19.
std::vector<Message> one_frame(const std::string& token = "") {
  return {
      process(kApp, "com.example"),
      bundle_packet(0,
                    {frequency_event(1 * kMs, 0, 1'000'000), frequency_event(1 * kMs, 4, 1'000'000),
                     frequency_event(16 * kMs, 4, 2'000'000)}),
      bundle_packet(0, {switch_event(9 * kMs, 0, kApp),
                        slice_begin(10 * kMs, kApp, "Choreographer#doFrame" + token),
                        switch_event(12 * kMs, kApp, 0), switch_event(13 * kMs, 0, kApp),
                        slice_end(14 * kMs + kMs / 2, kApp), switch_event(15 * kMs, kApp, 0)}),
      bundle_packet(4, {switch_event(14 * kMs, 0, kRender),
                        slice_begin(14 * kMs, kRender, "DrawFrame" + token),
                        slice_begin(16 * kMs, kRender, "dequeueBuffer"),
                        switch_event(17 * kMs, kRender, 0), switch_event(18 * kMs, 0, kRender),
                        slice_end(18 * kMs, kRender), slice_begin(18 * kMs, kRender, "queueBuffer"),
                        slice_end(19 * kMs, kRender), slice_end(19 * kMs + 1, kRender),
                        switch_event(20 * kMs, kRender, 55), switch_event(25 * kMs, 55, 0)}),
  };
}

Imported import_or_fail(const std::vector<Message>& packets, const ImportOptions& options = {}) {
  const std::string trace = trace_of(packets);
  const auto source = bytes_in_memory(trace);
  auto imported = import_bytes(**source, "test", options);
  EXPECT_TRUE(imported) << imported.error().to_string();
  return imported ? std::move(*imported) : Imported{};
}

TEST(WorkloadFromTrace, WorkIsRunTimeTimesTheFrequencyOfTheMoment) {
  const Imported imported = import_or_fail(one_frame());
  ASSERT_TRUE(imported.workload) << imported.no_workload->to_string();
  const Workload& workload = *imported.workload;
  ASSERT_EQ(workload.frames.size(), 1U);
  const WorkloadFrame& frame = workload.frames[0];
  EXPECT_EQ(to_ns(frame.start), 10 * static_cast<std::int64_t>(kMs));
  EXPECT_EQ(to_ns(frame.ui_done), 14 * static_cast<std::int64_t>(kMs));
  EXPECT_EQ(to_ns(frame.ready), 19 * static_cast<std::int64_t>(kMs));
  // 3 ms at 1 GHz; CPUs of the unknown SoC count alike per MHz.
  EXPECT_NEAR(frame.ui.work.count(), 3e6, 1);
  EXPECT_EQ(frame.ui.fixed, std::chrono::milliseconds{1});
  EXPECT_EQ(frame.ui.wait_ns, 1 * kMs);
  EXPECT_EQ(frame.ui.wait_after, 67);  // 12 to 13, after 2 of 3 ms
  EXPECT_EQ(frame.ui.cpu, 0);
  // 2 ms at 1 GHz, 1 ms and 1 ms at 2 GHz.
  EXPECT_NEAR(frame.render.work.count(), 2e6 + 2e6 + 2e6, 1);
  EXPECT_EQ(frame.render.fixed, std::chrono::milliseconds{1});
  EXPECT_EQ(frame.render.frequency, khz(1'500'000));
  EXPECT_EQ(frame.render.cluster, 1);
  EXPECT_EQ(workload.reference.max_frequency, khz(2'000'000));
  EXPECT_THAT(imported.report.notes, Contains(HasSubstr("unknown SoC")));
}

TEST(WorkloadFromTrace, EverythingElseThatRanIsOtherLoad) {
  const Imported imported = import_or_fail(one_frame());
  ASSERT_TRUE(imported.workload);
  const OtherLoadSeries& other = imported.workload->other;
  ASSERT_EQ(other.clusters, 2U);
  double total = 0;
  for (const OtherLoad& load : other.loads) {
    total += static_cast<double>(load.total) * to_seconds(other.window);
  }
  // UI thread before doFrame 1 ms and after the hand-over 1 ms at 1 GHz, RenderThread after the
  // queueing 1 ms and thread 55 5 ms at 2 GHz.
  EXPECT_NEAR(total, 2e6 + 6 * 2e6, 10);
}

TEST(WorkloadFromTrace, CapacitiesOfAKnownSocScaleTheWork) {
  std::vector<Message> packets = one_frame();
  packets.push_back(Message().message(
      45, Message().bytes(2, "google/bluejay/bluejay:13/TQ1A/1:user/release-keys")));
  const Imported imported = import_or_fail(packets);
  ASSERT_TRUE(imported.workload);
  const WorkloadFrame& frame = imported.workload->frames.at(0);
  EXPECT_NEAR(frame.ui.work.count(), 3e6 * 250 / 1024, 1);
  EXPECT_NEAR(frame.render.work.count(), 6e6 * 620 / 1024, 1);
  EXPECT_THAT(imported.report.notes, Contains(HasSubstr("gs101")));
}

/// one_frame() with the FrameTimeline events of its expected and its actual surface frame.
std::vector<Message> timed_frame() {
  std::vector<Message> packets = one_frame(" 42");
  const auto event = [&](std::uint64_t at, std::uint32_t kind, const Message& body) {
    packets.push_back(Message().varint(8, at).message(76, Message().message(kind, body)));
  };
  event(8 * kMs, 3, Message().varint(1, 1).varint(2, 42).varint(3, 43).varint(4, kApp));
  event(18 * kMs, 5, Message().varint(1, 1));
  event(10 * kMs, 4,
        Message().varint(1, 2).varint(2, 42).varint(3, 43).varint(4, kApp).varint(9, 64));
  event(21 * kMs, 5, Message().varint(1, 2));
  return packets;
}

void expect_timed_frame(const Imported& imported) {
  ASSERT_TRUE(imported.workload);
  const WorkloadFrame& frame = imported.workload->frames.at(0);
  EXPECT_EQ(to_ns(frame.vsync), 8 * static_cast<std::int64_t>(kMs));
  EXPECT_EQ(to_ns(frame.deadline), 18 * static_cast<std::int64_t>(kMs));
  EXPECT_EQ(frame.deadline_edge, DeadlineEdge::kPlatform);
  EXPECT_EQ(to_ns(frame.ready), 21 * static_cast<std::int64_t>(kMs));
  EXPECT_EQ(frame.gpu, std::chrono::milliseconds{2});
  EXPECT_EQ(frame.jank, kJankAppDeadlineMissed);
  const ImportedApp& app = imported.report.apps.at(0);
  EXPECT_EQ(app.name, "com.example");
  EXPECT_EQ(app.agree, 1U);
  EXPECT_EQ(app.jank_types.at("app deadline missed"), 1U);
}

TEST(WorkloadFromTrace, FrameTimelineGivesVsyncDeadlineGpuAndJank) {
  expect_timed_frame(import_or_fail(timed_frame()));
}

TEST(WorkloadFromTrace, PacketsMayComeInAnyOrder) {
  std::vector<Message> packets = timed_frame();
  std::reverse(packets.begin(), packets.end());
  expect_timed_frame(import_or_fail(packets));
  std::mt19937 random(1);
  for (int i = 0; i < 20; ++i) {
    std::shuffle(packets.begin(), packets.end(), random);
    expect_timed_frame(import_or_fail(packets));
  }
}

TEST(WorkloadFromTrace, AnEndFromBeforeTheBeginIsNotItsEnd) {
  std::vector<Message> packets = timed_frame();
  packets.pop_back();
  packets.push_back(
      Message().varint(8, 9 * kMs).message(76, Message().message(5, Message().varint(1, 2))));
  std::reverse(packets.begin(), packets.end());
  const Imported imported = import_or_fail(packets);
  ASSERT_TRUE(imported.workload);
  EXPECT_EQ(to_ns(imported.workload->frames.at(0).ready), 19 * static_cast<std::int64_t>(kMs));
}

TEST(WorkloadFromTrace, RefusesWithTheReason) {
  std::vector<Message> no_frequency = one_frame();
  no_frequency.erase(no_frequency.begin() + 1);
  const Imported refused = import_or_fail(no_frequency);
  ASSERT_FALSE(refused.workload);
  EXPECT_THAT(refused.no_workload->message, HasSubstr("no cpu_frequency"));
  EXPECT_EQ(refused.report.apps.at(0).draw_frames, 1U);

  ImportOptions options;
  options.frames_only = true;
  const Imported taken = import_or_fail(no_frequency, options);
  ASSERT_TRUE(taken.workload);
  EXPECT_FALSE(taken.workload->has_work);
  EXPECT_EQ(taken.workload->frames.at(0).ui.work.count(), 0);
}

TEST(WorkloadFromTrace, ACpuWithoutAFrequencyEventLosesNoFrameButItsEnergyIsNotBelieved) {
  std::vector<Message> packets = one_frame();
  // On gs101 CPU 4's cluster has no event any more.
  packets[1] = bundle_packet(0, {frequency_event(1 * kMs, 0, 1'000'000)});
  packets.push_back(Message().message(45, Message().bytes(9, "GS101")));
  const Imported imported = import_or_fail(packets);
  ASSERT_TRUE(imported.workload);
  ASSERT_EQ(imported.workload->frames.size(), 1U);
  EXPECT_NEAR(imported.workload->frames[0].render.work.count(), 4e-3 * 2253e6 * 620 / 1024, 10);
  EXPECT_FALSE(imported.workload->knows_core_worth);
  EXPECT_FALSE(require_energy(*imported.workload));
}

TEST(WorkloadFromTrace, LostEventsDoNotBecomeWork) {
  std::vector<Message> packets = one_frame();
  // CPU 0's switch away from the UI thread at 12 ms was lost: what follows contradicts it.
  packets[2] = bundle_packet(
      0, {switch_event(9 * kMs, 0, kApp), slice_begin(10 * kMs, kApp, "Choreographer#doFrame"),
          switch_event(13 * kMs, 77, kApp), slice_end(14 * kMs + kMs / 2, kApp),
          switch_event(15 * kMs, kApp, 0)});
  const Imported imported = import_or_fail(packets);
  ASSERT_TRUE(imported.workload);
  EXPECT_NEAR(imported.workload->frames.at(0).ui.work.count(), 1e6, 1);
}

TEST(WorkloadFromTrace, AGamesFramesGoFromOneQueueBufferToTheNext) {
  std::vector<Message> events{switch_event(1 * kMs, 0, kApp)};
  for (std::uint64_t i = 1; i <= 5; ++i) {
    events.push_back(slice_begin(i * 16 * kMs, kApp, "queueBuffer"));
    events.push_back(slice_end(i * 16 * kMs + kMs, kApp));
  }
  events.push_back(switch_event(100 * kMs, kApp, 0));
  const Imported imported = import_or_fail({process(kApp, "com.game"),
                                            bundle_packet(0, {frequency_event(1, 0, 1'000'000)}),
                                            bundle_packet(0, events)});
  ASSERT_TRUE(imported.workload) << imported.no_workload->to_string();
  ASSERT_EQ(imported.workload->frames.size(), 4U);
  const WorkloadFrame& frame = imported.workload->frames[0];
  EXPECT_EQ(frame.deadline_edge, DeadlineEdge::kTargetRate);
  EXPECT_EQ(frame.ui.work.count(), 0);
  EXPECT_NEAR(frame.render.work.count(), 16e6, 1);
}

TEST(WorkloadFromTrace, TouchesComeFromDeliveredInput) {
  std::vector<Message> packets = one_frame();
  packets.push_back(
      bundle_packet(0, {print_event(2 * kMs, kApp, "S|100|deliverInputEvent src=0x1002|1"),
                        print_event(30 * kMs, kApp, "S|100|deliverInputEvent src=0x1002|2"),
                        print_event(500 * kMs, kApp, "B|100|deliverInputEvent")}));
  const Imported imported = import_or_fail(packets);
  ASSERT_TRUE(imported.workload);
  ASSERT_EQ(imported.workload->touches.size(), 2U);
  EXPECT_EQ(to_ns(imported.workload->touches[0].up), 30 * static_cast<std::int64_t>(kMs));
}

TEST(WorkloadFromTrace, ABoostLastsWhileSomeCpusLeastFrequencyIsUp) {
  constexpr std::uint64_t kLow = 300'000;
  constexpr std::uint64_t kUp = 900'000;
  constexpr std::uint64_t kTop = 1'800'000;
  std::vector<Message> packets = one_frame();
  packets.push_back(bundle_packet(
      0, {limits_event(2 * kMs, 0, kUp, kTop), limits_event(3 * kMs, 4, kUp, kTop),
          limits_event(4 * kMs, 4, kUp, kUp),  // a cap is none
          limits_event(5 * kMs, 0, kLow, kTop), limits_event(7 * kMs, 4, kLow, kTop),
          limits_event(8 * kMs, 4, kUp, kTop), limits_event(9 * kMs, 4, kLow, kTop)}));
  const Imported imported = import_or_fail(packets);
  ASSERT_TRUE(imported.workload);
  EXPECT_EQ(imported.report.counts.at("cpu_frequency_limits"), 7U);
  const std::vector<VendorBoost>& boosts = imported.workload->boosts;
  ASSERT_EQ(boosts.size(), 2U);
  EXPECT_EQ(boosts[1].from - boosts[0].from, std::chrono::milliseconds{6});
  EXPECT_EQ(boosts[0].until - boosts[0].from, std::chrono::milliseconds{5});
  EXPECT_EQ(boosts[1].until - boosts[1].from, std::chrono::milliseconds{1});
}

TEST(WorkloadFromTrace, SlicesMayComeAsTrackEventsOfTheThread) {
  std::vector<Message> packets = one_frame();
  packets[2] = bundle_packet(0, {switch_event(9 * kMs, 0, kApp), switch_event(12 * kMs, kApp, 0),
                                 switch_event(13 * kMs, 0, kApp), switch_event(15 * kMs, kApp, 0)});
  packets.push_back(Message().message(
      60, Message().varint(1, 5).message(4, Message().varint(1, kApp).varint(2, kApp))));
  packets.push_back(
      Message()
          .varint(8, 10 * kMs)
          .message(11, Message().varint(9, 1).varint(11, 5).bytes(23, "Choreographer#doFrame")));
  packets.push_back(
      Message().varint(8, 14 * kMs + kMs / 2).message(11, Message().varint(9, 2).varint(11, 5)));
  const Imported imported = import_or_fail(packets);
  ASSERT_TRUE(imported.workload);
  EXPECT_EQ(imported.report.counts.at("do_frame"), 1U);
  EXPECT_NEAR(imported.workload->frames.at(0).ui.work.count(), 3e6, 1);
}

TEST(WorkloadFromTrace, OfflineCpusHaveNoFrequency) {
  std::vector<Message> packets = one_frame();
  packets.push_back(bundle_packet(
      0, {frequency_event(11 * kMs, 0, 0xFFFF'FFFF), frequency_event(12 * kMs, 0, 0)}));
  const Imported imported = import_or_fail(packets);
  ASSERT_TRUE(imported.workload);
  EXPECT_EQ(imported.report.counts.at("cpu_frequency"), 5U);
  EXPECT_NEAR(imported.workload->frames.at(0).ui.work.count(), 3e6, 1);
}

TEST(WorkloadFromTrace, EventsMayStandInAnyOrder) {
  std::vector<Message> packets = one_frame();
  std::reverse(packets.begin(), packets.end());
  const Imported imported = import_or_fail(packets);
  ASSERT_TRUE(imported.workload);
  EXPECT_NEAR(imported.workload->frames.at(0).render.work.count(), 6e6, 1);
}

TEST(Import, StopsAtItsEventLimit) {
  const std::string trace = trace_of(one_frame());
  const auto source = bytes_in_memory(trace);
  ImportOptions options;
  options.max_events = 3;
  const auto refused = import_bytes(**source, "test", options);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("more events than fit"));
}

}  // namespace
}  // namespace framegov::sim
