// SPDX-License-Identifier: Apache-2.0
// `framegov device`, `framegov sim` and `framegov import` as they are typed.
#include <gmock/gmock.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "tests/support/cpufreq_tree.h"
#include "tests/support/shared_data.h"

namespace framegov::cli {
namespace {

using ::testing::HasSubstr;

class SimulatorCommandsTest : public ::testing::Test {
 protected:
  struct Outcome {
    int code = 0;
    std::string out;
    std::string err;
  };
  /// What `framegov LINE` does.
  static Outcome framegov(const std::string& line) {
    return parsed([&](CLI::App& app) { app.parse(line); });
  }
  /// The same of words as a shell hands them over; in a line CLI11 passes over empty ones.
  static Outcome framegov_words(std::vector<std::string> words) {
    std::reverse(words.begin(), words.end());
    return parsed([&](CLI::App& app) { app.parse(std::move(words)); });
  }
  template <class Parse>
  static Outcome parsed(const Parse& parse) {
    CLI::App app{"framegov", "framegov"};
    CommandResult result;
    register_device(app, result);
    register_sim(app, result);
    register_import(app, result);
    register_ab(app, result);
    Outcome outcome;
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    try {
      parse(app);
      outcome.code = static_cast<int>(result.code);
    } catch (const CLI::ParseError& error) {
      outcome.code = app.exit(error) == 0 ? 0 : static_cast<int>(ExitCode::kUsage);
    }
    outcome.out = ::testing::internal::GetCapturedStdout();
    outcome.err = ::testing::internal::GetCapturedStderr();
    return outcome;
  }
  [[nodiscard]] std::string path(const std::string& name) const { return folder_.path() / name; }

  test::TemporaryFolder folder_;
};

TEST_F(SimulatorCommandsTest, DevicesOfAFolderAreShown) {
  std::ofstream(path("mine.yaml"))
      << "name: my_phone\nmodel: mine\nclusters:\n"
         "  - {policy: 0, cpus: [0], core: c, coremark_per_mhz: 5, transition_latency_us: 1,\n"
         "     idle_state: {entry_us: 1, exit_us: 1, min_residency_us: 1},\n"
         "     opps: [[1000000, 1024, 50, 0, 1]]}\n";
  const std::string folder = " --device-dir " + folder_.path().string();
  EXPECT_THAT(framegov("device show my_phone" + folder).out, HasSubstr("my_phone: mine"));
  EXPECT_THAT(framegov("device" + folder + " show my_phone").out, HasSubstr("my_phone: mine"));
  EXPECT_THAT(framegov("device list" + folder).out, HasSubstr("my_phone"));
}

/// What follows a device file's name.
std::string cluster(const std::string& opps, const std::string& more) {
  return "model: m\nclusters:\n"
         "  - {policy: 0, cpus: [0, 1, 2], core: c, coremark_per_mhz: 5,\n"
         "     transition_latency_us: 1,\n"
         "     idle_state: {entry_us: 1, exit_us: 1, min_residency_us: 1},\n"
         "     opps: " +
         opps + more + "}\n";
}

TEST_F(SimulatorCommandsTest, ADeviceFileIsComparedWithAKnownPhone) {
  std::filesystem::create_directories(path("known"));
  std::ofstream(path("known/other.yaml"))
      << "name: other\n"
      << cluster("[[1000000, 512, 80, 20, 1], [2000000, 1024, 280, 20, 1]]", "");
  std::ofstream(path("mine.yaml"))
      << "name: mine\n"
      << cluster(
             "[[1000000, 512, 90, 20, 1], [1500000, 800, 180, 20, 1], [2000000, 1024, 430, 20, 1]]",
             ", busy_interval_mw: [[95, 125], [190, 210], [440, 460]]");
  const std::string ask =
      "device check " + path("mine.yaml") + " --against other --device-dir " + path("known");
  const auto json = nlohmann::json::parse(framegov(ask + " --json").out);
  EXPECT_EQ(json["other"], "other");
  EXPECT_NEAR(json["median_difference"].get<double>(), 0.1, 1e-9);
  ASSERT_EQ(json["opps"].size(), 3U);
  EXPECT_NEAR(json["opps"][1]["other_mw"].get<double>(), 200, 1e-9);  // between its OPPs
  EXPECT_EQ(json["opps"][1]["within_interval"], true);
  EXPECT_EQ(json["opps"][2]["within_interval"], false);
  EXPECT_THAT(framegov(ask).out, HasSubstr("median difference 10.0 % over 3 OPPs"));

  std::ofstream(path("mine.yaml"))
      << "name: mine\n"
      << cluster("[[1000000, 512, 90, 20, 1]]", ", busy_interval_mw: [[95]]");
  const auto damaged = framegov(ask);
  EXPECT_EQ(damaged.code, static_cast<int>(ExitCode::kBadInput));
  EXPECT_THAT(damaged.err, HasSubstr("mine.yaml:"));
}

TEST_F(SimulatorCommandsTest, AnExperimentIsForecastWithoutAPhone) {
  const std::string ask = "ab --app com.a --dry-run --forecast synthetic:scroll@60:";
  const auto told = framegov(ask + "40 --device sm8250");
  EXPECT_THAT(told.out, ::testing::StartsWith("With framegov the CPUs should take "));
  EXPECT_THAT(told.out, HasSubstr("synthetic:scroll@60:40 on sm8250, against schedutil-boost.\n"));
  const auto json = nlohmann::json::parse(framegov(ask + "40 --device sm8250 --json").out);
  EXPECT_NEAR(json["difference_mw"].get<double>(),
              json["framegov_mw"].get<double>() - json["stock_mw"].get<double>(), 1e-9);
  EXPECT_GT(json["plus_minus_mw"].get<double>(), 0);
  EXPECT_LT(json["framegov_late_percent"], json["stock_late_percent"]);
  EXPECT_TRUE(json["verdict"].is_null());

  const auto brief = framegov(ask + "5 --device sm8250");
  EXPECT_EQ(brief.code, static_cast<int>(ExitCode::kBadInput));
  EXPECT_THAT(brief.err, HasSubstr("too short for a forecast"));
  const auto policy = framegov(ask + "40 --device sm8250 --stock none");
  EXPECT_EQ(policy.code, static_cast<int>(ExitCode::kUsage));
  std::ofstream(path("config.yaml")) << "service: {state_dir: " << path("state") << "}\n";
  const auto phone = framegov(ask + "40 --config " + path("config.yaml"));
  EXPECT_EQ(phone.code, static_cast<int>(ExitCode::kUsage));
  EXPECT_THAT(phone.err, HasSubstr("framegov calibrate measures it"));
}

TEST_F(SimulatorCommandsTest, AnExperimentAgainstAnEngineIsForecastUnderIt) {
  const auto forecast = [](const std::string& more) {
    return framegov(
        "ab --app com.a --dry-run --json --forecast synthetic:scroll@60:40 --device sm8250 " +
        more);
  };
  const auto under_engine = forecast("--engine fpsgo");
  ASSERT_EQ(under_engine.code, 0) << under_engine.err;
  EXPECT_EQ(under_engine.out, forecast("--stock fpsgo").out);
  EXPECT_NE(under_engine.out, forecast("").out);
  const auto unknown = forecast("--engine frame_boost");
  EXPECT_EQ(unknown.code, static_cast<int>(ExitCode::kUsage));
  EXPECT_THAT(unknown.err, HasSubstr("no engine 'frame_boost'"));
  EXPECT_EQ(forecast("--engine frame_boost --stock oplus-vutil").out,
            forecast("--stock oplus-vutil").out);
}

TEST_F(SimulatorCommandsTest, AForecastHasTheProfilesBoundsAndTheCalibration) {
  const auto config = [this](const std::string& profile) {
    std::ofstream(path("config.yaml")) << "service: {state_dir: " << path("state") << "}\n"
                                       << profile;
  };
  const auto forecast = [this] {
    const auto told =
        framegov("ab --app com.a --dry-run --json --forecast synthetic:scroll@60:40 --config " +
                 path("config.yaml"));
    return nlohmann::json::parse(told.out.empty() ? "{}" : told.out);
  };
  const auto calibrate = [this](const std::string& interval) {
    std::filesystem::create_directories(path("state"));
    std::filesystem::permissions(path("state"), std::filesystem::perms::owner_all);
    std::ofstream(path("state/calibrated_device.yaml"))
        << "name: my_phone\n"
        << cluster("[[1000000, 512, 90, 20, 1], [2000000, 1024, 430, 20, 1]]",
                   ", busy_interval_mw: [" + interval + ", [440, 460]]");
    std::filesystem::permissions(
        path("state/calibrated_device.yaml"),
        std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  };
  config("");
  calibrate("[105, 115]");
  const auto free = forecast();
  ASSERT_EQ(free.value("device", ""), "my_phone");
  config("profiles: {apps: {com.a: {ceilings: {all: 1GHz}}}}\n");
  const auto capped = forecast();
  EXPECT_EQ(capped["stock_mw"], free["stock_mw"]);
  EXPECT_LT(capped["framegov_mw"], free["framegov_mw"]);
  calibrate("[0, .inf]");
  EXPECT_TRUE(forecast().empty()) << "a damaged calibration is an error";
}

TEST_F(SimulatorCommandsTest, SweepsAreInTheJsonRunByRun) {
  const auto told = framegov(
      "sim synthetic:scroll@60:2 synthetic:fling@60:2 --device tensor_g1 --policy schedutil "
      "--no-bounds --sweep-eps 0.01,0.1 --json -");
  ASSERT_EQ(told.code, 0) << told.err;
  const auto results = nlohmann::json::parse(told.out);
  EXPECT_EQ(results["runs"].size(), 2U);
  const auto& sweep = results["sweep"];
  ASSERT_EQ(sweep.size(), 4U);
  EXPECT_EQ(sweep[0]["input"], "synthetic:scroll@60:2");
  EXPECT_EQ(sweep[1]["input"], "synthetic:fling@60:2");
  EXPECT_EQ(sweep[1]["eps"], 0.01);
  EXPECT_EQ(sweep[2]["eps"], 0.1);
  for (const auto& run : sweep) {
    EXPECT_EQ(run["policy"], "mpc");
    EXPECT_GT(run["vs_stock"], 0);
  }
  EXPECT_FALSE(nlohmann::json::parse(
                   framegov("sim synthetic:scroll@60:2 --policy pid --no-bounds --json -").out)
                   .contains("sweep"));
}

TEST_F(SimulatorCommandsTest, TheServicesPolicyIsAmongTheUsualOnes) {
  const auto told = framegov("sim synthetic:scroll@60:2 --no-bounds --json -");
  ASSERT_EQ(told.code, 0) << told.err;
  std::vector<std::string> policies;
  const auto results = nlohmann::json::parse(told.out);
  for (const auto& run : results["runs"]) {
    policies.push_back(run["policy"]);
  }
  EXPECT_THAT(policies,
              ::testing::UnorderedElementsAre("schedutil", "schedutil-boost", "pid", "mpc"));
}

TEST_F(SimulatorCommandsTest, OptionsThatWouldDoNothingAreRefused) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> cases{
      {"--validate",
       {"--policy pid", "--config x.yaml", "--html x.html", "--perfetto x", "--explain 1",
        "--sweep-eps 0.1", "--bounds", "--deadline strict", "--late drop", "--frames-csv x"}},
      {"--explain 1",
       {"--json -", "--html x.html", "--frames-csv x", "--perfetto x", "--sweep-eps 0.1"}}};
  for (const auto& [option, others] : cases) {
    for (const std::string& other : others) {
      const auto told = framegov("sim synthetic:scroll@60:2 " + option + " " + other);
      EXPECT_EQ(told.code, 2) << option << " " << other;
      EXPECT_THAT(told.err, HasSubstr("excludes")) << option << " " << other;
    }
  }
  EXPECT_EQ(framegov("sim synthetic:scroll@60:2 --loop x.json").code, 2);
}

TEST_F(SimulatorCommandsTest, AComparisonWithTheVirtualPhoneIsReadBeforeAnythingIsReplayed) {
  const auto told = [&](const std::string& loop) {
    std::ofstream(path("loop.json")) << loop;
    // No such phone: what comes first is the loop's error.
    return framegov("sim synthetic:scroll@60:2 --device none --html " + path("r.html") +
                    " --loop " + path("loop.json"));
  };
  const std::string side = R"({"p50": 9, "p95": 13, "miss_rate": 0.01})";
  const std::string row = R"({"scene": "s", "policy": "pid", "phone": )" + side + R"(, "sim": )";
  EXPECT_THAT(told("[" + row + side + "}]").err, HasSubstr("none"));
  for (const char* const no_list : {"", "{}", "[1", "\xff"}) {
    EXPECT_EQ(told(no_list).code, 3) << no_list;
    EXPECT_THAT(told(no_list).err, HasSubstr("not the JSON list")) << no_list;
  }
  for (const std::string& bad :
       {std::string("null"), std::string("{}"), row + "{}}", row + R"({"p50": "9"}})",
        row + R"({"p50": 9, "p95": null, "miss_rate": 0}})"}) {
    const auto wrong = told("[" + row + side + "}," + bad + "]");
    EXPECT_EQ(wrong.code, 3) << bad;
    EXPECT_THAT(wrong.err, HasSubstr("loop.json: entry 2 lacks")) << bad;
  }
  const auto missing =
      framegov("sim synthetic:scroll@60:2 --html " + path("r.html") + " --loop " + path("none"));
  EXPECT_NE(missing.code, 0);
  EXPECT_THAT(missing.err, HasSubstr("loop.json of ./dev loop"));
}

TEST_F(SimulatorCommandsTest, AFileNameOfAnyBytesIsWritten) {
  std::ofstream(path("bad\xff.csv"))
      << "# interval_ns = 16666667\nvsync_ns,render_work\n1000000000,2000000\n1016666667,2000000\n";
  const auto told = framegov("sim " + path("bad\xff.csv") + " --policy pid --json -");
  ASSERT_EQ(told.code, 0) << told.err;
  EXPECT_EQ(nlohmann::json::parse(told.out)["runs"][0]["input"], "bad\uFFFD.csv");
}

TEST_F(SimulatorCommandsTest, InputsWithoutFramesAreToldOf) {
  const auto none = framegov("sim synthetic:still@60:0.3 --policy pid --json " + path("o.json"));
  EXPECT_EQ(none.code, 3);
  EXPECT_THAT(none.err, HasSubstr("synthetic:still@60:0.3: no frame to replay"));
  EXPECT_FALSE(std::filesystem::exists(path("o.json")));
  const auto some = framegov("sim synthetic:still@60:0.3 synthetic:scroll@60:2 --policy pid");
  EXPECT_EQ(some.code, 0);
  EXPECT_THAT(some.err, HasSubstr("synthetic:still@60:0.3: no frame to replay"));
}

TEST_F(SimulatorCommandsTest, ValidationsAreWrittenAsJson) {
  FRAMEGOV_REQUIRE_DATA(trace, "traces/api32_startup_warm.perfetto-trace");
  const auto told = framegov("sim --validate " + trace.string() + " --json -");
  ASSERT_EQ(told.code, 0) << told.err;
  const auto results = nlohmann::json::parse(told.out);
  ASSERT_EQ(results["validations"].size(), 1U);
  const auto& one = results["validations"][0];
  EXPECT_EQ(one["input"], trace.string());
  EXPECT_EQ(one["device"], "tensor_g1");
  EXPECT_GT(one["frames"], 0);
  EXPECT_LE(one["generation_error"]["p50"], one["generation_error"]["p90"]);
  EXPECT_GT(one["cpu_mj"]["rails"], 0);
}

TEST_F(SimulatorCommandsTest, WhatCannotBeValidatedIsLeftOut) {
  FRAMEGOV_REQUIRE_DATA(trace, "traces/api32_startup_warm.perfetto-trace");
  FRAMEGOV_REQUIRE_DATA(frameless, "traces/ms_test_trace.perfetto-trace");
  const std::string both = "sim --validate " + frameless.string() + " " + trace.string();
  const auto told = framegov(both + " --json -");
  ASSERT_EQ(told.code, 0) << told.err;
  EXPECT_EQ(nlohmann::json::parse(told.out)["validations"].size(), 1U);
  EXPECT_THAT(told.err, HasSubstr(frameless.string() + ": no frames in the recording, left out"));
  EXPECT_EQ(framegov("sim --validate " + frameless.string()).code, 3);
  // Nothing can be replayed of it: a script must not take that for success.
  EXPECT_EQ(framegov("import " + frameless.string()).code, 3);
}

TEST_F(SimulatorCommandsTest, TheForwardCheckPredictsHalfOfTheFrames) {
  const std::string trace = path("run.perfetto-trace");
  const auto run =
      framegov("sim synthetic:scroll@60:6 --policy pid --world ideal --perfetto " + trace);
  ASSERT_EQ(run.code, 0) << run.err;
  const auto told = framegov("sim --validate forward " + trace + " --json -");
  ASSERT_EQ(told.code, 0) << told.err;
  const auto results = nlohmann::json::parse(told.out);
  ASSERT_EQ(results["validations"].size(), 1U);
  const auto& forward = results["validations"][0]["forward"];
  EXPECT_GT(forward["frames"], 100);
  EXPECT_NEAR(forward["late"]["predicted"], forward["late"]["recorded"], 0.03);
  const double recorded = forward["p95_ms"]["recorded"];
  EXPECT_NEAR(forward["p95_ms"]["predicted"], recorded, 0.1 * recorded);
  EXPECT_EQ(framegov("sim --validate forward").code, 2);
  const auto wrong = framegov("import --recorded-on nonsense " + trace);
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("no SoC or device that is known"));
}

TEST_F(SimulatorCommandsTest, WhatIsNotThereIsBadInput) {
  const std::string none = path("none");
  const auto recording = framegov("sim " + none);
  EXPECT_EQ(recording.code, 3);
  EXPECT_THAT(recording.err, HasSubstr(none + ": No such file or directory\n  give the path of a"));
  EXPECT_EQ(framegov("import " + none).code, 3);
  const auto folder = framegov("device list --device-dir " + none);
  EXPECT_EQ(folder.code, 3);
  EXPECT_THAT(folder.err, HasSubstr("name a folder that has device files"));
  ::setenv("FRAMEGOV_DEVICES", none.c_str(), 1);
  const auto listed = framegov("device list");
  ::unsetenv("FRAMEGOV_DEVICES");
  EXPECT_EQ(listed.code, 3);
  EXPECT_THAT(listed.err, HasSubstr("FRAMEGOV_DEVICES: " + none + ": No such file"));
}

TEST_F(SimulatorCommandsTest, ThereIsNothingToCompareASyntheticInputWith) {
  const auto told = framegov("sim --validate synthetic:scroll@60:2");
  EXPECT_EQ(told.code, 2);
  EXPECT_THAT(told.err, HasSubstr("--validate has nothing to compare it with"));
}

TEST_F(SimulatorCommandsTest, OutputsThatCannotBeWrittenAreFoundBeforeTheRun) {
  const std::string below_nothing = path("none/x");
  const std::string run = "sim synthetic:scroll@60:2 --policy pid --no-bounds ";
  for (const char* option : {"--json ", "--html ", "--perfetto "}) {
    const auto told = framegov(run + option + below_nothing);
    EXPECT_EQ(told.code, 1) << option;
    EXPECT_EQ(told.out, "") << option;
    EXPECT_THAT(told.err, HasSubstr(below_nothing + " cannot be written: No such file")) << option;
  }
  EXPECT_THAT(framegov(run + "--html " + folder_.path().string()).err,
              HasSubstr("not a regular file"));
}

TEST_F(SimulatorCommandsTest, OutputsThatWouldOverwriteEachOtherOrAnInputAreRefused) {
  const std::string input = path("a.csv");
  std::ofstream(input) << "vsync_ns,render_work\n1000000000,2000000\n";
  const std::string run = "sim " + input + " --policy pid --no-bounds ";
  EXPECT_THAT(framegov(run + "--json - --html -").err, HasSubstr("--json and --html would both"));
  for (const std::string& outputs :
       {std::string("--json - --html -"), "--json " + path("x") + " --html " + path("./x"),
        "--html " + path("x") + " --perfetto " + path("x")}) {
    EXPECT_EQ(framegov(run + outputs).code, 2) << outputs;
    EXPECT_FALSE(std::filesystem::exists(path("x")));
  }
  std::filesystem::create_symlink(input, path("link"));
  for (const char* option : {"--json ", "--html ", "--frames-csv ", "--perfetto "}) {
    const auto told = framegov(run + option + path("link"));
    EXPECT_EQ(told.code, 2) << option;
    EXPECT_THAT(told.err, HasSubstr(" would overwrite the input " + input)) << option;
  }
  EXPECT_EQ(framegov("import " + input + " --workload " + path("./a.csv")).code, 2);
  EXPECT_EQ(framegov(run + "--json /dev/null --html /dev/null").code, 0);
}

TEST_F(SimulatorCommandsTest, AFileWithoutANameIsWrongUsage) {
  for (const std::string option : {"--json", "--html", "--frames-csv", "--perfetto", "--config"}) {
    const auto told = framegov_words({"sim", "synthetic:scroll@60:2", option, ""});
    EXPECT_EQ(told.code, 2) << option;
    EXPECT_THAT(told.err, HasSubstr(option + ": names no file"));
  }
  EXPECT_EQ(framegov_words({"import", "a.csv", "--csv", ""}).code, 2);
  EXPECT_EQ(framegov_words({"import", "a.csv", "--workload", ""}).code, 2);
}

TEST_F(SimulatorCommandsTest, WhatIsNamedTwiceIsRunOnce) {
  std::ofstream(path("a.csv")) << "vsync_ns,render_work\n1000000000,2000000\n";
  const auto told = framegov("sim " + path("a.csv") + " " + path("./a.csv") +
                             " synthetic:scroll@60:2 synthetic:scroll@60:2 --device gs101,tensor_g1"
                             " --policy pid,pid --no-bounds --json -");
  ASSERT_EQ(told.code, 0) << told.err;
  EXPECT_EQ(nlohmann::json::parse(told.out)["runs"].size(), 2U);
}

TEST_F(SimulatorCommandsTest, AWorkloadGoesToStdoutAlone) {
  std::ofstream(path("a.csv")) << "vsync_ns,render_work\n1000000000,2000000\n";
  const auto told = framegov("import --workload - " + path("a.csv"));
  EXPECT_EQ(told.code, 0) << told.err;
  EXPECT_TRUE(told.out.starts_with("#")) << told.out;
  EXPECT_THAT(told.out, HasSubstr("\n1000000000,"));
  EXPECT_THAT(told.out, ::testing::Not(HasSubstr("workload:")));
  EXPECT_FALSE(std::filesystem::exists("-"));
  EXPECT_EQ(framegov("import --json --workload - " + path("a.csv")).code, 2);
  EXPECT_EQ(framegov("import --workload " + path("none/x") + " " + path("a.csv")).code, 1);
}

TEST_F(SimulatorCommandsTest, TablesGoIntoAFolderOfTheirOwn) {
  std::ofstream(path("a.csv")) << "vsync_ns,render_work\n1000000000,2000000\n";
  EXPECT_EQ(framegov("import --csv " + path("t") + " " + path("a.csv")).code, 0);
  EXPECT_TRUE(std::filesystem::exists(path("t/frames.csv")));
  EXPECT_EQ(framegov("import " + path("t")).code, 0);
  const auto onto_itself = framegov("import --csv " + path("t") + " " + path("t"));
  EXPECT_EQ(onto_itself.code, 2);
  EXPECT_THAT(onto_itself.err, HasSubstr("--csv would overwrite the input"));
  const auto file = framegov("import --csv " + path("a.csv") + " " + path("t"));
  EXPECT_EQ(file.code, 2);
  EXPECT_THAT(file.err, HasSubstr(path("a.csv") + ": not a folder"));
  EXPECT_EQ(framegov("import --csv " + path("none/t") + " " + path("a.csv")).code, 1);
}

}  // namespace
}  // namespace framegov::cli
