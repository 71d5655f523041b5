// SPDX-License-Identifier: Apache-2.0
// Which CPUs share a frequency: told by the recording, or found in the changes of frequency.
#include <gtest/gtest.h>

#include "sim/import/import.h"
#include "tests/support/perfetto_builder.h"

namespace framegov {
namespace {

using test::Message;

TEST(CpuGroups, CpusThatAreToldTwiceAreNoMoreCpus) {
  const auto cpu = [](std::uint64_t khz, std::uint64_t capacity) {
    return Message().varint(2, khz).varint(3, capacity);
  };
  Message cpus;
  for (int i = 0; i < 8; ++i) {
    cpus.message(1, i < 4 ? cpu(1'200'000, 300) : cpu(2'000'000, 1024));
  }
  const Message info = Message().message(67, cpus);
  const std::string bytes = test::trace_of({info, info});
  const auto source = bytes_in_memory(bytes);
  const auto imported = import_bytes(**source, "test", {});
  ASSERT_TRUE(imported) << imported.error().to_string();
  const auto& clusters = imported->report.clusters;
  ASSERT_EQ(clusters.size(), 2U);
  EXPECT_EQ(clusters[0].cluster.cpus, 0x0FU);
  EXPECT_EQ(clusters[1].cluster.cpus, 0xF0U);
}

}  // namespace
}  // namespace framegov
