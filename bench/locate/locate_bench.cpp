// SPDX-License-Identifier: Apache-2.0
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <vector>

#include "probes/locate/locate.h"

// For each library given: the median time of locating it, reading and hashing the file included.
// Then the peak memory of the process.
namespace {

constexpr int kRounds = 41;
constexpr double kTargetMs = 30.0;

double median_ms(std::vector<double>& times) {
  std::nth_element(times.begin(), times.begin() + kRounds / 2, times.end());
  return times[kRounds / 2];
}

bool measure(const std::filesystem::path& path, const framegov::LocateOptions& options) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> times;
  for (int i = 0; i < kRounds; ++i) {
    const auto begin = Clock::now();
    const auto found = framegov::locate(path, options);
    times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
    if (!found) {
      std::fprintf(stderr, "%s\n", found.error().message.c_str());
      return false;
    }
  }
  const double median = median_ms(times);
  constexpr double kMiB = 1024.0 * 1024.0;
  std::printf("%-28s %5.2f MiB  median %6.2f ms  (target <= %.0f ms, %s)\n",
              path.filename().c_str(), static_cast<double>(std::filesystem::file_size(path)) / kMiB,
              median, kTargetMs, median <= kTargetMs ? "held" : "MISSED");
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const auto table = framegov::ProbeTable::shipped();
  if (!table) {
    std::fprintf(stderr, "%s\n", table.error().message.c_str());
    return 1;
  }
  const framegov::LocateOptions options{*table};
  for (int i = 1; i < argc; ++i) {
    if (!measure(argv[i], options)) {
      return 1;
    }
  }
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  std::printf("peak memory %.1f MiB\n", static_cast<double>(usage.ru_maxrss) / 1024.0);
  return 0;
}
