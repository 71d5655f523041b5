// SPDX-License-Identifier: Apache-2.0
// Parameters as a search sees them, what is chosen of what was found, and whether it holds.
#include <gmock/gmock.h>

#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "policy/policy_factory.h"
#include "sim/devices/device_catalog.h"
#include "sim/tune/tuning.h"

namespace framegov::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TuneSpace space_of(std::string_view policy, const std::vector<std::string>& names) {
  const auto space = TuneSpace::of(policy, names);
  EXPECT_TRUE(space) << space.error().to_string();
  return *space;
}

TuneRange range_of(std::string_view policy, const std::string& name) {
  return space_of(policy, {name}).ranges().front();
}

TuneFigures figures(double energy, double missed, double others = 1) {
  return {energy, missed, others};
}

TEST(TuneRange, DecadesAreSearchedByTheirLogarithm) {
  const TuneRange eps = range_of("mpc", "eps");  // 0.0001 to 0.2
  EXPECT_TRUE(eps.is_logarithmic());
  EXPECT_DOUBLE_EQ(eps.value_at(0), 0.0001);
  EXPECT_DOUBLE_EQ(eps.value_at(1), 0.2);
  EXPECT_NEAR(eps.value_at(0.5), std::sqrt(0.0001 * 0.2), 1e-5);
  EXPECT_FALSE(range_of("mpc", "margin").is_logarithmic());
  EXPECT_DOUBLE_EQ(range_of("mpc", "margin").value_at(0.5), 0.25);
}

TEST(TuneRange, WholeNumbersHaveEqualPartsOfTheRange) {
  const TuneRange placement = range_of("mpc", "placement");  // 0 to 2
  EXPECT_EQ(placement.value_at(0), 0);
  EXPECT_EQ(placement.value_at(0.32), 0);
  EXPECT_EQ(placement.value_at(0.34), 1);
  EXPECT_EQ(placement.value_at(0.67), 2);
  EXPECT_EQ(placement.value_at(1), 2);
}

TEST(TuneRange, WhatIsTriedHasThreeDigitsAndStaysInTheRange) {
  const TuneRange eps = range_of("mpc", "eps");
  for (const double place : {-1.0, 0.0, 0.123456, 0.77777, 1.0, 2.0}) {
    const double value = eps.value_at(place);
    EXPECT_LE(eps.text(value).size(), std::string("0.000123").size()) << value;
    EXPECT_GE(value, 0.0001);
    EXPECT_LE(value, 0.2);
  }
}

TEST(TuneRange, EveryDefaultIsFoundAtItsPlace) {
  for (const PolicyKind& kind : policy_kinds()) {
    const TuneSpace space = space_of(kind.name, {});
    EXPECT_EQ(space.size(), kind.parameters.size());
    EXPECT_EQ(space.values_at(space.places_of(space.defaults())), space.defaults()) << kind.name;
  }
}

TEST(TuneSpace, SetsWhatItNamesAndNothingElse) {
  const TuneSpace space = space_of("mpc", {"latency", "eps"});
  const PolicySettings settings = space.settings({1.5, 0.02});
  EXPECT_EQ(settings.mpc.latency, std::chrono::microseconds{1500});
  EXPECT_EQ(settings.mpc.eps, 0.02);
  EXPECT_EQ(settings.mpc.margin, MpcSettings{}.margin);
}

TEST(TuneSpace, SaysWhichPoliciesAndParametersThereAre) {
  const auto error = [](std::string_view policy, const std::vector<std::string>& names) {
    return TuneSpace::of(policy, names).error();
  };
  EXPECT_EQ(error("schedutil", {}).code, ExitCode::kUsage);
  EXPECT_THAT(error("schedutil", {}).to_string(), HasSubstr("mpc"));
  EXPECT_THAT(error("mpc", {"epps"}).to_string(), HasSubstr("did you mean 'eps'"));
  EXPECT_THAT(error("mpc", {"eps", "eps"}).to_string(), HasSubstr("named twice"));
}

TEST(TuneFigures, EnergyIsAMeanByFramesAndMissesAreOfAllDeadlines) {
  const std::vector<TuneRun> runs{
      {0, 100, 100, 10, 0.5, 1.0}, {1, 300, 200, 5, 1.0, {}}, {2, 900, 900, 900, 9, 9.0}};
  const TuneFigures both = TuneFigures::of(runs, {true, true, false});
  EXPECT_NEAR(both.energy, std::pow(0.5, 0.25), 1e-12);
  EXPECT_NEAR(both.missed, 15.0 / 300, 1e-12);
  EXPECT_NEAR(both.others, 1, 1e-12) << "where nothing else runs, nothing is delayed";
}

TEST(TuneFolds, EachLeavesOutOthersAndAllAreLeftOutOnce) {
  const auto folds = tune_folds(5, 3);
  ASSERT_EQ(folds.size(), 3U);
  for (std::size_t recording = 0; recording < 5; ++recording) {
    EXPECT_EQ(folds[0][recording] + folds[1][recording] + folds[2][recording], 1);
  }
  EXPECT_EQ(tune_folds(2, 5).size(), 2U);
}

TEST(ParetoFront, KeepsWhatNothingBeatsByEnergy) {
  const std::vector<TuneFigures> all{figures(0.9, 0.001), figures(0.7, 0.02), figures(0.8, 0.02),
                                     figures(0.8, 0.005), figures(0.7, 0.02)};
  EXPECT_THAT(pareto_front(all, 1.1), ElementsAre(1, 3, 0));
  EXPECT_THAT(pareto_front({}, 1.1), IsEmpty());
}

TEST(ParetoFront, LeavesOutWhatDelaysOthers) {
  const std::vector<TuneFigures> all{figures(0.9, 0.01), figures(0.5, 0, 1.5)};
  EXPECT_THAT(pareto_front(all, 1.1), ElementsAre(0));
}

class TuningTest : public ::testing::Test {
 protected:
  static std::vector<ReplayInput> recordings() {
    std::vector<ReplayInput> inputs;
    for (const char* name :
         {"synthetic:fling@120:2", "synthetic:scroll@60:3", "synthetic:mixed@90:2"}) {
      inputs.push_back({name, *parse_synthetic(name), {}});
    }
    return inputs;
  }
  static ReplaySettings settings() {
    ReplaySettings settings;
    settings.plant.world = World::phone();
    return settings;
  }
  static TuneSearch tries(const std::vector<TunePlaces>& batch) {
    return [batch](const TunePlaces&, const TuneObjective& objective) { (void)objective(batch); };
  }

  DeviceCatalog catalog_ = *DeviceCatalog::load();
  std::vector<ReplayDevice> devices_{{**catalog_.find("sm8250"), World::phone().power}};
};

TEST_F(TuningTest, RunsAreTheSameOnAnyNumberOfThreads) {
  const TuneSpace space = space_of("pid", {"margin", "cap_headroom"});
  const std::vector<TuneValues> batch{{0, 1}, {0.2, 1.5}, {0.5, 4}};
  TuneRunner one(recordings(), devices_, space, settings(), 1);
  TuneRunner four(recordings(), devices_, space, settings(), 4);
  one.run(batch);
  four.run(batch);
  const TuneMask all(3, true);
  for (const TuneValues& values : batch) {
    const TuneFigures a = TuneFigures::of(one.runs_of(values), all);
    const TuneFigures b = TuneFigures::of(four.runs_of(values), all);
    EXPECT_EQ(std::tie(a.energy, a.missed, a.others), std::tie(b.energy, b.missed, b.others));
    EXPECT_GT(a.energy, 0);
  }
}

TEST_F(TuningTest, ASearchSeesNoneOfTheRecordingsThatItsFoldLeavesOut) {
  const TuneSpace space = space_of("pid", {"margin"});
  TuneRunner runner(recordings(), devices_, space, settings(), 1);
  const auto folds = tune_folds(3, 3);
  std::vector<TuneObjectives> seen;
  (void)tune(runner, folds, 0, [&](const TunePlaces& start, const TuneObjective& objective) {
    seen.push_back(objective({start}).front());
  });
  ASSERT_EQ(seen.size(), 4U) << "one for each fold, and one on all";
  const auto& runs = runner.runs_of(space.defaults());
  for (std::size_t fold = 0; fold < 3; ++fold) {
    TuneMask rest = folds[fold];
    rest.flip();
    EXPECT_EQ(seen[fold].first, TuneFigures::of(runs, rest).energy);
  }
  EXPECT_EQ(seen[3].first, TuneFigures::of(runs, TuneMask(3, true)).energy);
}

TEST_F(TuningTest, WithoutAnythingBetterTheDefaultsStand) {
  const TuneSpace space = space_of("pid", {"margin"});
  TuneRunner runner(recordings(), devices_, space, settings(), 1);
  const TuneResult result = tune(runner, tune_folds(3, 3), 0, tries({}));
  ASSERT_EQ(result.front.size(), 1U);
  EXPECT_EQ(result.front[0].values, space.defaults());
  EXPECT_EQ(result.front[0].left_out.energy, result.defaults.energy);
  EXPECT_FALSE(result.holds);
  EXPECT_EQ(result.folds_held, 0U);
}

TEST_F(TuningTest, MissesThatAreAllowedBuyEnergy) {
  const TuneSpace space = space_of("mpc", {"eps"});
  TuneRunner runner(recordings(), devices_, space, settings(), 1);
  const auto folds = tune_folds(3, 3);
  const TunePlaces many_late{0.95};
  const TuneResult strict = tune(runner, folds, 0, tries({many_late}));
  EXPECT_EQ(strict.front[strict.chosen].values, space.defaults());
  EXPECT_FALSE(strict.holds);
  const TuneResult lax = tune(runner, folds, 1, tries({many_late}));
  EXPECT_EQ(lax.front[lax.chosen].values, space.values_at(many_late));
  EXPECT_GT(lax.front[lax.chosen].left_out.missed, lax.defaults.missed);
  EXPECT_TRUE(lax.holds);
}

}  // namespace
}  // namespace framegov::sim
