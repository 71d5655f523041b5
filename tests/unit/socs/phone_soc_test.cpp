// SPDX-License-Identifier: Apache-2.0
// A phone's SoC and its measured power: found by name and by frequencies, refused where it is
// another's.
#include "socs/phone_soc.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace framegov {
namespace {

using ::testing::HasSubstr;

/// A phone with all OPPs of the SoC, no power known.
CpuTopology phone_with(std::string_view name) {
  const KnownSoc& soc = *find_soc(name);
  CpuTopology topology;
  for (const SocCluster& from : soc.clusters) {
    Cluster cluster;
    cluster.cpufreq_id = from.first_cpu;
    for (int cpu = from.first_cpu; cpu < from.first_cpu + from.cpu_count; ++cpu) {
      cluster.cpus |= std::uint64_t{1} << static_cast<unsigned>(cpu);
    }
    for (const std::uint32_t khz_of_opp : from.opps) {
      cluster.opps.push_back(
          {khz(khz_of_opp), Speed{from.relative_per_mhz * khz_of_opp * 1e3}, Power{}});
    }
    topology.clusters.push_back(cluster);
  }
  return topology;
}

const KnownSoc* found(const CpuTopology& topology, const std::vector<std::string>& names = {}) {
  std::vector<SocName> said;
  for (const std::string& name : names) {
    said.push_back({name, "somebody"});
  }
  return find_phone_soc(said, topology).soc;
}

TEST(PhoneSoc, EveryMeasuredSocHasAPowerForEachFrequency) {
  int measured = 0;
  for (const KnownSoc& soc : known_socs()) {
    CpuTopology topology = phone_with(soc.name);
    const Status set = set_measured_power(topology, soc);
    EXPECT_EQ(set.has_value(), !soc.power_source.empty()) << soc.name;
    measured += set ? 1 : 0;
    for (const Cluster& cluster : topology.clusters) {
      for (const Opp& opp : cluster.opps) {
        const double mw = opp.active.count();
        EXPECT_TRUE(set ? mw > 1 && mw < 10'000 : mw == 0) << soc.name << " " << mw;
      }
      // Measurements scatter, but more speed is dearer in the end.
      EXPECT_TRUE(!set || cluster.opps.front().active < cluster.opps.back().active) << soc.name;
    }
  }
  EXPECT_GE(measured, 30);
}

TEST(PhoneSoc, IsFoundByItsFrequenciesAlone) {
  std::vector<std::string> not_told;
  for (const KnownSoc& soc : known_socs()) {
    if (soc.clusters.front().opps.empty()) {
      continue;  // known by name alone
    }
    const CpuTopology topology = phone_with(soc.name);
    const PhoneSoc phone = find_phone_soc({}, topology);
    if (phone.soc == nullptr) {
      not_told.emplace_back(soc.name);
    } else {
      EXPECT_EQ(phone.soc->name, soc.name);
      EXPECT_EQ(phone.known_by, "its frequencies");
    }
    EXPECT_EQ(found(topology, {std::string(soc.name)}), &soc);
  }
  EXPECT_THAT(not_told, ::testing::ElementsAre("sm6125"));  // sm6115 has all of its frequencies
}

TEST(PhoneSoc, ANameThatItsClustersDoNotBearOutIsNotBelieved) {
  const CpuTopology topology = phone_with("sm8250");
  EXPECT_EQ(found(topology, {"gs101", "sdm660", "nonsense", ""})->name, "sm8250");
  CpuTopology other = phone_with("sm8250");
  for (Cluster& cluster : other.clusters) {
    for (Opp& opp : cluster.opps) {
      opp.frequency = khz(opp.frequency.count() + 31'000);
    }
  }
  EXPECT_EQ(found(other, {"sm8250"}), nullptr);
}

TEST(PhoneSoc, NamesOfVendorsAndTheirNumbersAreKnown) {
  const CpuTopology topology = phone_with("sm8250");
  for (const char* name : {"SM8250", "kona", "356"}) {
    const PhoneSoc phone = find_phone_soc(std::vector<SocName>{{name, "soc0"}}, topology);
    ASSERT_NE(phone.soc, nullptr) << name;
    EXPECT_EQ(phone.known_by, "soc0") << name;
  }
  EXPECT_EQ(found(phone_with("gs201"), {"Tensor G2"})->name, "gs201");
}

TEST(PhoneSoc, AFewFrequenciesMoreOrLessNeedAName) {
  CpuTopology topology = phone_with("sm8250");
  // A faster bin, and one OPP that the maker put in between.
  topology.clusters[2].opps.back().frequency = khz(3'091'200);
  topology.clusters[1].opps[3].frequency =
      khz(topology.clusters[1].opps[3].frequency.count() + 9'000);
  EXPECT_EQ(found(topology), nullptr);
  ASSERT_NE(found(topology, {"kona"}), nullptr);
  CpuTopology plain = phone_with("sm8250");
  ASSERT_TRUE(set_measured_power(topology, *find_soc("sm8250")));
  ASSERT_TRUE(set_measured_power(plain, *find_soc("sm8250")));
  const auto& mid = plain.clusters[1].opps;
  EXPECT_GT(topology.clusters[1].opps[3].active, mid[3].active);
  EXPECT_LT(topology.clusters[1].opps[3].active, mid[4].active);
  EXPECT_GT(topology.clusters[2].opps.back().active, plain.clusters[2].opps.back().active);
}

TEST(PhoneSoc, AnotherKindOfPhoneIsRefusedAndKeepsItsPower) {
  const KnownSoc& sm8250 = *find_soc("sm8250");
  const auto refused = [&](CpuTopology topology) {
    for (Cluster& cluster : topology.clusters) {
      for (Opp& opp : cluster.opps) {
        opp.active = Power{7};
      }
    }
    const Status set = set_measured_power(topology, sm8250);
    for (const Cluster& cluster : topology.clusters) {
      for (const Opp& opp : cluster.opps) {
        EXPECT_EQ(opp.active, Power{7});
      }
    }
    return set ? std::string("accepted") : set.error().message;
  };
  EXPECT_THAT(refused(phone_with("gs101")), HasSubstr("policy0 has not the CPUs and frequencies"));
  CpuTopology fast = phone_with("sm8250");  // its top is a quarter higher
  fast.clusters[2].opps.back().frequency = khz(3'552'000);
  EXPECT_THAT(refused(fast), HasSubstr("policy7"));
  CpuTopology sparse = phone_with("sm8250");  // half of what it has is unheard of
  for (std::size_t i = 1; i < sparse.clusters[0].opps.size(); i += 2) {
    sparse.clusters[0].opps[i].frequency =
        khz(sparse.clusters[0].opps[i].frequency.count() + 20'000);
  }
  EXPECT_THAT(refused(sparse), HasSubstr("policy0"));
  CpuTopology regrouped = phone_with("sm8250");
  regrouped.clusters[1].cpus = 0xF0;
  EXPECT_THAT(refused(regrouped), HasSubstr("policy4"));
  EXPECT_THAT(set_measured_power(fast, *find_soc("sm8650")).error().message,
              HasSubstr("nobody has measured the power of sm8650"));
}

TEST(PhoneSoc, ClustersThatAreOfflineAreNotMissed) {
  CpuTopology topology = phone_with("sm8250");
  CpuTopology part;
  part.clusters.push_back(topology.clusters[0]);
  part.clusters.push_back(topology.clusters[2]);
  part.clusters[0].cpus = 0x7;  // one CPU was taken away for good
  const KnownSoc* const soc = found(part);
  ASSERT_NE(soc, nullptr);
  EXPECT_EQ(soc->name, "sm8250");
  EXPECT_TRUE(set_measured_power(part, *soc));
}

TEST(PhoneSoc, HostileFrequenciesAreOfNoSoc) {
  EXPECT_EQ(found({}, {"sm8250"}), nullptr);
  CpuTopology odd = phone_with("sm8250");
  odd.clusters[0].opps[0].frequency = khz(std::int64_t{1} << 40);
  EXPECT_EQ(found(odd), nullptr);
  CpuTopology high = phone_with("sm8250");
  high.clusters[2].cpus = std::uint64_t{1} << 63;
  EXPECT_EQ(found(high, {"sm8250"}), nullptr);
}

}  // namespace
}  // namespace framegov
