// SPDX-License-Identifier: Apache-2.0
#include "cli/owner_texts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/doctor_text.h"
#include "cli/explain_text.h"
#include "cli/pause_text.h"
#include "cli/status_text.h"
#include "governor/control/control_client.h"

namespace framegov::cli {
namespace {

using ::testing::HasSubstr;

TEST(OwnerTexts, AreOfTheLanguageOfALocale) {
  EXPECT_EQ(OwnerTexts("zh_CN.UTF-8").language(), "zh");
  EXPECT_EQ(OwnerTexts("zh-Hans-CN").language(), "zh");
  EXPECT_EQ(OwnerTexts("de").language(), "de");
  for (const char* other : {"", "C", "POSIX", "C.UTF-8", "en_GB", "fr_FR", "dex", "_", "\xff"}) {
    EXPECT_TRUE(OwnerTexts(other).is_english()) << other;
  }
}

TEST(OwnerTexts, AreThereForEveryFileOfThePage) {
  const std::filesystem::path folder =
      std::string(FRAMEGOV_SOURCE_DIR) + "/init/module/webroot/texts";
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    const std::string language = file.path().stem();
    EXPECT_EQ(OwnerTexts(language).language(), language) << "compile it in (cli/CMakeLists.txt)";
    EXPECT_TRUE(OwnerTexts(language).has("cli_governing")) << language;
  }
}

TEST(OwnerTexts, PutValuesWhereTheLanguageWantsThem) {
  const OwnerTexts english("en");
  EXPECT_EQ(english.text("lateOf", {{"frames", "60"}, {"late", "2"}}),
            "2 of 60 frames were late in the last minute.");
  EXPECT_EQ(english.text("lateOf"), " of  frames were late in the last minute.");
  EXPECT_EQ(english.text("no such text"), "no such text");
  EXPECT_THAT(OwnerTexts("zh").text("cli_someWrong", {{"count", "3"}}), HasSubstr(" 3 "));
}

TEST(OwnerTexts, AnErrorSaysItsKindInTheOwnersLanguage) {
  const Error error{ExitCode::kNoPermission, "x", "y"};
  EXPECT_EQ(error_class(error, OwnerTexts("en")), "");
  EXPECT_THAT(error_class(error, OwnerTexts("zh")), HasSubstr("root"));
  EXPECT_THAT(error_class(error, OwnerTexts("de")), HasSubstr("Root"));
  const auto nobody = ControlClient::connect("framegov-test-nobody-there");
  ASSERT_FALSE(nobody);
  EXPECT_THAT(error_class(nobody.error(), OwnerTexts("de")),
              HasSubstr(OwnerTexts("de").text("isDead")));
}

TEST(OwnerTexts, DoctorSaysWhatAFindingMeansAboveTheExactWords) {
  DoctorReport report;
  report.findings = {{.id = "policy4",
                      .health = Health::kMissing,
                      .what = "300 to 1800 MHz",
                      .meaning = "its limits cannot be written",
                      .needed = true}};
  const std::string chinese = doctor_text(report, OwnerTexts("zh"), false);
  EXPECT_TRUE(chinese.starts_with("framegov 无法调度这部手机。有 1 处需要注意：\n")) << chinese;
  EXPECT_LT(chinese.find("无法写入此核心簇的频率限制。"),
            chinese.find("its limits cannot be written"));
  EXPECT_THAT(doctor_text(report, OwnerTexts("de"), false),
              HasSubstr("Eines ist nicht in Ordnung:"));
}

TEST(OwnerTexts, ADecisionIsExplainedInThePagesWords) {
  const nlohmann::json decision = {
      {"cause", "frame"},
      {"reason", "scheduled"},
      {"generation_ms", 9.1},
      {"budget_ms", 16.6},
      {"wanted_mhz", 1150},
      {"chosen_khz", 1200000},
      {"clusters",
       {{{"policy", 0}, {"cap_khz", 900000}, {"floor_khz", 0}}, {{"policy", 4}, {"cap_khz", 0}}}}};
  EXPECT_EQ(sentence(decision, OwnerTexts("zh")),
            "一帧耗时 9.1 ms，截止时间 16.6 ms；在帧内逐级升频。需要最快核心的 1150 MHz，选择 1200 "
            "MHz。限制：policy0 至多 900 MHz, policy4 不限。");
  EXPECT_EQ(sentence(decision, OwnerTexts("en")), sentence(decision));
  EXPECT_NE(sentence(nlohmann::json::object(), OwnerTexts("de")), "");
}

TEST(OwnerTexts, APauseIsToldInTheOwnersLanguage) {
  const nlohmann::json paused = {{"since_unix_s", 1764061200}, {"until_unix_s", 0}};
  EXPECT_THAT(pause_text(paused, OwnerTexts("zh")), HasSubstr("framegov resume 可结束暂停。"));
  EXPECT_THAT(pause_text(paused, OwnerTexts("en")), HasSubstr("framegov resume ends it"));
}

TEST(OwnerTexts, TheVerdictIsInTheOwnersLanguage) {
  const OwnerTexts chinese("zh");
  nlohmann::json status = {
      {"minute", {{"frames", 2940}, {"late", 3}, {"kept_percent", {80, 41.2}}}}};
  EXPECT_EQ(verdict_text(status, chinese),
            "流畅。" + chinese.text("lateOf", {{"frames", "2940"}, {"late", "3"}}) +
                chinese.text("bigKept", {{"percent", "41"}}));
  status["minute"]["late"] = 1000;
  status["app"] = "com.a";
  status["app_enabled"] = false;
  EXPECT_THAT(verdict_text(status, chinese), HasSubstr(chinese.text("isStutter")));
  EXPECT_THAT(verdict_text(status, chinese),
              HasSubstr(chinese.text("appIsOff", {{"app", "com.a"}})));
  EXPECT_THAT(verdict_text(nlohmann::json::object(), chinese), HasSubstr(chinese.text("isStill")));
  EXPECT_EQ(verdict_text(status, OwnerTexts("en")), verdict_text(status));
}

TEST(OwnerTexts, ChineseLettersTakeTwoColumns) {
  EXPECT_EQ(columns_of("ok"), 2U);
  EXPECT_EQ(columns_of("für"), 3U);
  EXPECT_EQ(columns_of("缺少"), 4U);
}

}  // namespace
}  // namespace framegov::cli
