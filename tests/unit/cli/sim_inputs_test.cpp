// SPDX-License-Identifier: Apache-2.0
#include "cli/sim_inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace framegov::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(SimInputs, NamesAreAsLongAsTheyNeedToBe) {
  EXPECT_THAT(short_names({"/data/a/one.csv", "two.csv"}), ElementsAre("one.csv", "two.csv"));
  EXPECT_THAT(short_names({"a/x.csv", "b/x.csv", "b/y.csv"}),
              ElementsAre("a/x.csv", "b/x.csv", "y.csv"));
  EXPECT_THAT(short_names({"x.csv", "b/x.csv"}), ElementsAre("x.csv", "b/x.csv"));
  EXPECT_THAT(short_names({"/1/a/b/x", "/2/a/b/x", "/1/c/b/x"}),
              ElementsAre("1/a/b/x", "2/a/b/x", "c/b/x"));
  // One file given twice is one input, however it is written.
  EXPECT_THAT(short_names({"a/x.csv", "./a/x.csv"}), ElementsAre("x.csv", "x.csv"));
}

class SimInputsTest : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) {
    const auto path = dir_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return path.string();
  }
  void TearDown() override { std::filesystem::remove_all(dir_); }

  const std::filesystem::path dir_ =
      std::filesystem::path(::testing::TempDir()) /
      ("framegov_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
};

TEST_F(SimInputsTest, FilesOfOneNameAreInputsOfTheirOwn) {
  SimInputArguments arguments;
  arguments.names = {write("a/scene.csv", "vsync_ns,ui_work\n1000000000,1e6\n"),
                     "synthetic:scroll@60:1",
                     write("b/scene.csv", "vsync_ns,ui_work\n1000000000,9e6\n")};
  const auto inputs = load_inputs(arguments);
  ASSERT_TRUE(inputs) << inputs.error().to_string();
  ASSERT_EQ(inputs->size(), 3U);
  EXPECT_EQ((*inputs)[0].name, "a/scene.csv");
  EXPECT_EQ((*inputs)[1].name, "synthetic:scroll@60:1");
  EXPECT_EQ((*inputs)[2].name, "b/scene.csv");
}

TEST_F(SimInputsTest, FramesWithoutWorkAreNotReplayed) {
  SimInputArguments arguments;
  arguments.names = {write("times.csv", "vsync_ns,ui_fixed_ns\n1000000000,100\n")};
  const auto inputs = load_inputs(arguments);
  ASSERT_FALSE(inputs);
  EXPECT_EQ(inputs.error().code, ExitCode::kBadInput);
  EXPECT_THAT(inputs.error().message, HasSubstr("times.csv: the frames' work is not known"));
  EXPECT_THAT(inputs.error().hint, HasSubstr("framegov import --frames-only"));
}

TEST_F(SimInputsTest, OptionsOfTheImportReachIt) {
  const std::string trace = write("cut.pftrace", std::string("\n\x02\x40\x01\n\x7f", 6));
  SimInputArguments arguments;
  LeftOutInputs left_out;
  const auto refused = load_workload(trace, arguments, left_out);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("cut off"));
  arguments.import.partial = true;
  const auto taken = load_workload(trace, arguments, left_out);
  ASSERT_TRUE(taken) << taken.error().to_string();
  EXPECT_FALSE(*taken);
  EXPECT_THAT(left_out.tell(false).error().message, HasSubstr("no frames"));
}

TEST_F(SimInputsTest, WhatHasNothingToReplayIsLeftOutWhereAnythingElseHas) {
  const std::string idle = write("idle.pftrace", "\n\x02\x40\x01");
  const std::string times = write("times.csv", "vsync_ns,ui_fixed_ns\n1000000000,100\n");
  SimInputArguments arguments;
  arguments.names = {idle, write("scene.csv", "vsync_ns,ui_work\n1000000000,1e6\n"), times};
  ::testing::internal::CaptureStderr();
  const auto inputs = load_inputs(arguments);
  const std::string told = ::testing::internal::GetCapturedStderr();
  ASSERT_TRUE(inputs) << inputs.error().to_string();
  ASSERT_EQ(inputs->size(), 1U);
  EXPECT_EQ(inputs->front().name, "scene.csv");
  EXPECT_THAT(told, HasSubstr(idle + ": no frames in the recording, left out\n  record the"));
  EXPECT_THAT(told, HasSubstr(times + ": the frames' work is not known, left out"));
  arguments.names = {idle, times};
  const auto none = load_inputs(arguments);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ExitCode::kBadInput);
  EXPECT_THAT(none.error().message, HasSubstr("idle.pftrace: no frames"));
  EXPECT_THAT(none.error().message, HasSubstr("times.csv: the frames' work is not known"));
  arguments.names.push_back((dir_ / "none").string());
  EXPECT_THAT(load_inputs(arguments).error().message, HasSubstr("No such file"));
}

}  // namespace
}  // namespace framegov::cli
