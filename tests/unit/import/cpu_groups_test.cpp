// SPDX-License-Identifier: Apache-2.0
// Which CPUs share a frequency: told by the recording, or found in the changes of frequency.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "sim/import/import.h"
#include "tests/support/perfetto_builder.h"

namespace framegov::sim {
namespace {

using test::Message;
using ::testing::ElementsAre;

/// The CPUs of each cluster that an importer finds.
std::vector<std::uint64_t> clusters_of(const std::vector<Message>& packets) {
  const std::string bytes = test::trace_of(packets);
  const auto source = bytes_in_memory(bytes);
  const auto imported = import_bytes(**source, "test", {});
  EXPECT_TRUE(imported) << imported.error().to_string();
  std::vector<std::uint64_t> masks;
  if (imported) {
    for (const auto& found : imported->report.clusters) {
      masks.push_back(found.cluster.cpus);
    }
  }
  return masks;
}

struct TestPolicy {
  std::uint64_t first_cpu;
  std::uint64_t cpu_count;
  std::vector<std::uint64_t> mhz;
};

const std::vector<std::uint64_t> kSilver{300,  403,  480,  576,  652,  748,  825,  902,  979,
                                         1056, 1132, 1228, 1324, 1420, 1516, 1612, 1689, 1766};
const std::vector<std::uint64_t> kGold{710,  825,  940,  1056, 1171, 1286, 1401, 1497, 1612,
                                       1708, 1804, 1920, 2016, 2131, 2227, 2323, 2419};
const std::vector<std::uint64_t> kPrime{825,  940,  1056, 1171, 1286, 1401, 1497, 1612, 1708, 1804,
                                        1920, 2016, 2131, 2227, 2323, 2419, 2534, 2649, 2745, 2841};

/// Changes as kernels before 5.3 tell a fast switch: for the CPU alone that asked for it. One in
/// `told_again` (0: none) is told although it is none.
std::vector<Message> fast_switches(const std::vector<TestPolicy>& policies, std::uint64_t ms,
                                   std::uint32_t seed, std::uint32_t told_again = 0) {
  constexpr std::uint64_t kNsPerMs = 1'000'000;
  std::mt19937 random(seed);
  std::vector<Message> packets;
  for (const TestPolicy& policy : policies) {
    std::vector<Message> events;
    std::uint64_t now = 0;
    for (std::uint64_t at = kNsPerMs; at < ms * kNsPerMs;
         at += (4 + random() % 16) * kNsPerMs + random() % kNsPerMs) {
      const std::uint64_t next = policy.mhz[random() % policy.mhz.size()];
      const bool again = told_again != 0 && random() % told_again == 0;
      if (next != now) {
        now = again && now != 0 ? now : next;
        const std::uint64_t cpu = policy.first_cpu + random() % policy.cpu_count;
        events.push_back(test::frequency_event(at, cpu, next * 1000));
      }
    }
    packets.push_back(test::bundle_packet(policy.first_cpu, events));
  }
  return packets;
}

TEST(CpuGroups, PoliciesOfTheSameFrequenciesStayApart) {
  for (std::uint32_t seed = 1; seed <= 5; ++seed) {
    EXPECT_THAT(
        clusters_of(fast_switches({{0, 4, kSilver}, {4, 3, kGold}, {7, 1, kPrime}}, 5000, seed)),
        ElementsAre(0x0F, 0x70, 0x80))
        << seed;
  }
}

TEST(CpuGroups, AShortRecordingTellsThePoliciesOfAnOldKernel) {
  for (std::uint32_t seed = 1; seed <= 5; ++seed) {
    EXPECT_THAT(clusters_of(fast_switches({{0, 4, kSilver}, {4, 4, kGold}}, 1500, seed)),
                ElementsAre(0x0F, 0xF0))
        << seed;
    EXPECT_THAT(clusters_of(fast_switches({{0, 6, kSilver}, {6, 2, kGold}}, 1500, seed)),
                ElementsAre(0x3F, 0xC0))
        << seed;
  }
}

TEST(CpuGroups, AKernelThatRepeatsItselfHasNoMorePolicies) {
  for (std::uint32_t seed = 1; seed <= 5; ++seed) {
    for (const std::uint32_t told_again : {50U, 20U, 10U}) {
      EXPECT_THAT(
          clusters_of(fast_switches({{0, 6, kSilver}, {6, 2, kGold}}, 5000, seed, told_again)),
          ElementsAre(0x3F, 0xC0))
          << seed << ", one in " << told_again;
    }
  }
}

TEST(CpuGroups, PoliciesOfTheSameCoresBesideEachOtherStayApart) {
  Message cpus;
  for (int i = 0; i < 14; ++i) {
    const bool big = i >= 4;
    cpus.message(1, Message().varint(2, big ? 2'419'000 : 1'766'000).varint(3, big ? 1024 : 300));
  }
  std::vector<Message> packets{Message().message(67, cpus)};
  std::mt19937 random(1);
  for (const auto& [first, end] : {std::pair(0, 4), std::pair(4, 9), std::pair(9, 14)}) {
    std::vector<Message> events;
    for (std::uint64_t at = 1'000'000; at < 2'000'000'000; at += 5'000'000 + random() % 9'000'000) {
      const std::vector<std::uint64_t>& mhz = first == 0 ? kSilver : kGold;
      const std::uint64_t khz = mhz[random() % mhz.size()] * 1000;
      for (int cpu = first; cpu < end; ++cpu) {
        events.push_back(test::frequency_event(at + static_cast<std::uint64_t>(cpu) * 1000,
                                               static_cast<std::uint64_t>(cpu), khz));
      }
    }
    packets.push_back(test::bundle_packet(static_cast<std::uint64_t>(first), events));
  }
  EXPECT_THAT(clusters_of(packets), ElementsAre(0x0F, 0x1F0, 0x3E00));
}

TEST(CpuGroups, CpusThatAreToldTwiceAreNoMoreCpus) {
  const auto cpu = [](std::uint64_t khz, std::uint64_t capacity) {
    return Message().varint(2, khz).varint(3, capacity);
  };
  Message cpus;
  for (int i = 0; i < 8; ++i) {
    cpus.message(1, i < 4 ? cpu(1'200'000, 300) : cpu(2'000'000, 1024));
  }
  const Message info = Message().message(67, cpus);
  EXPECT_THAT(clusters_of({info, info}), ElementsAre(0x0F, 0xF0));
}

}  // namespace
}  // namespace framegov::sim
