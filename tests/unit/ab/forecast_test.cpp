// SPDX-License-Identifier: Apache-2.0
#include "cli/ab/forecast.h"

#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <limits>

#include "cli/ab/experiment.h"
#include "sim/devices/device_catalog.h"
#include "sim/run/policy_registry.h"
#include "tests/unit/ab/simulated_phone.h"

namespace framegov::ab {
namespace {

using std::chrono::seconds;

constexpr std::size_t kDraws = 8;
/// Of display, radios and the rest, mW: the same with framegov and without.
constexpr double kRest = 400;

sim::DeviceModel phone_called(const char* name) { return **sim::DeviceCatalog::load()->find(name); }

/// What `framegov calibrate` leaves: intervals of +- 6 %.
std::vector<std::vector<sim::PowerInterval>> calibrated(const sim::DeviceModel& phone) {
  std::vector<std::vector<sim::PowerInterval>> intervals;
  for (const sim::DeviceCluster& cluster : phone.clusters) {
    auto& rows = intervals.emplace_back();
    for (const sim::DeviceOpp& opp : cluster.opps) {
      rows.push_back({opp.busy() * 0.94, opp.busy() * 1.06});
    }
  }
  return intervals;
}

ForecastInput input_of(const char* phone, double length_s, std::uint64_t seed) {
  sim::SyntheticSettings scroll = sim::SyntheticSettings::at(60);
  scroll.seconds = length_s;
  scroll.seed = seed;
  ForecastInput input{.recording = {"scroll", scroll},
                      .phone = phone_called(phone),
                      .doubt = {},
                      .stock = **sim::find_policy("schedutil-boost"),
                      .framegov = **sim::find_policy("mpc"),
                      .settings = {}};
  input.doubt = power_doubt(input.phone, calibrated(input.phone));
  input.settings.plant.world = sim::World::phone();
  return input;
}

Forecast forecast_of(const ForecastInput& input, std::size_t draws = kDraws) {
  std::atomic<std::size_t> done{0};
  const auto forecast = make_forecast(input, draws, 0, done);
  EXPECT_TRUE(forecast) << forecast.error().to_string();
  EXPECT_EQ(done, draws);
  return forecast.value_or(Forecast());
}

/// What `framegov ab` measures on a phone whose CPUs take this.
Measure measured(double stock_mw, double framegov_mw, std::uint64_t seed) {
  PhoneModel model;
  model.stock_mw = kRest + stock_mw;
  model.effect = (framegov_mw - stock_mw) / model.stock_mw;
  SimulatedPhone phone(model, seed);
  const auto windows = run_experiment(phone, {20, seconds{60}, seed}, [](const Progress&) {});
  EXPECT_TRUE(windows);
  return compare(windows.value_or(std::vector<Window>()), seconds{10}).power_mw;
}

/// A phone that the calibration is of: each cluster is off as a whole, as by a gauge that is, and
/// each frequency by itself.
sim::DeviceModel true_phone(sim::DeviceModel phone, std::uint64_t seed) {
  std::mt19937_64 random(1000 + seed);
  std::uniform_real_distribution<double> off(-0.04, 0.04);
  for (sim::DeviceCluster& cluster : phone.clusters) {
    const double all = 1 + off(random);
    for (sim::DeviceOpp& opp : cluster.opps) {
      const double factor = all * (1 + off(random) / 2);
      opp.active = opp.active * factor;
      opp.static_power = opp.static_power * factor;
    }
  }
  return phone;
}

/// The means of such a phone, in a use that was not recorded.
Forecast truth_of(ForecastInput input, std::uint64_t seed) {
  const sim::ReplayDevice phone(true_phone(input.phone, seed), input.phone,
                                input.settings.world().power);
  std::get<sim::SyntheticSettings>(input.recording.load).seed = 1000 + seed;
  input.settings.plant.world.seed = 1000 + seed;
  const sim::ReplayScene scene(input.recording, phone, input.settings.deadline,
                               input.settings.world());
  const auto mw = [&](const sim::PolicyEntry& policy) {
    return sim::replay(scene, policy, input.settings).totals.mean_power();
  };
  return {.stock = mw(input.stock), .framegov = mw(input.framegov)};
}

TEST(PowerForecast, HoldsInNineOfTenExperiments) {
  const std::array phones{"sm8250", "tensor_g1", "sdm845", "sm8150", "sdm660"};
  int held = 0;
  int inside = 0;
  int other_found = 0;
  double width = 0;
  double size = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const ForecastInput input = input_of(phones[seed % phones.size()], 40, seed);
    const Forecast forecast = forecast_of(input);
    const Forecast truth = truth_of(input, seed);
    const Measure power = measured(truth.stock, truth.framegov, seed);
    held += judge(forecast, power) == ForecastVerdict::kHeld ? 1 : 0;
    inside += std::abs(truth.difference() - forecast.difference()) <= forecast.half_width ? 1 : 0;
    width += forecast.half_width;
    size += std::abs(truth.difference());
    // A phone on which framegov changes 150 mW more than was said.
    const Measure other = measured(truth.stock, truth.framegov + 150, seed);
    other_found += judge(forecast, other) == ForecastVerdict::kMore ? 1 : 0;
  }
  RecordProperty("held", held);
  RecordProperty("inside", inside);
  RecordProperty("width_of_size_percent", static_cast<int>(100 * width / size));
  EXPECT_GE(held, 45);
  EXPECT_GE(inside, 45);
  EXPECT_LT(width, size) << "intervals so wide say nothing";
  EXPECT_GE(other_found, 45);
}

TEST(PowerForecast, KnowsAPhoneThatWasMeasuredBetterThanAnotherOfItsKind) {
  ForecastInput input = input_of("sm8250", 40, 1);
  const Forecast measured = forecast_of(input, 20);
  input.doubt = power_doubt(input.phone, {});
  EXPECT_EQ(input.doubt.cluster, kOtherPhone);
  const Forecast other = forecast_of(input, 20);
  EXPECT_LT(measured.half_width, other.half_width);
  EXPECT_GT(measured.stock, 0);
  EXPECT_GT(measured.half_width, 0);
}

TEST(PowerForecast, OfThePolicyThatStockHasIsNoDifference) {
  ForecastInput input = input_of("sm8250", 40, 1);
  input.framegov = input.stock;
  const Forecast forecast = forecast_of(input);
  EXPECT_EQ(forecast.difference(), 0);
  EXPECT_EQ(forecast.half_width, 0);
}

TEST(PowerForecast, NeedsPartsToSeeHowUseVaries) {
  std::atomic<std::size_t> done{0};
  const auto forecast = make_forecast(input_of("sm8250", 20, 1), kDraws, 0, done);
  ASSERT_FALSE(forecast);
  EXPECT_EQ(forecast.error().code, ExitCode::kBadInput);
  EXPECT_THAT(forecast.error().message, ::testing::HasSubstr("needs frames over 30 s"));
}

TEST(PowerForecast, OfPowersWithoutBoundsIsAnError) {
  ForecastInput input = input_of("sm8250", 40, 1);
  input.doubt = {.cluster = std::numeric_limits<double>::quiet_NaN(), .opp = {}};
  std::atomic<std::size_t> done{0};
  const auto forecast = make_forecast(input, kDraws, 0, done);
  ASSERT_FALSE(forecast);
  EXPECT_THAT(forecast.error().message, ::testing::HasSubstr("too unsure"));
}

TEST(PowerForecast, SaysNothingOfAnExperimentWithoutAResult) {
  const Forecast forecast{.stock = 500, .framegov = 450, .half_width = 20};
  EXPECT_EQ(judge(forecast, {}), ForecastVerdict::kUnknown);
  const auto measured_as = [](double mean, double half_width) {
    Measure power;
    power.test = {.pairs = 20, .mean = mean, .half_width = half_width};
    return power;
  };
  EXPECT_EQ(judge(forecast, measured_as(-60, 20)), ForecastVerdict::kHeld);
  EXPECT_EQ(judge(forecast, measured_as(-60, 300)), ForecastVerdict::kUnknown) << "too coarse";
  EXPECT_EQ(judge(forecast, measured_as(0, 20)), ForecastVerdict::kMore);
  EXPECT_EQ(judge(forecast, measured_as(-90, 20)), ForecastVerdict::kLess);
}

TEST(PowerForecast, AnIntervalOfTheDeviceFileIsADoubt) {
  const sim::DeviceModel phone = phone_called("sm8250");
  const PowerDoubt doubt = power_doubt(phone, calibrated(phone));
  EXPECT_EQ(doubt.cluster, 0);
  ASSERT_EQ(doubt.opp.size(), phone.clusters.size());
  EXPECT_NEAR(doubt.opp[1][3], 0.06 / 1.96, 1e-9);
}

TEST(PowerForecast, DrawnPhonesDifferAsMuchAsIsDoubted) {
  const sim::DeviceModel phone = phone_called("tensor_g1");
  std::mt19937_64 random(1);
  double sum = 0;
  double squares = 0;
  constexpr int kPhones = 400;
  for (int i = 0; i < kPhones; ++i) {
    const sim::DeviceModel drawn = drawn_phone(phone, {.cluster = 0.1, .opp = {}}, random);
    const double factor =
        std::log(drawn.clusters[0].opps[2].active / phone.clusters[0].opps[2].active);
    EXPECT_NEAR(factor,
                std::log(drawn.clusters[0].opps[4].active / phone.clusters[0].opps[4].active),
                1e-9);
    sum += factor;
    squares += factor * factor;
  }
  EXPECT_NEAR(sum / kPhones, -0.005, 0.02);  // powers, not their logarithms, have no bias
  EXPECT_NEAR(std::sqrt(squares / kPhones), 0.1, 0.015);
}

}  // namespace
}  // namespace framegov::ab
