// SPDX-License-Identifier: Apache-2.0
#include "probes/sources/surface_flinger_text.h"

#include <gtest/gtest.h>

#include <string>

namespace framegov {
namespace {

constexpr Instant kReadAt = instant_from_ns(1'000'000'000'000);

TEST(SurfaceFlingerText, LayersOfAppsSurfaceViewsFirst) {
  const auto layers = parse_layer_list(
      "Display 0 name=\"Built-in Screen\"#3\n"
      "Task=1#5\n"
      "ActivityRecord{7c1 u0 com.example.game/.Main t12}#60\n"
      "com.example.game/com.example.game.Main#61\n"
      "Background for SurfaceView[com.example.game/com.example.game.Main]#63\n"
      "SurfaceView[com.example.game/com.example.game.Main](BLAST)#62\r\n"
      "InputMethod#9\n"
      "com.android.systemui.ImageWallpaper/x#4\n"
      "StatusBar#70\n",
      8);
  ASSERT_EQ(layers.size(), 2U);
  EXPECT_EQ(layers[0].name, "SurfaceView[com.example.game/com.example.game.Main](BLAST)#62");
  EXPECT_EQ(layers[0].package, "com.example.game");
  EXPECT_EQ(layers[1].name, "com.example.game/com.example.game.Main#61");
  EXPECT_EQ(layers[1].package, "com.example.game");
}

TEST(SurfaceFlingerText, OlderAndNewerNames) {
  const auto old = parse_layer_list("SurfaceView - com.example.game/com.example.game.Main#0\n", 8);
  ASSERT_EQ(old.size(), 1U);
  EXPECT_EQ(old[0].package, "com.example.game");
  const auto fresh = parse_layer_list(
      "RequestedLayerState{d4f1 com.example.a/com.example.a.Main#90 parentId=88 z=0}\n", 8);
  ASSERT_EQ(fresh.size(), 1U);
  EXPECT_EQ(fresh[0].name, "d4f1 com.example.a/com.example.a.Main#90");
  EXPECT_EQ(fresh[0].package, "com.example.a");
  std::string many;
  for (int i = 0; i < 100; ++i) {
    many += "com.example.a/com.example.a.Main#" + std::to_string(i) + "\n";
  }
  EXPECT_EQ(parse_layer_list(many, 6).size(), 6U);
  EXPECT_TRUE(parse_layer_list("", 6).empty());
}

TEST(SurfaceFlingerText, RowsThatArePendingOrUnusedAreNoFrames) {
  const auto latency = parse_layer_latency(
      "16666666\n"
      "0\t0\t0\n"
      "100\t200\t150\n"
      "200\t9223372036854775807\t250\n"
      "300\t9223372036854775807\t9223372036854775807\n"
      "\n",
      kReadAt);
  ASSERT_TRUE(latency) << latency.error().message;
  EXPECT_EQ(latency->refresh_period, Duration{16'666'666});
  ASSERT_EQ(latency->ready.size(), 2U);
  EXPECT_EQ(to_ns(latency->ready[0]), 150);
  EXPECT_EQ(to_ns(latency->ready[1]), 250);
  EXPECT_EQ(latency->pending, 1U);
  EXPECT_EQ(latency->rejected, 0U);
  EXPECT_FALSE(latency->full);
}

TEST(SurfaceFlingerText, RowsThatCannotBeTrueAreCounted) {
  const auto latency = parse_layer_latency(
      "16666666\n"
      "100\t200\t500\n"
      "100\t200\t400\n"            // backwards
      "100\t200\t-5\n"             // negative
      "100\t200\t1000000000001\n"  // in the future
      "100\t200\n"                 // short
      "100\t200\t600\t7\n"         // long
      "text\n"
      "100\t200\t99999999999999999999\n",
      kReadAt);
  ASSERT_TRUE(latency);
  EXPECT_EQ(latency->ready.size(), 1U);
  EXPECT_EQ(latency->rejected, 7U);
}

TEST(SurfaceFlingerText, AFullTableIsSaid) {
  std::string text = "8333333\n";
  for (int i = 1; i <= 127; ++i) {
    text += "1\t2\t" + std::to_string(i) + "\n";
  }
  const auto latency = parse_layer_latency(text, kReadAt);
  ASSERT_TRUE(latency);
  EXPECT_TRUE(latency->full);
}

TEST(SurfaceFlingerText, WithoutAPeriodItIsAnError) {
  for (const char* text : {"", "\n", "0\n", "-1\n", "abc\n", "16666666 1\n", "9999999999\n",
                           "Can't find service: SurfaceFlinger\n"}) {
    EXPECT_FALSE(parse_layer_latency(text, kReadAt)) << text;
  }
}

}  // namespace
}  // namespace framegov
