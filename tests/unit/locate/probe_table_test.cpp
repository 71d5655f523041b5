// SPDX-License-Identifier: Apache-2.0
#include "probes/locate/probe_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace framegov {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kSeed = "dea5f6def7787d5c89fe66e7f888455953fd8880";

std::string problem(const std::string& yaml) {
  const auto table = ProbeTable::parse(yaml, "t.yaml");
  return table ? "no problem" : table.error().message;
}

TEST(ProbeTable, ShipsTheFirstKnownLibrary) {
  const auto table = ProbeTable::shipped();
  ASSERT_TRUE(table) << table.error().message;
  const ProbeTable::Row* row = table->find(kSeed, "");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->call, 0x26868cU);
  EXPECT_EQ(row->destination_register, 4);
  EXPECT_EQ(row->return_offset, 0x2686a0U);
  EXPECT_EQ(table->find("0" + std::string(kSeed).substr(1), ""), nullptr);
}

TEST(ProbeTable, NamesTheLineOfWhatIsWrong) {
  EXPECT_THAT(problem("sites:\n  - sha1: 12\n    call: 1\n"), StartsWith("t.yaml:2: 'sha1'"));
  EXPECT_THAT(problem("sites:\n  - build_id: ab\n    call: 1\n    return: 2\n"),
              StartsWith("t.yaml:2: the row has no 'register'"));
  EXPECT_THAT(problem("sites:\n  - build_id: ab\n    call: zero\n"),
              StartsWith("t.yaml:3: 'call' is not a number"));
  EXPECT_THAT(problem("sites:\n  - {call: 1, register: 4, return: 2}\n"),
              HasSubstr("neither 'sha1' nor 'build_id'"));
  EXPECT_THAT(problem("sites:\n  - {build_id: ab, call: 8, register: 4, return: 4}\n"),
              HasSubstr("must come after"));
  EXPECT_THAT(problem("sites:\n  - {build_id: ab, call: 1, register: 31, return: 4}\n"),
              HasSubstr("0 to 30"));
  EXPECT_THAT(problem("sites:\n  - {build_id: ab, cal: 1}\n"), HasSubstr("unknown key \"cal\""));
  EXPECT_THAT(problem("sites: 3\n"), HasSubstr("must be a list"));
  EXPECT_THAT(problem("- 1\n"), HasSubstr("'sites'"));
  EXPECT_THAT(problem("sites: [\n"), StartsWith("t.yaml:"));
  EXPECT_EQ(problem(""), "no problem");
  EXPECT_EQ(problem("sites:\n"), "no problem");
}

TEST(ProbeTable, AFilesOwnHashGoesBeforeItsBuildId) {
  auto table = ProbeTable::parse("sites: [{build_id: ab, call: 1, register: 4, return: 2}]", "a");
  const std::string by_sha1 =
      "sites: [{sha1: " + std::string(kSeed) + ", call: 3, register: 4, return: 4}]";
  const auto second = ProbeTable::parse(by_sha1, "b");
  ASSERT_TRUE(table && second);
  const std::string before = table->fingerprint();
  table->put_before(*second);
  EXPECT_NE(table->fingerprint(), before);
  EXPECT_EQ(table->find(kSeed, "ab")->call, 3U);
  EXPECT_EQ(table->find("", "ab")->call, 1U);
}

}  // namespace
}  // namespace framegov
