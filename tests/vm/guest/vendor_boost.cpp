// SPDX-License-Identifier: Apache-2.0
// What many vendors do about late frames: after each touch or burst (a line on standard input)
// every cluster gets a floor at 60 % of its top frequency for 500 ms. The rival that framegovd is
// shown against in the demo. Ends, and puts the floors back, with its input or on SIGTERM.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kCpufreq = "/sys/devices/system/cpu/cpufreq";
constexpr std::chrono::milliseconds kBoostTime{500};
constexpr long kFloorPercent = 60;

struct Policy {
  std::string node;   // its scaling_min_freq
  std::string saved;  // what was there before
  std::string boosted;
};

std::string read_line(const std::string& path) {
  std::string line;
  std::getline(std::ifstream(path), line);
  return line;
}

/// The lowest available frequency that is at least the percentage of the top one.
std::string floor_of(const std::string& folder) {
  std::ifstream file(folder + "/scaling_available_frequencies");
  std::vector<long> frequencies;
  long top = 0;
  for (long khz = 0; file >> khz;) {
    frequencies.push_back(khz);
    top = std::max(top, khz);
  }
  long chosen = top;
  for (const long khz : frequencies) {
    if (khz * 100 >= top * kFloorPercent) {
      chosen = std::min(chosen, khz);
    }
  }
  return std::to_string(chosen);
}

std::vector<Policy> find_clusters() {
  std::vector<Policy> policies;
  for (const auto& entry : std::filesystem::directory_iterator(kCpufreq)) {
    const std::string folder = entry.path();
    if (entry.path().filename().string().starts_with("policy")) {
      const std::string node = folder + "/scaling_min_freq";
      policies.push_back({node, read_line(node), floor_of(folder)});
    }
  }
  return policies;
}

void write_floor(const Policy& policy, const std::string& khz) {
  const int fd = ::open(policy.node.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0 || ::write(fd, khz.data(), khz.size()) < 0) {
    std::perror(policy.node.c_str());
  }
  ::close(fd);
}

volatile sig_atomic_t stopped = 0;

}  // namespace

int main() {
  struct sigaction action {};
  action.sa_handler = [](int) { stopped = 1; };
  ::sigaction(SIGTERM, &action, nullptr);
  ::sigaction(SIGINT, &action, nullptr);

  const std::vector<Policy> policies = find_clusters();
  bool boosted = false;
  Clock::time_point end;
  while (stopped == 0) {
    int timeout = -1;
    if (boosted) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
      timeout = std::max(0, static_cast<int>(left.count()));
    }
    pollfd input{STDIN_FILENO, POLLIN, 0};
    const int ready = ::poll(&input, 1, timeout);
    if (ready > 0) {
      std::array<char, 4096> lines;
      if (::read(STDIN_FILENO, lines.data(), lines.size()) <= 0) {
        break;
      }
      end = Clock::now() + kBoostTime;
      if (!boosted) {
        for (const Policy& policy : policies) {
          write_floor(policy, policy.boosted);
        }
        boosted = true;
      }
    } else if (boosted && Clock::now() >= end) {
      for (const Policy& policy : policies) {
        write_floor(policy, policy.saved);
      }
      boosted = false;
    }
  }
  for (const Policy& policy : policies) {
    write_floor(policy, policy.saved);
  }
}
