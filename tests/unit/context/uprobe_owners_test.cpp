// SPDX-License-Identifier: Apache-2.0
#include "probes/context/uprobe_owners.h"

#include <gmock/gmock.h>

namespace framegov {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(UprobeOwners, NamesEventsAndFilesOfProbesAndReturnProbes) {
  EXPECT_THAT(parse_uprobe_events("p:framegov/queue /system/lib64/libgui.so:0x00000000000a1b20 "
                                  "surface=%x0:u64\n"
                                  "r:uprobes/p_ssl /apex/lib:x/libssl.so:0x12f0\n"),
              ElementsAre(TracefsUprobe{"framegov/queue", "/system/lib64/libgui.so"},
                          TracefsUprobe{"uprobes/p_ssl", "/apex/lib:x/libssl.so"}));
}

TEST(UprobeOwners, LeavesOutWhatIsNoDefinition) {
  EXPECT_THAT(parse_uprobe_events(""), IsEmpty());
  EXPECT_THAT(parse_uprobe_events("\n\np:\np: /a:0x1\np:a/b\nx:a/b /lib:0x1\np:a/b lib:0x1\n"
                                  "p:a/b /lib\np:a/b  /lib:0x1"),
              IsEmpty());
}

}  // namespace
}  // namespace framegov
