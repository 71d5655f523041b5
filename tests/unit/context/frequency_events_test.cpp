// SPDX-License-Identifier: Apache-2.0
#include "probes/context/frequency_events.h"

#include <gtest/gtest.h>

#include <bit>
#include <string>

#include "tests/support/phone_topology.h"

namespace framegov {
namespace {

std::string line(const char* event) {
  return std::string("          <idle>-0       [003] d.h2.  5642.181952: ") + event;
}

TEST(FrequencyEvents, AreThoseOfAClustersFirstCpu) {
  const CpuTopology topology = test::phone_topology();
  const int first = std::countr_zero(topology.clusters[1].cpus);
  const auto text = "cpu_frequency: state=1400000 cpu_id=" + std::to_string(first);
  const auto event = parse_frequency_event(line(text.c_str()), topology);
  ASSERT_TRUE(event);
  EXPECT_EQ(event->at, instant_from_ns(5642'181'952'000));
  EXPECT_EQ(event->cluster, 1U);
  EXPECT_EQ(event->frequency, khz(1'400'000));
  EXPECT_FALSE(parse_frequency_event(line("cpu_frequency: state=1400000 cpu_id=1"), topology));
}

TEST(FrequencyEvents, AnythingElseIsNone) {
  const CpuTopology topology = test::phone_topology();
  for (const char* text : {"cpu_idle: state=1 cpu_id=0", "cpu_frequency: state=0 cpu_id=0",
                           "cpu_frequency: state=1400000", "cpu_frequency: cpu_id=0",
                           "cpu_frequency: state=99999999999 cpu_id=0",
                           "cpu_frequency: state=1400000 cpu_id=4294967296"}) {
    EXPECT_FALSE(parse_frequency_event(line(text), topology)) << text;
  }
  EXPECT_FALSE(parse_frequency_event("", topology));
  EXPECT_FALSE(FrequencyEvents::open("/nonexistent", topology));
}

}  // namespace
}  // namespace framegov
