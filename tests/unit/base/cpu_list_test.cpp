// SPDX-License-Identifier: Apache-2.0
#include "base/cpu_list.h"

#include <gtest/gtest.h>

namespace framegov {
namespace {

TEST(CpuList, ReadsEveryForm) {
  EXPECT_EQ(parse_cpu_list("0 1 2 3\n"), 0x0FU);
  EXPECT_EQ(parse_cpu_list("0-1,4\n"), 0x13U);
  EXPECT_EQ(parse_cpu_list("63"), std::uint64_t{1} << 63U);
  EXPECT_EQ(parse_cpu_list(""), std::nullopt);
  EXPECT_EQ(parse_cpu_list("64"), std::nullopt);
  EXPECT_EQ(parse_cpu_list("3-1"), std::nullopt);
  EXPECT_EQ(parse_cpu_list("cpu0"), std::nullopt);
}

TEST(CpuList, IsWrittenAsTheKernelDoes) {
  EXPECT_EQ(cpu_list(0x4FU), "0-3,6");
  EXPECT_EQ(cpu_list(1U), "0");
  EXPECT_EQ(cpu_list(std::uint64_t{3} << 62U), "62-63");
}

}  // namespace
}  // namespace framegov
