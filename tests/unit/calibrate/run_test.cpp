// SPDX-License-Identifier: Apache-2.0
#include "cli/calibrate/run.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "base/cpu_topology.h"
#include "cli/calibrate/device_file.h"
#include "sim/devices/device_difference.h"
#include "sim/devices/device_model.h"
#include "tests/unit/calibrate/simulated_phone.h"

namespace framegov::calibrate {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

TruePhone small_phone() {
  TruePhone phone;
  phone.shapes = {{2, {500, 1000, 1500}}, {1, {800, 1600}}};
  phone.opps = {{{80, 40}, {160, 50}, {300, 70}}, {{200, 0}, {700, 0}}};
  return phone;
}

/// No chance in it: what is measured depends on the load alone.
GaugeModel exact_gauge() {
  GaugeModel gauge;
  gauge.step_ma = 0.001;
  gauge.noise_mw = 0;
  gauge.wander_mw = 0;
  gauge.drift_mw = 0;
  gauge.leak_per_kelvin = 0;
  return gauge;
}

class CalibrationRun : public ::testing::Test {
 protected:
  Result<bool> run(SimulatedPhone& phone) {
    return calibrate::run(phone, plan_, std::chrono::seconds{1}, {}, journal_,
                          {[this](const Progress& each) { progress_.push_back(each); },
                           [this](const Dropped& each) { dropped_.push_back(each); },
                           [this](const Journal& journal) {
                             kept_ = to_text(journal);
                             return Status{};
                           }});
  }

  Plan plan_{small_phone().shapes, {}};
  Journal journal_{small_phone().shapes, false, {}, {}};
  std::vector<Progress> progress_;
  std::vector<Dropped> dropped_;
  std::string kept_;
};

TEST_F(CalibrationRun, MeasuresEveryLoadWithBaselinesBetween) {
  SimulatedPhone phone({small_phone(), exact_gauge(), 1});
  const auto whole = run(phone);
  ASSERT_TRUE(whole && *whole) << (whole ? "" : whole.error().to_string());
  for (const Load& load : plan_.loads()) {
    EXPECT_THAT(journal_.segments, Contains(Field(&Segment::load, load)));
  }
  EXPECT_THAT(journal_.segments, Contains(Field(&Segment::load, Load{})));
  const Estimate found = estimate(plan_.shapes(), journal_.segments);
  for (std::size_t c = 0; c < 2; ++c) {
    for (std::size_t i = 0; i < plan_.shapes()[c].mhz.size(); ++i) {
      const double truth = phone.battery().busy_mw(c, i, kTableCelsius);
      EXPECT_NEAR(found.clusters[c][i].busy_mw, truth, 0.02 * truth) << c << ' ' << i;
    }
  }
}

TEST_F(CalibrationRun, TheUnitAndTheSignOfTheCurrentAreFound) {
  for (const double units : {1.0, -1.0, 1000.0, -1000.0}) {
    journal_ = {small_phone().shapes, false, {}, {}};
    SimulatedPhone phone({small_phone(), exact_gauge(), 1});
    phone.units_per_ma = units;
    ASSERT_TRUE(run(phone)) << units;
    const auto baseline = std::find_if(journal_.segments.begin(), journal_.segments.end(),
                                       [](const Segment& each) { return each.load.busy == 0; });
    EXPECT_NEAR(baseline->mean_mw, 400, 1) << units;
  }
}

TEST_F(CalibrationRun, WhatWasNotHeldInAnEarlierSessionIsTriedAgain) {
  journal_.given_up.insert({0, 1, 2});
  SimulatedPhone phone({small_phone(), exact_gauge(), 1});
  ASSERT_TRUE(run(phone));
  EXPECT_THAT(journal_.segments, Contains(Field(&Segment::load, Load{0, 1, 2})));
  EXPECT_THAT(journal_.given_up, IsEmpty());
}

TEST_F(CalibrationRun, GoesOnFromItsFileAfterItWasKilledAndFindsTheSameTable) {
  SimulatedPhone undisturbed({small_phone(), exact_gauge(), 1});
  ASSERT_TRUE(run(undisturbed));
  const Estimate expected = estimate(plan_.shapes(), journal_.segments);
  const std::size_t steps = undisturbed.loads.size();

  journal_ = {small_phone().shapes, false, {}, {}};
  std::size_t repeated = 0;
  bool whole = false;
  for (int life = 0; !whole; ++life) {
    ASSERT_LT(life, 40);
    SimulatedPhone phone({small_phone(), exact_gauge(), 1});
    phone.seconds_left = 300;
    const auto ended = run(phone);
    ASSERT_TRUE(ended);
    whole = *ended;
    repeated += phone.loads.size();
    if (!whole) {
      journal_ = *parse_journal(kept_);  // of the memory nothing is left
    }
  }
  const Estimate found = estimate(plan_.shapes(), journal_.segments);
  for (std::size_t c = 0; c < 2; ++c) {
    for (std::size_t i = 0; i < plan_.shapes()[c].mhz.size(); ++i) {
      EXPECT_NEAR(found.clusters[c][i].busy_mw, expected.clusters[c][i].busy_mw,
                  0.01 * expected.clusters[c][i].busy_mw);
    }
  }
  EXPECT_LT(repeated, 3 * steps);
}

TEST_F(CalibrationRun, AChargerEndsItAndNothingIsLost) {
  SimulatedPhone phone({small_phone(), exact_gauge(), 1});
  int seconds = 0;
  phone.on_second = [&] { phone.charging = ++seconds > 400; };
  const auto ended = run(phone);
  ASSERT_FALSE(ended);
  EXPECT_THAT(ended.error().to_string(), HasSubstr("plugged in"));
  EXPECT_THAT(journal_.segments, Not(IsEmpty()));
  EXPECT_EQ(parse_journal(kept_)->segments.size(), journal_.segments.size());
}

TEST_F(CalibrationRun, ABatteryThatRunsLowEndsItAndNothingIsLost) {
  SimulatedPhone phone({small_phone(), exact_gauge(), 1});
  int seconds = 0;
  phone.on_second = [&] { phone.percent = ++seconds > 400 ? 19 : 20; };
  const auto ended = run(phone);
  ASSERT_FALSE(ended);
  EXPECT_THAT(ended.error().to_string(), HasSubstr("nearly empty"));
  EXPECT_THAT(ended.error().hint, HasSubstr("goes on where it was"));
  EXPECT_EQ(parse_journal(kept_)->segments.size(), journal_.segments.size());
}

TEST_F(CalibrationRun, HotSamplesAreLeftOutAndItWaitsUntilItIsCool) {
  SimulatedPhone phone({small_phone(), exact_gauge(), 1});
  int seconds = 0;
  phone.on_second = [&] {
    ++seconds;
    const bool still_warm = seconds >= 500 && seconds < 600;
    phone.forced_celsius = seconds > 200 && seconds < 500 ? 42 : still_warm ? 38.1 : 33;
  };
  const auto whole = run(phone);
  ASSERT_TRUE(whole && *whole);
  EXPECT_THAT(journal_.segments, Each(Field(&Segment::celsius, 33)));
  EXPECT_THAT(progress_, Contains(Field(&Progress::waiting, Waiting::kForCool)));
  EXPECT_THAT(dropped_, Contains(Field(&Dropped::why, Drop::kHot)));
}

TEST_F(CalibrationRun, APhoneThatStaysHotEndsItWithOneClearErrorAfterTheTimeThatWasTold) {
  SimulatedPhone phone({small_phone(), exact_gauge(), 1});
  int seconds = 0;
  phone.on_second = [&] { phone.forced_celsius = ++seconds > 200 ? 43 : 33; };
  const auto ended = run(phone);
  ASSERT_FALSE(ended);
  EXPECT_THAT(ended.error().message, HasSubstr("still over 38 degrees after 30 minutes"));
  EXPECT_THAT(ended.error().hint, HasSubstr("goes on where it was"));
  const auto waits = std::find_if(progress_.begin(), progress_.end(), [](const Progress& each) {
    return each.waiting == Waiting::kForCool;
  });
  ASSERT_NE(waits, progress_.end());
  EXPECT_EQ(waits->longest_wait, Limits{}.longest_cooling);
  EXPECT_LT(progress_.back().longest_wait, std::chrono::minutes{1});
  EXPECT_EQ(parse_journal(kept_)->segments.size(), journal_.segments.size());
}

TEST_F(CalibrationRun, AFewReadingsThatFailAreMissed) {
  SimulatedPhone phone({small_phone(), exact_gauge(), 1});
  int seconds = 0;
  phone.on_second = [&] { phone.unread += ++seconds % 100 == 0 ? 9 : 0; };
  const auto whole = run(phone);
  ASSERT_TRUE(whole && *whole) << (whole ? "" : whole.error().to_string());
  EXPECT_THAT(journal_.segments, Each(Field(&Segment::readings, kSegmentReadings)));
}

TEST_F(CalibrationRun, AGaugeThatIsGoneEndsItWithOneClearError) {
  SimulatedPhone phone({small_phone(), exact_gauge(), 1});
  int seconds = 0;
  phone.on_second = [&] { phone.unread += ++seconds == 400 ? 10 : 0; };
  const auto ended = run(phone);
  ASSERT_FALSE(ended);
  EXPECT_THAT(ended.error().message, HasSubstr("10 times in a row: battery: no figures"));
  EXPECT_THAT(ended.error().hint, HasSubstr("goes on where it was"));
  EXPECT_THAT(journal_.segments, Not(IsEmpty()));
}

TEST_F(CalibrationRun, ASegmentInWhichThePhoneWasSuspendedIsThrownAwayAndRepeated) {
  SimulatedPhone phone({small_phone(), exact_gauge(), 1});
  int seconds = 0;
  phone.on_second = [&] {
    if (++seconds == 200) {
      phone.asleep += std::chrono::seconds{1};
    }
  };
  const auto whole = run(phone);
  ASSERT_TRUE(whole && *whole);
  ASSERT_THAT(dropped_, SizeIs(1));
  EXPECT_EQ(dropped_[0].why, Drop::kSuspended);
  EXPECT_EQ(parse_journal(kept_)->dropped, (DropCounts{0, 0, 1}));
  EXPECT_THAT(journal_.segments, Contains(Field(&Segment::load, dropped_[0].load)));
}

TEST_F(CalibrationRun, AGaugeThatIsLearnedAcrossASuspendIsLearnedAgain) {
  SimulatedPhone phone({small_phone(), exact_gauge(), 1});
  int seconds = 0;
  phone.on_second = [&] {
    if (++seconds == 30) {
      phone.asleep += std::chrono::seconds{60};
    }
  };
  ASSERT_TRUE(run(phone));
  const auto told = std::count_if(progress_.begin(), progress_.end(), [](const Progress& each) {
    return each.waiting == Waiting::kForGauge;
  });
  EXPECT_EQ(told, 2 * 6);
  EXPECT_THAT(dropped_, IsEmpty());
}

TEST_F(CalibrationRun, APhoneThatIsSuspendedAgainAndAgainEndsItWithOneClearError) {
  SimulatedPhone phone({small_phone(), exact_gauge(), 1});
  int seconds = 0;
  phone.on_second = [&] {
    if (++seconds > 200) {
      phone.asleep += std::chrono::milliseconds{20};
    }
  };
  const auto ended = run(phone);
  ASSERT_FALSE(ended);
  EXPECT_THAT(ended.error().to_string(), HasSubstr("suspended"));
  EXPECT_THAT(ended.error().hint, HasSubstr("goes on where it was"));
  EXPECT_THAT(dropped_, SizeIs(5));
}

TEST_F(CalibrationRun, ALoadThatThePhoneDoesNotHoldIsGivenUp) {
  SimulatedPhone phone({small_phone(), exact_gauge(), 1});
  const Load top{1, 1, 1};
  phone.held = {{top, 0.94}, {{0, 0, 2}, 0.96}};
  const auto whole = run(phone);
  ASSERT_TRUE(whole && *whole);
  EXPECT_THAT(journal_.given_up, ElementsAre(top));
  EXPECT_THAT(journal_.segments, Not(Contains(Field(&Segment::load, top))));
  EXPECT_THAT(dropped_, SizeIs(3));
  EXPECT_THAT(dropped_, Each(Field(&Dropped::why, Drop::kNotHeld)));
  EXPECT_NEAR(dropped_[0].held, 0.94, 1e-9);
  EXPECT_EQ(journal_.dropped, (DropCounts{0, 3, 0}));
}

TEST_F(CalibrationRun, ALoadThatGetsTooHotAgainAndAgainIsGivenUp) {
  SimulatedPhone phone({small_phone(), exact_gauge(), 1});
  const Load top{1, 1, 1};
  phone.on_second = [&] { phone.forced_celsius = phone.loads.back() == top ? 42 : 33; };
  const auto whole = run(phone);
  ASSERT_TRUE(whole && *whole);
  EXPECT_THAT(journal_.given_up, ElementsAre(top));
  EXPECT_EQ(parse_journal(kept_)->dropped, (DropCounts{3, 0, 0}));
}

TEST_F(CalibrationRun, AGaugeThatDoesNotFollowIsRefused) {
  GaugeModel still = exact_gauge();
  still.step_ma = 5000;
  SimulatedPhone phone({small_phone(), still, 1});
  const auto ended = run(phone);
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, ExitCode::kUnsupported);
}

TEST_F(CalibrationRun, SaysHowLongItTakesStill) {
  SimulatedPhone phone({small_phone(), exact_gauge(), 1});
  ASSERT_TRUE(run(phone));
  ASSERT_GT(progress_.size(), 10U);
  EXPECT_GT(progress_.front().seconds_left, progress_.back().seconds_left);
  EXPECT_LT(progress_.front().part, 0.1);
  EXPECT_GT(progress_.back().part, 0.8);
}

TEST(CalibrationReady, RefusesChargersHeatAndAnEmptyBattery) {
  const Limits limits;
  Reading reading;
  reading.percent = 80;
  reading.celsius = 30;
  EXPECT_TRUE(check_ready(reading, limits));
  reading.charging = true;
  EXPECT_THAT(check_ready(reading, limits).error().message, HasSubstr("charg"));
  reading.charging = false;
  reading.percent = 29;
  EXPECT_THAT(check_ready(reading, limits).error().message, HasSubstr("30 %"));
  reading.percent = 80;
  reading.celsius = 41;
  EXPECT_THAT(check_ready(reading, limits).error().message, HasSubstr("hot"));
}

TEST(CalibrationSettling, IsWhenTheAnswerStaysWhereItEnds) {
  std::vector<double> rise(20, 1.0);
  EXPECT_EQ(settling_readings(rise), 2);
  std::fill_n(rise.begin(), 6, 0.5);
  EXPECT_EQ(settling_readings(rise), 7);
  rise[12] = 1.3;
  EXPECT_EQ(settling_readings(rise), 14);
  rise[17] = 0.7;
  EXPECT_EQ(settling_readings(rise), std::nullopt);
}

TEST(CalibrationJournal, SaysTheSameAfterItWasReadBack) {
  Journal journal{small_phone().shapes, true, {}, {{1, 1, 1}}, {3, 0, 12}};
  journal.segments = {{0, 12.5, {}, 8, 401.25, 31.2}, {1, 20, {0, 2, 2}, 8, 1033.5, std::nullopt}};
  const auto read = parse_journal(to_text(journal));
  ASSERT_TRUE(read) << read.error().to_string();
  EXPECT_EQ(*read, journal);
  EXPECT_EQ(read->next_session(), 2);
}

TEST(CalibrationJournal, RefusesWhatIsDamagedAndNamesTheLine) {
  const Journal journal{small_phone().shapes, false, {{0, 1, {0, 2, 2}, 8, 100, 30}}, {}};
  const std::string text = to_text(journal);
  EXPECT_THAT(parse_journal("").error().message, HasSubstr("calibration:1"));
  EXPECT_FALSE(parse_journal(text.substr(0, text.size() - 4)));  // cut off
  for (const auto& [from, to] :
       std::vector<std::pair<std::string, std::string>>{{"0 2 2", "0 9 2"},
                                                        {"0 2 2", "0 2 7"},
                                                        {" 100 ", " nan "},
                                                        {"cluster 2", "cluster 0"},
                                                        {"500000 1000000", "1000000 500000"},
                                                        {"dropped 0", "dropped -1"},
                                                        {"segment", "sediment"}}) {
    std::string damaged = text;
    damaged.replace(damaged.find(from), from.size(), to);
    EXPECT_FALSE(parse_journal(damaged)) << damaged;
  }
}

CpuTopology small_topology() {
  CpuTopology topology;
  const TruePhone phone = small_phone();
  std::uint64_t cpus = 0b11;
  int id = 0;
  for (const ClusterShape& shape : phone.shapes) {
    Cluster cluster;
    cluster.cpufreq_id = id;
    cluster.cpus = cpus;
    for (const double mhz : shape.mhz) {
      cluster.opps.push_back({khz(static_cast<std::int64_t>(mhz * 1e3)), Speed{mhz * 1e6}, {}});
    }
    topology.clusters.push_back(cluster);
    id = 2;
    cpus = 0b100;
  }
  return topology;
}

TEST(CalibratedDevice, IsReadByTheSimulatorWithItsIntervals) {
  Estimate estimate;
  estimate.celsius = 32;
  estimate.clusters = {
      {{100, 95, 105, 40, true}, {200, 190, 210, 50, false}, {350, 340, 360, 70, true}},
      {{200, 190, 210, 0, true}, {700, 690, 710, 0, true}}};
  const auto yaml = to_device_yaml(small_topology(), estimate, {"mine", "My Phone", 5, true});
  ASSERT_TRUE(yaml) << yaml.error().to_string();
  const auto device = sim::parse_device(*yaml, "mine.yaml");
  ASSERT_TRUE(device) << device.error().to_string();
  ASSERT_THAT(device->clusters, SizeIs(2));
  const sim::DeviceCluster& little = device->clusters[0];
  EXPECT_NEAR(little.opps[1].active.count(), 150, 0.01);
  EXPECT_NEAR(little.opps[1].static_power.count(), 50, 0.01);
  const auto intervals = sim::busy_intervals(*yaml, "mine.yaml", *device);
  ASSERT_TRUE(intervals) << intervals.error().to_string();
  ASSERT_THAT(intervals->at(0), SizeIs(3));
  EXPECT_NEAR(intervals->at(0)[2].low.count(), 340, 0.01);
  EXPECT_NEAR(intervals->at(0)[2].high.count(), 360, 0.01);
  const auto same = sim::differences(*device, *intervals, *device);
  EXPECT_THAT(same, SizeIs(5));
  EXPECT_EQ(sim::median_difference(same), 0);
  EXPECT_THAT(same, Each(Field(&sim::OppDifference::within_interval, true)));
}

TEST(CalibratedDevice, EndsWhereThePhoneDidNotHoldTheFrequency) {
  Estimate estimate;
  estimate.clusters = {{{100, 95, 105, 40, true}, {200, 190, 210, 50, true}, {}},
                       {{200, 190, 210, 0, true}, {700, 690, 710, 0, true}}};
  const auto yaml = to_device_yaml(small_topology(), estimate, {"mine", "My Phone", 5, false});
  ASSERT_TRUE(yaml);
  EXPECT_THAT(sim::parse_device(*yaml, "mine.yaml")->clusters[0].opps, SizeIs(2));
  EXPECT_THAT(*yaml, HasSubstr("left out: 1 OPPs"));
}

}  // namespace
}  // namespace framegov::calibrate
