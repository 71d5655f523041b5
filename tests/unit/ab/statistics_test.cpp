// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <vector>

#include "cli/ab/fuel_gauge.h"
#include "cli/ab/paired_test.h"
#include "tests/support/cpufreq_tree.h"

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
    write("usb", "online", "0");
    write("battery", "type", "Battery");
    write("battery", "status", "Discharging");
    write("battery", "voltage_now", "3900000");
  }

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

  test::TemporaryFolder folder_;
  std::filesystem::path root_ = folder_.path();
};

TEST_F(FuelGaugeTest, SaysHowWarmAndHowFullTheBatteryIsWhereItKnows) {
  write("battery", "current_now", "-312000");
  const auto gauge = FuelGauge::find(root_);
  ASSERT_TRUE(gauge);
  EXPECT_EQ(gauge->celsius(), std::nullopt);
  EXPECT_EQ(gauge->percent(), std::nullopt);
  write("battery", "temp", "315");
  write("battery", "capacity", "64");
  EXPECT_NEAR(*gauge->celsius(), 31.5, 1e-9);
  EXPECT_EQ(gauge->percent(), 64);
}

TEST_F(FuelGaugeTest, LeavesTheCurrentAsTheNodeHasIt) {
  write("battery", "current_now", "-312000");
  const Observation observation = read();
  EXPECT_DOUBLE_EQ(*observation.current, -312000);
  EXPECT_DOUBLE_EQ(observation.voltage_v, 3.9);
  EXPECT_FALSE(observation.charging);
}

TEST_F(FuelGaugeTest, ABatteryThatDoesNotDischargeIsOnACharger) {
  write("battery", "current_now", "-312000");
  for (const char* status : {"Charging", "Full", "Not charging"}) {
    write("battery", "status", status);
    EXPECT_TRUE(read().charging) << status;
  }
}

TEST_F(FuelGaugeTest, AWeakChargerCountsThoughTheBatteryDischarges) {
  write("battery", "current_now", "-312000");
  for (const char* type : {"USB", "USB_PD", "Mains", "Wireless", "UPS"}) {
    write("other", "type", type);
    write("other", "online", "1");
    EXPECT_TRUE(read().charging) << type;
    write("other", "online", "2");
    EXPECT_TRUE(read().charging) << type;
    write("other", "online", "0");
    EXPECT_FALSE(read().charging) << type;
  }
}

TEST_F(FuelGaugeTest, SuppliesThatBringNothingDoNotCount) {
  write("battery", "current_now", "-312000");
  write("battery", "online", "1");
  write("chip", "type", "Unknown");
  write("chip", "online", "1");
  write("otg", "type", "OTG");
  write("otg", "online", "1");
  write("pen", "type", "Mains");
  write("pen", "scope", "Device");
  write("pen", "online", "1");
  EXPECT_FALSE(read().charging);
}

TEST_F(FuelGaugeTest, AStatusThatIsNotKnownLeavesItToTheSupplies) {
  write("battery", "current_now", "-312000");
  write("battery", "status", "Unknown");
  EXPECT_FALSE(read().charging);
  write("usb", "online", "1");
  EXPECT_TRUE(read().charging);
  std::filesystem::remove(root_ / "battery" / "status");
  EXPECT_TRUE(read().charging);
  write("usb", "online", "0");
  EXPECT_FALSE(read().charging);
}

TEST_F(FuelGaugeTest, LivesWithTheChargeAlone) {
  write("battery", "charge_counter", "2500000");
  write("battery", "status", "Charging");
  const Observation observation = read();
  EXPECT_FALSE(observation.current.has_value());
  EXPECT_DOUBLE_EQ(*observation.charge_mah, 2500);
  EXPECT_TRUE(observation.charging);
}

TEST_F(FuelGaugeTest, SaysThatThereIsNone) {
  const auto gauge = FuelGauge::find(root_);
  ASSERT_FALSE(gauge.has_value());
  EXPECT_EQ(gauge.error().code, ExitCode::kUnsupported);
}

/// A minute with a look each second, the phone in use, at 4 V.
Window minute_of(const std::function<void(Observation&, int second)>& gauge) {
  Window window;
  for (int i = 0; i <= 60; ++i) {
    Observation observation;
    observation.at = window.begin + std::chrono::seconds{i};
    observation.voltage_v = 4;
    observation.frames = static_cast<std::uint64_t>(i) * 60;
    gauge(observation, i);
    window.observations.push_back(observation);
  }
  return window;
}

constexpr std::chrono::seconds kSettle{10};

TEST(Windows, TheChargeCounterGivesThePowerToo) {
  const Window window = minute_of([](Observation& observation, int second) {
    observation.charge_mah = 2500 - second * 0.05;  // 180 mA
  });
  const GaugeTraits gauge = gauge_traits({window});
  EXPECT_EQ(gauge.node, GaugeNode::kCharge);
  EXPECT_EQ(why_spoiled(window, kSettle, gauge.node), nullptr);
  EXPECT_NEAR(figures_of(window, kSettle, gauge).power_mw, 720, 1);
}

TEST(Windows, ReadingsNearZeroHaveTheUnitOfTheOthers) {
  const Window window = minute_of([](Observation& observation, int second) {
    observation.current = second % 2 == 0 ? -300000 : -9000;  // uA
  });
  const GaugeTraits gauge = gauge_traits({window});
  EXPECT_NEAR(figures_of(window, kSettle, gauge).power_mw, 154.5 * 4, 1e-6);
}

TEST(Windows, ACurrentThatStaysSmallIsInMilliamps) {
  const Window window = minute_of([](Observation& observation, int second) {
    observation.charging = second < 5;
    observation.current = second < 5 ? 12000 : 300 + second % 2;
  });
  const GaugeTraits gauge = gauge_traits({window});
  // What a fast charger brings is no measure of what the phone draws.
  EXPECT_DOUBLE_EQ(gauge.ma_per_unit, 1);
  EXPECT_NEAR(figures_of(window, kSettle, gauge).power_mw, 300.5 * 4, 1e-6);
}

TEST(Windows, AMissingReadingSpoils) {
  const Window window = minute_of([](Observation& observation, int second) {
    if (second != 30) {
      observation.current = 300 + second;
    }
    observation.charge_mah = 2500;
  });
  EXPECT_STREQ(why_spoiled(window, kSettle, gauge_traits({window}).node),
               "no reading of the gauge");
}

}  // namespace
}  // namespace framegov::ab
