// SPDX-License-Identifier: Apache-2.0
// The trace of a run, read by a few lines that share nothing with the writer but Perfetto's field
// numbers.
#include "sim/run/run_trace.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string_view>

#include "sim/devices/device_catalog.h"
#include "sim/run/frame_explainer.h"
#include "sim/run/replay.h"
#include "tests/support/trace_bytes.h"
#include "tests/unit/trace/collecting_sink.h"

namespace framegov::sim {
namespace {

struct Field {
  std::uint64_t number = 0;
  std::uint64_t value = 0;  ///< of a varint or a fixed64
  std::string_view bytes;
};

std::uint64_t varint(std::string_view& in) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; !in.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(in.front());
    in.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
    if (byte < 0x80) {
      break;
    }
  }
  return value;
}

std::vector<Field> fields(std::string_view in) {
  std::vector<Field> all;
  while (!in.empty()) {
    const std::uint64_t key = varint(in);
    Field field{key >> 3U, 0, {}};
    if ((key & 7U) == 0) {
      field.value = varint(in);
    } else if ((key & 7U) == 1) {
      in.remove_prefix(8);
    } else {
      EXPECT_EQ(key & 7U, 2U);
      const std::uint64_t size = varint(in);
      EXPECT_LE(size, in.size());
      field.bytes = in.substr(0, size);
      in.remove_prefix(std::min<std::size_t>(size, in.size()));
    }
    all.push_back(field);
  }
  return all;
}

/// What of Perfetto's TracePacket, TrackDescriptor and TrackEvent the tests look at.
struct ReadTrace {
  std::map<std::uint64_t, std::string> tracks;
  std::map<std::string, int> begins;    ///< by track
  std::map<std::string, int> ends;      ///< by track
  std::map<std::string, int> counters;  ///< by track
  std::uint64_t last_at = 0;
};

void read_event(std::uint64_t at, std::string_view bytes, ReadTrace& trace) {
  std::uint64_t type = 0;
  std::uint64_t track = 0;
  for (const Field& field : fields(bytes)) {
    type = field.number == 9 ? field.value : type;
    track = field.number == 11 ? field.value : track;
  }
  EXPECT_TRUE(trace.tracks.contains(track)) << "a track that nobody described";
  auto& counts = type == 1 ? trace.begins : (type == 2 ? trace.ends : trace.counters);
  ++counts[trace.tracks[track]];
  trace.last_at = std::max(trace.last_at, at);
}

ReadTrace read(std::string_view bytes) {
  ReadTrace trace;
  for (const Field& packet : fields(bytes)) {
    EXPECT_EQ(packet.number, 1U);
    std::uint64_t at = 0;
    for (const Field& field : fields(packet.bytes)) {
      at = field.number == 8 ? field.value : at;
      if (field.number == 60) {
        std::uint64_t uuid = 0;
        std::string name;
        for (const Field& part : fields(field.bytes)) {
          uuid = part.number == 1 ? part.value : uuid;
          name = part.number == 2 ? std::string(part.bytes) : name;
        }
        trace.tracks[uuid] = name;
      } else if (field.number == 11) {
        read_event(at, field.bytes, trace);
      }
    }
  }
  return trace;
}

class RunTraceTest : public testing::Test {
 protected:
  RunTraceTest()
      : catalog_(*DeviceCatalog::load()),
        device_(**catalog_.find("sm8250"), EnergyModel::kExact),
        scene_({"scene", *parse_synthetic("synthetic:fling@60:4s")}, device_,
               DeadlineMode::kStrict) {}

  RunResult run(PlantObserver& observer, const char* policy = "mpc") {
    return replay(scene_, **find_policy(policy), ReplaySettings{}, &observer);
  }

  DeviceCatalog catalog_;
  ReplayDevice device_;
  ReplayScene scene_;
};

TEST_F(RunTraceTest, HoldsEveryFrameOnEveryTrackForAnyReader) {
  std::string bytes;
  TraceWriter writer(test::append_to(bytes));
  RunTrace trace(device_.tables, device_.topology, writer, "sm8250", "scene");
  const RunResult result = run(trace);
  const ReadTrace read_back = read(bytes);
  const int frames = static_cast<int>(result.totals.frames);
  ASSERT_GT(frames, 50);
  for (const char* track : {"UI thread", "RenderThread", "GPU", "frames"}) {
    EXPECT_EQ(read_back.begins.at(track), frames) << track;
    EXPECT_EQ(read_back.ends.at(track), frames) << track;
  }
  // Every change of frequency is a point of its cluster's counter.
  int points = 0;
  for (const Cluster& cluster : device_.topology.clusters) {
    points += read_back.counters.at("policy" + std::to_string(cluster.cpufreq_id) + " kHz") - 1;
  }
  EXPECT_EQ(points, static_cast<int>(result.totals.transitions));
  EXPECT_GT(read_back.last_at, 3'000'000'000U);
}

TEST_F(RunTraceTest, ComesBackAsARecording) {
  std::string bytes;
  TraceWriter writer(test::append_to(bytes));
  RunTrace trace(device_.tables, device_.topology, writer, "sm8250", "scene");
  const RunResult result = run(trace);
  RecordingReader reader;
  ASSERT_TRUE(test::read_all(bytes, reader));
  const std::optional<Recording> recording = reader.take();
  ASSERT_TRUE(recording);
  EXPECT_EQ(recording->frames.size(), result.totals.frames);
  EXPECT_EQ(recording->topology.clusters.size(), device_.topology.clusters.size());
  ASSERT_FALSE(recording->plans.empty());
  EXPECT_GT(recording->plans.back().plan.reason.load.count(), 0);
}

TEST_F(RunTraceTest, ExplainsADecisionWithItsNumbers) {
  FrameExplainer explainer(device_.topology, 30);
  (void)run(explainer);
  ASSERT_TRUE(explainer.text());
  const std::string text = *explainer.text();
  for (const char* part : {"Frame 30,", "Mcycles of work", "Decision:", "MHz", "were expected",
                           "kept free", "It asked for"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in: " << text;
  }
}

TEST_F(RunTraceTest, AFrameThatIsNotThereHasNoExplanation) {
  FrameExplainer explainer(device_.topology, 1'000'000);
  (void)run(explainer);
  EXPECT_FALSE(explainer.text());
}

TEST_F(RunTraceTest, AFrameThatBeganBehindAnotherIsExplainedByItsOwnDecision) {
  const auto plan_for = [&](double mega_cycles) {
    FrequencyPlan plan =
        FrequencyPlan::uncapped(device_.topology.clusters.size(), ReasonCode::kScheduled);
    plan.reason.load = Work{mega_cycles * 1e6};
    return plan;
  };
  FrameExplainer explainer(device_.topology, 1);
  PipelineFrame ahead;
  ahead.ready = 20e6;
  PipelineFrame frame;
  frame.index = 1;
  frame.start = 16e6;
  frame.ready = 30e6;
  explainer.on_plan(0, plan_for(11));
  explainer.on_plan(16e6, plan_for(22));  // the schedule of the frame ahead goes on
  explainer.on_frame(ahead, true, false);
  explainer.on_plan(20e6, plan_for(33));
  explainer.on_plan(25e6, plan_for(44));
  explainer.on_frame(frame, true, false);
  ASSERT_TRUE(explainer.text());
  EXPECT_NE(explainer.text()->find("33.00 Mcycles"), std::string::npos) << *explainer.text();
  EXPECT_NE(explainer.text()->find("another 4.00 ms"), std::string::npos) << *explainer.text();
}

TEST(Explain, NamesTheLimitThatBoundTheChoice) {
  const DeviceCatalog catalog = *DeviceCatalog::load();
  const CpuTopology topology = kernel_topology(**catalog.find("sm8250"), EnergyModel::kExact);
  FrequencyPlan plan = FrequencyPlan::uncapped(topology.clusters.size(), ReasonCode::kTracking);
  const std::size_t fastest = topology.fastest_cluster();
  plan.reason.cluster = static_cast<std::int8_t>(fastest);
  plan.reason.wanted = topology.clusters[fastest].max_speed() * 2;
  plan.reason.chosen = topology.clusters[fastest].max_frequency();
  EXPECT_NE(explain(plan, topology).find("a limit bound it"), std::string::npos);
  plan.reason.wanted = topology.clusters[fastest].max_speed();
  EXPECT_NE(explain(plan, topology).find("its highest OPP"), std::string::npos);
}

}  // namespace
}  // namespace framegov::sim
