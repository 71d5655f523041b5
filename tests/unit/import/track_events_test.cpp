// SPDX-License-Identifier: Apache-2.0
// From Android 16 on the platform may write what was atrace's with Perfetto's own library.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/import/import.h"
#include "tests/support/perfetto_builder.h"

namespace framegov::sim::test {

using namespace framegov::test;  // what all tests share
namespace {

constexpr std::uint64_t kMs = 1'000'000;
constexpr std::uint64_t kRefresh = 11'111'111;
constexpr std::uint64_t kUiTrack = 5, kRenderTrack = 6, kInputTrack = 7, kVsyncTrack = 8;
constexpr std::uint32_t kName = 2, kStaticName = 10;
constexpr std::uint64_t kBegin = 1, kEnd = 2, kCounter = 4;

Message thread_track(std::uint64_t uuid, std::uint64_t tid) {
  return Message().message(
      60, Message().varint(1, uuid).message(4, Message().varint(1, 100).varint(2, tid)));
}

Message event(std::uint64_t at, std::uint64_t type, std::uint64_t track,
              const std::string& name = "") {
  Message body;
  body.varint(9, type).varint(11, track);
  if (!name.empty()) {
    body.bytes(23, name);
  }
  return Message().varint(8, at).message(11, body);
}

/// Frames of one app at 90 Hz that begin 2 ms after their vsync, without FrameTimeline.
Imported frames(std::uint32_t name_field) {
  std::vector<Message> packets = {
      thread_track(kUiTrack, 100), thread_track(kRenderTrack, 101),
      Message().message(60, Message().varint(1, kInputTrack).bytes(2, "deliverInputEvent")),
      Message().message(
          60,
          Message().varint(1, kVsyncTrack).bytes(name_field, "VSYNC-app").message(8, Message()))};
  std::vector<Message> ui = {frequency_event(kMs, 0, 1'000'000)};
  std::vector<Message> render = {frequency_event(kMs, 1, 1'000'000)};
  for (std::uint64_t i = 0; i < 20; ++i) {
    const std::uint64_t vsync = 100 * kMs + i * kRefresh;
    const std::string id = " " + std::to_string(1000 + i);
    packets.push_back(event(vsync, kCounter, kVsyncTrack));
    packets.push_back(event(vsync + kMs, kBegin, kInputTrack, "deliverInputEvent src=0x1002"));
    packets.push_back(event(vsync + 2 * kMs, kBegin, kUiTrack, "Choreographer#doFrame" + id));
    packets.push_back(event(vsync + 3 * kMs, kEnd, kUiTrack));
    packets.push_back(event(vsync + 3 * kMs, kBegin, kRenderTrack, "DrawFrames" + id));
    packets.push_back(event(vsync + 4 * kMs, kBegin, kRenderTrack, "queueBuffer"));
    packets.push_back(event(vsync + 5 * kMs, kEnd, kRenderTrack));
    packets.push_back(event(vsync + 5 * kMs, kEnd, kRenderTrack));
    ui.push_back(switch_event(vsync + 2 * kMs, 0, 100));
    ui.push_back(switch_event(vsync + 3 * kMs, 100, 0));
    render.push_back(switch_event(vsync + 3 * kMs, 0, 101));
    render.push_back(switch_event(vsync + 5 * kMs, 101, 0));
  }
  packets.push_back(bundle_packet(0, ui));
  packets.push_back(bundle_packet(1, render));
  const std::string bytes = trace_of(packets);
  const auto source = bytes_in_memory(bytes);
  auto imported = import_bytes(**source, "test", {});
  EXPECT_TRUE(imported) << imported.error().to_string();
  return imported ? std::move(*imported) : Imported{};
}

TEST(TrackEvents, TellVsyncsAndTouchesAsAtraceDoes) {
  for (const std::uint32_t name_field : {kName, kStaticName}) {
    const Imported imported = frames(name_field);
    ASSERT_TRUE(imported.workload);
    EXPECT_NEAR(imported.report.refresh_hz, 90, 0.1);
    ASSERT_EQ(imported.workload->frames.size(), 20U);
    for (const WorkloadFrame& frame : imported.workload->frames) {
      EXPECT_EQ(frame.start - frame.vsync, Duration{2 * kMs});
      EXPECT_EQ(frame.interval, Duration{kRefresh});
    }
    EXPECT_FALSE(imported.workload->touches.empty());
  }
}

}  // namespace
}  // namespace framegov::sim::test
