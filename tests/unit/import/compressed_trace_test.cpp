// SPDX-License-Identifier: Apache-2.0
// What `atrace -z` writes: text before a zlib stream of ftrace text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "sim/import/import.h"
#include "tests/support/perfetto_builder.h"

namespace framegov::sim {
namespace {

using ::testing::HasSubstr;

std::string ftrace_text() {
  std::string text = "# tracer: nop\n#\n";
  for (int i = 0; i < 200; ++i) {
    text += "  kworker/0:1-77 ( 77) [000] d..2 " + std::to_string(100 + i) +
            ".000000: cpu_frequency: state=" + std::to_string(300'000 + i * 7919 % 1'000'000) +
            " cpu_id=0\n";
  }
  return text;
}

Result<Imported> import_text(const std::string& bytes) {
  const auto source = bytes_in_memory(bytes);
  return import_bytes(**source, "test", {});
}

TEST(CompressedTrace, AtracesIsRead) {
  for (const std::string head : {"TRACE:\n", "capturing trace... done\nTRACE:\n"}) {
    const auto imported = import_text(head + test::deflated(ftrace_text()));
    ASSERT_TRUE(imported) << imported.error().to_string();
    EXPECT_EQ(imported->report.format, TraceFormat::kFtraceText);
    EXPECT_EQ(imported->report.counts.at("cpu_frequency"), 200U);
  }
}

TEST(CompressedTrace, SaysWhereAtracesIsCutOff) {
  const std::string head = "TRACE:\n";
  const std::string whole = head + test::deflated(ftrace_text());
  const auto refused = import_text(whole.substr(0, whole.size() - 10));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message,
              HasSubstr("cut off at file offset " + std::to_string(whole.size() - 10)));
}

TEST(CompressedTrace, AtracesPlainTextIsNone) {
  const auto imported = import_text("TRACE:\n" + ftrace_text());
  ASSERT_TRUE(imported) << imported.error().to_string();
  EXPECT_EQ(imported->report.counts.at("cpu_frequency"), 200U);
}

}  // namespace
}  // namespace framegov::sim
