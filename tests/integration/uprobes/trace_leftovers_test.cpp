// SPDX-License-Identifier: Apache-2.0
// What processes that were killed leave in this machine's tracefs.
#include "probes/sources/trace_leftovers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/file.h"
#include "probes/sources/tracefs_source.h"
#include "tests/integration/uprobes/measured_frames.h"
#include "tests/integration/uprobes/mounted_tracefs.h"

namespace framegov {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class TraceLeftoversTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (tracefs_.path().empty()) {
      GTEST_SKIP() << tracefs_.why_not();
    }
    const auto hwui = test::sites_of("libhwui.so");
    const auto gui = test::sites_of("libgui.so");
    ASSERT_TRUE(hwui && gui);
    hwui_ = *hwui;
    gui_ = *gui;
  }
  void TearDown() override {
    if (child_ > 0) {
      kill_child();
      (void)remove_leftovers();
    }
  }
  /// A process of ours that has its probes in tracefs. False: this machine has none.
  [[nodiscard]] bool start_child() {
    std::array<int, 2> ready{};
    if (::pipe(ready.data()) != 0 || (child_ = ::fork()) < 0) {
      return false;
    }
    if (child_ == 0) {
      ::prctl(PR_SET_NAME, "framegovd");
      TracefsOptions options;
      options.tracefs = tracefs_.path();
      const auto source = TracefsSource::open(hwui_, gui_, test::one_cluster(), options);
      const std::string told = source ? "" : source.error().to_string();
      (void)!::write(ready[1], told.empty() ? "y" : told.c_str(), told.empty() ? 1 : told.size());
      ::close(ready[1]);
      ::pause();
      ::_exit(0);
    }
    ::close(ready[1]);
    std::array<char, 512> told{};
    (void)!::read(ready[0], told.data(), told.size() - 1);
    ::close(ready[0]);
    why_not_ = told.data();
    return why_not_ == "y";
  }
  void kill_child() const {
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
  }
  [[nodiscard]] int remove_leftovers() const {
    const std::array<std::filesystem::path, 1> libraries{hwui_.library};
    return remove_trace_leftovers(tracefs_.path(), "/proc", libraries);
  }
  [[nodiscard]] std::string name() const { return "framegov_" + std::to_string(child_); }
  [[nodiscard]] std::string events() const { return read_node(tracefs_.path() / "uprobe_events"); }
  [[nodiscard]] bool has_buffer() const {
    return std::filesystem::exists(tracefs_.path() / "instances" / name());
  }

  test::MountedTracefs tracefs_;
  LibrarySites hwui_;
  LibrarySites gui_;
  pid_t child_ = -1;
  std::string why_not_;
};

TEST_F(TraceLeftoversTest, OfAKilledServiceGoAndThoseOfALivingOneStay) {
  if (!start_child()) {
    GTEST_SKIP() << why_not_;
  }
  EXPECT_EQ(remove_leftovers(), 0);
  EXPECT_THAT(events(), HasSubstr(name() + "/"));
  EXPECT_TRUE(has_buffer());
  kill_child();
  EXPECT_THAT(events(), HasSubstr(name() + "/"));  // the kernel keeps them
  EXPECT_TRUE(has_buffer());
  EXPECT_EQ(remove_leftovers(), 1);
  EXPECT_THAT(events(), Not(HasSubstr(name() + "/")));
  EXPECT_FALSE(has_buffer());
}

TEST_F(TraceLeftoversTest, OfLibbpfGoWhereTheyAreOnOurLibrariesAndTheirOwnerIsDead) {
  const pid_t dead = ::fork();
  if (dead == 0) {
    ::_exit(0);
  }
  ASSERT_EQ(::waitpid(dead, nullptr, 0), dead);
  const auto define = [&](pid_t owner, const std::string& library) {
    const std::string event = "uprobes/libbpf_" + std::to_string(owner) + "_lib_0x10_0";
    std::fstream(tracefs_.path() / "uprobe_events") << "p:" << event << " " << library << ":0x10\n";
    return event;
  };
  const std::string left = define(dead, hwui_.library);
  if (events().find(left) == std::string::npos) {
    GTEST_SKIP() << "this kernel takes no uprobe in tracefs";
  }
  const std::string lives = define(::getpid(), hwui_.library);
  EXPECT_EQ(remove_leftovers(), 1);
  EXPECT_THAT(events(), Not(HasSubstr(left)));
  EXPECT_THAT(events(), HasSubstr(lives));
  const std::string others = define(dead, gui_.library);  // not among the libraries
  EXPECT_EQ(remove_leftovers(), 0);
  EXPECT_THAT(events(), HasSubstr(others));
  for (const std::string& event : {lives, others}) {
    std::fstream(tracefs_.path() / "uprobe_events") << "-:" << event << "\n";
  }
}

}  // namespace
}  // namespace framegov
