// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "sim/devices/device_catalog.h"
#include "sim/devices/device_import.h"
#include "sim/plant/device_tables.h"
#include "tests/support/cpufreq_tree.h"
#include "tests/support/shared_data.h"
#include "tests/unit/sim/plant_fixture.h"

namespace framegov::sim {
namespace {

TEST(DeviceCatalog, HasThePhonesAndKnowsTheirAliases) {
  const auto catalog = DeviceCatalog::load();
  ASSERT_TRUE(catalog.has_value()) << catalog.error().to_string();
  for (const char* name :
       {"tensor_g1", "tensor_g4", "sm8750", "sdm845", "sm8150", "sm8250", "sdm660"}) {
    EXPECT_TRUE(catalog->find(name).has_value()) << name;
  }
  EXPECT_EQ((*catalog->find("gs101"))->name, "tensor_g1");
  const auto unknown = catalog->find("nokia_3310");
  ASSERT_FALSE(unknown.has_value());
  EXPECT_NE(unknown.error().hint.find("sdm660"), std::string::npos);
}

TEST(DeviceCatalog, PowerRisesWithFrequencyOnTheWhole) {
  const auto catalog = DeviceCatalog::load();
  ASSERT_TRUE(catalog.has_value());
  for (const DeviceModel& device : catalog->devices()) {
    for (const DeviceCluster& cluster : device.clusters) {
      EXPECT_GT(cluster.opps.back().active, cluster.opps.front().active) << device.name;
      EXPECT_GT(cluster.coremark_per_mhz, 1) << device.name;
    }
    EXPECT_NEAR(device.clusters[device.fastest_cluster()].opps.back().capacity, 1024, 0.5);
  }
}

TEST(DeviceCatalog, AFolderAddsAndReplaces) {
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / "framegov_devices";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "mine.yaml")
      << "name: sdm660\nmodel: mine\nclusters:\n"
         "  - {policy: 0, cpus: [0], core: c, coremark_per_mhz: 5, transition_latency_us: 1,\n"
         "     idle_state: {entry_us: 1, exit_us: 1, min_residency_us: 1},\n"
         "     opps: [[1000000, 1024, 50, 0, 1]]}\n";
  const auto catalog = DeviceCatalog::load(folder);
  ASSERT_TRUE(catalog.has_value()) << catalog.error().to_string();
  EXPECT_EQ((*catalog->find("sdm660"))->model, "mine");
  std::ofstream(folder / "mine.yaml") << "name: broken\nmodel: x\nclusters: 3\n";
  const auto broken = DeviceCatalog::load(folder);
  ASSERT_FALSE(broken.has_value());
  EXPECT_NE(broken.error().message.find("mine.yaml:3"), std::string::npos)
      << broken.error().message;
  std::filesystem::remove_all(folder);
  EXPECT_FALSE(DeviceCatalog::load(folder).has_value());
}

TEST(DeviceModel, TellsWhatIsWrongAndWhere) {
  const std::string good =
      "name: x\nmodel: x\nclusters:\n"
      "  - {policy: 0, cpus: [0], core: c, coremark_per_mhz: 5, transition_latency_us: 1,\n"
      "     idle_state: {entry_us: 1, exit_us: 1, min_residency_us: 1},\n"
      "     opps: [[1000000, 512, 50, 0, 1], [2000000, 1024, 90, 0, 1]]}\n";
  EXPECT_TRUE(parse_device(good, "f").has_value());
  const auto broken = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    const auto device = parse_device(text, "f");
    return device ? std::string("accepted") : device.error().message;
  };
  EXPECT_EQ(broken("[2000000, 1024, 90, 0, 1]", "[2000000, 500, 90, 0, 1]"),
            "f:6: frequency and capacity must rise from OPP to OPP");
  EXPECT_EQ(broken("90, 0, 1]", "ninety, 0, 1]"), "f:6: active power is not a number");
  EXPECT_EQ(broken("cpus: [0]", "cpus: []"), "f:4: 'cpus' is not a list with entries");
  EXPECT_EQ(broken("core: c, ", ""), "f:4: 'core' is missing");
  EXPECT_NE(broken("[0]", "[0"), "accepted");
  EXPECT_EQ(broken("name: x", "name: all"), "f:1: 'all' is not a valid device name");
  EXPECT_EQ(broken("name: x", "name: ''"), "f:1: '' is not a valid device name");
  EXPECT_EQ(broken("model: x", "model: x\naliases: [\"a,b\"]"),
            "f:3: 'a,b' is not a valid device name");
  EXPECT_EQ(broken("model: x", "model: x\nplacement: pinned"),
            "f:3: placement is none of eas-5.4, eas-6.1, eas-6.12, walt");
  EXPECT_EQ(broken("model: x", "model: x\nplacement: walt"), "accepted");
}

TEST(DeviceModel, AFastClusterRaisesTheSharedRail) {
  const auto catalog = DeviceCatalog::load();
  const DeviceTables tables(**catalog->find("tensor_g1"));
  ASSERT_GT(tables.levels, 1U);
  const std::uint8_t level = tables.power(2, tables.clusters[2].top(), 0).asks;
  EXPECT_EQ(tables.power(2, 0, 0).asks, 0);
  EXPECT_GT(level, 0);
  EXPECT_GT(tables.power(0, 2, level).active, tables.power(0, 2, 0).active);
}

TEST(DeviceModel, TheKernelSeesCapacitiesAndAPowerTable) {
  const DeviceModel device = test::two_speed_phone();
  const CpuTopology exact = kernel_topology(device, EnergyModel::kExact);
  ASSERT_EQ(exact.clusters.size(), 1U);
  EXPECT_EQ(exact.clusters[0].opps[0].speed, Speed{0.5e9});
  EXPECT_EQ(exact.clusters[0].opps[1].active, Power{420});
}

TEST(DeviceModel, TheKernelsEnergyModelHasNoStaticPowerAndEachTopByItsCoefficient) {
  DeviceModel device = test::two_speed_phone();
  device.clusters[0].dynamic_power_coefficient = 200;
  // 200 uW x 1000 MHz x (1 V)^2 at the top; below it as measured, 100 mW of 400.
  const CpuTopology kernel = kernel_topology(device, EnergyModel::kKernel);
  EXPECT_NEAR(kernel.clusters[0].opps[1].active.count(), 200, 1e-9);
  EXPECT_NEAR(kernel.clusters[0].opps[0].active.count(), 50, 1e-9);
  // 0.6 V at the lowest OPP: 200 x 500 x 0.36.
  const CpuTopology guess = kernel_topology(device, EnergyModel::kCoefficients);
  EXPECT_NEAR(guess.clusters[0].opps[1].active.count(), 200, 1e-9);
  EXPECT_NEAR(guess.clusters[0].opps[0].active.count(), 36, 1e-9);
}

/// mJ per work of each cluster, at its top.
std::vector<double> energies(const CpuTopology& topology) {
  std::vector<double> all;
  for (const Cluster& cluster : topology.clusters) {
    all.push_back(cluster.opps.back().energy_per_work());
  }
  return all;
}

TEST(DeviceModel, ATableIsOfAnotherPhoneOfItsSoc) {
  const auto catalog = DeviceCatalog::load();
  for (const DeviceModel& device : catalog->devices()) {
    const CpuTopology table = kernel_topology(device, EnergyModel::kTable);
    const CpuTopology exact = kernel_topology(device, EnergyModel::kExact);
    EXPECT_TRUE(table.power_measured) << device.name;
    EXPECT_FALSE(exact.power_measured);
    const std::vector<double> told = energies(table);
    const std::vector<double> true_ones = energies(exact);
    for (std::size_t c = 0; c < told.size(); ++c) {
      EXPECT_NE(told[c], true_ones[c]) << device.name << " knows itself";
      // Units and methods of measuring differ; which cluster is cheaper does not.
      EXPECT_NEAR(told[c] / true_ones[c], 1, 0.35) << device.name << " " << c;
    }
  }
}

TEST(DeviceModel, WhereNobodyElseMeasuredTheTableIsWrongAsItsFileSays) {
  const auto catalog = DeviceCatalog::load();
  DeviceModel device = **catalog->find("sdm845");
  ASSERT_EQ(device.clusters[0].table_factor, 1.1);
  const double told = energies(kernel_topology(device, EnergyModel::kTable))[0];
  device.clusters[0].table_factor = 1;
  EXPECT_NEAR(told / energies(kernel_topology(device, EnergyModel::kTable))[0], 1.1, 1e-9);
}

TEST(DeviceModel, OfNoKnownSocTheTableIsTheKernels) {
  const DeviceModel device = test::two_speed_phone();
  const CpuTopology table = kernel_topology(device, EnergyModel::kTable);
  EXPECT_FALSE(table.power_measured);
  EXPECT_EQ(energies(table), energies(kernel_topology(device, EnergyModel::kKernel)));
}

TEST(DeviceModel, WithoutACoefficientItIsWhatTheServiceAssumes) {
  const DeviceModel device = test::two_speed_phone();
  const CpuTopology guess = kernel_topology(device, EnergyModel::kCoefficients);
  EXPECT_NEAR(guess.clusters[0].opps[1].active.count(), 450, 1e-9);
}

TEST(DeviceImport, MakesAUsableDeviceFromSysfsAndFreqbench) {
  FRAMEGOV_REQUIRE_DATA(sysfs, "sysfs/galaxy-s9-us");
  FRAMEGOV_REQUIRE_DATA(freqbench, "power/freqbench_all.csv");
  DeviceImport from{"my_845", sysfs, freqbench, "sdm845", "main"};
  const auto yaml = import_device(from);
  ASSERT_TRUE(yaml.has_value()) << yaml.error().to_string();
  const auto device = parse_device(*yaml, "my_845");
  ASSERT_TRUE(device.has_value()) << device.error().to_string();
  ASSERT_EQ(device->clusters.size(), 2U);
  EXPECT_EQ(device->clusters[1].cpufreq_id, 4);
  // The built-in model comes from the same run by another program.
  const auto catalog = DeviceCatalog::load();
  const DeviceModel& built_in = **catalog->find("sdm845");
  ASSERT_EQ(device->clusters[1].opps.size(), built_in.clusters[1].opps.size());
  for (std::size_t i = 0; i < built_in.clusters[1].opps.size(); ++i) {
    const DeviceOpp& a = device->clusters[1].opps[i];
    const DeviceOpp& b = built_in.clusters[1].opps[i];
    EXPECT_NEAR((a.active + a.static_power).count(), (b.active + b.static_power).count(), 0.1);
    EXPECT_NEAR(a.capacity, b.capacity, 0.2);
  }
}

TEST(DeviceImport, TellsWhatIsMissing) {
  const auto nothing = import_device({"x", "/nonexistent", "/nonexistent.csv", "", ""});
  ASSERT_FALSE(nothing.has_value());
  const std::filesystem::path csv = std::filesystem::path(::testing::TempDir()) / "freqbench.csv";
  std::ofstream(csv) << "cpu,freq_khz,coremark_iter_s,power_mw\n1,1000000,5000,-3\n";
  const auto negative = import_device({"x", "/nonexistent", csv, "", ""});
  ASSERT_FALSE(negative.has_value());
  EXPECT_NE(negative.error().message.find("freqbench.csv:2"), std::string::npos);
}

class DeviceImportTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto policy = folder_.path() / "cpufreq" / "policy0";
    std::filesystem::create_directories(policy);
    std::ofstream(policy / "related_cpus") << "0 1\n";
    std::ofstream(policy / "cpuinfo_transition_latency") << "500000\n";
  }
  /// What the rows become, or the error.
  Result<std::string> made(const std::string& rows, const std::string& soc = {},
                           const std::string& run = {}, const std::string& name = "x") {
    const auto csv = folder_.path() / "freqbench.csv";
    std::ofstream(csv) << "soc,run,device,cpu,freq_khz,coremark_iter_s,power_mw\n" << rows;
    return import_device({name, folder_.path(), csv, soc, run});
  }
  std::string refused(const std::string& rows, const std::string& soc = {}) {
    const auto yaml = made(rows, soc);
    return yaml ? "accepted" : yaml.error().to_string();
  }

  test::TemporaryFolder folder_;
};

TEST_F(DeviceImportTest, AFieldMayHoldLineBreaks) {
  const auto yaml = made(
      "a,main,\"Vendor, Inc.\r\nCompatible: a\n\",1,500000,2500,50\r\n"
      "a,main,plain,1,1000000,5000,150\n\n");
  ASSERT_TRUE(yaml.has_value()) << yaml.error().to_string();
  const auto device = parse_device(*yaml, "x");
  ASSERT_TRUE(device.has_value());
  EXPECT_EQ(device->clusters[0].opps.size(), 2U);
  EXPECT_THAT(refused("a,main,\"two\nlines\",1,500000,2500,50\na,main,b,1,1000000,5000,none\n"),
              ::testing::HasSubstr("freqbench.csv:4: 'none'"));
}

TEST_F(DeviceImportTest, RowsOfSeveralPhonesOrRunsAreRefused) {
  const std::string rows =
      "a,main,d,1,500000,2500,50\n"
      "a,second,d,1,500000,2500,60\n"
      "b,main,d,1,500000,2500,70\n";
  EXPECT_THAT(refused(rows), ::testing::HasSubstr("more than one soc: 'a', 'b'"));
  EXPECT_THAT(refused(rows, "a"), ::testing::HasSubstr("more than one run: 'main', 'second'"));
  EXPECT_TRUE(made(rows, "a", "second").has_value());
  EXPECT_TRUE(made(rows, "b").has_value());
}

TEST_F(DeviceImportTest, WhatShowWouldRefuseIsNotMade) {
  EXPECT_THAT(refused("a,main,d,1,500000,2500,0.007\n"),
              ::testing::HasSubstr("'[500000, 1024.0, 0.00, 0.01, 0.00]': active power is out"));
  EXPECT_THAT(refused("a,main,d,1,500000,2500,50\na,main,d,1,510000,2500,60\n"),
              ::testing::HasSubstr("'[510000, 1024.0, "));
}

TEST_F(DeviceImportTest, ANameThatChoosesNoDeviceIsNotTheMeasurementsFault) {
  for (const std::string name : {"", "all", "a,b"}) {
    const auto yaml = made("a,main,d,1,500000,2500,50\n", {}, {}, name);
    ASSERT_FALSE(yaml) << name;
    EXPECT_EQ(yaml.error().code, ExitCode::kUsage) << name;
    EXPECT_EQ(yaml.error().message, "'" + name + "' is not a valid device name");
  }
}

TEST_F(DeviceImportTest, AnyNameCanBeReadBack) {
  for (const std::string name : {"my: phone", "a \"b\" \\c", "#1", "- x", "yes", "{"}) {
    const auto yaml = made("a,main,d,1,500000,2500,50\n", {}, {}, name);
    ASSERT_TRUE(yaml.has_value()) << name << ": " << yaml.error().to_string();
    EXPECT_EQ(parse_device(*yaml, "x")->name, name);
  }
}

}  // namespace
}  // namespace framegov::sim
