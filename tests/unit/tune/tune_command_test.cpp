// SPDX-License-Identifier: Apache-2.0
// `framegov tune` as it is typed, and what it prints and writes.
#include <gmock/gmock.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/tune/tune_output.h"
#include "config/load.h"

namespace framegov::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const TuneConditions kConditions{.recordings = {"a.json", "b\n.json"},
                                 .devices = {"sm8250"},
                                 .world = "phone",
                                 .deadline = "strict",
                                 .folds = 2,
                                 .allowance = 0,
                                 .effort = {}};

sim::TuneSpace mpc(const std::vector<std::string>& names) {
  return *sim::TuneSpace::of("mpc", names);
}

/// One choice beside the defaults (energy 0.8, missed 0.01).
sim::TuneResult found(const sim::TuneValues& values, sim::TuneFigures in_sample,
                      sim::TuneFigures left_out, bool holds) {
  return {.defaults = {0.8, 0.01, 1},
          .front = {{values, in_sample, left_out}},
          .chosen = 0,
          .searches = 3,
          .folds_held = 1,
          .holds = holds};
}

TEST(TuneOutput, ThePointThatHoldsIsAProfileThatTheServiceReads) {
  const auto space = mpc({"eps", "margin"});
  const auto yaml = tune_profile(
      space, found({0.00213, 0.05}, {0.7, 0.01, 1}, {0.75, 0.01, 1}, true), kConditions);
  EXPECT_THAT(yaml, HasSubstr("b?.json")) << "no name ends a comment";
  const auto settings = parse_settings(yaml, "tuned.yaml");
  ASSERT_TRUE(settings) << settings.error().to_string();
  const auto& defaults = settings->profiles.defaults;
  EXPECT_EQ(defaults.policy->value, "mpc");
  EXPECT_EQ(defaults.eps->value, 0.00213);
  EXPECT_EQ(defaults.margin->value, 0.05);
}

TEST(TuneOutput, WhatNoProfileSetsIsASectionOfAConfiguration) {
  const auto space = mpc({"eps", "latency", "parts"});
  const auto settings = parse_settings(
      tune_profile(space, found({0.003, 1.5, 2}, {0.7, 0.01, 1}, {0.75, 0.01, 1}, true),
                   kConditions),
      "tuned.yaml");
  ASSERT_TRUE(settings) << settings.error().to_string();
  EXPECT_EQ(settings->policies.mpc.eps, 0.003);
  EXPECT_EQ(settings->policies.mpc.latency, std::chrono::microseconds{1500});
  EXPECT_EQ(settings->policies.mpc.parts, 2);
}

TEST(TuneOutput, OneSentenceSaysWhetherItHolds) {
  EXPECT_THAT(
      tune_verdict(found({}, {0.7, 0.01, 1}, {0.75, 0.009, 1}, true), kConditions),
      AllOf(HasSubstr("holds on the recordings left out, in 1 of 2 folds"),
            HasSubstr(
                "energy 0.750 of schedutil-boost's (defaults 0.800), missed 0.900 % (1.000 %)")));
  EXPECT_THAT(tune_verdict(found({}, {0.7, 0.01, 1}, {0.75, 0.02, 1}, false), kConditions),
              AllOf(HasSubstr("does not hold"), HasSubstr("the defaults stand")));
  EXPECT_THAT(tune_verdict(found({}, {0.8, 0.01, 1}, {0.8, 0.01, 1}, false), kConditions),
              HasSubstr("Nothing was found"));
}

TEST(TuneOutput, TheTableShowsTheDefaultsAndTheChoice) {
  const auto space = mpc({"eps"});
  std::ostringstream out;
  print_tune(out, space, found({0.002}, {0.7, 0.01, 1}, {0.75, 0.01, 1}, true), kConditions);
  EXPECT_THAT(out.str(),
              AllOf(HasSubstr("left out      eps\n"),
                    HasSubstr("defaults      0.800     0.800      1.000     1.000    0.001\n"),
                    HasSubstr("chosen        0.700     0.750      1.000     1.000    0.002\n")));
}

TEST(TuneOutput, LostRanksStandInTheTableAndInTheJson) {
  const auto space = mpc({"eps"});
  const auto result = found({0.002}, {0.7, 0.01, 1}, {0.75, 0.01, 1}, true);
  const auto table = [&](const TuneConditions& conditions) {
    std::ostringstream out;
    print_tune(out, space, result, conditions);
    return out.str();
  };
  EXPECT_THAT(table(kConditions), Not(HasSubstr("lost")));
  EXPECT_EQ(tune_json(space, result, kConditions)["lost_ranks"], nlohmann::json::array());
  TuneConditions some_lost = kConditions;
  some_lost.lost_ranks = {1, 5};
  EXPECT_THAT(table(some_lost), HasSubstr("\nlost ranks: 1, 5; the others did their work\n"));
  EXPECT_EQ(tune_json(space, result, some_lost)["lost_ranks"], nlohmann::json({1, 5}));
}

class TuneCommandTest : public ::testing::Test {
 protected:
  struct Outcome {
    int code = 0;
    std::string out;
    std::string err;
  };
  static Outcome tune(const std::string& line) {
    CLI::App app{"framegov", "framegov"};
    CommandResult result;
    register_tune(app, result);
    Outcome outcome;
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    try {
      app.parse("tune " + line);
      outcome.code = static_cast<int>(result.code);
    } catch (const CLI::ParseError& error) {
      outcome.code = app.exit(error) == 0 ? 0 : static_cast<int>(ExitCode::kUsage);
    }
    outcome.out = ::testing::internal::GetCapturedStdout();
    outcome.err = ::testing::internal::GetCapturedStderr();
    return outcome;
  }
  /// Without pagmo every search ends with that.
  static void SetUpTestSuite() { has_pagmo = nsga2_search({}).has_value(); }
  static inline bool has_pagmo = false;

  static constexpr const char* kInputs =
      "synthetic:fling@120:2 synthetic:scroll@60:3 synthetic:mixed@90:2 ";
  static constexpr const char* kEffort = " --generations 2 --population 8 --folds 3 --on sm8250 ";
};

TEST_F(TuneCommandTest, TheSameSeedGivesTheSameFrontOnAnyNumberOfThreads) {
  if (!has_pagmo) {
    GTEST_SKIP() << "built without pagmo";
  }
  const std::string line = std::string(kInputs) + "--policy mpc --json -" + kEffort;
  const Outcome one = tune(line + "--jobs 1");
  ASSERT_EQ(one.code, 0) << one.err;
  EXPECT_EQ(tune(line + "--jobs 3").out, one.out);
  const auto json = nlohmann::json::parse(one.out);
  EXPECT_EQ(json["front"][0]["parameters"].size(), 8U);
  EXPECT_NE(tune(line + "--seed 2").out, one.out);
}

TEST_F(TuneCommandTest, IslandsGiveTheSameFrontOnAnyNumberOfThreads) {
  if (!has_pagmo) {
    GTEST_SKIP() << "built without pagmo";
  }
  const std::string line = std::string(kInputs) +
                           "--policy mpc --parameters eps,margin --islands 2 " +
                           "--generations 5 --population 8 --folds 2 --on sm8250 --json - --jobs ";
  const Outcome one = tune(line + "1");
  ASSERT_EQ(one.code, 0) << one.err;
  EXPECT_EQ(tune(line + "3").out, one.out);
  EXPECT_EQ(nlohmann::json::parse(one.out)["islands"], 2);
}

/// Of each batch that a search asks for, the places.
using Batches = std::vector<std::vector<sim::TunePlaces>>;

TEST_F(TuneCommandTest, IslandsExchangeTheirBestAfterAnEpoch) {
  if (!has_pagmo) {
    GTEST_SKIP() << "built without pagmo";
  }
  const TuneEffort effort{.generations = kIslandEpoch + 1, .population = 8, .islands = 2};
  Batches batches;
  // The first choice of all, on the first island, beats everything else, which is all the same.
  (*nsga2_search(effort))({0.5, 0.5, 0.5, 0.5}, [&](const std::vector<sim::TunePlaces>& batch) {
    batches.push_back(batch);
    std::vector<sim::TuneObjectives> objectives(batch.size(), {1, 1});
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (batch[i] == batches[0][0]) {
        objectives[i] = {0, 0};
      }
    }
    return objectives;
  });
  std::size_t asked = 0;
  for (const auto& batch : batches) {
    asked += batch.size();
  }
  EXPECT_EQ(asked, effort.choices());
  // A child has some places of either parent.
  const auto has_child_of_the_best = [&](std::size_t at) {
    const sim::TunePlaces& best = batches[0][0];
    return std::ranges::any_of(batches[at], [&](const sim::TunePlaces& child) {
      return !std::ranges::equal(child, best, std::ranges::not_equal_to());
    });
  };
  // Two batches begin each island, then they breed in turn.
  constexpr std::size_t kFirst = 4;
  EXPECT_TRUE(has_child_of_the_best(kFirst + kIslandEpoch - 1));
  for (std::size_t i = 0; i < kIslandEpoch; ++i) {
    EXPECT_FALSE(has_child_of_the_best(kFirst + kIslandEpoch + i)) << i;
  }
  EXPECT_TRUE(has_child_of_the_best(kFirst + 2 * kIslandEpoch + 1));
}

TEST_F(TuneCommandTest, MistakesAreToldBeforeAnyWork) {
  EXPECT_THAT(tune(std::string(kInputs) + "--population 30").err, HasSubstr("multiple of 4"));
  EXPECT_THAT(tune(std::string(kInputs) + "--folds 1").err, HasSubstr("from 2"));
  EXPECT_THAT(tune(std::string(kInputs) + "--output /nowhere/x.yaml").err,
              HasSubstr("/nowhere/x.yaml cannot be written"));
  if (!has_pagmo) {
    const Outcome without = tune(kInputs);
    EXPECT_EQ(without.code, static_cast<int>(ExitCode::kUnsupported));
    EXPECT_THAT(without.err, HasSubstr("libpagmo-dev"));
    return;
  }
  EXPECT_THAT(tune(std::string(kInputs) + "--policy mcp").err, HasSubstr("did you mean 'mpc'"));
  EXPECT_THAT(tune(std::string(kInputs) + "--parameters epps").err, HasSubstr("'eps'"));
  const Outcome alone = tune("synthetic:fling@120:2 synthetic:still@60:1");
  EXPECT_EQ(alone.code, static_cast<int>(ExitCode::kBadInput));
  EXPECT_THAT(alone.err, AllOf(HasSubstr("fewer than 100 frames"), HasSubstr("only recording"),
                               HasSubstr("name two or more"), Not(HasSubstr("choices"))));
}

}  // namespace
}  // namespace framegov::cli
