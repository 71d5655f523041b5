// SPDX-License-Identifier: Apache-2.0
// The static probes: in the program's notes, and read by bpftrace where it is there.
#include <gmock/gmock.h>
#include <sys/types.h>
#include <unistd.h>

#include <fcntl.h>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "governor/cpufreq/cpufreq_node.h"
#include "tests/support/cpufreq_tree.h"

namespace framegov {
namespace {

using ::testing::HasSubstr;

bool has(const std::string& program) {
  return std::system(("command -v " + program + " >/dev/null 2>&1").c_str()) == 0;
}

std::string self() {
  std::array<char, 4096> path{};
  const ssize_t size = ::readlink("/proc/self/exe", path.data(), path.size() - 1);
  return {path.data(), size > 0 ? static_cast<std::size_t>(size) : 0};
}

std::string output_of(FILE* pipe) {
  std::string text;
  std::array<char, 4096> part{};
  while (std::fgets(part.data(), part.size(), pipe) != nullptr) {
    text += part.data();
  }
  ::pclose(pipe);
  return text;
}

TEST(Usdt, TheServiceHasItsProbes) {
  if (!has("readelf")) {
    GTEST_SKIP() << "readelf is not here";
  }
  const std::string notes = output_of(
      ::popen(("readelf -n " FRAMEGOV_BINARY_DIR "/governor/framegovd 2>/dev/null"), "r"));
  for (const char* probe : {"Name: frame", "Name: decision", "Name: write"}) {
    EXPECT_THAT(notes, HasSubstr(probe));
  }
  EXPECT_THAT(notes, HasSubstr("Provider: framegov"));
}

TEST(Usdt, BpftraceReadsWhatIsWritten) {
  if (::geteuid() != 0 || !has("bpftrace")) {
    GTEST_SKIP() << "needs root and bpftrace";
  }
  test::TemporaryCpufreqTree tree;
  const int root = ::open(tree.root().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ASSERT_GE(root, 0);
  CpufreqNode node(root, "cpufreq/policy4/scaling_max_freq");
  const std::string script = "usdt:" + self() +
                             ":framegov:write { printf(\"%s %d %d\\n\", str(arg0), arg1, arg2); "
                             "exit(); } interval:s:30 { exit(); }";
  FILE* pipe = ::popen(
      ("bpftrace -p " + std::to_string(::getpid()) + " -e '" + script + "' 2>&1").c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  std::string text;
  std::jthread writer([&node](const std::stop_token& stop) {
    while (!stop.stop_requested()) {  // bpftrace takes its time to attach
      (void)node.write(khz(1'234'567));
      std::this_thread::sleep_for(std::chrono::milliseconds{20});
    }
  });
  text = output_of(pipe);
  writer.request_stop();
  writer.join();
  ::close(root);
  if (text.find("cpufreq/policy4") == std::string::npos) {
    GTEST_SKIP() << "bpftrace does not trace here: " << text;
  }
  EXPECT_THAT(text, HasSubstr("cpufreq/policy4/scaling_max_freq 1234567 0"));
}

}  // namespace
}  // namespace framegov
