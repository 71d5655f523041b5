// SPDX-License-Identifier: Apache-2.0
// The real recordings, with the counts that their README states.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "sim/import/import.h"
#include "tests/support/perfetto_builder.h"
#include "tests/support/shared_data.h"
#include "trace/packet_reader.h"

namespace framegov::sim {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Imported import_or_fail(const std::filesystem::path& path, const ImportOptions& options = {}) {
  auto imported = import_trace(path, options);
  EXPECT_TRUE(imported) << imported.error().to_string();
  return imported ? std::move(*imported) : Imported{};
}

TEST(SharedRecordings, Pixel6aStartup) {
  FRAMEGOV_REQUIRE_DATA(path, "traces/api32_startup_warm.perfetto-trace");
  const Imported imported = import_or_fail(path);
  const auto& counts = imported.report.counts;
  EXPECT_THAT(imported.report.device, HasSubstr("bluejay"));
  EXPECT_EQ(counts.at("cpu_frequency"), 1442U);
  EXPECT_EQ(counts.at("do_frame"), 30U);
  EXPECT_EQ(counts.at("draw_frame"), 7U);
  // "33 queueBuffer" counts the dequeueBuffer slices too.
  EXPECT_EQ(counts.at("queue_buffer") + counts.at("dequeue_buffer"), 33U);
  EXPECT_EQ(counts.at("frame_timeline"), 63U);
  EXPECT_EQ(counts.at("actual_surface_frame"), 6U);
  EXPECT_GT(counts.at("power_rails"), 0U);
  EXPECT_GT(counts.at("gpu_frequency"), 0U);
  EXPECT_GT(counts.at("packages"), 0U);
  ASSERT_EQ(imported.report.clusters.size(), 3U);
  EXPECT_EQ(imported.report.clusters[1].cluster.cpufreq_id, 4);
  EXPECT_EQ(imported.report.clusters[2].cluster.cpus, 0xC0U);

  ASSERT_TRUE(imported.workload);
  const Workload& workload = *imported.workload;
  EXPECT_TRUE(workload.has_work);
  EXPECT_EQ(workload.reference.name, "cortex-x1");
  EXPECT_NEAR(to_ms(workload.interval), 16.67, 0.2);
  ASSERT_EQ(workload.frames.size(), 7U);
  for (const WorkloadFrame& frame : workload.frames) {
    EXPECT_GT(frame.ui.work.count(), 1e5);
    EXPECT_GT(frame.render.work.count(), 1e5);
    EXPECT_LE(frame.vsync, frame.start);
    EXPECT_LE(frame.start, frame.ui_done);
    EXPECT_LT(frame.ui_done, frame.ready);
    // The stages' parts add up to the recorded time.
    const WorkloadCluster& cluster =
        workload.clusters.at(static_cast<std::size_t>(frame.ui.cluster));
    const double seconds = frame.ui.work.count() / cluster.relative_per_mhz /
                           (static_cast<double>(frame.ui.frequency.count()) * 1e3);
    EXPECT_NEAR(seconds + to_seconds(frame.ui.fixed), to_seconds(frame.ui_done - frame.start),
                0.1 * to_seconds(frame.ui_done - frame.start));
  }
  // The platform's labels: one frame of SystemUI missed its deadline, and so by our reckoning.
  std::uint64_t labelled = 0;
  std::uint64_t agree = 0;
  for (const ImportedApp& app : imported.report.apps) {
    labelled += app.labelled;
    agree += app.agree;
  }
  EXPECT_EQ(labelled, 6U);
  EXPECT_EQ(agree, 6U);
}

TEST(SharedRecordings, GalaxyS20WithoutFrames) {
  FRAMEGOV_REQUIRE_DATA(path, "traces/ms_test_trace.perfetto-trace");
  const Imported imported = import_or_fail(path);
  const auto& counts = imported.report.counts;
  EXPECT_EQ(counts.at("sched_switch"), 15267U);
  EXPECT_EQ(counts.at("cpu_frequency"), 168U);
  EXPECT_EQ(counts.at("cpu_idle"), 11687U);
  EXPECT_NEAR(imported.report.duration_s, 15.8, 0.1);
  EXPECT_THAT(imported.report.missing, Contains("frames"));
  EXPECT_FALSE(imported.workload);
  EXPECT_THAT(imported.no_workload->message, HasSubstr("no frames"));
}

TEST(SharedRecordings, EmulatorHasFramesButNoCycles) {
  FRAMEGOV_REQUIRE_DATA(path, "traces/ms_perfetto_trace_cpu_sampling_not_scoped.pftrace");
  const Imported refused = import_or_fail(path);
  EXPECT_EQ(refused.report.counts.at("sched_switch"), 24698U);
  EXPECT_EQ(refused.report.counts.at("actual_surface_frame"), 161U);
  EXPECT_FALSE(refused.workload);
  EXPECT_EQ(refused.no_workload->code, ExitCode::kBadInput);
  EXPECT_THAT(refused.no_workload->message, HasSubstr("cpu_frequency"));
  EXPECT_THAT(refused.no_workload->hint, HasSubstr("--frames-only"));

  ImportOptions options;
  options.frames_only = true;
  const Imported taken = import_or_fail(path, options);
  ASSERT_TRUE(taken.workload);
  EXPECT_FALSE(taken.workload->has_work);
  EXPECT_THAT(taken.workload->frames, Not(IsEmpty()));
  for (const WorkloadFrame& frame : taken.workload->frames) {
    EXPECT_EQ(frame.deadline_edge, DeadlineEdge::kPlatform);
    EXPECT_NE(frame.jank, kJankNotTold);
  }
  // FrameTimeline times are MONOTONIC there, the scheduler's BOOTTIME.
  std::uint64_t labelled = 0;
  std::uint64_t agree = 0;
  for (const ImportedApp& app : taken.report.apps) {
    labelled += app.labelled;
    agree += app.agree;
  }
  EXPECT_EQ(labelled, 128U) << "all but six that the platform calls unknown";
  EXPECT_GE(static_cast<double>(agree), 0.97 * static_cast<double>(labelled));
}

std::map<std::string, std::vector<WorkloadFrame>> frames_by_app(const Workload& workload) {
  std::map<std::string, std::vector<WorkloadFrame>> apps;
  for (const WorkloadFrame& frame : workload.frames) {
    apps[workload.apps.at(frame.app).name].push_back(frame);
  }
  return apps;
}

TEST(SharedRecordings, PacketsOfTheEmulatorMayComeInAnyOrder) {
  FRAMEGOV_REQUIRE_DATA(path, "traces/ms_perfetto_trace_cpu_sampling_not_scoped.pftrace");
  ImportOptions options;
  options.frames_only = true;
  const Imported in_order = import_or_fail(path, options);
  ASSERT_TRUE(in_order.workload);
  const auto source = open_bytes(path);
  ASSERT_TRUE(source);
  PacketReader reader(**source);
  std::vector<std::string> packets;
  while (true) {
    const auto packet = reader.next();
    ASSERT_TRUE(packet);
    if (!*packet) {
      break;
    }
    packets.emplace_back(**packet);
  }
  std::mt19937 random(1);
  for (const bool shuffled : {false, true}) {
    if (shuffled) {
      std::shuffle(packets.begin(), packets.end(), random);
    } else {
      std::reverse(packets.begin(), packets.end());
    }
    test::Message trace;
    for (const std::string& packet : packets) {
      trace.bytes(1, packet);
    }
    const auto bytes = bytes_in_memory(trace.str());
    const auto imported = import_bytes(**bytes, "other order", options);
    ASSERT_TRUE(imported && imported->workload);
    const auto by_app = frames_by_app(*imported->workload);
    for (const auto& [app, expected] : frames_by_app(*in_order.workload)) {
      const auto found = by_app.find(app);
      ASSERT_TRUE(found != by_app.end()) << app;
      ASSERT_EQ(found->second.size(), expected.size()) << app;
      for (std::size_t i = 0; i < expected.size(); ++i) {
        const WorkloadFrame& frame = found->second[i];
        // Its clocks drift by some 30 us, and the snapshot that is known first decides.
        EXPECT_NEAR(to_ms(frame.vsync - expected[i].vsync), 0, 0.1);
        EXPECT_NEAR(to_ms(frame.deadline - expected[i].deadline), 0, 0.1);
        EXPECT_NEAR(to_ms(frame.ready - expected[i].ready), 0, 0.1);
        EXPECT_EQ(frame.jank, expected[i].jank);
      }
    }
  }
}

TEST(SharedRecordings, TextFtraceOfAVideoPlayer) {
  FRAMEGOV_REQUIRE_DATA(path, "traces/trappy_surfaceflinger.ftrace.txt");
  const Imported imported = import_or_fail(path);
  EXPECT_EQ(imported.report.counts.at("cpu_frequency"), 104U);
  EXPECT_EQ(imported.report.counts.at("sched_switch"), 715U);
  EXPECT_EQ(imported.report.counts.at("do_frame"), 1U);
  EXPECT_NEAR(imported.report.duration_s, 0.74, 0.01);
  ASSERT_EQ(imported.report.clusters.size(), 2U);
  EXPECT_EQ(imported.report.clusters[0].cluster.cpus, 0x0FU);
  EXPECT_EQ(imported.report.clusters[1].cluster.cpus, 0xF0U);
  ASSERT_TRUE(imported.workload);
  ASSERT_EQ(imported.workload->frames.size(), 1U);
  const WorkloadFrame& frame = imported.workload->frames[0];
  // VSYNC-app rose at 538.748650, doFrame began at 538.750639, DrawFrame at 538.754731.
  EXPECT_EQ(to_ns(frame.vsync), 538'748'650'000);
  EXPECT_EQ(to_ns(frame.start), 538'750'639'000);
  EXPECT_EQ(to_ns(frame.ui_done), 538'754'731'000);
}

TEST(SharedRecordings, TheEightWipeScenes) {
  const std::pair<const char*, std::size_t> scenes[] = {
      {"bili-feed", 1008},  {"coolapk-feed", 971},  {"taobao-international-explore", 1371},
      {"tieba-lite", 1140}, {"twitter-feed", 1193}, {"via-iphonexs-intro", 1460},
      {"wx-chat", 620},     {"wx-moment", 996}};
  for (const auto& [scene, frames] : scenes) {
    FRAMEGOV_REQUIRE_DATA(path, std::string("workloads/wipe-v2/") + scene + ".json");
    const Imported imported = import_or_fail(path);
    ASSERT_TRUE(imported.workload) << scene;
    const Workload& workload = *imported.workload;
    EXPECT_EQ(workload.frames.size(), frames) << scene;
    EXPECT_EQ(workload.reference.max_frequency, khz(2'208'000));
    EXPECT_NEAR(workload.reference.coremark_per_mhz, 5.23, 0.01);
    EXPECT_GT(workload.other.window_count(), 2000U) << scene;
    EXPECT_THAT(workload.touches, Not(IsEmpty())) << scene;
    for (const WorkloadFrame& frame : workload.frames) {
      EXPECT_LE(frame.render.work.count(), 0.016 * 2.208e9 * 1.0001);
    }
  }
}

TEST(SharedRecordings, CutOffAnywhereIsRefusedWithTheOffset) {
  FRAMEGOV_REQUIRE_DATA(path, "traces/api32_startup_warm.perfetto-trace");
  const auto whole = open_bytes(path);
  ASSERT_TRUE(whole);
  const std::string_view bytes = (*whole)->window();
  for (std::size_t part = 1; part < 16; ++part) {
    const auto cut = bytes_in_memory(bytes.substr(0, bytes.size() * part / 16));
    const auto refused = import_bytes(**cut, "cut", {});
    ASSERT_FALSE(refused) << part;
    EXPECT_THAT(refused.error().message, HasSubstr("offset"));
    ImportOptions options;
    options.partial = true;
    const auto again = bytes_in_memory(bytes.substr(0, bytes.size() * part / 16));
    const auto taken = import_bytes(**again, "cut", options);
    ASSERT_TRUE(taken) << part;
    EXPECT_THAT(taken->report.notes, Contains(HasSubstr("damaged")));
  }
}

}  // namespace
}  // namespace framegov::sim
