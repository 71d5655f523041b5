// SPDX-License-Identifier: Apache-2.0
#include "cli/ab/experiment.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <string>

#include "cli/ab/outcome.h"
#include "cli/ab_text.h"
#include "tests/unit/ab/simulated_phone.h"

namespace framegov::ab {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr std::size_t kPairs = 20;
const Plan kPlan{kPairs, seconds{60}, 1};

Comparison run(const PhoneModel& model, std::uint64_t seed, Plan plan = kPlan) {
  SimulatedPhone phone(model, seed);
  plan.seed = seed;
  const auto windows = run_experiment(phone, plan, [](const Progress&) {});
  EXPECT_TRUE(windows.has_value());
  return compare(windows.value_or(std::vector<Window>{}), seconds{10});
}

std::vector<std::string> sentences(const Outcome& outcome) {
  return cli::ab_sentences(nlohmann::json(to_json(outcome)));
}

/// All that a person is told.
std::string told(const Comparison& comparison) {
  std::string text;
  for (const std::string& sentence : sentences({"org.example", 1, comparison})) {
    text += sentence + "\n";
  }
  return text;
}

TEST(Experiment, NamesTheEngineThatSteeredWithoutFramegov) {
  const Comparison comparison = run({}, 1);
  const auto with = sentences({"org.example", 1, comparison, "fpsgo"});
  EXPECT_THAT(
      with, ::testing::Contains("fpsgo was on in the windows without framegov, and off with it."));
  EXPECT_EQ(with.size(), sentences({"org.example", 1, comparison}).size() + 1);
  EXPECT_EQ(to_json({"org.example", 1, comparison, "fpsgo"})["engine"], "fpsgo");
}

TEST(Experiment, SaysWhetherTheForecastHeld) {
  const Comparison comparison = run({}, 1);
  const auto told_of = [&](double framegov_mw) {
    const Expectation expected{
        {.stock = 500, .framegov = framegov_mw, .half_width = 30, .seconds = 60},
        "a.pftrace",
        "my_phone"};
    const nlohmann::json result(to_json({"org.example", 1, comparison, "", expected}));
    return std::pair(result["forecast"]["verdict"], cli::ab_sentences(result));
  };
  using ::testing::Contains;
  EXPECT_EQ(told_of(505).first, "held");
  EXPECT_THAT(told_of(505).second,
              Contains(StartsWith("The forecast holds. Expected: 5 mW more (95 % interval: 25 mW "
                                  "less to 35 mW more); measured: ")));
  EXPECT_EQ(told_of(100).first, "more");
  EXPECT_THAT(told_of(100).second,
              Contains(StartsWith("The forecast was wrong. Expected: 400 mW less")));
  EXPECT_EQ(told_of(900).first, "less");
  EXPECT_THAT(told_of(900).second,
              Contains(StartsWith("The forecast was wrong. Expected: 400 mW more")));
  EXPECT_TRUE(nlohmann::json(to_json({"org.example", 1, comparison}))["forecast"].is_null());
}

/// In how many of `runs` experiments a difference in power is claimed.
int claims(const PhoneModel& model, int runs) {
  int count = 0;
  for (int seed = 1; seed <= runs; ++seed) {
    count += run(model, static_cast<std::uint64_t>(seed)).power_mw.test.significant() ? 1 : 0;
  }
  return count;
}

TEST(Experiment, ClaimsNoDifferenceWhereThereIsNone) {
  // At a false-claim rate of 5 %, more than 20 of 200 come by chance once in a thousand times.
  EXPECT_LE(claims({}, 200), 20);
  // A phone that warms up and whose gauge is slow must not look like a difference either.
  PhoneModel hard;
  hard.drift_mw_per_min = 20;
  hard.gauge_seconds = 5;
  EXPECT_LE(claims(hard, 200), 20);
}

TEST(Experiment, FindsAKnownDifferenceAndItsSize) {
  PhoneModel model;
  model.effect = -0.05;
  EXPECT_GE(claims(model, 50), 47);
  const Measure power = run(model, 7).power_mw;
  EXPECT_LT(power.test.mean, 0);
  EXPECT_NEAR(power.percent(), -5, 2 * power.percent_half_width());
}

TEST(Experiment, TheIntervalHoldsTheTrueDifference) {
  PhoneModel model;
  model.effect = -0.03;
  constexpr int kRuns = 100;
  int held = 0;
  for (std::uint64_t seed = 1; seed <= kRuns; ++seed) {
    const PairedTest test = run(model, seed).power_mw.test;
    held += std::abs(test.mean + 0.03 * model.stock_mw) <= test.half_width ? 1 : 0;
  }
  // 95 %: fewer than 88 of 100 come by chance less than once in a thousand times.
  EXPECT_GE(held, 88);
}

TEST(Experiment, FindsMoreMissesToo) {
  PhoneModel model;
  model.framegov_misses = 0.03;
  const Measure misses = run(model, 3).miss_percent;
  EXPECT_TRUE(misses.test.significant());
  EXPECT_NEAR(misses.test.mean, 2, 0.5);
}

TEST(Experiment, SaysHowLongItWouldTakeAndThatIsEnough) {
  PhoneModel model;
  model.effect = -0.02;
  model.noise_mw = 120;
  const Comparison short_run = run(model, 2, {8, seconds{60}, 2});
  ASSERT_FALSE(short_run.power_mw.test.significant());
  const double minutes = short_run.minutes_to_find(2);
  ASSERT_GT(minutes, 16);
  const auto pairs = static_cast<std::size_t>(minutes * 60 / to_seconds(short_run.pair_length));
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    found += run(model, seed, {pairs, seconds{60}, seed}).power_mw.test.significant() ? 1 : 0;
  }
  // Four of five are promised; the promise itself rests on eight noisy pairs.
  EXPECT_GE(found, 12);
}

TEST(Experiment, ASlowGaugeLengthensTheSettling) {
  PhoneModel model;
  model.gauge_seconds = 8;
  const Comparison comparison = run(model, 1);
  EXPECT_EQ(comparison.gauge.interval, seconds{8});
  EXPECT_EQ(comparison.settle, seconds{16});
}

TEST(Experiment, AGaugeTooSlowForTheWindowsAsksForLongerOnes) {
  PhoneModel model;
  model.gauge_seconds = 30;
  const std::string text = told(run(model, 1));
  EXPECT_THAT(text, HasSubstr("20 of 20 pairs were left out: 20 too short."));
  EXPECT_THAT(text, HasSubstr("a new figure only every 30 s, so 60 s of each window are left out"));
  EXPECT_THAT(text, HasSubstr("--window, such as 180, and at least --minutes 36."));
  EXPECT_EQ(run(model, 1, {6, seconds{180}, 1}).power_mw.test.pairs, 6U);
}

TEST(Experiment, AGaugeWithNothingNewInAWindowIsSlowAndNotQuick) {
  PhoneModel model;
  model.gauge_seconds = 90;
  const Comparison comparison = run(model, 1);
  EXPECT_EQ(comparison.gauge.interval, seconds{90});
  EXPECT_EQ(comparison.power_mw.test.pairs, 0U);
  model.gauge_seconds = 1000;
  EXPECT_THAT(told(run(model, 1)), HasSubstr("no --window is long enough"));
}

TEST(Experiment, TheUnitOfTheCurrentMakesNoDifference) {
  PhoneModel model;
  const Measure milliamps = run(model, 1).power_mw;
  model.units_per_ma = -1000;
  const Measure microamps = run(model, 1).power_mw;
  EXPECT_NEAR(microamps.stock, milliamps.stock, 1e-6);
  EXPECT_NEAR(microamps.framegov, milliamps.framegov, 1e-6);
}

TEST(Experiment, TakesTheChargeWhereTheCurrentNeverMoves) {
  PhoneModel model;
  model.effect = -0.1;
  model.stuck_current = 0;
  model.charge_step_mah = 0.1;
  const Comparison comparison = run(model, 1);
  EXPECT_EQ(comparison.gauge.node, GaugeNode::kCharge);
  EXPECT_TRUE(comparison.power_mw.test.significant());
  EXPECT_NEAR(comparison.power_mw.stock, 940, 40);  // with the drift of 20 minutes
  EXPECT_NEAR(comparison.power_mw.percent(), -10, 4);
  EXPECT_THAT(told(comparison), HasSubstr("from charge_counter: current_now stayed at 0."));
}

TEST(Experiment, SaysThatAGaugeTellsNothing) {
  PhoneModel model;
  model.framegov_misses = 0.03;
  model.stuck_current = -16;
  const Comparison comparison = run(model, 1);
  EXPECT_EQ(comparison.gauge.node, GaugeNode::kNone);
  EXPECT_EQ(comparison.power_mw.test.pairs, 0U);
  const std::string text = told(comparison);
  EXPECT_THAT(text, StartsWith("The gauge did not move: current_now stayed at -16 for the whole "
                               "run, and there is no charge_counter."));
  EXPECT_THAT(text, Not(HasSubstr("noise")));
  EXPECT_THAT(text, Not(HasSubstr("a new figure")));
  EXPECT_THAT(text, Not(HasSubstr("pairs were left out")));
  // The misses come from the service, not from the gauge.
  EXPECT_TRUE(comparison.miss_percent.test.significant());
  model.charge_step_mah = 1e4;  // never reached: it stays at 0
  EXPECT_THAT(told(run(model, 1)), HasSubstr("for the whole run, charge_counter at 0."));
}

TEST(Experiment, BlamesNoGaugeForACharger) {
  PhoneModel model;
  model.stuck_current = 0;
  SimulatedPhone phone(model, 1);
  const auto windows = run_experiment(
      phone, kPlan, [&](const Progress& progress) { phone.charging = progress.window > 0; });
  ASSERT_TRUE(windows.has_value());
  const std::string text = told(compare(*windows, seconds{10}));
  EXPECT_THAT(text, StartsWith("Too few pairs"));
  EXPECT_THAT(text, HasSubstr("20 of 20 pairs were left out: 20 charging."));
}

TEST(Experiment, AlternatesInPairsWhoseOrderVaries) {
  std::mt19937_64 random(5);
  const std::vector<Arm> arms = random_order(200, random);
  int stock_first = 0;
  for (std::size_t i = 0; i < arms.size(); i += 2) {
    EXPECT_NE(arms[i], arms[i + 1]);
    stock_first += arms[i] == Arm::kStock ? 1 : 0;
  }
  EXPECT_GT(stock_first, 70);
  EXPECT_LT(stock_first, 130);
}

TEST(Experiment, RefusesAChargingPhone) {
  SimulatedPhone phone({}, 1);
  phone.charging = true;
  const auto windows = run_experiment(phone, kPlan, [](const Progress&) {});
  ASSERT_FALSE(windows.has_value());
  EXPECT_EQ(windows.error().code, ExitCode::kUnsupported);
  EXPECT_EQ(phone.switches, 0);
}

TEST(Experiment, LeavesOutPairsThatWereDisturbed) {
  SimulatedPhone phone({}, 1);
  const auto windows = run_experiment(phone, kPlan, [&](const Progress& progress) {
    phone.app_on_top = progress.window != 4;
    phone.charging = progress.window == 9;
  });
  ASSERT_TRUE(windows.has_value());
  const Comparison comparison = compare(*windows, seconds{10});
  EXPECT_EQ(comparison.pairs[2].spoiled, "another app on top");
  EXPECT_EQ(comparison.pairs[4].spoiled, "charging");
  EXPECT_EQ(comparison.power_mw.test.pairs, kPairs - 2);
  EXPECT_THAT(told(comparison),
              HasSubstr("2 of 20 pairs were left out: 1 another app on top, 1 charging.\n"));
}

TEST(Experiment, AnEarlyEndKeepsWhatIsWhole) {
  SimulatedPhone phone({}, 1);
  phone.seconds_left = 60 * 7 + 30;
  const auto windows = run_experiment(phone, kPlan, [](const Progress&) {});
  ASSERT_TRUE(windows.has_value());
  EXPECT_EQ(windows->size(), 7U);
  const Outcome outcome{"org.example", 1, compare(*windows, seconds{10})};
  EXPECT_FALSE(outcome.comparison.power_mw.test.significant());
  EXPECT_NE(sentences(outcome).front().find("Too few pairs"), std::string::npos);
}

TEST(Outcome, JsonAndPageHoldTheFigures) {
  PhoneModel model;
  model.effect = -0.1;
  const Outcome outcome{"</script>", 4, run(model, 4)};
  const auto json = to_json(outcome);
  EXPECT_EQ(json["power_mw"]["verdict"], "less");
  EXPECT_EQ(json["miss_percent"]["verdict"], "cannot-tell");
  EXPECT_EQ(json["pairs"].size(), kPairs);
  EXPECT_EQ(json["gauge_node"], "current_now");
  const std::string page = to_page(to_json(outcome), cli::ab_page_words());
  EXPECT_EQ(page.find("</script>"), page.rfind("</script>"));
  EXPECT_NE(page.find("\"verdict\":\"less\""), std::string::npos);
  EXPECT_THAT(page, HasSubstr("framegov against stock"));
  EXPECT_THAT(to_page(to_json(outcome), cli::ab_page_words(cli::OwnerTexts("de"))),
              HasSubstr("mit framegov und ohne"));
}

TEST(Outcome, OfAGaugeThatTellsNothingHasNoFigureOfPower) {
  PhoneModel model;
  model.stuck_current = 0;
  const auto json = to_json({"org.example", 1, run(model, 1)});
  EXPECT_TRUE(json["gauge_node"].is_null());
  EXPECT_EQ(json["power_mw"]["verdict"], "cannot-tell");
  EXPECT_EQ(json["power_mw"]["pairs"], 0);
  EXPECT_TRUE(json["power_mw"]["plus_minus"].is_null());
  EXPECT_EQ(json["miss_percent"]["pairs"], kPairs);
  ASSERT_EQ(json["pairs"].size(), kPairs);
  EXPECT_EQ(json["pairs"][0]["spoiled"], "the gauge did not move");
  EXPECT_FALSE(json["pairs"][0].contains("stock_mw"));
  EXPECT_TRUE(json["pairs"][0].contains("stock_miss_percent"));
}

TEST(Outcome, OfNothingIsStillTold) {
  const Outcome outcome{"org.example", 1, compare({}, seconds{10})};
  EXPECT_FALSE(sentences(outcome).empty());
  EXPECT_TRUE(to_json(outcome)["power_mw"]["plus_minus"].is_null());
}

}  // namespace
}  // namespace framegov::ab
