// SPDX-License-Identifier: Apache-2.0
// wipe-v2 JSON, CSV, and what is none of the known formats.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <sstream>

#include "sim/import/csv_workload.h"
#include "sim/import/import.h"
#include "sim/import/wipe_workload.h"
#include "tests/support/cpufreq_tree.h"

namespace framegov::sim {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kScene =
    R"({"src":["a.html"],"ver":1,"quantumSec":0.001,"windowQuantum":10,"frameQuantum":16,)"
    R"("efficiencyA53":1024,"efficiency":1638,"freq":2208,"loadScale":100,"coreNum":4,)"
    R"("windowedLoadLen":3,"windowedLoad":[[50,50,20,0,0,0],[80,10,80,0,0,1],[0,0,0,0,0,1]],)"
    R"("renderLoad":[[0,25],[10,100]]})";

TEST(Wipe, LoadsAreCyclesAtTheLockedFrequency) {
  const auto workload = read_wipe_workload(kScene);
  ASSERT_TRUE(workload) << workload.error().to_string();
  ASSERT_EQ(workload->frames.size(), 2U);
  EXPECT_NEAR(workload->frames[0].render.work.count(), 0.25 * 0.016 * 2.208e9, 1);
  EXPECT_NEAR(workload->frames[1].render.work.count(), 0.016 * 2.208e9, 1);
  EXPECT_EQ(workload->frames[1].vsync - workload->frames[0].vsync, milliseconds{10});
  EXPECT_EQ(workload->apps.at(0).name, "a.html");
  // Window 0: cores at 50 % and 20 %, the first frame has 25 % of the busier one.
  ASSERT_EQ(workload->other.window_count(), 3U);
  const OtherLoad& first = workload->other.loads[1];
  EXPECT_NEAR(first.total, 0.45 * 2.208e9, 1e3);
  EXPECT_NEAR(first.busiest, 0.25 * 2.208e9, 1e3);
  // Window 1: what frames are counted with is more than the core had.
  EXPECT_NEAR(workload->other.loads[3].total, 0.10 * 2.208e9, 1e3);
  ASSERT_EQ(workload->touches.size(), 1U);
  EXPECT_EQ(workload->touches[0].up - workload->touches[0].down, milliseconds{20});
}

TEST(Wipe, TheFrameQuantumTellsTheRefreshRate) {
  for (const auto& [quantum, hz] :
       {std::pair{"16", 60.0}, {"11", 90.0}, {"8", 120.0}, {"6", 144.0}, {"20", 50.0}}) {
    std::string scene = kScene;
    const std::string key = "\"frameQuantum\":";
    scene.replace(scene.find(key) + key.size(), 2, quantum);
    const auto workload = read_wipe_workload(scene);
    ASSERT_TRUE(workload) << workload.error().to_string();
    EXPECT_NEAR(to_seconds(workload->interval), 1 / hz, 1e-8);
    EXPECT_EQ(workload->frames[0].interval, workload->interval);
  }
}

TEST(Wipe, AnIdlePhonesSceneHasNoFrames) {
  std::string scene = kScene;
  scene.replace(scene.find("[[0,25]"), std::string::npos, "[]}");
  const auto source = bytes_in_memory(scene);
  const auto imported = import_bytes(**source, "idle.json", {});
  ASSERT_TRUE(imported) << imported.error().to_string();
  EXPECT_THAT(imported->report.missing, ElementsAre("frames"));
  EXPECT_NEAR(imported->report.duration_s, 0.03, 1e-9);
  ASSERT_TRUE(imported->workload);
  EXPECT_THAT(imported->workload->frames, IsEmpty());
  EXPECT_EQ(imported->workload->other.window_count(), 3U);
  EXPECT_EQ(imported->workload->touches.size(), 1U);
}

TEST(Wipe, AByteOrderMarkIsPassedOver) {
  const std::string scene = "\xef\xbb\xbf" + std::string(kScene);
  const auto source = bytes_in_memory(scene);
  const auto imported = import_bytes(**source, "scene.json", {});
  ASSERT_TRUE(imported) << imported.error().to_string();
  EXPECT_EQ(imported->report.format, TraceFormat::kWipe);
}

TEST(Wipe, RefusesWhatIsNoScene) {
  const std::string scene = kScene;
  EXPECT_THAT(read_wipe_workload(scene.substr(0, scene.size() / 2)).error().message,
              HasSubstr("cut off"));
  EXPECT_FALSE(read_wipe_workload("[]"));
  EXPECT_FALSE(read_wipe_workload("{}"));
  EXPECT_FALSE(read_wipe_workload(R"({"traceEvents":[]})"));
  std::string wrong_row = scene;
  wrong_row.replace(wrong_row.find("[0,25]"), 6, "[0,\"x\"]");
  EXPECT_THAT(read_wipe_workload(wrong_row).error().message, HasSubstr("renderLoad row 0"));
  std::string negative = scene;
  negative.replace(negative.find("\"freq\":2208"), 11, "\"freq\":-1");
  EXPECT_FALSE(read_wipe_workload(negative));
}

Workload a_workload() {
  Workload workload;
  workload.device = "phone";
  workload.interval = Duration{16'666'666};
  workload.reference = {.name = "core", .max_frequency = khz(2'000'000), .coremark_per_mhz = 9.25};
  workload.clusters = {
      {.cpufreq_id = 0, .cpus = 0x0F, .max_frequency = khz(1'000'000), .relative_per_mhz = 0.5},
      {.cpufreq_id = 4, .cpus = 0xF0, .max_frequency = khz(2'000'000), .relative_per_mhz = 1}};
  workload.apps = {{"com.example", 0}};
  workload.has_work = true;
  WorkloadFrame frame;
  frame.vsync = instant_from_ns(1'000'000'000);
  frame.deadline = instant_from_ns(1'016'000'000);
  frame.interval = workload.interval;
  frame.ui = {.work = Work{1.5e6},
              .fixed = milliseconds{1},
              .frequency = khz(900'000),
              .cpu = 5,
              .cluster = 1};
  frame.render = {.work = Work{2.5e6},
                  .fixed = milliseconds{2},
                  .frequency = khz(800'000),
                  .cpu = 1,
                  .cluster = 0};
  frame.ui.wait_ns = 900'000;
  frame.ui.wait_after = 40;
  frame.gpu = milliseconds{3};
  frame.start = instant_from_ns(1'001'000'000);
  frame.ui_done = instant_from_ns(1'004'000'000);
  frame.ready = instant_from_ns(1'012'000'000);
  frame.jank = kJankNone;
  frame.pace = milliseconds{33};
  frame.compositor_ns = 4'000'000;
  frame.taken_late = 2;
  frame.deadline_edge = DeadlineEdge::kPlatform;
  workload.frames = {frame};
  workload.other = {.start = instant_from_ns(1'000'000'000),
                    .window = milliseconds{10},
                    .clusters = 2,
                    .loads = {{1e8F, 5e7F}, {0, 0}, {2e8F, 2e8F}, {1e6F, 1e6F}}};
  workload.touches = {{instant_from_ns(1'000'500'000), instant_from_ns(1'002'000'000)}};
  workload.boosts = {{instant_from_ns(1'000'500'000), instant_from_ns(1'087'000'000)}};
  workload.frequencies = {{instant_from_ns(1'000'000'000), 1, khz(1'500'000)}};
  return workload;
}

TEST(Csv, ComesBackAsItWasWritten) {
  const Workload workload = a_workload();
  std::ostringstream out;
  write_workload_csv(workload, out);
  const auto back = read_workload_csv(out.str());
  ASSERT_TRUE(back) << back.error().to_string();
  EXPECT_EQ(back->device, "phone");
  EXPECT_EQ(back->reference.name, "core");
  EXPECT_EQ(back->reference.coremark_per_mhz, 9.25);
  ASSERT_EQ(back->clusters.size(), 2U);
  EXPECT_EQ(back->clusters[0].relative_per_mhz, 0.5);
  ASSERT_EQ(back->frames.size(), 1U);
  const WorkloadFrame& in = workload.frames[0];
  const WorkloadFrame& got = back->frames[0];
  EXPECT_EQ(got.vsync, in.vsync);
  EXPECT_EQ(got.deadline, in.deadline);
  EXPECT_EQ(got.interval, in.interval);
  EXPECT_EQ(got.ui.work, in.ui.work);
  EXPECT_EQ(got.ui.fixed, in.ui.fixed);
  EXPECT_EQ(got.ui.wait_ns, in.ui.wait_ns);
  EXPECT_EQ(got.ui.wait_after, in.ui.wait_after);
  EXPECT_EQ(got.ui.frequency, in.ui.frequency);
  EXPECT_EQ(got.ui.cpu, in.ui.cpu);
  EXPECT_EQ(got.ui.cluster, in.ui.cluster);
  EXPECT_EQ(got.render.work, in.render.work);
  EXPECT_EQ(got.render.cluster, in.render.cluster);
  EXPECT_EQ(got.gpu, in.gpu);
  EXPECT_EQ(got.start, in.start);
  EXPECT_EQ(got.ui_done, in.ui_done);
  EXPECT_EQ(got.ready, in.ready);
  EXPECT_EQ(got.jank, in.jank);
  EXPECT_EQ(got.pace, in.pace);
  EXPECT_EQ(got.compositor_ns, in.compositor_ns);
  EXPECT_EQ(got.taken_late, in.taken_late);
  EXPECT_EQ(got.deadline_edge, in.deadline_edge);
  EXPECT_EQ(back->other.window, workload.other.window);
  ASSERT_EQ(back->other.window_count(), 2U);
  EXPECT_EQ(back->other.loads[2].total, 2e8F);
  ASSERT_EQ(back->touches.size(), 1U);
  EXPECT_EQ(back->touches[0].up, workload.touches[0].up);
  ASSERT_EQ(back->boosts.size(), 1U);
  EXPECT_EQ(back->boosts[0].from, workload.boosts[0].from);
  EXPECT_EQ(back->boosts[0].until, workload.boosts[0].until);
  ASSERT_EQ(back->frequencies.size(), 1U);
  EXPECT_EQ(back->frequencies[0].frequency, khz(1'500'000));
}

TEST(Csv, NeedsNoMoreThanVsyncAndWork) {
  const auto workload =
      read_workload_csv("vsync_ns,render_work\n1000000000,2e6\n1016666666,3000000\n");
  ASSERT_TRUE(workload) << workload.error().to_string();
  ASSERT_EQ(workload->frames.size(), 2U);
  EXPECT_TRUE(workload->has_work);
  EXPECT_EQ(workload->frames[0].render.work.count(), 2e6);
  EXPECT_EQ(workload->frames[0].deadline - workload->frames[0].vsync, Duration{16'666'666});
  EXPECT_EQ(workload->frames[0].deadline_edge, DeadlineEdge::kVsyncInterval);
}

TEST(Csv, NamesTheLineThatIsWrong) {
  const auto message = [](const char* text) { return read_workload_csv(text).error().message; };
  EXPECT_THAT(message("vsync_ns,ui_work\n1,2\n3\n"), HasSubstr("line 3"));
  EXPECT_THAT(message("vsync_ns\nx\n"), HasSubstr("line 2: vsync_ns 'x'"));
  EXPECT_THAT(message("time\n1\n"), HasSubstr("no vsync_ns"));
  EXPECT_THAT(message("[frmaes]\n"), HasSubstr("no section"));
  EXPECT_THAT(message("vsync_ns\n"), HasSubstr("no frames"));
  EXPECT_THAT(message("vsync_ns\n1e300\n"), HasSubstr("line 2"));
  EXPECT_THAT(message("vsync_ns\n-5\n"), HasSubstr("line 2"));
}

TEST(Csv, RefusesWhatNoReplayCouldEnd) {
  const auto message = [](const std::string& text) {
    const auto read = read_workload_csv(text);
    return read ? std::string("taken") : read.error().message;
  };
  const auto with_cluster = [](const std::string& cluster) {
    return "# cluster = " + cluster + "\nvsync_ns,ui_work\n1000,5\n";
  };
  EXPECT_THAT(message("vsync_ns,interval_ns\n1,1000000000000000000\n"), HasSubstr("interval_ns"));
  EXPECT_THAT(message("vsync_ns,interval_ns\n1,1\n"), HasSubstr("line 2: interval_ns '1'"));
  EXPECT_THAT(message("# interval_ns = 1\nvsync_ns\n1\n"), HasSubstr("1 ms to 1 s"));
  EXPECT_THAT(message("# interval_ns = 2e9\nvsync_ns\n1\n"), HasSubstr("1 ms to 1 s"));
  EXPECT_THAT(message(with_cluster("0, 15, 1000000, 0")), HasSubstr("performance per MHz"));
  EXPECT_THAT(message(with_cluster("0, 15, 0, 1")), HasSubstr("cluster 0 is 0"));
  EXPECT_THAT(message(with_cluster("0, -1, 1000000, 1")), HasSubstr("CPU mask"));
  EXPECT_THAT(message("vsync_ns,ui_work\n1,1e18\n"), HasSubstr("ui_work"));
  EXPECT_THAT(message("vsync_ns,ui_work\n1,-1\n"), HasSubstr("ui_work '-1'"));
  EXPECT_THAT(message("vsync_ns,gpu_ns\n1,-1\n"), HasSubstr("gpu_ns"));
  EXPECT_THAT(message("vsync_ns,ready_ns\n1,-0.5\n"), HasSubstr("ready_ns"));
  EXPECT_THAT(message("vsync_ns,ui_work\n-1,5\n"), HasSubstr("vsync_ns"));
  EXPECT_THAT(message("vsync_ns,ui_work\n,5\n"), HasSubstr("line 2: vsync_ns is empty"));
  EXPECT_THAT(message("vsync_ns,deadline_edge\n1,9\n"), HasSubstr("deadline_edge"));
  EXPECT_EQ(message("vsync_ns,interval_ns,ui_cpu,ui_work\n1,,-1,5\n1,0,2,2.1e6\n"), "taken");
  // Frames without work may come from phones whose frequencies are not known.
  EXPECT_EQ(message("# cluster = 0, 15, 0, 1\nvsync_ns\n1\n"), "taken");
}

TEST(Csv, TablesMayStandInAnyOrderOfTimeButWindows) {
  const auto workload = read_workload_csv(
      "# cluster = 0, 15, 1000000, 1\nvsync_ns,ui_work\n1000,5\n"
      "[touches]\ndown_ns,up_ns\n900,901\n500,501\n"
      "[frequencies]\nat_ns,cluster,khz\n700,0,500000\n300,0,1000000\n");
  ASSERT_TRUE(workload) << workload.error().to_string();
  EXPECT_EQ(to_ns(workload->touches.at(0).down), 500);
  EXPECT_EQ(to_ns(workload->frequencies.at(0).at), 300);
  const auto windows = read_workload_csv(
      "# cluster = 0, 15, 1000000, 1\nvsync_ns,ui_work\n1000,5\n"
      "[other]\nat_ns,cluster,total_per_s,busiest_per_s\n2000,0,1,1\n1000,0,1,1\n");
  ASSERT_FALSE(windows);
  EXPECT_THAT(windows.error().message, HasSubstr("do not ascend"));
}

TEST(Csv, IsKnownByItsColumns) {
  const auto format = [](const std::string& bytes) {
    const auto source = bytes_in_memory(bytes);
    const auto imported = import_bytes(**source, "file", {});
    return imported ? std::string(format_name(imported->report.format)) : imported.error().message;
  };
  for (const char* text :
       {"vsync_ns,ui_work\n1,2\n", "ui_work,vsync_ns\n2,1\n", "\xEF\xBB\xBFvsync_ns,ui_work\n1,2\n",
        "\xEF\xBB\xBFui_work, vsync_ns\r\n2,1\r\n",
        "# mine\n\n[frames]\nui_work,vsync_ns\n2,1\n"}) {
    EXPECT_EQ(format(text), "workload CSV") << text;
  }
  EXPECT_FALSE(is_workload_csv("# tracer: nop\n#\n  app-1 [000] 1.0: print: vsync_ns\n"));
  EXPECT_FALSE(is_workload_csv(""));
}

TEST(Import, SaysWhatAFileOfAnotherKindIs) {
  const auto message = [](const std::string& bytes) {
    const auto source = bytes_in_memory(bytes);
    const auto imported = import_bytes(**source, "file", {});
    return imported ? std::string("taken") : imported.error().to_string();
  };
  EXPECT_THAT(message(std::string("\x7f"
                                  "ELF\x02\x01\x01\x00",
                                  8)),
              HasSubstr("not a recording"));
  EXPECT_THAT(message(std::string("\x17\x08\x44tracing6\x00", 12)), HasSubstr("trace-cmd report"));
  EXPECT_THAT(message(std::string("PK\x03\x04\x14\x00\x00\x00", 8)),
              AllOf(HasSubstr("a zip file"), HasSubstr("unpack it")));
  EXPECT_THAT(message(std::string("\xfd"
                                  "7zXZ\x00\x00\x04",
                                  8)),
              HasSubstr("xz-compressed"));
  EXPECT_THAT(message(std::string("\x28\xb5\x2f\xfd\x04\x00", 6)), HasSubstr("zstd-compressed"));
  EXPECT_THAT(message("BZh91AY&SY\x01\x02"), HasSubstr("bzip2-compressed"));
  EXPECT_THAT(message("nothing to see here\n"), HasSubstr("no ftrace event"));
  EXPECT_THAT(message("{\"a\":1}"), HasSubstr("wipe-v2"));
  EXPECT_THAT(message("{\"traceEvents\": []}"), HasSubstr("Chrome's JSON"));
  EXPECT_THAT(message(R"([{"name":"a","ph":"B"}])"), HasSubstr("Chrome's JSON"));
  EXPECT_THAT(message("\x0a\x05\x01"), HasSubstr("offset 0"));
}

TEST(Import, DoesNotWaitForWhoeverWritesAPipe) {
  const test::TemporaryFolder folder;
  const auto pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const auto imported = import_trace(pipe);
  ASSERT_FALSE(imported);
  EXPECT_THAT(imported.error().message, HasSubstr("pipe is not a regular file"));
}

}  // namespace
}  // namespace framegov::sim
