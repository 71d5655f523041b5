// SPDX-License-Identifier: Apache-2.0
// What the cores of a recording are worth beside each other, and that it is never made up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "socs/soc_table.h"
#include "tests/unit/import/paced_trace.h"

namespace framegov::sim {
namespace {

using test::hwui_frame;
using test::kRefreshMs;
using test::kRenderTid;
using test::kUiTid;
using test::PacedTrace;
using ::testing::Contains;
using ::testing::HasSubstr;

/// Ten frames of HWUI on CPUs 0 and 1 of a phone whose CPUs were told these frequencies (MHz x 10).
PacedTrace told(const std::vector<std::vector<std::uint64_t>>& by_cluster,
                const std::vector<std::uint64_t>& first_cpus) {
  PacedTrace trace;
  for (std::size_t c = 0; c < by_cluster.size(); ++c) {
    const std::uint64_t end = c + 1 < first_cpus.size() ? first_cpus[c + 1] : 8;
    for (std::size_t i = 0; i < by_cluster[c].size(); ++i) {
      for (std::uint64_t cpu = first_cpus[c]; cpu < end; ++cpu) {
        trace.frequency(static_cast<double>(15 * i) - 5 + 0.01 * static_cast<double>(cpu), cpu,
                        by_cluster[c][i] * 100);
      }
    }
  }
  for (int i = 0; i < 10; ++i) {
    hwui_frame(trace, i * kRefreshMs, i);
  }
  return trace;
}

TEST(CoreWorth, TheWholeListsTellSocsWithTheSameTops) {
  const Imported sm8150 =
      told({{5760, 6720, 17856}, {8256, 14016, 24192}, {8256, 28416}}, {0, 4, 7}).import();
  ASSERT_TRUE(sm8150.workload);
  EXPECT_TRUE(sm8150.workload->knows_core_worth);
  EXPECT_NEAR(sm8150.workload->clusters[0].relative_per_mhz, 488.0 / 1024, 1e-6);
  EXPECT_THAT(sm8150.workload->notes, Contains(HasSubstr("recorded on sm8150 (by its OPPs)")));

  const Imported sm8250 =
      told({{6912, 7872, 18048}, {8256, 13824, 24192}, {8448, 28416}}, {0, 4, 7}).import();
  ASSERT_TRUE(sm8250.workload);
  EXPECT_NEAR(sm8250.workload->clusters[0].relative_per_mhz, 448.0 / 1024, 1e-6);
  EXPECT_THAT(sm8250.workload->notes, Contains(HasSubstr("recorded on sm8250 (by its OPPs)")));

  const Imported sm8350 =
      told({{6912, 8064, 18048}, {8448, 9600, 24192}, {8448, 28416}}, {0, 4, 7}).import();
  ASSERT_TRUE(sm8350.workload);
  EXPECT_THAT(sm8350.workload->notes, Contains(HasSubstr("recorded on sm8350 (by its OPPs)")));
}

TEST(CoreWorth, FewFrequenciesAreNoEvidenceAndNothingIsMadeUp) {
  const Imported few = told({{18048}, {24192}, {28416}}, {0, 4, 7}).import();
  ASSERT_TRUE(few.workload);
  EXPECT_FALSE(few.workload->knows_core_worth);
  const Status energy = require_energy(*few.workload);
  ASSERT_FALSE(energy);
  EXPECT_THAT(energy.error().hint, HasSubstr("--recorded-on"));
  EXPECT_TRUE(require_work(*few.workload));
}

TEST(CoreWorth, WhoKnowsThePhoneMaySaySo) {
  const PacedTrace trace = told({{18048}, {24192}, {28416}}, {0, 4, 7});
  ImportOptions options;
  options.recorded_on = "sm8250";
  const Imported imported = trace.import(options);
  ASSERT_TRUE(imported.workload);
  EXPECT_TRUE(require_energy(*imported.workload));
  EXPECT_NEAR(imported.workload->clusters[0].relative_per_mhz, 448.0 / 1024, 1e-6);
  for (const char* name : {"tensor_g1", "bluejay", "gs101"}) {
    EXPECT_EQ(find_soc(name), find_soc("gs101")) << name;
  }
  EXPECT_EQ(find_soc("nonsense"), nullptr);
}

/// RenderThread takes the same work every frame, on CPU 1 or on CPU 4 whose cycles do twice as
/// much; of an SoC that nobody knows.
TEST(CoreWorth, AThreadThatChangesClusterTellsItInItsOwnCycles) {
  PacedTrace trace;
  for (std::uint64_t cpu = 0; cpu < 8; ++cpu) {
    trace.frequency(-5, cpu, cpu < 4 ? 1'000'001 : 2'000'001);
  }
  for (int i = 0; i < 60; ++i) {
    const double vsync = i * kRefreshMs;
    const bool big = i % 3 == 0;
    const double ran = (big ? 1 : 4) * (1 + 0.1 * (i % 4));
    trace.vsync(vsync);
    trace.run(vsync + 0.2, vsync + 1.2, 0, kUiTid);
    trace.slice(vsync + 0.21, vsync + 1.15, kUiTid, "Choreographer#doFrame");
    trace.run(vsync + 1.1, vsync + 1.1 + ran, big ? 4 : 1, kRenderTid);
    trace.slice(vsync + 1.11, vsync + 1.09 + ran, kRenderTid, "DrawFrame");
    trace.slice(vsync + 1.05 + ran, vsync + 1.08 + ran, kRenderTid, "queueBuffer");
  }
  const Imported imported = trace.import();
  ASSERT_TRUE(imported.workload);
  EXPECT_TRUE(imported.workload->knows_core_worth);
  ASSERT_EQ(imported.workload->clusters.size(), 2U);
  EXPECT_NEAR(imported.workload->clusters[0].relative_per_mhz, 0.5, 0.05);
  EXPECT_THAT(imported.workload->notes, Contains(HasSubstr("estimated")));
}

}  // namespace
}  // namespace framegov::sim
