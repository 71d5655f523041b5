// SPDX-License-Identifier: Apache-2.0
#include "governor/control/control_session.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "governor/control/control_protocol.h"
#include "tests/support/allocation_counter.h"
#include "tests/support/control_fixture.h"

namespace framegov {
namespace {

using Json = nlohmann::json;
using namespace std::chrono_literals;
using ::testing::HasSubstr;

constexpr std::int64_t kToday = 1'795'000'000;  // 2026-11-18

class ControlSessionTest : public ::testing::Test {
 protected:
  std::vector<Json> say(const std::string& line) {
    std::string out;
    session_.on_line(line, phone_.now(), kToday, out);
    return lines(out);
  }
  Json answer(const Json& request) {
    const auto replies = say(request.dump());
    EXPECT_EQ(replies.size(), 1U);
    return replies.at(0);
  }
  Json result(const Json& request) {
    const Json reply = answer(request);
    EXPECT_TRUE(reply["ok"] == true) << reply;
    return reply.value("result", Json::object());
  }
  std::vector<Json> events() {
    std::string out;
    session_.on_time(phone_.now(), out);
    return lines(out);
  }
  static std::vector<Json> lines(const std::string& out) {
    std::istringstream in(out);
    std::vector<Json> parsed;
    for (std::string line; std::getline(in, line);) {
      parsed.push_back(Json::parse(line));
    }
    return parsed;
  }

  test::ControlFixture phone_{
      {[this](const std::string& mode) -> Result<std::string> {
         if (mode == "turbo") {
           return fail(ExitCode::kBadInput, "no mode 'turbo'");
         }
         modes_.push_back(mode);
         return mode;
       },
       [this](const AppSwitch& app) {
         (app.held ? held_ : switched_).push_back(app);
         return Status();
       },
       [this](const std::string& package, const std::string& mode) {
         modes_.push_back(package + " " + mode);
         return Result<std::string>(mode);
       },
       [](const std::string& package) { return Result<std::string>("mode of " + package); },
       [this](const std::optional<Pause>& pause) {
         pauses_.push_back(pause);
         return Status();
       }}};
  ControlSession session_{phone_.desk};
  std::vector<std::string> modes_;
  std::vector<std::optional<Pause>> pauses_;
  std::vector<AppSwitch> switched_;
  std::vector<AppSwitch> held_;
};

TEST_F(ControlSessionTest, TheGpusLoadIsToldWhereItsDriverTells) {
  EXPECT_FALSE(result({{"v", 1}, {"cmd", "status"}}).contains("gpu"));
  const auto sys = phone_.folder.path() / "sys";
  const auto kgsl = sys / "class/kgsl/kgsl-3d0";
  std::filesystem::create_directories(kgsl);
  std::ofstream(kgsl / "gpu_busy_percentage") << "97 %\n";
  std::ofstream(kgsl / "gpuclk") << "818000000\n";
  phone_.desk.read_gpu_from(GpuNodes(sys));
  const Json gpu = result({{"v", 1}, {"cmd", "status"}})["gpu"];
  EXPECT_EQ(gpu, Json({{"busy_percent", 97.0}, {"clock_khz", 818'000}, {"at_its_limit", true}}));
  std::ofstream(kgsl / "gpu_busy_percentage") << "";
  EXPECT_FALSE(result({{"v", 1}, {"cmd", "status"}}).contains("gpu")) << "asleep";
}

TEST_F(ControlSessionTest, FramesTellThatTheGpuEndsThem) {
  Frame frame;
  frame.app = AppId{3};
  frame.interval = std::chrono::milliseconds{16};
  frame.ready = phone_.now();
  frame.vsync = frame.ready - std::chrono::milliseconds{6};
  const auto gpu = [&](int gpu_ms) {
    frame.gpu_time = std::chrono::milliseconds{gpu_ms};
    phone_.feed.on_frame(frame, "com.example", frame.ready);
    const Json status = result({{"v", 1}, {"cmd", "status"}});
    EXPECT_FALSE(status.contains("gpu")) << "its load is not known";
    return status.value("gpu_frames", Json());
  };
  EXPECT_EQ(gpu(0), Json());
  EXPECT_EQ(gpu(17), Json({{"frame_ms", 17.0}, {"bound", false}})) << "it just keeps up";
  EXPECT_EQ(gpu(20), Json({{"frame_ms", 20.0}, {"bound", true}}));
}

TEST_F(ControlSessionTest, WhatDrawsTheAppOnTopIsToldByItsThreads) {
  const auto kind = [this] {
    return result({{"v", 1}, {"cmd", "status"}}).value("frame_kind", "");
  };
  const auto proc = phone_.folder.path() / "proc";
  std::filesystem::create_directories(proc / "70/task/71");
  std::ofstream(proc / "70/task/71/comm") << "UnityGfxDeviceW\n";
  phone_.open_app("com.game");
  phone_.thread = {.pid = 70, .tid = 71, .own_surface = true};
  phone_.make_frame(std::chrono::milliseconds{4});
  EXPECT_EQ(kind(), "") << "without a tree there is nothing to ask";
  phone_.desk.read_threads_from(proc);
  EXPECT_EQ(kind(), "unity");
  phone_.thread.own_surface = false;
  phone_.make_frame(std::chrono::milliseconds{4});
  EXPECT_EQ(kind(), "views");
  phone_.open_app("com.other");
  phone_.stop_frames();
  EXPECT_EQ(kind(), "") << "it has made no frame yet";
}

TEST_F(ControlSessionTest, HelloTellsVersionAndCommands) {
  const Json reply = answer({{"v", 1}, {"id", "x"}, {"cmd", "hello"}});
  EXPECT_EQ(reply["v"], 1);
  EXPECT_EQ(reply["id"], "x");
  EXPECT_EQ(reply["result"]["version"], "1.2.3");
  for (const std::string_view command : kCommandNames) {
    EXPECT_THAT(reply["result"]["commands"].dump(), HasSubstr(std::string(command)));
  }
}

TEST_F(ControlSessionTest, StatusTellsWhatTheLoopPublished) {
  phone_.open_app("com.game");
  for (int i = 0; i < 100; ++i) {
    phone_.make_frame(i % 10 == 0 ? 12ms : 4ms);
  }
  const Json status = result({{"cmd", "status"}});
  EXPECT_EQ(status["app"], "com.game");
  EXPECT_EQ(status["source"], "ringbuf");
  EXPECT_EQ(status["mode"], "balance");
  EXPECT_EQ(status["totals"]["frames"], 100);
  EXPECT_EQ(status["misses"], 10);
  EXPECT_EQ(status["frames"]["misses"], 10);
  EXPECT_NEAR(status["frames"]["p50_ms"].get<double>(), 4, 0.01);
  EXPECT_EQ(status["frames"]["histogram"][4], 90);  // 4 of 8.33 ms
  EXPECT_EQ(status["frames"]["histogram"][14], 10);
  EXPECT_EQ(status["clusters"][2]["cap_khz"], 2'800'000);
  EXPECT_EQ(status["clusters"][2]["floor_khz"], 1'500'000);
  EXPECT_EQ(status["clusters"][0]["cpus"], "0-3");
  EXPECT_EQ(status["decision"]["reason"], "tracking");
  EXPECT_GT(status["energy_mj"], 0);
  EXPECT_FALSE(status["reactions"].empty());
  EXPECT_GT(status["process"]["rss_kib"], 0);
  EXPECT_EQ(status["threads"],
            Json({{"means", "placed by affinity"}, {"writes", 300}, {"given_up", 0}}));
  EXPECT_EQ(status["power"],
            Json({{"model", "table"}, {"soc", "sm8250"}, {"why", "measured on sm8250"}}));
}

TEST_F(ControlSessionTest, APauseIsCountedFromNow) {
  EXPECT_EQ(result({{"cmd", "pause"}, {"for_s", 3600}})["paused"],
            Json({{"since_unix_s", kToday}, {"until_unix_s", kToday + 3600}}));
  EXPECT_EQ(result({{"cmd", "pause"}})["paused"]["until_unix_s"], nullptr);
  EXPECT_EQ(result({{"cmd", "resume"}})["paused"], nullptr);
  for (const Json& time : {Json(0), Json(-1), Json(1e9), Json("1h")}) {
    EXPECT_EQ(answer({{"cmd", "pause"}, {"for_s", time}})["error"]["code"], 3) << time;
  }
  ASSERT_EQ(pauses_.size(), 3U);
  EXPECT_EQ(pauses_[0], (Pause{kToday, kToday + 3600}));
  EXPECT_EQ(pauses_[1], (Pause{kToday, 0}));
  EXPECT_EQ(pauses_[2], std::nullopt);
}

TEST_F(ControlSessionTest, AnAppsModeIsAskedAndSet) {
  EXPECT_EQ(result({{"cmd", "mode"}, {"app", "com.a"}})["mode"], "mode of com.a");
  EXPECT_EQ(result({{"cmd", "mode"}, {"app", "com.a"}, {"set", "fast"}})["mode"], "fast");
  EXPECT_EQ(modes_.back(), "com.a fast");
}

TEST_F(ControlSessionTest, EachSecondOfTheLastMinuteIsTold) {
  phone_.open_app("com.game");
  phone_.now_ns() += 1'000'000'000 - phone_.now_ns() % 1'000'000'000;
  for (int i = 0; i < 250; ++i) {
    phone_.make_frame(i % 100 == 99 ? 12ms : 4ms);
  }
  const Json status = result({{"cmd", "status"}, {"seconds", true}});
  EXPECT_EQ(status["minute"]["frames"], 250);
  EXPECT_EQ(status["minute"]["late"], 2);
  EXPECT_EQ(status["minute"]["kept_percent"].size(), 3U);
  const Json& seconds = status["seconds"];
  ASSERT_EQ(seconds.size(), 3U);
  EXPECT_EQ(seconds[0]["app"], "com.game");
  EXPECT_NEAR(seconds[0]["frames"].get<double>(), 120, 1);
  EXPECT_EQ(seconds[0]["late"], 1);
  EXPECT_NEAR(seconds[0]["shortest_ms"].get<double>(), 4, 0.01);
  EXPECT_NEAR(seconds[0]["longest_ms"].get<double>(), 12, 0.01);
  // The floor came with the first frame: before it there was none.
  EXPECT_EQ(seconds[1]["clusters"][2]["floor_khz"], Json({1'500'000, 1'500'000}));
  EXPECT_EQ(seconds[1]["clusters"][2]["speed_khz"], Json({2'800'000, 2'800'000}));
  EXPECT_EQ(seconds[1]["clusters"][0]["cap_khz"][0], seconds[1]["clusters"][0]["cap_khz"][1]);
  EXPECT_FALSE(result({{"cmd", "status"}}).contains("seconds"));
  phone_.now_ns() += 61'000'000'000;
  EXPECT_EQ(result({{"cmd", "status"}})["minute"]["frames"], 0);
}

TEST_F(ControlSessionTest, StatusBeforeTheFirstFrameIsWhole) {
  const Json status = result({{"cmd", "status"}});
  EXPECT_EQ(status["app"], "");
  EXPECT_EQ(status["frames"]["count"], 0);
  EXPECT_EQ(status["clusters"].size(), 3U);
  EXPECT_FALSE(status.contains("decision"));
}

TEST_F(ControlSessionTest, FramesOfLongAgoAreNotNow) {
  phone_.make_frame(4ms);
  phone_.now_ns() += 10'000'000'000;
  EXPECT_EQ(result({{"cmd", "status"}})["frames"]["count"], 0);
}

TEST_F(ControlSessionTest, ExplainTellsTheLastDecisionsOfAnApp) {
  phone_.open_app("com.a");
  phone_.make_frame(4ms);
  phone_.open_app("com.b");
  phone_.make_frame(5ms);
  phone_.make_frame(6ms);
  phone_.open_app("com.a");
  phone_.make_frame(7ms);
  const Json b = result({{"cmd", "explain"}, {"app", "com.b"}})["decisions"];
  ASSERT_EQ(b.size(), 2U);
  EXPECT_NEAR(b[0]["generation_ms"].get<double>(), 5, 0.01);
  EXPECT_EQ(b[0]["frame_policy"], 6);
  const Json last = result({{"cmd", "explain"}, {"last", 1}})["decisions"];
  ASSERT_EQ(last.size(), 1U);
  EXPECT_EQ(last[0]["app"], "com.a");
}

TEST_F(ControlSessionTest, WatchTellsAgainAndAgainAtItsPace) {
  EXPECT_FALSE(is_known(session_.due()));
  EXPECT_NEAR(result({{"id", 5}, {"cmd", "watch"}, {"hz", 10}})["period_ms"].get<double>(), 100,
              0.1);
  EXPECT_EQ(session_.due(), phone_.now());
  const auto first = events();
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(first[0]["event"], "watch");
  EXPECT_EQ(first[0]["id"], 5);
  EXPECT_TRUE(first[0]["data"].contains("clusters"));
  EXPECT_TRUE(events().empty());
  EXPECT_EQ(session_.due(), phone_.now() + 100ms);
  phone_.now_ns() += 100'000'000;
  EXPECT_EQ(events().size(), 1U);
  // Faster than allowed.
  EXPECT_EQ(result({{"cmd", "watch"}, {"hz", 1e9}})["period_ms"], 50);
}

TEST_F(ControlSessionTest, LogTellsLinesAndCountsThoseMissed) {
  const auto log = [this](int i) {
    phone_.log.push({i, FixedText<12>("info"), FixedText<24>("test"),
                     FixedText<488>("line " + std::to_string(i))});
  };
  log(0);
  log(1);
  EXPECT_EQ(result({{"cmd", "log"}})["lines"].size(), 2U);
  EXPECT_FALSE(is_known(session_.due()));
  EXPECT_EQ(result({{"cmd", "log"}, {"follow", true}})["lines"].size(), 2U);
  EXPECT_TRUE(events().empty());
  for (int i = 2; i < 102; ++i) {
    log(i);
  }
  phone_.now_ns() += 1'000'000'000;
  const auto told = events();
  ASSERT_EQ(told.size(), 1U);
  const Json lines = told[0]["data"]["lines"];
  ASSERT_EQ(lines.size(), 65U);  // the ring's 64, and how many were missed
  EXPECT_EQ(lines[0]["skipped"], 36);
  EXPECT_EQ(lines[64]["text"], "line 101");
  EXPECT_EQ(lines[64]["code"], "test");
}

TEST_F(ControlSessionTest, HistoryCountsAppsAndDays) {
  phone_.open_app("com.a");
  for (int i = 0; i < 10; ++i) {
    phone_.make_frame(i == 0 ? 20ms : 4ms);
  }
  phone_.open_app("com.b");
  phone_.make_frame(4ms);
  phone_.stop_frames();
  const Json days = result({{"cmd", "history"}})["days"];
  ASSERT_EQ(days.size(), 2U);
  EXPECT_EQ(days[0]["day"], day_of(kToday));
  EXPECT_EQ(days[0]["app"], "com.a");
  EXPECT_EQ(days[0]["frames"], 10);
  EXPECT_EQ(days[0]["misses"], 1);
  EXPECT_GT(days[0]["energy_mj"], 0);
  EXPECT_EQ(days[1]["frames"], 1);
}

TEST_F(ControlSessionTest, HistoryTellsAppsInSplitScreenApart) {
  phone_.open_app("com.a");
  for (int i = 0; i < 30; ++i) {
    phone_.make_frame(i % 3 == 0 ? "com.a" : "com.b", 4ms);
  }
  phone_.stop_frames();
  const Json days = result({{"cmd", "history"}})["days"];
  ASSERT_EQ(days.size(), 2U);
  EXPECT_EQ(days[0]["frames"], 10);
  EXPECT_EQ(days[1]["frames"], 20);
}

TEST_F(ControlSessionTest, TheOwnersSwitchesAreHandedOn) {
  EXPECT_TRUE(result({{"cmd", "mode"}}).contains("mode"));
  EXPECT_EQ(result({{"cmd", "mode"}, {"set", "powersave"}})["mode"], "powersave");
  EXPECT_EQ(modes_, std::vector<std::string>{"powersave"});
  const Json refused = answer({{"cmd", "mode"}, {"set", "turbo"}});
  EXPECT_EQ(refused["ok"], false);
  EXPECT_EQ(refused["error"]["code"], 3);
  result({{"cmd", "app"}, {"app", "com.a"}, {"on", false}});
  result({{"cmd", "app"}, {"app", "com.a"}, {"on", nullptr}});
  ASSERT_EQ(switched_.size(), 2U);
  EXPECT_EQ(switched_[0].on, false);
  EXPECT_EQ(switched_[1].on, std::nullopt);
}

TEST_F(ControlSessionTest, WhatAClientHoldsIsLetGoWhenItGoes) {
  result({{"cmd", "app"}, {"app", "com.a"}, {"on", false}, {"hold", true}});
  result({{"cmd", "app"}, {"app", "com.a"}, {"on", true}, {"hold", true}});
  result({{"cmd", "app"}, {"app", "com.b"}, {"on", true}, {"hold", true}});
  result({{"cmd", "app"}, {"app", "com.b"}, {"on", nullptr}, {"hold", true}});
  result({{"cmd", "app"}, {"app", "com.c"}, {"on", true}, {"hold", false}});
  EXPECT_EQ(held_.size(), 4U);
  EXPECT_EQ(switched_.size(), 1U);
  session_.end();
  session_.end();
  ASSERT_EQ(held_.size(), 5U);
  EXPECT_EQ(held_[4].package, "com.a");
  EXPECT_EQ(held_[4].on, std::nullopt);
}

TEST_F(ControlSessionTest, WhatIsNoRequestGetsOneErrorLine) {
  const std::vector<std::string> bad = {"",
                                        "{",
                                        "[]",
                                        "7",
                                        "\"status\"",
                                        "{}",
                                        R"({"cmd":7})",
                                        R"({"cmd":"reboot"})",
                                        R"({"v":2,"cmd":"status"})",
                                        R"({"cmd":"explain","app":[1]})",
                                        R"({"cmd":"explain","last":"many"})",
                                        R"({"cmd":"watch","hz":"fast"})",
                                        R"({"cmd":"mode","set":7})",
                                        R"({"cmd":"app","app":"x"})",
                                        R"({"cmd":"app","on":true})",
                                        R"({"cmd":"app","app":"x","on":1})",
                                        R"({"cmd":"app","app":"x","on":true,"hold":1})",
                                        "{\"cmd\":\"\xff\xfe\"}",
                                        std::string(4000, '['),
                                        R"({"cmd":")" + std::string(300, 'x') + R"("})"};
  for (const std::string& line : bad) {
    const auto replies = say(line);
    ASSERT_EQ(replies.size(), 1U) << line;
    EXPECT_EQ(replies[0]["ok"], false) << line;
    EXPECT_NE(replies[0]["error"]["message"], "") << line;
  }
  EXPECT_EQ(say(R"({"v":2,"cmd":"status"})")[0]["error"]["code"], 5);
  EXPECT_TRUE(switched_.empty());
  EXPECT_TRUE(modes_.empty());
}

TEST(ControlFeed, TheLoopsSideAllocatesNothing) {
  test::ControlFixture phone;
  phone.open_app("com.example.app");
  const std::uint64_t before = test::allocations();
  for (int i = 0; i < 10000; ++i) {
    phone.make_frame(4ms);
  }
  EXPECT_EQ(test::allocations(), before);
}

TEST(UsageHistory, IsBoundedAndSurvivesAnyFile) {
  test::TemporaryFolder folder;
  {
    UsageHistory history = UsageHistory::load(*StateDir::open(folder.path() / "state"));
    for (int day = 1; day <= 60; ++day) {
      for (int app = 0; app < 40; ++app) {
        history.add(day_of(day * 86'400LL), std::string(120, 'p') + std::to_string(app),
                    {999'999'999, 999'999'999, Energy{1e12}});
        history.add(day_of(day * 86'400LL), "com.app" + std::to_string(app),
                    {static_cast<std::uint64_t>(app), 0, Energy{1}});
      }
    }
    EXPECT_LE(history.days().size(), UsageHistory::kMostDays * UsageHistory::kMostAppsPerDay);
    EXPECT_LT(history.to_text().size(), 64U << 10U);
    EXPECT_EQ(history.days().rbegin()->first.first, day_of(60 * 86'400LL));
    ASSERT_TRUE(history.save());
  }
  UsageHistory again = UsageHistory::load(*StateDir::open(folder.path() / "state"));
  EXPECT_EQ(again.bad_lines(), 0U);
  EXPECT_GT(again.days().size(), 100U);
  for (const char* bad :
       {"", "garbage", "framegov history 1\n2026-11-21 1 2 3 com.a\n",
        "framegov history 1\nyesterday 1 0 3 com.a\n2026-11-21 -1 0 nan com.a\n\n",
        "framegov history 1\n2026-11-21 99999999999999999999 0 1 com.a\n"}) {
    UsageHistory history = UsageHistory::load(*StateDir::open(folder.path() / "other"));
    history.parse(bad);
    EXPECT_TRUE(history.days().empty()) << bad;
    EXPECT_GT(history.bad_lines(), 0U) << bad;
  }
}

}  // namespace
}  // namespace framegov
