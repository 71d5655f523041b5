// SPDX-License-Identifier: Apache-2.0
#include "probes/context/frame_kind.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/cpufreq_tree.h"

namespace framegov {
namespace {

TEST(FrameKinds, AreKnownByTheThreadThatQueuesBuffers) {
  for (const auto& [thread, kind] : {std::pair{"1.raster", FrameKind::kFlutter},
                                     {"1.ui", FrameKind::kFlutter},
                                     {"UnityMain", FrameKind::kUnity},
                                     {"UnityGfxDeviceW", FrameKind::kUnity},
                                     {"RHIThread", FrameKind::kUnreal},
                                     {"RenderThread 1", FrameKind::kUnreal},
                                     {"Chrome_InProcGp", FrameKind::kChrome},
                                     {"MediaCodec_loop", FrameKind::kVideo},
                                     {"RenderThread", FrameKind::kGame},
                                     {"GLThread 312", FrameKind::kGame},
                                     {"VkThread", FrameKind::kGame},
                                     {"", FrameKind::kGame}}) {
    EXPECT_EQ(frame_kind_of(thread), kind) << thread;
  }
}

TEST(FrameKinds, ThreadsThatAreNotKnownOrGoneHaveNone) {
  const test::TemporaryFolder folder;
  EXPECT_EQ(frame_kind_in(folder.path(), {}), std::nullopt);
  EXPECT_EQ(frame_kind_in(folder.path(), {.pid = 70, .own_surface = true}), std::nullopt);
  const BufferThread game{.pid = 70, .tid = 71, .own_surface = true};
  EXPECT_EQ(frame_kind_in(folder.path(), game), std::nullopt);
  std::filesystem::create_directories(folder.path() / "70/task/71");
  std::ofstream(folder.path() / "70/task/71/comm") << "1.raster\n";
  EXPECT_EQ(frame_kind_in(folder.path(), game), FrameKind::kFlutter);
  EXPECT_EQ(frame_kind_in(folder.path(), {.pid = 70}), FrameKind::kViews);
}

}  // namespace
}  // namespace framegov
