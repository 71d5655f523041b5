// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "sim/import/import_report.h"

namespace framegov::sim {
namespace {

TEST(JankTypes, EachBitHasItsName) {
  EXPECT_EQ(jank_type_name(0), "unspecified");
  EXPECT_EQ(jank_type_name(1), "none");
  EXPECT_EQ(jank_type_name(64 | 128), "app deadline missed + buffer stuffing");
  EXPECT_EQ(jank_type_name(2048), "not animating");
  EXPECT_EQ(jank_type_name(64 | 4096), "app deadline missed + app resynced jitter");
  EXPECT_EQ(jank_type_name(8192), "display not on");
  EXPECT_EQ(jank_type_name(16384 | 32768), "display mode change + display power mode change");
  EXPECT_EQ(jank_type_name(1U << 20U), "type 1048576");
}

}  // namespace
}  // namespace framegov::sim
