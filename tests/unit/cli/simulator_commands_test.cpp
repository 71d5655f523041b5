// SPDX-License-Identifier: Apache-2.0
// `framegov device` and `framegov sim` as they are typed.
#include <gmock/gmock.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <string>

#include "cli/command.h"
#include "tests/support/cpufreq_tree.h"

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
    CLI::App app{"framegov", "framegov"};
    CommandResult result;
    register_device(app, result);
    register_sim(app, result);
    Outcome outcome;
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    try {
      app.parse(line);
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

}  // namespace
}  // namespace framegov::cli
