// SPDX-License-Identifier: Apache-2.0
#include "tests/integration/uprobes/demo_app.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace framegov::test {

TemporaryCpuTree::TemporaryCpuTree() {
  std::string name = std::filesystem::temp_directory_path() / "framegov-cpu-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) {
    throw std::runtime_error("no temporary folder");
  }
  path_ = name;
  const std::filesystem::path policy = path_ / "cpufreq" / "policy0";
  std::filesystem::create_directories(policy);
  std::ofstream related(policy / "related_cpus");
  for (long cpu = 0; cpu < ::sysconf(_SC_NPROCESSORS_CONF); ++cpu) {
    related << cpu << ' ';
  }
  std::ofstream(policy / "cpuinfo_max_freq") << 2'000'000 << '\n';
  std::ofstream(policy / "scaling_cur_freq") << 1'800'000 << '\n';
}

TemporaryCpuTree::~TemporaryCpuTree() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path DemoApp::folder() { return FRAMEGOV_DEMO_APP_DIR; }

DemoApp::DemoApp(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), folder() / "demo-app");
  for (const char* option : {"--cpu-root", "--record", "--events"}) {
    arguments.emplace_back(option);
    arguments.push_back(cpus_.path() / (std::string(option) == "--record"   ? "record.csv"
                                        : std::string(option) == "--events" ? "events.csv"
                                                                            : ""));
  }
  std::vector<char*> pointers;
  for (std::string& argument : arguments) {
    pointers.push_back(argument.data());
  }
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t quiet;
  ::posix_spawn_file_actions_init(&quiet);
  ::posix_spawn_file_actions_addopen(&quiet, 2, "/dev/null", O_WRONLY, 0);
  const int error = ::posix_spawn(&pid_, pointers[0], &quiet, nullptr, pointers.data(), ::environ);
  ::posix_spawn_file_actions_destroy(&quiet);
  if (error != 0) {
    throw std::runtime_error("demo-app does not start");
  }
}

DemoApp::~DemoApp() {
  if (!ended()) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, &status_, 0);
  }
}

bool DemoApp::ended() {
  ended_ = ended_ || ::waitpid(pid_, &status_, WNOHANG) == pid_;
  return ended_;
}

void DemoApp::end() {
  if (!ended()) {
    ::kill(pid_, SIGTERM);
    ended_ = ::waitpid(pid_, &status_, 0) == pid_;
  }
}

std::vector<RecordedFrame> DemoApp::record() const {
  std::ifstream file(cpus_.path() / "record.csv");
  std::string line;
  std::getline(file, line);
  std::vector<RecordedFrame> frames;
  while (std::getline(file, line)) {
    std::vector<std::int64_t> columns;
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) {
      columns.push_back(std::stoll(cell));
    }
    frames.push_back({columns.at(1), columns.at(2), columns.at(4), columns.at(10)});
  }
  return frames;
}

}  // namespace framegov::test
