// SPDX-License-Identifier: Apache-2.0
// What a process is called where Perfetto read its command line before the app had it.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sim/import/trace_model.h"
#include "tests/support/perfetto_builder.h"
#include "trace/perfetto_reader.h"

namespace framegov::sim {
namespace {

using test::Message;
using test::trace_of;

constexpr std::uint64_t kPid = 100;
constexpr std::uint64_t kUid = 10234;

Message process(const std::string& command_line, std::uint64_t uid) {
  const Message entry =
      Message().varint(1, kPid).varint(2, 1).bytes(3, command_line).varint(5, uid);
  return Message().message(2, Message().message(1, entry));
}

Message package(const std::string& name, std::uint64_t uid) {
  const Message entry = Message().bytes(1, name).varint(2, uid);
  return Message().message(47, Message().message(1, entry));
}

Message renamed(const std::string& comm) {
  const Message rename = Message().varint(1, kPid).bytes(2, "main").bytes(3, comm);
  return test::bundle_packet(0, {test::ftrace_event(1000, kPid, 236, rename)});
}

std::string name_in(const std::vector<Message>& packets) {
  const std::string bytes = trace_of(packets);
  const auto source = bytes_in_memory(bytes);
  TraceModelBuilder builder;
  EXPECT_TRUE(read_perfetto(**source, builder));
  return builder.finish().process_name(static_cast<std::int32_t>(kPid));
}

TEST(AppNames, ACommandLineFromBeforeTheAppGivesWayToThePackageOfItsUser) {
  for (const char* const early : {"<pre-initialized>", "zygote64", "usap32", ""}) {
    EXPECT_EQ(name_in({package("com.other", 10235), process(early, kUid),
                       package("com.example.longname", kUid), renamed("xample.longname")}),
              "com.example.longname")
        << early;
  }
  // Of another user of the phone.
  EXPECT_EQ(name_in({process("zygote64", 1'000'000 + kUid), package("com.example.app", kUid)}),
            "com.example.app");
}

TEST(AppNames, UsersWithMorePackagesTellNoName) {
  EXPECT_EQ(name_in({process("<pre-initialized>", 1000), package("com.a", 1000),
                     package("com.b", 1000), package("com.a", 1000), renamed("system_ui")}),
            "system_ui");
}

TEST(AppNames, WithoutAPackageAnAppIsCalledAsItsMainThreadIs) {
  EXPECT_EQ(name_in({process("<pre-initialized>", kUid), renamed("xample.longname")}),
            "xample.longname");
  EXPECT_EQ(name_in({process("<pre-initialized>", kUid)}), "<pre-initialized>");
  EXPECT_EQ(name_in({renamed("")}), "pid 100");
}

TEST(AppNames, AnAppsOwnCommandLineComesFirst) {
  EXPECT_EQ(name_in({process("com.example.app:remote", kUid), package("com.example.app", kUid),
                     renamed("main")}),
            "com.example.app:remote");
}

}  // namespace
}  // namespace framegov::sim
