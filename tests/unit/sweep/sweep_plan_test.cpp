// SPDX-License-Identifier: Apache-2.0
#include "sim/sweep/sweep_plan.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "sim/sweep/sweep_key.h"
#include "tests/support/cpufreq_tree.h"

namespace framegov::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class SweepPlanTest : public ::testing::Test {
 protected:
  [[nodiscard]] Result<SweepPlan> parsed(const std::string& yaml) const {
    return parse_sweep_plan(yaml, "plan.yaml", folder_.path(), *DeviceCatalog::load());
  }
  [[nodiscard]] std::string mistake(const std::string& yaml) const {
    const auto plan = parsed(yaml);
    return plan ? "none" : plan.error().to_string();
  }
  test::TemporaryFolder folder_;
};

constexpr const char* kPlan = R"(
inputs: [synthetic:fling@120:5s, "synthetic:scroll@60:5"]
devices: [sm8250, tensor_g1]
policies:
  - schedutil-boost
  - mpc: {eps: [0.001, 0.01]}
worlds:
  - ideal
  - phone: {work-noise: [ticks, 20]}
seeds: [1, 5..7]
)";

TEST_F(SweepPlanTest, CountsEveryCombinationAndFindsEachByItsNumber) {
  const auto plan = parsed(kPlan);
  ASSERT_TRUE(plan) << plan.error().to_string();
  EXPECT_EQ(plan->scenes(), 2U * 2 * 3 * 4);
  EXPECT_EQ(plan->runs(), 2U * 2 * 3 * 4 * 3);
  EXPECT_THAT(plan->seeds, ElementsAre(1U, 5U, 6U, 7U));
  EXPECT_EQ(plan->policies[1].name(), "mpc eps=0.001");
  EXPECT_EQ(plan->policies[2].settings.mpc.eps, 0.01);
  EXPECT_EQ(plan->worlds[2].name, "phone work-noise=20");
  EXPECT_EQ(plan->worlds[2].world.work_noise, 0.2);
  EXPECT_TRUE(plan->worlds[1].world.work_at_ticks);
  std::set<std::tuple<std::size_t, std::size_t, std::size_t, std::uint64_t>> seen;
  for (std::size_t number = 0; number < plan->scenes(); ++number) {
    const SweepScene scene = plan->scene(number);
    seen.insert({scene.input, scene.device, scene.world, scene.seed});
  }
  EXPECT_EQ(seen.size(), plan->scenes());
  EXPECT_EQ(plan->scene(plan->scenes() - 1).input, 1U);
}

TEST_F(SweepPlanTest, FindsRecordingsInThePlansFolder) {
  for (const char* name : {"b.json", "a.json", "c.txt"}) {
    std::ofstream(folder_.path() / name) << "{}";
  }
  const auto plan = parsed("inputs: ['*.json', b.json]\ndevices: sm8250\npolicies: pid\n");
  ASSERT_TRUE(plan) << plan.error().to_string();
  ASSERT_EQ(plan->inputs.size(), 2U) << "a file that two entries name is one input";
  EXPECT_EQ(plan->inputs[0].name, "a.json");
  EXPECT_EQ(plan->inputs[1].path, folder_.path() / "b.json");
}

TEST_F(SweepPlanTest, MistakesAreToldWithTheirLineAndWhatThereIs) {
  const std::string begin = "inputs: synthetic:fling@120:5\ndevices: sm8250\n";
  EXPECT_THAT(mistake(begin + "policies: [mcp]\n"), StartsWith("plan.yaml:3: no policy is called"));
  EXPECT_THAT(mistake(begin + "policies: [mcp]\n"), HasSubstr("did you mean 'mpc'"));
  EXPECT_THAT(mistake(begin + "policies:\n  - mpc: {epz: 1}\n"), StartsWith("plan.yaml:4: "));
  EXPECT_THAT(mistake(begin + "policies:\n  - mpc: {eps: 7}\n"),
              StartsWith("plan.yaml:4: eps is a number from"));
  EXPECT_THAT(mistake(begin + "policies: pid\npolicys: mpc\n"), HasSubstr("'policies'"));
  EXPECT_THAT(mistake(begin + "policies: pid\nworlds:\n - phone: {placement: eas-9}\n"),
              StartsWith("plan.yaml:5: no placement is called 'eas-9'"));
  EXPECT_THAT(mistake(begin + "policies: pid\nseeds: 9..3\n"), StartsWith("plan.yaml:4: seeds"));
  EXPECT_THAT(mistake("inputs: none/*.json\n"), StartsWith("plan.yaml:1: no file matches"));
  EXPECT_THAT(mistake(begin), HasSubstr("'policies' is missing"));
  EXPECT_THAT(mistake("inputs: [\n"), StartsWith("plan.yaml:"));
  EXPECT_THAT(mistake("- 1\n"), HasSubstr("a plan is a map"));
  EXPECT_THAT(mistake(begin + "policies: pid\nseeds: [1..9999999, 1..9]\n"), HasSubstr("at most"));
  EXPECT_THAT(mistake("inputs: synthetic:fling@120:5\ndevices: all\npolicies: all\n"
                      "seeds: 1..9999999\n"),
              HasSubstr("runs"));
}

TEST_F(SweepPlanTest, ChoicesThatWouldFillTheMemoryAreRefused) {
  const std::string begin = "inputs: synthetic:fling@120:5\ndevices: sm8250\npolicies:\n";
  const std::string ten = "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]";
  std::string map;
  for (const char* key : {"a", "b", "c", "d", "e"}) {
    map += (map.empty() ? "" : ", ") + std::string(key) + ": " + ten;
  }
  EXPECT_THAT(mistake(begin + "  - pid: {" + map + "}\n"), HasSubstr("'a'"));
  EXPECT_THAT(mistake(begin + "  - pid: {" + map + ", f: [1, 2]}\n"), HasSubstr("more choices"));
  const auto up_to = [](int last) {
    std::string list = "0";
    for (int i = 1; i <= last; ++i) {
      list += ", " + std::to_string(i);
    }
    return "[" + list + "]";
  };
  const std::string world =
      "  - ideal: {event-latency: " + up_to(299) + ", tail: " + up_to(199) + "}\n";
  EXPECT_EQ(mistake(begin + "  - pid\nworlds:\n" + world), "none");
  EXPECT_THAT(mistake(begin + "  - pid\nworlds:\n" + world + world),
              HasSubstr("worlds have more choices"));
}

TEST_F(SweepPlanTest, APhoneMayHaveToBeTheVeryOne) {
  EXPECT_THAT(mistake("inputs: synthetic:fling@120:5\npolicies: pid\ndevices:\n  - sm8250: abc\n"),
              StartsWith("plan.yaml:4: sm8250 is not the phone that the plan was made for"));
}

TEST_F(SweepPlanTest, AGeneratedInputMayHaveStatisticsOfItsOwn) {
  const std::string rest = "devices: sm8250\npolicies: pid\n";
  const auto plan =
      parsed("inputs:\n  - slow: {scene: fling, hz: 90, seconds: 5, median-ms: 9}\n" + rest);
  ASSERT_TRUE(plan) << plan.error().to_string();
  EXPECT_EQ(plan->inputs[0].name, "synthetic:slow");
  EXPECT_EQ(plan->inputs[0].generated.median_ms, 9);
  EXPECT_EQ(plan->inputs[0].generated.deviation, 0.20) << "as apps are at 90 Hz";
  EXPECT_THAT(mistake("inputs:\n  - slow: {scene: fling, hz: 90}\n" + rest),
              StartsWith("plan.yaml:2: "));
}

/// All that determines a result is in its key, and nothing else.
TEST_F(SweepPlanTest, KeysTellRunsApart) {
  const auto plan = *parsed(kPlan);
  std::set<std::string> keys;
  for (std::size_t scene = 0; scene < plan.scenes(); ++scene) {
    for (std::size_t variant = 0; variant < plan.variants(); ++variant) {
      keys.insert(sweep_key(plan, scene, variant, ""));
    }
  }
  EXPECT_EQ(keys.size(), plan.runs());
  std::ofstream(folder_.path() / "a.json") << "{}";
  std::ofstream(folder_.path() / "b.json") << "{}";
  const auto a = *parsed("inputs: a.json\ndevices: sm8250\npolicies: mpc\n");
  const auto b = *parsed("inputs: b.json\ndevices: sm8250\npolicies: mpc\n");
  const auto c = *parsed("inputs: b.json\ndevices: sm8250\npolicies: mpc\nlate: drop\n");
  EXPECT_EQ(sweep_key(a, 0, 0, "aa"), sweep_key(b, 0, 0, "aa")) << "a name determines nothing";
  EXPECT_NE(sweep_key(a, 0, 0, "aa"), sweep_key(b, 0, 0, "bb"));
  EXPECT_NE(sweep_key(b, 0, 0, "aa"), sweep_key(c, 0, 0, "aa"));
  EXPECT_THAT(std::string(simulator_version()), HasSubstr("+")) << "the sources' hash";
}

}  // namespace
}  // namespace framegov::sim
