// SPDX-License-Identifier: Apache-2.0
#include "cli/owner_texts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "cli/ab_text.h"
#include "cli/command.h"
#include "cli/doctor_text.h"
#include "cli/explain_text.h"
#include "cli/help_text.h"
#include "cli/pause_text.h"
#include "cli/profile_output.h"
#include "cli/status_text.h"
#include "cli/text_line.h"
#include "cli/watch_view.h"
#include "config/load.h"
#include "governor/control/control_client.h"
#include "tests/unit/cli/status_sample.h"

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
  nlohmann::json status = {{"minute", {{"frames", 2940}, {"late", 3}, {"big_kept_percent", 41.2}}}};
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

/// The keys that a command's help may be found under in another language, by command and option.
TEST(OwnerTexts, HelpIsThereInEveryLanguage) {
  CLI::App app{"", "framegov"};
  CommandResult result;
  register_all(app, result);
  const auto wanted = help_texts(app);
  EXPECT_GT(wanted.size(), 120U);
  for (const char* language : {"de", "zh"}) {
    const OwnerTexts texts(language);
    for (const HelpText& each : wanted) {
      EXPECT_TRUE(std::any_of(each.keys.begin(), each.keys.end(),
                              [&texts](const std::string& key) { return texts.has(key); }))
          << language << ": " << each.keys.front() << " is missing: " << each.words;
    }
    // And none is left of what no command says any more.
    for (const std::string& key : texts.keys()) {
      EXPECT_TRUE(!key.starts_with("cli_help_") ||
                  std::any_of(wanted.begin(), wanted.end(),
                              [&key](const HelpText& each) {
                                return std::find(each.keys.begin(), each.keys.end(), key) !=
                                       each.keys.end();
                              }))
          << language << ": " << key << " is of no command";
    }
  }
}

/// Of every command for owners and those below it: "profile_set" and the help it prints.
void each_owner_help(const CLI::App& app, const std::string& path,
                     const std::function<void(const std::string&, const std::string&)>& see) {
  see(path, app.get_formatter()->make_help(&app, "framegov", CLI::AppFormatMode::Normal));
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (const std::string name = path + (path.empty() ? "" : "_") + sub->get_name();
        !is_for_developers(name)) {
      each_owner_help(*sub, name, see);
    }
  }
}

bool is_example(const std::string& line) {
  static const std::regex kCommand("  (\\. <\\()?(framegov|adb) .*");
  return std::regex_match(line, kCommand);
}

TEST(OwnerTexts, HelpKeepsExamplesAndSaysWhatExitCodesMean) {
  CLI::App app{"", "framegov"};
  CommandResult result;
  register_all(app, result);
  translate_help(app, OwnerTexts("de"));
  const CLI::App* pause = app.get_subcommand("pause");
  const std::string help = pause->get_formatter()->make_help(pause, "framegov pause", {});
  std::printf("%s", help.c_str());
  EXPECT_TRUE(help.starts_with(OwnerTexts("de").text("cli_help_pause"))) << help;
  for (const char* part :
       {"Aufruf: framegov pause [OPTIONEN]", "Optionen:", "--for", "Wie lange",
        "Ein Neustart beendet die Pause nicht.\nBeispiele:\n", "  framegov pause --for 1h\n",
        "\nRückgabewerte: 0 in Ordnung, 1 der Dienst läuft nicht oder scheiterte, 2 falscher "
        "Aufruf,"}) {
    EXPECT_THAT(help, HasSubstr(part));
  }
  // A comma within what a code means ends nothing.
  std::string engine = app.get_subcommand("engine")->get_footer();
  std::replace(engine.begin(), engine.end(), '\n', ' ');
  EXPECT_THAT(engine, HasSubstr(", 5 dieses Telefon hat keinen solchen Bildregler, oder kein "));
}

TEST(OwnerTexts, AManualPageIsOfOneLanguage) {
  CLI::App app{"", "framegov"};
  CommandResult result;
  register_all(app, result);
  translate_help(app, OwnerTexts("de"));
  ::testing::internal::CaptureStdout();
  app.parse("man");
  const std::string page = ::testing::internal::GetCapturedStdout();
  EXPECT_THAT(page, HasSubstr("frame\\-aware CPU frequency governor"));
  EXPECT_THAT(page, ::testing::Not(HasSubstr("Beispiele:")));
}

TEST(OwnerTexts, NoEnglishIsLeftInAnOwnersHelp) {
  CLI::App app{"", "framegov"};
  CommandResult result;
  register_all(app, result);
  translate_help(app, OwnerTexts("zh"));
  std::size_t commands = 0;
  // Names and values stand alone; three words in a row are a sentence.
  const std::regex english("[A-Za-z]{2,}:?( [a-z]{2,}){2,}");
  each_owner_help(app, "", [&](const std::string& path, const std::string& help) {
    ++commands;
    std::istringstream lines(help);
    for (std::string line; std::getline(lines, line);) {
      EXPECT_TRUE(is_example(line) || !std::regex_search(line, english)) << path << ": " << line;
    }
    for (const char* word : {"Example", "Exit code", "Usage", "OPTIONS", "REQUIRED",
                             "Needs:", "Excludes:", "from 0"}) {
      EXPECT_THAT(help, ::testing::Not(HasSubstr(word))) << path;
    }
  });
  EXPECT_GT(commands, 25U);
}

TEST(OwnerTexts, ExamplesAreCommandLinesWithoutWords) {
  CLI::App app{"", "framegov"};
  CommandResult result;
  register_all(app, result);
  each_owner_help(app, "", [](const std::string& path, const std::string& help) {
    const std::size_t begin = help.find("Example");
    std::istringstream lines(help.substr(std::min(begin, help.size())));
    std::string line;
    std::getline(lines, line);
    while (std::getline(lines, line) && !line.starts_with("Exit codes") && !line.empty()) {
      EXPECT_TRUE(is_example(line)) << path << ": " << line;
    }
  });
}

TEST(OwnerTexts, ACodeWithoutWordsStandsForItself) {
  EXPECT_EQ(code_words("heat_", "moderate", OwnerTexts("de")), "mäßig");
  EXPECT_EQ(code_words("origin_", "built in", OwnerTexts("de")), "eingebaut");
  EXPECT_EQ(code_words("origin_", "my.yaml:3", OwnerTexts("de")), "my.yaml:3");
}

TEST(OwnerTexts, AProfileIsShownInTheOwnersLanguage) {
  const auto settings =
      parse_settings("profiles: {modes: {plain: {}}, apps: {com.a: {margin: 10%}}}\n", "f.yaml");
  ASSERT_TRUE(settings) << settings.error().message;
  const EffectiveProfile profile = effective_profile(*settings, "plain", "com.a");
  const EffectiveProfile other = effective_profile(*settings, "plain", "com.b");
  for (const char* language : {"de", "zh"}) {
    const OwnerTexts texts(language);
    std::ostringstream out;
    print_profile(profile, texts, out);
    print_profile(other, texts, out);
    print_profiles(*settings, "plain", texts, out);
    print_changes(profile, profile, texts, out);
    print_changes(other, profile, texts, out);
    EXPECT_THAT(out.str(), HasSubstr(texts.text("origin_built-in")));
    EXPECT_THAT(out.str(), ::testing::Not(HasSubstr("cli_")));
    for (const char* english : {"built in", "in mode", "none", "nothing", "entry", "over "}) {
      EXPECT_THAT(out.str(), ::testing::Not(HasSubstr(english))) << language;
    }
    EXPECT_THAT(profile_sentence(other, texts), HasSubstr(texts.text("cli_allBuiltIn")));
  }
}

TEST(OwnerTexts, TheHistoryIsInTheOwnersLanguage) {
  const nlohmann::json history = {{"days",
                                   {{{"day", "2026-11-21"},
                                     {"app", "com.a"},
                                     {"frames", 72},
                                     {"misses", 1},
                                     {"energy_mj", 9}}}}};
  const std::string chinese = history_text(history, OwnerTexts("zh"));
  std::printf("%s", chinese.c_str());
  EXPECT_THAT(chinese, HasSubstr("能耗 J  应用\n2026-11-21          72"));
  EXPECT_THAT(history_text(nlohmann::json::object(), OwnerTexts("de")), HasSubstr("Noch nichts"));
}

TEST(OwnerTexts, TheLiveViewIsInTheOwnersLanguage) {
  for (const char* language : {"de", "zh"}) {
    const OwnerTexts texts(language);
    for (const auto& [columns, rows] : {std::pair(80U, 24U), std::pair(200U, 50U)}) {
      const auto lines =
          WatchView(false, false, texts).render(test::status_sample(), columns, rows);
      EXPECT_LE(lines.size(), rows);
      std::string all;
      for (const std::string& line : lines) {
        EXPECT_LE(columns_of(line), columns) << line;
        all += line + "\n";
      }
      std::printf("%s", all.c_str());
      for (const char* key : {"cli_cluster", "cli_floor", "cli_cap", "cli_deadline", "cli_late"}) {
        EXPECT_THAT(all, HasSubstr(texts.text(key))) << language;
      }
      EXPECT_THAT(all, ::testing::Not(HasSubstr("cli_")));
      EXPECT_THAT(all, ::testing::Not(HasSubstr("The frame took")));
    }
  }
}

TEST(OwnerTexts, AStatusIsInTheOwnersLanguage) {
  for (const char* language : {"de", "zh"}) {
    const OwnerTexts texts(language);
    nlohmann::json status = test::status_sample();
    status["power"] = {{"model", "table"}, {"soc", "SM8250"}, {"why", "measured on other phones"}};
    const std::string all = status_text(status, texts);
    EXPECT_THAT(all, HasSubstr("SM8250"));
    std::printf("%s", all.c_str());
    EXPECT_THAT(all, ::testing::Not(HasSubstr("cli_")));
    for (const char* english : {"verdict", "governs", "counted", "late,", "wakeups", "up to",
                                "moderate", "measured", "confined"}) {
      EXPECT_THAT(all, ::testing::Not(HasSubstr(english))) << language;
    }
  }
}

TEST(OwnerTexts, AMeasurementIsToldInTheOwnersLanguage) {
  nlohmann::json result = {
      {"app", "com.a"},
      {"engine", "fpsgo"},
      {"power_mw",
       {{"verdict", "less"},
        {"stock", 800},
        {"framegov", 720},
        {"percent", -10},
        {"percent_plus_minus", 2},
        {"pairs", 15}}},
      {"miss_percent", {{"verdict", "cannot-tell"}, {"stock", 0.5}, {"framegov", 0.4}}},
      {"gauge_node", "current_now"},
      {"settle_s", 10},
      {"gauge_interval_s", 1},
      {"pairs", {{{"spoiled", "charging"}}, {{"stock_mw", 800}}}}};
  for (const char* language : {"en", "de", "zh"}) {
    const auto told = ab_sentences(result, OwnerTexts(language));
    ASSERT_EQ(told.size(), 5U) << language;
    for (const std::string& sentence : told) {
      EXPECT_THAT(sentence, ::testing::Not(HasSubstr("cli_")));
      std::printf("%s\n", sentence.c_str());
    }
    EXPECT_THAT(told.front(), HasSubstr("720"));
    EXPECT_THAT(told[3], HasSubstr(OwnerTexts(language).text("cli_abOut_charging")));
  }
  result["power_mw"]["verdict"] = "cannot-tell";
  result["minutes_to_find"] = {{{"percent", 2}, {"minutes", 240}},
                               {{"percent", 5}, {"minutes", 38.4}}};
  EXPECT_THAT(ab_sentences(result, OwnerTexts("zh")),
              ::testing::Contains(HasSubstr("2% 的差别需 4.0 小时, 5% 的差别需 39 分钟")));
}

TEST(OwnerTexts, ChineseLettersTakeTwoColumns) {
  EXPECT_EQ(columns_of("ok"), 2U);
  EXPECT_EQ(columns_of("für"), 3U);
  EXPECT_EQ(columns_of("缺少"), 4U);
  EXPECT_EQ(beginning_of("缺少", 3), "缺");
  EXPECT_EQ(padded("缺少", 6), "缺少  ");
  EXPECT_THAT(wrapped("核心簇限制恢复原值", 8, 2), ::testing::ElementsAre("核心簇限", "制恢..."));
}

}  // namespace
}  // namespace framegov::cli
