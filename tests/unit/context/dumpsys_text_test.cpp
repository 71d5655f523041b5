// SPDX-License-Identifier: Apache-2.0
#include "probes/context/dumpsys_text.h"

#include <gmock/gmock.h>

#include <random>

namespace framegov {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ResumedPackages, ReadsTheFormOfAndroid10AndLater) {
  EXPECT_THAT(
      resumed_packages("Display #0 (activities from top to bottom):\n"
                       "  * Task{1f #12 type=standard}\n"
                       "    topResumedActivity=ActivityRecord{6a1 u0 com.a.game/.Main t12}\n"
                       "  mLastPausedActivity: ActivityRecord{77 u0 com.b/.Old t3}\n"
                       "  ResumedActivity: ActivityRecord{6a1 u0 com.a.game/.Main t12}\n"),
      ElementsAre("com.a.game"));
}

TEST(ResumedPackages, ReadsTheFormOfAndroid7To11) {
  EXPECT_THAT(resumed_packages("    mResumedActivity: ActivityRecord{ab12 u10 org.x_y/org.x.A t5}\n"
                               "    mLastPausedActivity: ActivityRecord{77 u0 com.b/.Old t3}\n"),
              ElementsAre("org.x_y"));
}

TEST(ResumedPackages, SplitScreenGivesBoth) {
  EXPECT_THAT(resumed_packages("topResumedActivity=ActivityRecord{1 u0 com.a/.M t1}\r\n"
                               "topResumedActivity=ActivityRecord{2 u0 com.b/.M t2}\n"
                               "ResumedActivity: ActivityRecord{2 u0 com.b/.M t2}\n"),
              ElementsAre("com.a", "com.b"));
}

TEST(ResumedPackages, NothingIsResumed) {
  EXPECT_THAT(resumed_packages("  topResumedActivity=null\n  mResumedActivity: null\n"), IsEmpty());
  EXPECT_THAT(resumed_packages(""), IsEmpty());
}

TEST(ResumedPackages, RefusesWhatIsNoPackage) {
  EXPECT_THAT(resumed_packages("topResumedActivity=ActivityRecord{1 u0 ../../etc/passwd t1}\n"
                               "topResumedActivity=ActivityRecord{1 u0 a;b/.M t1}\n"
                               "topResumedActivity=ActivityRecord{1 u0 " +
                               std::string(300, 'a') + "/.M t1}\n"),
              ElementsAre(".."));
}

TEST(RefreshInterval, KnowsTheFormsOfAndroid10To16) {
  const auto hz = [](std::string_view text) {
    const auto interval = refresh_interval(text);
    return interval ? 1 / to_seconds(*interval) : 0.0;
  };
  EXPECT_NEAR(hz("  refresh-rate              : 90.000002 fps\n"), 90, 0.001);
  EXPECT_NEAR(hz("refresh-rate : 60 fps\n"), 60, 0.001);
  EXPECT_NEAR(hz("  present offset: 0 ns   VSYNC period: 8333333 ns\n"), 120, 0.001);
  EXPECT_NEAR(hz("   activeMode={fps=120.00 Hz, modePtr={id=1, vsyncRate=120.00 Hz}}\n"), 120,
              0.001);
  EXPECT_NEAR(hz("  activeMode=60.00 Hz\n   renderRate=30.00 Hz\n"), 30, 0.001);
}

TEST(RefreshInterval, RefusesWhatNoDisplayDoes) {
  EXPECT_FALSE(refresh_interval("refresh-rate : 0 fps\n"));
  EXPECT_FALSE(refresh_interval("refresh-rate : 99999999 fps\n"));
  EXPECT_FALSE(refresh_interval("VSYNC period: -3 ns\nrefresh-rate: fps\nactiveMode= Hz\n"));
  EXPECT_FALSE(refresh_interval(""));
}

TEST(KeyboardPackage, IsTheServicesPackage) {
  EXPECT_EQ(keyboard_package("com.a.keys/.Service\n"), "com.a.keys");
  EXPECT_EQ(keyboard_package("null\n"), "");
  EXPECT_EQ(keyboard_package(""), "");
}

TEST(DumpsysText, DamagedTextIsReadWithoutHarm) {
  const std::string whole =
      "topResumedActivity=ActivityRecord{1 u0 com.a/.M t1}\nactiveMode={fps=120.00 Hz\n"
      "refresh-rate : 60 fps\nVSYNC period: 8333333 ns\n";
  std::mt19937 random(7);
  for (int i = 0; i < 20'000; ++i) {
    std::string text = whole.substr(0, random() % (whole.size() + 1));
    for (std::size_t n = random() % 4; n > 0 && !text.empty(); --n) {
      text[random() % text.size()] = static_cast<char>(random());
    }
    for (const std::string& package : resumed_packages(text)) {
      EXPECT_THAT(package, ::testing::Not(::testing::HasSubstr("/")));
    }
    const auto interval = refresh_interval(text);
    EXPECT_TRUE(!interval || *interval > Duration::zero());
  }
}

}  // namespace
}  // namespace framegov
