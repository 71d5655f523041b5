// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <vector>

#include "cli/ab/fuel_gauge.h"
#include "cli/ab/paired_test.h"

namespace framegov::ab {
namespace {

TEST(PairedTest, KnowsStudentsQuantiles) {
  EXPECT_NEAR(t_quantile(5), 2.571, 0.001);
  EXPECT_NEAR(t_quantile(19), 2.093, 0.001);
  EXPECT_NEAR(t_quantile(1e6), 1.960, 0.001);
}

TEST(PairedTest, CountsSignPatternsExactly) {
  // Only the pattern seen and its mirror image are as extreme: 2 of 64.
  const PairedTest test = paired_test(std::vector<double>{1, 2, 3, 4, 5, 6});
  EXPECT_DOUBLE_EQ(test.p, 2.0 / 64);
  EXPECT_DOUBLE_EQ(test.mean, 3.5);
  EXPECT_NEAR(test.deviation, 1.8708, 1e-4);
  EXPECT_NEAR(test.half_width, 1.963, 1e-3);
  EXPECT_TRUE(test.significant());
}

TEST(PairedTest, DrawsSignPatternsOfManyPairs) {
  std::vector<double> differences(100, 1.0);
  EXPECT_LT(paired_test(differences).p, 0.001);
  for (std::size_t i = 0; i < differences.size(); i += 2) {
    differences[i] = -1;
  }
  EXPECT_DOUBLE_EQ(paired_test(differences).p, 1);
}

TEST(PairedTest, FewPairsNeverClaim) {
  EXPECT_FALSE(paired_test(std::vector<double>{5, 5.1, 5, 5.1, 5}).significant());
  EXPECT_FALSE(paired_test(std::vector<double>{5}).significant());
  EXPECT_FALSE(paired_test({}).significant());
}

TEST(PairedTest, NeedsMorePairsForLess) {
  EXPECT_NEAR(pairs_needed(10, 5), 32, 1);
  EXPECT_NEAR(pairs_needed(10, -2.5), 126, 1);
  EXPECT_EQ(pairs_needed(1, 100), static_cast<double>(kFewestPairs));
  EXPECT_TRUE(std::isinf(pairs_needed(1, 0)));
}

class FuelGaugeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    write("usb", "type", "USB");
    write("battery", "type", "Battery");
    write("battery", "status", "Discharging");
    write("battery", "voltage_now", "3900000");
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  void write(const std::string& supply, const std::string& node, const std::string& value) {
    std::filesystem::create_directories(root_ / supply);
    std::ofstream(root_ / supply / node) << value << '\n';
  }
  Observation read() {
    Observation observation;
    const auto gauge = FuelGauge::find(root_);
    EXPECT_TRUE(gauge && gauge->read(observation));
    return observation;
  }

  std::filesystem::path root_ = std::filesystem::path(::testing::TempDir()) / "power_supply";
};

TEST_F(FuelGaugeTest, ReadsMicroampsOfEitherSign) {
  write("battery", "current_now", "-312000");
  const Observation observation = read();
  EXPECT_DOUBLE_EQ(*observation.current_ma, 312);
  EXPECT_DOUBLE_EQ(observation.voltage_v, 3.9);
  EXPECT_FALSE(observation.charging);
}

TEST_F(FuelGaugeTest, TakesSmallFiguresForMilliamps) {
  write("battery", "current_now", "312");
  EXPECT_DOUBLE_EQ(*read().current_ma, 312);
}

TEST_F(FuelGaugeTest, LivesWithTheChargeAlone) {
  write("battery", "charge_counter", "2500000");
  write("battery", "status", "Charging");
  const Observation observation = read();
  EXPECT_FALSE(observation.current_ma.has_value());
  EXPECT_DOUBLE_EQ(*observation.charge_mah, 2500);
  EXPECT_TRUE(observation.charging);
}

TEST_F(FuelGaugeTest, SaysThatThereIsNone) {
  const auto gauge = FuelGauge::find(root_);
  ASSERT_FALSE(gauge.has_value());
  EXPECT_EQ(gauge.error().code, ExitCode::kUnsupported);
}

TEST(Windows, TheChargeCounterGivesThePowerToo) {
  Window window;
  for (int i = 0; i <= 60; ++i) {
    Observation observation;
    observation.at = window.begin + std::chrono::seconds{i};
    observation.charge_mah = 2500 - i * 0.05;  // 180 mA
    observation.voltage_v = 4;
    observation.frames = static_cast<std::uint64_t>(i) * 60;
    window.observations.push_back(observation);
  }
  EXPECT_EQ(why_spoiled(window, std::chrono::seconds{10}), nullptr);
  EXPECT_NEAR(figures_of(window, std::chrono::seconds{10}).power_mw, 720, 1);
}

}  // namespace
}  // namespace framegov::ab
