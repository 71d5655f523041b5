// SPDX-License-Identifier: Apache-2.0
#include "cli/calibrate/estimator.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "cli/calibrate/plan.h"
#include "tests/support/shared_data.h"
#include "tests/unit/calibrate/measured_phones.h"
#include "tests/unit/calibrate/simulated_battery.h"

namespace framegov::calibrate {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr int kSettles = 4;          // s, of GaugeModel
constexpr double kHour = 3600;       // s
constexpr double kGaugeStepMw = 40;  // 10 mA; some OPPs of little cores take a third of that

Segment segment_of(SimulatedBattery& battery, const Load& load, double& seconds) {
  for (int i = 0; i < kSettles; ++i) {
    battery.live_a_second(load);
  }
  Segment segment;
  segment.load = load;
  segment.readings = kSegmentReadings;
  segment.at_s = seconds + kSettles + kSegmentReadings / 2.0;
  segment.celsius = 0;
  for (int i = 0; i < kSegmentReadings; ++i) {
    battery.live_a_second(load);
    segment.mean_mw += battery.current_ma() * battery.volts() / kSegmentReadings;
    *segment.celsius += battery.celsius() / kSegmentReadings;
  }
  seconds += kSettles + kSegmentReadings;
  return segment;
}

/// All that the plan asks for.
std::vector<Segment> measure(SimulatedBattery& battery, const Plan& plan) {
  std::vector<Segment> segments;
  double seconds = 0;
  for (;;) {
    const std::vector<Load> round = plan.next_round(segments, {});
    if (round.empty()) {
      return segments;
    }
    for (const Load& load : round) {
      segments.push_back(segment_of(battery, load, seconds));
    }
  }
}

/// Of all OPPs that were measured.
struct Quality {
  double worst = 0;  ///< error of one busy CPU's power, as a part of it or of the gauge's step
  std::size_t opps = 0;
  std::size_t beyond = 0;  ///< more than a tenth of its power off
  std::size_t inside = 0;  ///< the truth within the interval
};

Quality quality_of(const Estimate& estimate, const SimulatedBattery& battery) {
  Quality quality;
  for (std::size_t c = 0; c < estimate.clusters.size(); ++c) {
    for (std::size_t i = 0; i < estimate.clusters[c].size(); ++i) {
      const OppEstimate& opp = estimate.clusters[c][i];
      const double truth = battery.busy_mw(c, i, *estimate.celsius);
      const double error = std::abs(opp.busy_mw - truth);
      quality.worst = std::max(quality.worst, error / std::max(truth, kGaugeStepMw));
      quality.beyond += error > 0.1 * truth ? 1 : 0;
      quality.opps += opp.measured ? 1 : 0;
      quality.inside += opp.measured && opp.low_mw <= truth && truth <= opp.high_mw ? 1 : 0;
    }
  }
  return quality;
}

/// Exact segments: no gauge between.
std::vector<Segment> exact(const TruePhone& phone, const std::vector<Load>& loads) {
  SimulatedBattery battery(phone, {}, 1);
  std::vector<Segment> segments;
  double at = 0;
  for (const Load& load : loads) {
    segments.push_back({0, at, load, 8, 400 + battery.added(load, kTableCelsius), kTableCelsius});
    at += 12;
  }
  return segments;
}

TruePhone two_cpus(std::vector<TrueOpp> opps) {
  TruePhone phone;
  phone.shapes = {{2, {}}};
  for (std::size_t i = 0; i < opps.size(); ++i) {
    phone.shapes[0].mhz.push_back(500.0 * static_cast<double>(i + 1));
  }
  phone.opps = {std::move(opps)};
  return phone;
}

std::vector<Load> every_load(std::size_t opps, int times) {
  std::vector<Load> loads;
  for (int round = 0; round < times; ++round) {
    for (std::size_t opp = 0; opp < opps; ++opp) {
      loads.insert(loads.end(), {Load{}, {0, opp, 2}, {0, opp, 1}});
    }
  }
  return loads;
}

TEST(Estimator, TellsStaticPowerFromThatOfEachCpu) {
  const TruePhone phone = two_cpus({{50, 20}, {120, 30}, {300, 40}});
  const Estimate found = estimate(phone.shapes, exact(phone, every_load(3, 4)));
  ASSERT_THAT(found.clusters, ElementsAre(SizeIs(3)));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(found.clusters[0][i].active_mw(), phone.opps[0][i].active_mw, 0.5) << i;
    EXPECT_NEAR(found.clusters[0][i].static_mw, phone.opps[0][i].static_mw, 0.5) << i;
  }
  EXPECT_THAT(found.descents, IsEmpty());
}

TEST(Estimator, ASegmentThatAnotherAppSpoiledSpoilsNoTable) {
  const TruePhone phone = two_cpus({{50, 20}, {120, 30}, {300, 40}});
  auto segments = exact(phone, every_load(3, 6));
  for (std::size_t i = 0; i < segments.size(); ++i) {
    segments[i].mean_mw += i % 2 == 0 ? 3 : -3;
  }
  segments[10].mean_mw += 900;
  const Estimate found = estimate(phone.shapes, segments);
  for (std::size_t i = 0; i < 3; ++i) {
    const double truth = phone.opps[0][i].active_mw + phone.opps[0][i].static_mw;
    EXPECT_NEAR(found.clusters[0][i].busy_mw, truth, 6) << i;
  }
}

TEST(Estimator, SaysWhereAFasterOppTakesLess) {
  const TruePhone phone = two_cpus({{50, 20}, {160, 30}, {100, 40}, {300, 50}});
  const Estimate found = estimate(phone.shapes, exact(phone, every_load(4, 4)));
  ASSERT_THAT(found.descents, SizeIs(1));
  EXPECT_EQ(found.descents[0].opp, 2U);
  EXPECT_FALSE(found.descents[0].levelled);
  EXPECT_LT(found.clusters[0][2].busy_mw, found.clusters[0][1].busy_mw);
}

TEST(Estimator, LevelsADescentThatMayBeNoiseAndTellsIt) {
  const TruePhone phone = two_cpus({{50, 20}, {104, 20}, {100, 20}, {300, 20}});
  auto segments = exact(phone, every_load(4, 4));
  for (std::size_t i = 0; i < segments.size(); ++i) {
    segments[i].mean_mw += i % 5 < 2 ? 15 : -10;
  }
  const Estimate found = estimate(phone.shapes, segments);
  ASSERT_THAT(found.descents, SizeIs(1));
  EXPECT_EQ(found.descents[0].opp, 2U);
  EXPECT_TRUE(found.descents[0].levelled);
  EXPECT_EQ(found.clusters[0][1].busy_mw, found.clusters[0][2].busy_mw);
}

TEST(Estimator, AnOppThatComesOutAtNoPowerCountsAsNotMeasuredAndIsRepeated) {
  const TruePhone phone = two_cpus({{50, 20}, {120, 30}, {300, 40}});
  auto segments = exact(phone, every_load(3, 4));
  for (Segment& segment : segments) {
    segment.mean_mw = segment.load.busy > 0 && segment.load.opp == 0 ? 350 : segment.mean_mw;
  }
  const Estimate found = estimate(phone.shapes, segments);
  EXPECT_FALSE(found.clusters[0][0].measured);
  EXPECT_TRUE(found.clusters[0][1].measured);
  const auto round = Plan(phone.shapes, {}).next_round(segments, {});
  EXPECT_THAT(round, ::testing::Contains(Load{0, 0, 2}));
}

TEST(Estimator, WhatWasNotMeasuredIsBetweenItsNeighboursAndLessSure) {
  const TruePhone phone = two_cpus({{50, 20}, {120, 20}, {210, 20}, {300, 20}, {450, 20}});
  std::vector<Load> loads = every_load(5, 4);
  std::erase_if(loads, [](const Load& load) { return load.busy > 0 && load.opp == 1; });
  const Estimate found = estimate(phone.shapes, exact(phone, loads));
  const OppEstimate& opp = found.clusters[0][1];
  EXPECT_FALSE(opp.measured);
  EXPECT_GT(opp.busy_mw, found.clusters[0][0].busy_mw);
  EXPECT_LT(opp.busy_mw, found.clusters[0][2].busy_mw);
  EXPECT_GT(opp.relative_error(), found.clusters[0][2].relative_error());
}

TEST(Estimator, PowerHoldsAtTheTemperatureThatItNames) {
  const TruePhone phone = two_cpus({{100, 50}, {200, 80}, {400, 120}});
  GaugeModel hot;
  hot.leak_per_kelvin = 0.02;
  SimulatedBattery battery(phone, hot, 3);
  const Estimate found = estimate(phone.shapes, measure(battery, Plan(phone.shapes, {})));
  EXPECT_LT(quality_of(found, battery).worst, 0.08);
}

TEST(Calibration, FindsEveryOppOfEveryMeasuredPhoneWithinATenth) {
  FRAMEGOV_REQUIRE_DATA(file, "power/freqbench_all.csv");
  const auto phones = freqbench_phones(file.string());
  ASSERT_GT(phones.size(), 50U);
  std::size_t opps = 0;
  std::size_t beyond = 0;
  for (const NamedPhone& each : phones) {
    SimulatedBattery battery(each.phone, {}, 1);
    const Plan plan(each.phone.shapes, {});
    const Estimate found = estimate(each.phone.shapes, measure(battery, plan));
    const Quality quality = quality_of(found, battery);
    EXPECT_LT(quality.worst, 0.1) << each.name;
    opps += quality.opps;
    beyond += quality.beyond;
  }
  EXPECT_LT(static_cast<double>(beyond), 0.01 * static_cast<double>(opps));
  RecordProperty("opps", std::to_string(opps));
  RecordProperty("beyond a tenth", std::to_string(beyond));
}

TEST(Calibration, FindsEveryOppOfTheSimulatorsPhonesWithinATenth) {
  for (const char* name :
       {"sdm660", "sdm845", "sm8150", "sm8250", "sm8750", "tensor_g1", "tensor_g4"}) {
    const TruePhone phone = simulated_phone(name);
    SimulatedBattery battery(phone, {}, 1);
    const auto segments = measure(battery, Plan(phone.shapes, {}));
    const Estimate found = estimate(phone.shapes, segments);
    EXPECT_LT(quality_of(found, battery).worst, 0.1) << name;
    EXPECT_LT(segments.back().at_s, 4 * kHour) << name;  // docs/calibrate.md
  }
}

TEST(Calibration, IntervalsHoldTheTruthAsOftenAsTheySay) {
  for (const char* name : {"sdm660", "tensor_g1", "sm8750"}) {
    const TruePhone phone = simulated_phone(name);
    std::size_t opps = 0;
    std::size_t inside = 0;
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
      SimulatedBattery battery(phone, {}, seed);
      const auto segments = measure(battery, Plan(phone.shapes, Plan::quick()));
      const Quality quality = quality_of(estimate(phone.shapes, segments), battery);
      EXPECT_LT(segments.back().at_s, kHour) << name;  // docs/calibrate.md
      opps += quality.opps;
      inside += quality.inside;
    }
    const double share = static_cast<double>(inside) / static_cast<double>(opps);
    EXPECT_GE(share, 0.9) << name;
    RecordProperty(name, std::to_string(share));
  }
}

}  // namespace
}  // namespace framegov::calibrate
