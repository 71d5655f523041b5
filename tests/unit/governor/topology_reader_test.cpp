// SPDX-License-Identifier: Apache-2.0
#include "governor/cpufreq/topology_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "governor/cpufreq/calibrated_power.h"
#include "tests/support/allocation_counter.h"
#include "tests/support/cpufreq_tree.h"
#include "tests/support/shared_data.h"

namespace framegov {
namespace {

using test::PolicyShape;
using test::TemporaryCpufreqTree;
using ::testing::Contains;
using ::testing::HasSubstr;

Result<TopologyReading> read(const std::filesystem::path& root, const PowerSources& sources = {}) {
  FRAMEGOV_TRY(const auto tree, CpufreqTree::open(root));
  return read_topology(tree, sources);
}

void write_text(const std::filesystem::path& path, const std::string& content) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << content;
}

TEST(TopologyReader, SpeedsAreRelativeToTheFastestCore) {
  const TemporaryCpufreqTree tree;
  const auto reading = read(tree.root());
  ASSERT_TRUE(reading) << reading.error().to_string();
  const auto& clusters = reading->topology.clusters;
  ASSERT_EQ(clusters.size(), 3U);
  EXPECT_EQ(clusters[0].cpus, 0x0FU);
  EXPECT_EQ(clusters[2].cpufreq_id, 6);
  EXPECT_EQ(clusters[2].max_frequency(), mhz(2800));
  EXPECT_DOUBLE_EQ(clusters[2].max_speed().count(), 2.8e9);
  EXPECT_DOUBLE_EQ(clusters[1].max_speed().count(), 2.8e9 * 620 / 1024);
  EXPECT_DOUBLE_EQ(clusters[0].opps[0].speed.count(), 2.8e9 * 290 / 1024 / 6);
  EXPECT_EQ(reading->topology.fastest_cluster(), 2U);
}

TEST(TopologyReader, TakesTheDriversLatencyWhereItIsOne) {
  const TemporaryCpufreqTree tree;
  tree.set(0, "cpuinfo_transition_latency", "500000\n");
  tree.set(4, "cpuinfo_transition_latency", "4294967295\n");  // CPUFREQ_ETERNAL: not known
  tree.remove(6, "cpuinfo_transition_latency");
  const auto reading = read(tree.root());
  ASSERT_TRUE(reading) << reading.error().to_string();
  const auto& clusters = reading->topology.clusters;
  EXPECT_EQ(clusters[0].transition_latency, std::chrono::microseconds{500});
  EXPECT_EQ(clusters[1].transition_latency, Duration::zero());
  EXPECT_EQ(clusters[2].transition_latency, Duration::zero());
}

TEST(TopologyReader, PowerRisesFasterThanSpeed) {
  const TemporaryCpufreqTree tree;
  const auto reading = read(tree.root());
  ASSERT_TRUE(reading);
  for (const Cluster& cluster : reading->topology.clusters) {
    for (std::size_t i = 1; i < cluster.opps.size(); ++i) {
      EXPECT_GT(cluster.opps[i].energy_per_work(), cluster.opps[i - 1].energy_per_work());
    }
  }
  EXPECT_THAT(reading->notes, Contains(HasSubstr("power: a default model")));
}

TEST(TopologyReader, TakesTheKernelsEnergyModel) {
  const TemporaryCpufreqTree tree({{0, {0, 1}, {500000, 1000000}, 1024}});
  const test::TemporaryFolder model;
  write_text(model.path() / "cpu0/cpus", "0-1\n");
  write_text(model.path() / "cpu0/ps:500000/frequency", "500000\n");
  write_text(model.path() / "cpu0/ps:500000/power", "90000\n");  // microwatts
  write_text(model.path() / "cpu0/ps:1000000/frequency", "1000000\n");
  write_text(model.path() / "cpu0/ps:1000000/power", "400000\n");
  const auto reading = read(tree.root(), {model.path(), {}});
  ASSERT_TRUE(reading);
  EXPECT_DOUBLE_EQ(reading->topology.clusters[0].opps[0].active.count(), 90);
  EXPECT_DOUBLE_EQ(reading->topology.clusters[0].opps[1].active.count(), 400);
}

TEST(TopologyReader, TakesTheDeviceTreesPowerCoefficient) {
  const TemporaryCpufreqTree tree({{0, {0, 1}, {500000, 1000000}, 1024}});
  write_text(tree.root() / "cpu0/of_node/dynamic-power-coefficient",
             std::string("\0\0\1\x0a", 4));  // 266; the last byte is not a newline
  const auto reading = read(tree.root());
  ASSERT_TRUE(reading);
  EXPECT_DOUBLE_EQ(reading->topology.clusters[0].opps[1].active.count(), 266);  // 1000 MHz at 1 V
}

TEST(TopologyReader, WithoutCapacityTheTopFrequencyStandsForIt) {
  auto shapes = test::phone_policies();
  shapes[1].capacity = 0;
  const TemporaryCpufreqTree tree(shapes);
  const auto reading = read(tree.root());
  ASSERT_TRUE(reading);
  EXPECT_DOUBLE_EQ(reading->topology.clusters[1].max_speed().count(), 2.25e9);
  EXPECT_THAT(reading->notes, Contains(HasSubstr("cpu_capacity is missing")));
}

TEST(TopologyReader, FallsBackToTimeInStateThenToEvenSteps) {
  const TemporaryCpufreqTree tree;
  tree.remove(0, "scaling_available_frequencies");
  std::filesystem::create_directories(tree.policy(0) / "stats");
  tree.set(0, "stats/time_in_state", "1800000 5\n300000 77\n");
  tree.remove(4, "scaling_available_frequencies");
  const auto reading = read(tree.root());
  ASSERT_TRUE(reading);
  const auto& clusters = reading->topology.clusters;
  ASSERT_EQ(clusters[0].opps.size(), 2U);
  EXPECT_EQ(clusters[0].opps[0].frequency, mhz(300));
  ASSERT_EQ(clusters[1].opps.size(), 8U);
  EXPECT_EQ(clusters[1].min_frequency(), mhz(400));
  EXPECT_EQ(clusters[1].max_frequency(), mhz(2250));
  EXPECT_THAT(reading->notes, Contains(HasSubstr("policy4 lists no frequencies")));
}

TEST(TopologyReader, NamesWhatIsMissing) {
  const TemporaryCpufreqTree tree;
  tree.remove(4, "cpuinfo_max_freq");
  const auto reading = read(tree.root());
  ASSERT_FALSE(reading);
  EXPECT_EQ(reading.error().code, ExitCode::kUnsupported);
  EXPECT_THAT(reading.error().message, HasSubstr("policy4/cpuinfo_max_freq"));
}

TEST(TopologyReader, ATreeWithoutPoliciesIsAnError) {
  const test::TemporaryFolder empty;
  const auto reading = read(empty.path());
  ASSERT_FALSE(reading);
  EXPECT_EQ(reading.error().code, ExitCode::kUnsupported);
  EXPECT_THAT(reading.error().message, HasSubstr("no cpufreq policy"));
  EXPECT_FALSE(read("/nonexistent"));
}

TEST(TopologyReader, APolicyWhoseCpusAreOfflineIsLeftOutUntilTheyCome) {
  const TemporaryCpufreqTree phone;
  phone.set_offline(4);
  const auto tree = CpufreqTree::open(phone.root());
  ASSERT_TRUE(tree) << tree.error().to_string();
  const auto reading = read_topology(*tree, {});
  ASSERT_TRUE(reading) << reading.error().to_string();
  ASSERT_EQ(reading->topology.clusters.size(), 2U);
  EXPECT_EQ(reading->topology.clusters[1].cpufreq_id, 6);
  EXPECT_THAT(reading->notes, Contains(HasSubstr("policy4 cannot be read")));
  const std::uint64_t before = test::allocations();  // the loop asks again and again
  EXPECT_FALSE(tree->has_grown());
  EXPECT_EQ(test::allocations(), before);
  phone.set_online(4);
  EXPECT_TRUE(tree->has_grown());
  for (const int id : {0, 4, 6}) {
    phone.set_offline(id);
  }
  const auto none = read(phone.root());
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, HasSubstr("no cpufreq policy that can be read"));
}

TEST(TopologyReader, MorePoliciesThanFitAreRefused) {
  std::vector<PolicyShape> shapes;
  for (int i = 0; i < 9; ++i) {
    shapes.push_back({i, {i}, {100000, 200000}, 0});
  }
  const TemporaryCpufreqTree tree(shapes);
  const auto reading = read(tree.root());
  ASSERT_FALSE(reading);
  EXPECT_THAT(reading.error().message, HasSubstr("more than 8"));
}

TEST(TopologyReader, KeepsTheEndsOfALongTable) {
  PolicyShape shape{0, {0}, {}, 0};
  for (std::int64_t i = 1; i <= 200; ++i) {
    shape.khz.push_back(i * 10000);
  }
  const TemporaryCpufreqTree tree({shape});
  const auto reading = read(tree.root());
  ASSERT_TRUE(reading);
  const Cluster& cluster = reading->topology.clusters[0];
  EXPECT_EQ(cluster.opps.size(), kMaxOpps);
  EXPECT_EQ(cluster.min_frequency(), mhz(10));
  EXPECT_EQ(cluster.max_frequency(), mhz(2000));
}

/// Clusters and frequencies of a known SoC.
std::vector<PolicyShape> shapes_of(std::string_view soc) {
  std::vector<PolicyShape> shapes;
  for (const SocCluster& cluster : find_soc(soc)->clusters) {
    PolicyShape shape{cluster.first_cpu, {}, {}, 0};
    for (int cpu = cluster.first_cpu; cpu < cluster.first_cpu + cluster.cpu_count; ++cpu) {
      shape.cpus.push_back(cpu);
    }
    shape.khz.assign(cluster.opps.begin(), cluster.opps.end());
    shapes.push_back(shape);
  }
  return shapes;
}

class PowerOfAPhone : public ::testing::Test {
 protected:
  [[nodiscard]] PowerKnowledge power(std::string_view soc) const {
    const TemporaryCpufreqTree tree(shapes_of(soc));
    return power(tree);
  }
  [[nodiscard]] PowerKnowledge power(const TemporaryCpufreqTree& tree) const {
    const auto reading = read(tree.root(), sources());
    EXPECT_TRUE(reading) << reading.error().to_string();
    return reading ? reading->power : PowerKnowledge();
  }
  [[nodiscard]] PowerSources sources() const {
    const auto& root = folder_.path();
    return {root / "energy_model", {root / "soc0", root / "tree", root / "build.prop"}};
  }
  void say(const char* file, const std::string& text) const {
    write_text(folder_.path() / file, text);
  }

  test::TemporaryFolder folder_;
};

TEST_F(PowerOfAPhone, IsMeasuredWhereItsSocIsNamedAndFits) {
  say("soc0/machine", "Snapdragon\n");
  say("soc0/soc_id", "356\n");
  const PowerKnowledge by_number = power("sm8250");
  EXPECT_EQ(by_number.model, PowerModel::kTable);
  EXPECT_EQ(by_number.soc, "sm8250");
  EXPECT_THAT(by_number.words, HasSubstr((folder_.path() / "soc0/soc_id").string()));
  say("soc0/soc_id", "0\n");
  say("tree/compatible", std::string("google,gs101-oriole\0google,gs101\0", 33));
  EXPECT_THAT(power("gs101").words, HasSubstr("tree/compatible"));
  say("build.prop", "ro.soc.model=SM8750\r\nro.board.platform=sun\n");
  EXPECT_THAT(power("sm8750").words, HasSubstr("build.prop, ro.soc.model"));
}

TEST_F(PowerOfAPhone, IsItsOwnWhereItWasCalibrated) {
  const TemporaryCpufreqTree tree({{0, {0, 1}, {500000, 1000000}, 1024}});
  PowerSources known = sources();
  known.calibrated =
      "clusters:\n  - {policy: 0, cpus: [0, 1], opps: [[500000, 512, 90, 10, 1],\n"
      "     [1000000, 1024, 270, 30, 2]]}\n";
  const auto calibrated = read(tree.root(), known);
  ASSERT_TRUE(calibrated);
  EXPECT_EQ(calibrated->power.model, PowerModel::kCalibrated);
  EXPECT_TRUE(calibrated->topology.power_measured);
  EXPECT_NEAR(calibrated->topology.clusters[0].opps[0].active.count(), 100, 1e-3);
  EXPECT_NEAR(calibrated->topology.clusters[0].opps[1].active.count(), 300, 1e-3);
}

TEST_F(PowerOfAPhone, ACalibrationThatIsDamagedOrAnothersIsLeftAlone) {
  const TemporaryCpufreqTree tree({{0, {0, 1}, {500000, 1000000}, 1024}});
  for (const char* text :
       {"clusters: [", "clusters: []", "no: {device",
        "clusters:\n  - {cpus: [0, 1], opps: [[1]]}\n",
        "clusters:\n  - {cpus: [-1, 99], opps: [[500000, 1, 1, 1, 1]]}\n",
        "clusters:\n  - {cpus: [0, 1], opps: [[1, 1, 1, 1, 1], [300000, 2, nan, 1, 1]]}\n",
        "clusters:\n  - {cpus: [0, 1], opps: [[500000, 1, 0, 0, 1], [1000000, 2, 2, 1, 1]]}\n",
        "clusters:\n  - {cpus: [4, 5], opps: [[500000, 1, 1, 1, 1], [1000000, 2, 2, 1, 1]]}\n"}) {
    PowerSources known = sources();
    known.calibrated = text;
    const auto reading = read(tree.root(), known);
    ASSERT_TRUE(reading) << text;
    EXPECT_EQ(reading->power.model, PowerModel::kCoefficients) << text;
    EXPECT_THAT(reading->power.words, HasSubstr("own calibration cannot be used")) << text;
  }
}

TEST_F(PowerOfAPhone, ACalibrationThatCannotBeReadIsToldAndLeftAlone) {
  const TemporaryCpufreqTree tree({{0, {0, 1}, {500000, 1000000}, 1024}});
  EXPECT_EQ(read_calibration(folder_.path() / "none"), std::string());
  say("state/calibrated_device.yaml", std::string(70'000, '#'));
  PowerSources known = sources();
  known.calibrated = read_calibration(folder_.path() / "state");
  const auto reading = read(tree.root(), known);
  ASSERT_TRUE(reading);
  EXPECT_EQ(reading->power.model, PowerModel::kCoefficients);
  EXPECT_THAT(reading->power.words, HasSubstr("own calibration cannot be used"));
  EXPECT_THAT(reading->power.words, HasSubstr("larger than 64 KiB"));
}

TEST_F(PowerOfAPhone, SaysWhyACalibrationIsRefusedWhereItsSocIsKnownToo) {
  say("soc0/machine", "Snapdragon\n");
  say("soc0/soc_id", "356\n");
  const TemporaryCpufreqTree tree(shapes_of("sm8250"));
  PowerSources known = sources();
  known.calibrated = "clusters: [";
  const auto reading = read(tree.root(), known);
  ASSERT_TRUE(reading);
  EXPECT_EQ(reading->power.model, PowerModel::kTable);
  EXPECT_THAT(reading->power.words, HasSubstr("own calibration cannot be used"));
}

TEST_F(PowerOfAPhone, WithoutANameItsFrequenciesTell) {
  EXPECT_THAT(power("sdm845").words, HasSubstr("measured on other phones with sdm845"));
  EXPECT_THAT(power("sdm845").words, HasSubstr("by its frequencies"));
  say("soc0/machine", std::string("SM8250\0\x1b[31m", 12));  // wrong, and rude
  EXPECT_EQ(power("sdm845").soc, "sdm845");
}

TEST_F(PowerOfAPhone, OfAnUnmeasuredSocIsTheKernels) {
  for (const char* cpus : {"0-1", "2-4", "5-6", "7"}) {
    const std::string domain = std::string("energy_model/cpu") + cpus[0];
    say((domain + "/cpus").c_str(), cpus);
    say((domain + "/ps:1/frequency").c_str(), "1000000\n");
    say((domain + "/ps:1/power").c_str(), "123\n");
  }
  say("soc0/machine", "SM8650\n");
  const PowerKnowledge kernels = power("sm8650");
  EXPECT_EQ(kernels.model, PowerModel::kEnergyModel);
  EXPECT_EQ(kernels.words, "the kernel's energy model (nobody has measured the power of sm8650)");
  std::filesystem::remove_all(folder_.path() / "energy_model/cpu7");
  EXPECT_EQ(power("sm8650").model, PowerModel::kCoefficients);  // the worst of them is told
}

TEST_F(PowerOfAPhone, OfAnUnknownSocSaysSo) {
  say("soc0/machine", "SM8250\n");
  const PowerKnowledge guessed = power(TemporaryCpufreqTree());
  EXPECT_EQ(guessed.model, PowerModel::kCoefficients);
  EXPECT_EQ(guessed.soc, "");
  EXPECT_THAT(guessed.words, HasSubstr("no SoC that is known has its clusters and frequencies"));
}

TEST_F(PowerOfAPhone, IsTheSameWithAClusterOffline) {
  const TemporaryCpufreqTree tree(shapes_of("sm8250"));
  tree.set_offline(4);
  EXPECT_EQ(power(tree).soc, "sm8250");
}

struct RealPhone {
  const char* name;
  std::vector<int> policies;
  std::vector<std::uint64_t> cpus;
  std::vector<std::size_t> opps;
  std::int64_t top_khz;
  const char* soc;
};

void check_phone(const std::filesystem::path& root, const RealPhone& phone) {
  const auto reading = read(root / "sys/devices/system/cpu");
  ASSERT_TRUE(reading) << reading.error().to_string();
  const auto& clusters = reading->topology.clusters;
  ASSERT_EQ(clusters.size(), phone.policies.size());
  for (std::size_t i = 0; i < clusters.size(); ++i) {
    EXPECT_EQ(clusters[i].cpufreq_id, phone.policies[i]);
    EXPECT_EQ(clusters[i].cpus, phone.cpus[i]);
    EXPECT_EQ(clusters[i].opps.size(), phone.opps[i]);
  }
  EXPECT_EQ(clusters[reading->topology.fastest_cluster()].max_frequency(), khz(phone.top_khz));
  EXPECT_EQ(reading->power.model, PowerModel::kTable) << reading->power.words;
  EXPECT_EQ(reading->power.soc, phone.soc);
}

TEST(TopologyReader, RebuildsThePixel8FromItsCpus) {
  FRAMEGOV_REQUIRE_DATA(root, "sysfs/pixel-8");
  check_phone(root, {"pixel-8", {0, 4, 8}, {0x0F, 0xF0, 0x100}, {10, 15, 15}, 2914000, "zuma"});
}

TEST(TopologyReader, RebuildsTheOnePlus5TFromItsCpus) {
  FRAMEGOV_REQUIRE_DATA(root, "sysfs/oneplus-5t");
  check_phone(root, {"oneplus-5t", {0, 4}, {0x0F, 0xF0}, {22, 31}, 2457600, "msm8998"});
}

TEST(TopologyReader, FindsTheGalaxyS9sUnlistedTopFrequency) {
  FRAMEGOV_REQUIRE_DATA(root, "sysfs/galaxy-s9-us");
  check_phone(root, {"galaxy-s9-us", {0, 4}, {0x0F, 0xF0}, {18, 24}, 2803200, "sdm845"});
}

}  // namespace
}  // namespace framegov
