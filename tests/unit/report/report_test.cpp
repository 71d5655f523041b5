// SPDX-License-Identifier: Apache-2.0
#include "sim/report/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace framegov::sim {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Report, HoldsItsDataAndEveryMarkIsFilled) {
  const std::string page =
      sim::render_report({{"runs", nlohmann::json::array()}, {"note", "abc123"}});
  EXPECT_THAT(page, HasSubstr("abc123"));
  EXPECT_THAT(page, HasSubstr("uPlot"));
  EXPECT_THAT(page, Not(HasSubstr("{{")));
}

TEST(Report, NoNameCanEndTheScriptElementThatHoldsIt) {
  const std::string page = sim::render_report({{"runs", {"</script><script>alert(1)</script>"}}});
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
}

TEST(Report, BrokenUtf8IsReplacedAndNotThrown) {
  EXPECT_NO_THROW(sim::render_report({{"runs", {"\xff\xfe"}}}));
}

}  // namespace
}  // namespace framegov::sim
