// SPDX-License-Identifier: Apache-2.0
#include "cli/ab/forecast.h"

#include <gmock/gmock.h>

#include <array>
#include <cmath>

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
      const Power busy = opp.active + opp.static_power;
      rows.push_back({busy * 0.94, busy * 1.06});
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

/// The means of one phone that the input's could be, in a use that was not recorded.
Forecast truth_of(ForecastInput input, std::uint64_t seed) {
  std::mt19937_64 random(1000 + seed);
  const sim::DeviceModel known = input.phone;
  sim::ReplayDevice phone(drawn_phone(known, input.doubt, random), input.settings.world().power);
  phone.topology = sim::kernel_topology(known, input.settings.world().power);
  std::get<sim::SyntheticSettings>(input.recording.load).seed = 1000 + seed;
  input.settings.plant.world.seed = 1000 + seed;
  const sim::ReplayScene scene(input.recording, phone, input.settings.deadline,
                               input.settings.world());
  const auto mw = [&](const sim::PolicyEntry& policy) {
    const sim::PlantTotals totals = sim::replay(scene, policy, input.settings).totals;
    return totals.energy_mj() / totals.seconds;
  };
  return {.stock = mw(input.stock), .framegov = mw(input.framegov)};
}

TEST(PowerForecast, HoldsInNineOfTenExperiments) {
  const std::array phones{"sm8250", "tensor_g1", "sdm845", "sm8150", "sdm660"};
  int held = 0;
  int other_found = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const ForecastInput input = input_of(phones[seed % phones.size()], 30, seed);
    const Forecast forecast = forecast_of(input);
    const Forecast truth = truth_of(input, seed);
    const Measure power = measured(truth.stock, truth.framegov, seed);
    held += judge(forecast, power) == ForecastVerdict::kHeld ? 1 : 0;
    // A phone on which framegov changes 150 mW more than was said.
    const Measure other = measured(truth.stock, truth.framegov + 150, seed);
    other_found += judge(forecast, other) == ForecastVerdict::kMore ? 1 : 0;
  }
  RecordProperty("held", held);
  EXPECT_GE(held, 45);
  EXPECT_GE(other_found, 45);
}

TEST(PowerForecast, KnowsAPhoneThatWasMeasuredBetterThanAnotherOfItsKind) {
  ForecastInput input = input_of("sm8250", 30, 1);
  const Forecast measured = forecast_of(input, 20);
  input.doubt = power_doubt(input.phone, {});
  EXPECT_EQ(input.doubt.cluster, kOtherPhone);
  const Forecast other = forecast_of(input, 20);
  EXPECT_LT(measured.half_width, other.half_width);
  EXPECT_GT(measured.stock, 0);
  EXPECT_GT(measured.half_width, 0);
}

TEST(PowerForecast, OfThePolicyThatStockHasIsNoDifference) {
  ForecastInput input = input_of("sm8250", 30, 1);
  input.framegov = input.stock;
  const Forecast forecast = forecast_of(input);
  EXPECT_EQ(forecast.difference(), 0);
  EXPECT_EQ(forecast.half_width, 0);
}

TEST(PowerForecast, NeedsTwentySeconds) {
  std::atomic<std::size_t> done{0};
  const auto forecast = make_forecast(input_of("sm8250", 10, 1), kDraws, 0, done);
  ASSERT_FALSE(forecast);
  EXPECT_EQ(forecast.error().code, ExitCode::kBadInput);
  EXPECT_THAT(forecast.error().message, ::testing::HasSubstr("needs frames for 20 s"));
}

TEST(PowerForecast, SaysNothingOfAnExperimentWithoutAResult) {
  const Forecast forecast{500, 450, 20, 60};
  EXPECT_EQ(judge(forecast, {}), ForecastVerdict::kUnknown);
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
  EXPECT_NEAR(sum / kPhones, 0, 0.02);
  EXPECT_NEAR(std::sqrt(squares / kPhones), 0.1, 0.015);
}

}  // namespace
}  // namespace framegov::ab
