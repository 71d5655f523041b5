// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <cstdio>
#include <string>
#include <vector>

#include "cli/doctor_text.h"
#include "cli/explain_text.h"
#include "cli/json_read.h"
#include "cli/pause_text.h"
#include "cli/profile_output.h"
#include "cli/status_text.h"
#include "cli/terminal.h"
#include "cli/text_line.h"
#include "cli/watch_view.h"
#include "config/load.h"
#include "tests/unit/cli/status_sample.h"

namespace framegov::cli {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

/// Columns that a terminal takes for it: no escape sequences, one for each UTF-8 character.
std::size_t width_of(const std::string& line) {
  std::size_t width = 0;
  bool escape = false;
  for (const char c : line) {
    const auto byte = static_cast<unsigned char>(c);
    escape = escape || c == '\x1b';
    width += !escape && (byte & 0xC0U) != 0x80U ? 1U : 0U;
    escape = escape && c != 'm';
  }
  return width;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string all;
  for (const std::string& line : lines) {
    all += line + "\n";
  }
  return all;
}

void expect_to_fit(const std::vector<std::string>& lines, std::size_t columns, std::size_t rows) {
  EXPECT_LE(lines.size(), rows);
  for (const std::string& line : lines) {
    EXPECT_LE(width_of(line), columns) << line;
  }
}

TEST(WatchView, TellsEverythingAt80x24) {
  const auto lines = WatchView(false, false).render(test::status_sample(), 80, 24);
  expect_to_fit(lines, 80, 24);
  const std::string text = joined(lines);
  std::printf("%s", text.c_str());
  for (const char* part :
       {"com.example.scroller", "mode balance", "source ringbuf", "120 fps", "late 3 of 240",
        "p95 7.4", "of 8.3 ms", "lost 0", "deadline 8.3 ms", "policy4", "1500  1800  1600",
        "The frame took 7.5 ms", "412 mW", "81.2 J", "4.2 MiB", "█", "●"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(WatchView, UsesTheRoomOf200x50) {
  const auto small = WatchView(false, false).render(test::status_sample(), 80, 24);
  const auto large = WatchView(false, false).render(test::status_sample(), 200, 50);
  expect_to_fit(large, 200, 50);
  std::printf("%s", joined(large).c_str());
  EXPECT_GT(large.size(), small.size() + 10);
  std::size_t widest = 0;
  for (const std::string& line : large) {
    widest = std::max(widest, width_of(line));
  }
  EXPECT_GT(widest, 180U);
}

/// A minute in which the frames of second 20 were late.
Json with_a_minute(Json status) {
  for (int i = 0; i < 60; ++i) {
    status["seconds"].push_back({{"begin_ns", 5e9 - (59.5 - i) * 1e9},
                                 {"shortest_ms", 2.0},
                                 {"mean_ms", 4.0},
                                 {"longest_ms", i == 20 ? 14.0 : 7.0},
                                 {"budget_ms", 8.333}});
  }
  return status;
}

TEST(WatchView, ShowsTheLastMinuteWhereThereIsRoom) {
  const Json status = with_a_minute(test::status_sample());
  const auto lines = WatchView(false, true).render(status, 200, 50);
  expect_to_fit(lines, 200, 50);
  const std::string text = joined(lines);
  std::printf("%s", text.c_str());
  EXPECT_THAT(text, HasSubstr("each second's frames"));
  EXPECT_THAT(text, HasSubstr("60 s ago"));
  // Above the deadline there is but the late second: two columns of it, 20 seconds in.
  for (const std::string& each : lines) {
    if (each.find("8.3") != std::string::npos && each.find("---") != std::string::npos) {
      EXPECT_EQ(each.find("::"), 8U + 20 * 3) << each;
      break;
    }
  }
  EXPECT_THAT(joined(WatchView(false, true).render(status, 159, 50)), Not(HasSubstr("60 s ago")));
  EXPECT_THAT(joined(WatchView(false, true).render(status, 200, 20)), Not(HasSubstr("60 s ago")));
}

TEST(Verdict, SaysHowItGoesInWords) {
  Json status = test::status_sample();
  EXPECT_EQ(verdict_text(status),
            "Smooth: 2 of 3600 frames late in the last minute, big cores kept to 41 %.");
  status["minute"]["late"] = 200;
  EXPECT_THAT(verdict_text(status), HasSubstr("Some frames are late: 200 of 3600"));
  status["minute"]["late"] = 900;
  EXPECT_THAT(verdict_text(status), HasSubstr("It stutters: 900 of 3600"));
  status["app_enabled"] = false;
  EXPECT_THAT(verdict_text(status), HasSubstr("com.example.scroller is switched off."));
  EXPECT_EQ(verdict_text(Json::object()), "No frames in the last minute.");
}

TEST(Verdict, APauseComesFirstAndEverywhere) {
  Json status = test::status_sample();
  status["paused"] = {{"since_unix_s", 1'000'000}, {"until_unix_s", nullptr}};
  EXPECT_THAT(verdict_text(status), HasSubstr("paused by hand since 1970-01-12"));
  EXPECT_THAT(verdict_text(status), HasSubstr("framegov resume ends it"));
  EXPECT_THAT(status_text(status), HasSubstr("verdict     paused by hand"));
  EXPECT_THAT(joined(WatchView(false, true).render(status, 80, 24)), HasSubstr("paused by hand"));
  status["paused"]["until_unix_s"] = 2'000'000;
  EXPECT_THAT(verdict_text(status), HasSubstr(", until 1970-01-24"));
}

TEST(PauseSeconds, AreOfPlainWords) {
  EXPECT_EQ(*pause_seconds("90s"), 90);
  EXPECT_EQ(*pause_seconds("30m"), 1800);
  EXPECT_EQ(*pause_seconds("1h30m"), 5400);
  EXPECT_EQ(*pause_seconds("2d"), 172800);
  for (const char* text : {"", "1", "h", "1x", "0s", "31d", "-1h", "1.5h", "1h ", "99999999999h"}) {
    EXPECT_FALSE(pause_seconds(text)) << text;
  }
}

TEST(Doctor, SaysTheVerdictFirstThenWhatIsWrongWithWhatToDo) {
  DoctorReport report;
  report.findings = {{.id = "kernel", .health = Health::kOk, .what = "6.1"},
                     {.id = "libgui",
                      .health = Health::kDegraded,
                      .what = "nothing to probe",
                      .meaning = "games are not seen",
                      .action = "name the path"},
                     {.id = "uprobes",
                      .health = Health::kMissing,
                      .what = "no \x1b[2J uprobes",
                      .meaning = "no frames",
                      .action = "another kernel",
                      .needed = true}};
  const std::string text = doctor_text(report, OwnerTexts("en"), false);
  std::printf("%s", text.c_str());
  EXPECT_TRUE(
      text.starts_with("framegov cannot govern this phone. 2 things are not well:\n"
                       "missing   uprobes     no ?[2J uprobes\n"));
  EXPECT_LT(text.find("-> another kernel"), text.find("libgui"));
  EXPECT_THAT(text, HasSubstr("-> name the path\n\nok        kernel      6.1\n"));
  EXPECT_THAT(doctor_text(report, OwnerTexts("en"), true), HasSubstr("\x1b[31m"));
  report.findings.resize(1);
  report.can_govern = true;
  EXPECT_EQ(doctor_text(report, OwnerTexts("en"), false),
            "framegov can govern this phone. Everything is well.\nok        kernel      6.1\n");
}

TEST(WatchView, FitsAnySizeAndAnyStatus) {
  const std::vector<Json> statuses = {
      test::status_sample(),
      with_a_minute(test::status_sample()),
      Json::object(),
      Json(),
      Json::parse(R"({"seconds":[1,{"begin_ns":-1e300,"longest_ms":"x","budget_ms":-5}],
                      "minute":{"frames":"x","big_kept_percent":null},"paused":{}})"),
      Json::parse(R"({"frames":7,"clusters":"x","decision":[1],"app":{"a":1},"totals":null})"),
      Json::parse(R"({"frames":{"histogram":[1,"x",null,-5,1e300],"bins_to_deadline":-3,
                      "count":1},"clusters":[7,{"min_khz":5,"max_khz":1,"current_khz":-1e300}]})")};
  for (const Json& status : statuses) {
    for (std::size_t columns : {1U, 2U, 5U, 17U, 36U, 40U, 80U, 300U}) {
      for (std::size_t rows : {0U, 1U, 3U, 10U, 24U, 100U}) {
        expect_to_fit(WatchView(true, false).render(status, columns, rows), columns, rows);
      }
    }
  }
}

TEST(WatchView, ALongNameLeavesTheRestOfItsLineWhole) {
  Json status = test::status_sample();
  status["app"] = "com.example.studio.with.a.long.name.racer";
  status["mode"] = "performance";
  status["source"] = "surfaceflinger";
  status["uptime_s"] = 864000;
  const auto narrow = WatchView(false, false).render(status, 80, 24);
  EXPECT_EQ(narrow[0].size(), 80U) << narrow[0];
  EXPECT_THAT(narrow[0], HasSubstr("racer  policy"));
  EXPECT_TRUE(narrow[0].ends_with("up 240h00m")) << narrow[0];
  EXPECT_THAT(WatchView(false, false).render(status, 200, 50)[0],
              HasSubstr("com.example.studio.with.a.long.name.racer  policy"));
}

TEST(WatchView, ColourIsOnlyAddedAndAsciiIsAscii) {
  const std::string plain = joined(WatchView(false, true).render(test::status_sample(), 80, 24));
  std::string coloured = joined(WatchView(true, true).render(test::status_sample(), 80, 24));
  EXPECT_NE(plain, coloured);
  for (std::size_t at = 0; (at = coloured.find('\x1b')) != std::string::npos;) {
    coloured.erase(at, coloured.find('m', at) + 1 - at);
  }
  EXPECT_EQ(plain, coloured);
  for (const char c : plain) {
    EXPECT_TRUE(c == '\n' || (c >= ' ' && c <= '~'));
  }
}

TEST(WatchView, AnAppCannotSpeakToTheTerminal) {
  Json status = test::status_sample();
  status["app"] = "com.\x1b[2Jevil\r\n\x07";
  const std::string text = joined(WatchView(false, true).render(status, 80, 24));
  EXPECT_THAT(text, HasSubstr("com.?[2Jevil???"));
  EXPECT_THAT(status_text(status), Not(HasSubstr("\x1b")));
}

TEST(Explain, SaysWhatHappenedWhyAndTheLimits) {
  const Json decision = test::status_sample()["decision"];
  EXPECT_EQ(sentence(decision),
            "The frame took 7.5 ms of 8.3 ms (0.8 ms to spare); it needs 1420 MHz of the fastest "
            "core with 1.2 ms kept free, so 1500 MHz on policy4. Limits: policy0 up to 900 MHz, "
            "policy4 1500 to 1800 MHz, policy6 free.");
  Json planned = decision;
  planned["load_mcycles"] = 10.5;
  EXPECT_THAT(sentence(planned),
              HasSubstr("; up to 10.50 Mcycles of work are expected, which need 1420 MHz of"));
  Json late = decision;
  late["generation_ms"] = 12.0;
  late["reason"] = "rescue";
  EXPECT_THAT(sentence(late), HasSubstr("(3.7 ms late); late, so raised at once"));
}

TEST(Status, ADeadlineThatIsNotKnownIsNotPrinted) {
  Json status = test::status_sample();
  status["frames"]["budget_ms"] = 0;
  EXPECT_THAT(status_text(status), Not(HasSubstr("of 0.0 ms")));
  EXPECT_THAT(joined(WatchView(false, true).render(status, 80, 24)), Not(HasSubstr("of 0.0 ms")));
}

TEST(Explain, SaysNothingOfWhatIsNotKnown) {
  Json decision = test::status_sample()["decision"];
  decision.erase("margin_ms");
  decision.erase("budget_ms");
  EXPECT_THAT(
      sentence(decision),
      HasSubstr("The frame took 7.5 ms; it needs 1420 MHz of the fastest core, so 1500 MHz"));
}

TEST(Explain, EndsWithWhatTheProfileSets) {
  const auto settings = parse_settings(
      "profiles: {modes: {plain: {}}, apps: {com.a: {background_floor: 60%, floors: {big: "
      "1GHz}}}}\n",
      "f.yaml");
  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_EQ(profile_sentence(effective_profile(*settings, "plain", "com.a")),
            "com.a in mode plain: background_floor 60% (f.yaml:1), floors.big 1000MHz (f.yaml:1)");
  EXPECT_EQ(profile_sentence(effective_profile(*settings, "plain", "com.b")),
            "com.b in mode plain: all settings as built in");
}

TEST(Explain, ATimerIsNamedForWhatItWasFor) {
  EXPECT_TRUE(sentence({{"cause", "timer"}, {"reason", "still"}})
                  .starts_with("No frame came for a while; "));
  for (const char* reason : {"tracking", "rescue", "scheduled"}) {
    EXPECT_TRUE(sentence({{"cause", "timer"}, {"reason", reason}})
                    .starts_with("The frame is not done yet; "))
        << reason;
  }
}

TEST(Explain, HasASentenceForEveryCauseAndReason) {
  for (const char* cause : {"start", "frame", "timer", "app", "step", "failsafe"}) {
    for (const char* reason : {"none", "starting", "tracking", "rescue", "still", "not-understood",
                               "disabled", "scheduled", "fixed"}) {
      const std::string text = sentence({{"cause", cause}, {"reason", reason}});
      EXPECT_THAT(text, Not(HasSubstr("Something happened")));
      EXPECT_TRUE(text.ends_with('.')) << text;
    }
  }
  EXPECT_THAT(sentence(Json::object()), HasSubstr("Something happened"));
}

TEST(Status, SaysHowThreadsAreSteeredAndPowerIsKnown) {
  Json status = test::status_sample();
  EXPECT_THAT(status_text(status), Not(HasSubstr("\nthreads ")));
  EXPECT_THAT(status_text(status), Not(HasSubstr("\npower ")));
  status["power"] = {{"model", "table"}, {"soc", "sm8250"}, {"why", "measured on sm8250"}};
  EXPECT_THAT(status_text(status), HasSubstr("\npower       measured on sm8250\n"));
  status["threads"] = {{"means", "placed by affinity"}, {"writes", 12}, {"given_up", 1}};
  EXPECT_THAT(status_text(status), HasSubstr("\nthreads "));
  EXPECT_THAT(status_text(status), HasSubstr("placed by affinity; 12 writes, given up 1 times"));
}

TEST(Status, SaysWhenTheGpuEndsTheFrames) {
  Json status = test::status_sample();
  EXPECT_THAT(status_text(status), Not(HasSubstr("GPU")));
  status["gpu"] = {{"busy_percent", 61.0}, {"clock_khz", 400'000}, {"at_its_limit", false}};
  EXPECT_THAT(status_text(status), HasSubstr("\nGPU         61 % busy, now at 400 MHz\n"));
  status["gpu"] = {{"busy_percent", 98.0}, {"at_its_limit", true}};
  EXPECT_THAT(status_text(status), HasSubstr("98 % busy. Limited by the GPU: it ends"));
  status.erase("gpu");
  status["gpu_frames"] = {{"frame_ms", 20.04}, {"bound", true}};
  EXPECT_THAT(status_text(status), HasSubstr("\nGPU         20.0 ms a frame. Limited by the GPU"));
}

TEST(Status, IsALineForEachThing) {
  const std::string text = status_text(test::status_sample());
  std::printf("%s", text.c_str());
  for (const char* part :
       {"process 4711, up 1h02m", "policy mpc, mode balance, drawn by Android's views",
        "27000 events, 0 lost", "policy4 1500 to 1800 MHz, now at 1600 MHz", "seccomp filter",
        "4000 writes (0 failed)", "moderate, policy6 at most 2240 MHz"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
  EXPECT_THAT(status_text(Json::object()), HasSubstr("no app yet"));
}

TEST(History, IsATable) {
  EXPECT_EQ(history_text(Json::object()),
            "Nothing yet: frames are counted once framegov governs.\n");
  const std::string text = history_text({{"days",
                                          {{{"day", "2026-11-21"},
                                            {"app", "com.a"},
                                            {"frames", 7200},
                                            {"misses", 12},
                                            {"energy_mj", 15300.0}}}}});
  EXPECT_THAT(text, HasSubstr("2026-11-21        7200       12       15.3  com.a"));
}

TEST(Wrapped, BreaksAtSpacesAndSaysWhenThereIsMore) {
  EXPECT_EQ(wrapped("one two three", 7, 3), (std::vector<std::string>{"one two", "three"}));
  EXPECT_EQ(wrapped("one two three four", 9, 1), (std::vector<std::string>{"one..."}));
  EXPECT_EQ(wrapped("abcdefghijkl", 5, 9), (std::vector<std::string>{"abcde", "fghij", "kl"}));
  EXPECT_TRUE(wrapped("", 5, 9).empty());
}

TEST(Terminal, ColoursNeedATerminalThatWantsThem) {
  EXPECT_TRUE(wants_colour(true, nullptr, "xterm"));
  EXPECT_TRUE(wants_colour(true, "", nullptr));
  EXPECT_FALSE(wants_colour(true, "1", "xterm"));
  EXPECT_FALSE(wants_colour(false, nullptr, "xterm"));
  EXPECT_FALSE(wants_colour(true, nullptr, "dumb"));
}

}  // namespace
}  // namespace framegov::cli
