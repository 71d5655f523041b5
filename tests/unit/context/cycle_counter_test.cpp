// SPDX-License-Identifier: Apache-2.0
#include "probes/context/cycle_counter.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "tests/unit/context/worker.h"

namespace framegov {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

class CycleEventsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "pmus-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    devices_ = name;
  }
  void TearDown() override { fs::remove_all(devices_); }

  void pmu(const std::string& name, int type, const std::string& cpus_file,
           const std::string& event_name, const std::string& event) const {
    fs::create_directories(devices_ / name / "events");
    std::ofstream(devices_ / name / "type") << type << '\n';
    if (!cpus_file.empty()) {
      std::ofstream(devices_ / name / cpus_file) << "0-3\n";
    }
    std::ofstream(devices_ / name / "events" / event_name) << event << '\n';
  }

  fs::path devices_;
};

TEST_F(CycleEventsTest, EachKindOfCoreHasItsOwn) {
  pmu("armv8_cortex_a55", 8, "cpus", "cpu_cycles", "event=0x0011");
  pmu("armv8_cortex_a76", 9, "cpus", "cpu_cycles", "event=0x0011");
  pmu("arm_dsu_0", 10, "cpumask", "cycles", "event=0x11");  // of a bus: no core's
  pmu("software", 1, "", "dummy", "event=0x9");
  const CycleEvents found = find_cycle_events(devices_);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].type + found[1].type, 8U + 9U);
  EXPECT_EQ(found[0].config, 0x11U);
  EXPECT_EQ(found[1].config, 0x11U);
}

TEST_F(CycleEventsTest, APcHasOne) {
  pmu("cpu", 4, "", "cpu-cycles", "event=0x3c");
  const CycleEvents found = find_cycle_events(devices_);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].type, 4U);
  EXPECT_EQ(found[0].config, 0x3cU);
}

TEST_F(CycleEventsTest, NoneRatherThanSome) {
  pmu("armv8_cortex_a55", 8, "cpus", "cpu_cycles", "event=0x0011");
  pmu("other_cores", 9, "cpus", "cpu_cycles", "config=17");
  EXPECT_TRUE(find_cycle_events(devices_).empty());
  EXPECT_TRUE(find_cycle_events(devices_ / "nowhere").empty());
}

TEST(CycleCount, IsAFrequencyOnceThereIsEnough) {
  EXPECT_EQ((CycleCount{2'000'000, 1ms}).frequency(), mhz(2000));
  EXPECT_EQ((CycleCount{2'000, 1us}).frequency(), Frequency{});
  // A counter that has ended tells zeros.
  EXPECT_EQ((CycleCount{}).since({2'000'000, 1ms}).frequency(), Frequency{});
}

TEST(CycleCounter, CountsAThreadsWorkNotItsWaiting) {
  const CycleEvents events = find_cycle_events();
  if (events.empty()) {
    GTEST_SKIP() << "this machine has no PMU that counts its cores' cycles";
  }
  Worker other;
  const CycleCounter counter(other.tid, events);
  if (!counter) {
    GTEST_SKIP() << "perf_event_open counts no cycles here (root or perf_event_paranoid)";
  }
  const CycleCount begin = counter.read();
  const Duration work = other.work();
  std::this_thread::sleep_for(100ms);
  const CycleCount ran = counter.read().since(begin);
  EXPECT_GE(ran.counted, work);
  EXPECT_LT(ran.counted, work + 80ms);  // a machine that is busy may count its own delays
  RecordProperty("mhz", std::to_string(ran.frequency().count() / 1000));
  EXPECT_GE(ran.frequency(), mhz(50));
  EXPECT_LE(ran.frequency(), mhz(10'000));
}

TEST(CycleCounter, NoThreadCountsNothing) {
  CycleEvents events;
  events.push_back({1, 1});  // the software task clock, which is everywhere
  const CycleCounter counter(0x3fffff, events);
  EXPECT_FALSE(counter);
  EXPECT_EQ(counter.read().counted, Duration{});
}

}  // namespace
}  // namespace framegov
