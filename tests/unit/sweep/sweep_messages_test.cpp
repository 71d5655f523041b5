// SPDX-License-Identifier: Apache-2.0
// What the ranks of a sweep say to each other of its work, and what is not taken from one.
#include "cli/sweep/sweep_messages.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "base/json_text.h"

namespace framegov::cli {
namespace {

using nlohmann::json;
using sim::SweepUnit;

/// Of two scenes, each of two units, the second of which has but one run.
const sim::SweepPlan& plan() {
  static const sim::SweepPlan kPlan = *sim::parse_sweep_plan(
      "inputs: ['synthetic:fling@120:2']\ndevices: [sm8250]\nseeds: 1..2\nbounds: true\n"
      "policies: [mpc, pid, schedutil, powersave, performance, adpf, "
      "{mpc: {eps: [0.01, 0.03]}}]\n",
      "plan", {}, *sim::DeviceCatalog::load());
  return kPlan;
}

/// As it comes over a line.
json sent(const json& message) { return json::parse(json_line(message)); }

RankUnit second_unit() {
  return {{1, 1}, sim::SweepUnitResults{{12, -5, "aa"}, {{0, 8, "key", R"({"strict_mj":1.5})"}}}};
}

TEST(SweepMessages, ArriveAsTheyWereSent) {
  ASSERT_EQ(plan().units(), 4U);
  const sim::SweepQueue::Units units{{0, 255}, {3, 1}};
  EXPECT_EQ(units_in(sent(to_json(units)), plan()), units);
  EXPECT_EQ(units_in(sent(to_json(sim::SweepQueue::Units{})), plan()), sim::SweepQueue::Units{});

  const auto unit = unit_in(sent(to_json(second_unit())), plan());
  ASSERT_TRUE(unit && unit->done);
  EXPECT_EQ(unit->unit, (SweepUnit{1, 1}));
  EXPECT_EQ(
      std::tie(unit->done->input.bytes, unit->done->input.changed_ns, unit->done->input.sha256),
      std::make_tuple(12, -5, "aa"));
  ASSERT_EQ(unit->done->results.size(), 1U);
  EXPECT_EQ(unit->done->results[0].key, "key");
  EXPECT_EQ(unit->done->results[0].figures, R"({"strict_mj":1.5})");

  const auto failed = unit_in(
      sent(to_json(RankUnit{{0, 2}, fail(ExitCode::kBadInput, "no file", "look")})), plan());
  ASSERT_TRUE(failed && !failed->done);
  EXPECT_EQ(failed->done.error().to_string(), "no file (look)");
}

TEST(SweepMessages, UnitsThatAreNotOfThePlanAreNotTaken) {
  for (const char* const units : {"[[4,1]]", "[[1,2]]", "[[0,0]]", "[[0,256]]", "[[0,257]]",
                                  "[[-1,1]]", "[[0.5,1]]", "[[18446744073709551616,1]]", "[[0]]",
                                  "[0,1]", "null", "7", R"("all")", R"({"0":[0,1]})"}) {
    EXPECT_FALSE(units_in(json::parse(R"({"units":)" + std::string(units) + "}"), plan())) << units;
  }
  EXPECT_FALSE(units_in(json(json::value_t::discarded), plan()));
  EXPECT_FALSE(units_in(json::array(), plan()));
}

TEST(SweepMessages, ResultsOfOtherRunsAreNotTaken) {
  const auto with = [](const char* pointer, const json& value) {
    json message = to_json(second_unit());
    message[json::json_pointer(pointer)] = value;
    return unit_in(sent(message), plan()).has_value();
  };
  EXPECT_TRUE(with("/results/0/2", "another key"));
  EXPECT_FALSE(with("/unit/1", 3)) << "a run that the plan has not";
  EXPECT_FALSE(with("/results/0/0", 1)) << "another scene's";
  EXPECT_FALSE(with("/results/0/0", std::uint64_t{1} << 63U));
  EXPECT_FALSE(with("/results/0/1", 7)) << "another unit's";
  EXPECT_FALSE(with("/results/0/1", 9)) << "no variant of the plan";
  EXPECT_FALSE(with("/results/0/3", "[1]")) << "no figures";
  EXPECT_FALSE(with("/results/0/3", "{")) << "no JSON";
  EXPECT_FALSE(with("/results/1", json::array({0, 8, "key", "{}"}))) << "one run twice";
  EXPECT_FALSE(with("/results", json::array())) << "a run without a result";
  EXPECT_FALSE(with("/results", json::object()));
  EXPECT_FALSE(with("/input/0", 1e300));
  EXPECT_FALSE(with("/input", nullptr));
  EXPECT_FALSE(with("/failed", "a word"));
}

}  // namespace
}  // namespace framegov::cli
