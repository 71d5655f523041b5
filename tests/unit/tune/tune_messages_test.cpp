// SPDX-License-Identifier: Apache-2.0
// What the ranks of a tuning say to each other of its work, and what is not taken from one.
#include "cli/tune/tune_messages.h"

#include <gmock/gmock.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/json_text.h"
#include "sim/devices/device_catalog.h"

namespace framegov::cli {
namespace {

using nlohmann::json;

sim::ReplaySettings settings() {
  sim::ReplaySettings settings;
  settings.plant.world = sim::World::phone();
  return settings;
}

const std::vector<sim::ReplayDevice>& devices() {
  static const sim::DeviceCatalog kCatalog = *sim::DeviceCatalog::load();
  static const std::vector<sim::ReplayDevice> kDevices{
      {**kCatalog.find("sm8250"), settings().world().power},
      {**kCatalog.find("tensor_g1"), settings().world().power}};
  return kDevices;
}

std::vector<sim::ReplayInput> recordings() {
  std::vector<sim::ReplayInput> inputs;
  for (const char* name : {"synthetic:fling@120:2", "synthetic:scroll@60:3"}) {
    inputs.push_back({name, *sim::parse_synthetic(name), {}});
  }
  return inputs;
}

/// Four scenes; eps is from 0.0001 to 0.2, placement one of 0, 1 and 2.
sim::TuneRunner& runner() {
  static sim::TuneRunner scenes(recordings(), devices(),
                                *sim::TuneSpace::of("mpc", {"eps", "placement"}), settings(), 1);
  return scenes;
}

/// As it comes over a line.
json sent(const json& message) { return json::parse(json_line(message)); }

TEST(TuneMessages, ArriveAsTheyWereSentToTheLastBit) {
  const std::vector<sim::TuneUnit> choices{{0, {0.00123, 2}}, {3, {0.2, 0}}};
  EXPECT_EQ(choices_in(sent(to_json(choices)), runner()), choices);

  const sim::TuneRun run = runner().replay(choices[1]);
  const auto done = done_in(sent(to_json(TuneDone{choices[1], run})), runner());
  ASSERT_TRUE(done);
  EXPECT_EQ(done->unit, choices[1]);
  EXPECT_EQ(std::tie(done->run.frames, done->run.feasible, done->run.missed, done->run.energy,
                     done->run.others),
            std::tie(run.frames, run.feasible, run.missed, run.energy, run.others));
  EXPECT_GT(run.frames, 0);

  sim::TuneRun alone = run;
  alone.others.reset();
  EXPECT_FALSE(done_in(sent(to_json(TuneDone{choices[1], alone})), runner())->run.others);
}

TEST(TuneMessages, WhatOthersSendCountsAsWhatIsReplayedHere) {
  const sim::TuneValues values{0.01, 1};
  sim::TuneRunner here(recordings(), devices(), runner().space(), settings(), 1);
  here.run({values});
  for (std::size_t scene = 0; scene < 4; ++scene) {
    const auto done = done_in(
        sent(to_json(TuneDone{{scene, values}, runner().replay({scene, values})})), runner());
    ASSERT_TRUE(done);
    const sim::TuneRun& own = here.runs_of(values)[scene];
    EXPECT_EQ(own.recording, scene / 2);
    const sim::TuneRun before = own;
    here.keep(done->unit, done->run);
    EXPECT_EQ(
        std::tie(own.recording, own.frames, own.energy, own.missed, own.others),
        std::tie(before.recording, before.frames, before.energy, before.missed, before.others));
  }
}

TEST(TuneMessages, ChoicesThatAreNotOfTheSpaceAreNotTaken) {
  for (const char* const choices :
       {"[[4,[0.01,1]]]", "[[-1,[0.01,1]]]", "[[18446744073709551616,[0.01,1]]]",
        "[[0.5,[0.01,1]]]", "[[0,[0.3,1]]]", "[[0,[0.01,3]]]", "[[0,[0.01,0.5]]]", "[[0,[0.01]]]",
        "[[0,[0.01,1,1]]]", "[[0,[null,1]]]", "[[0,[true,1]]]", R"([[0,["0.01",1]]])", "[[0,0.01]]",
        "[[0]]", "[0,[0.01,1]]", "null", "7", R"({"0":[0,[0.01,1]]})"}) {
    EXPECT_FALSE(choices_in(json::parse(R"({"choices":)" + std::string(choices) + "}"), runner()))
        << choices;
  }
  EXPECT_TRUE(choices_in(json::parse(R"({"choices":[[3,[0.01,1]]]})"), runner()));
  EXPECT_FALSE(choices_in(json(json::value_t::discarded), runner()));
  EXPECT_FALSE(choices_in(json::array(), runner()));
}

TEST(TuneMessages, ResultsThatNoReplayComesToAreNotTaken) {
  const auto with = [](const char* pointer, const json& value) {
    json message = to_json(TuneDone{{1, {0.01, 1}}, {0, 100, 90, 3, 0.75, {}}});
    message[json::json_pointer(pointer)] = value;
    return done_in(sent(message), runner()).has_value();
  };
  EXPECT_TRUE(with("/run/3", 1)) << "a whole number is one too";
  EXPECT_TRUE(with("/run/4", 1.1));
  EXPECT_FALSE(with("/choice/0", 4)) << "no scene of ours";
  EXPECT_FALSE(with("/choice/1/0", 0.3)) << "beyond its range";
  EXPECT_FALSE(with("/run/0", -1));
  EXPECT_FALSE(with("/run/0", std::uint64_t{1} << 32U)) << "beyond its type";
  EXPECT_FALSE(with("/run/0", 1.5));
  EXPECT_FALSE(with("/run/2", 91)) << "more missed than could be met";
  EXPECT_FALSE(with("/run/3", nullptr));
  EXPECT_FALSE(with("/run/3", -0.5));
  EXPECT_FALSE(with("/run/3", "0.75"));
  EXPECT_FALSE(with("/run/4", -1));
  EXPECT_FALSE(with("/run", nullptr));
  EXPECT_FALSE(with("/run", json::array()));
}

TEST(TuneMessages, TheHashIsOfAllThatARunDependsOn) {
  const auto space = [](const char* policy, const std::vector<std::string>& names) {
    return *sim::TuneSpace::of(policy, names);
  };
  const sim::TuneSpace eps = space("mpc", {"eps"});
  const auto hash = tune_work(recordings(), "", devices(), eps, settings());
  EXPECT_EQ(tune_work(recordings(), "", devices(), eps, settings()), hash);

  std::set<std::string> all{hash};
  std::vector<sim::ReplayInput> others = recordings();
  std::swap(others[0], others[1]);
  all.insert(tune_work(others, "", devices(), eps, settings()));
  others.pop_back();
  all.insert(tune_work(others, "", devices(), eps, settings()));
  all.insert(tune_work(recordings(), "sm8250", devices(), eps, settings()));
  all.insert(tune_work(recordings(), "", {devices()[1]}, eps, settings()));
  all.insert(tune_work(recordings(), "", devices(), space("mpc", {"margin"}), settings()));
  all.insert(tune_work(recordings(), "", devices(), space("pid", {"margin"}), settings()));
  sim::ReplaySettings changed = settings();
  changed.deadline = sim::DeadlineMode::kBuffered;
  all.insert(tune_work(recordings(), "", devices(), eps, changed));
  changed = settings();
  changed.plant.world.seed = 2;
  all.insert(tune_work(recordings(), "", devices(), eps, changed));
  changed.plant.world = sim::World::ideal();
  all.insert(tune_work(recordings(), "", devices(), eps, changed));
  EXPECT_EQ(all.size(), 10U);
}

}  // namespace
}  // namespace framegov::cli
