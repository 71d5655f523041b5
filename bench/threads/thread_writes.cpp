// SPDX-License-Identifier: Apache-2.0
// What it costs to steer a thread that sleeps: its affinity, its clamp, a whole change of plan with
// all that is looked at before; beside it a write of a cluster's limit. By turns within one run.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "base/monotonic_clock.h"
#include "governor/cpufreq/cpufreq_node.h"
#include "governor/cpufreq/cpufreq_tree.h"
#include "governor/threads/thread_actuator.h"

namespace framegov {
namespace {

constexpr const char* kCpuRoot = "/sys/devices/system/cpu";
constexpr int kBatches = 25;
constexpr int kCallsPerBatch = 40;

/// A thread that sleeps until it is told to end.
class Sleeper {
 public:
  Sleeper() { tid_.wait(0); }
  ~Sleeper() {
    end_ = true;
    end_.notify_all();
    thread_.join();
  }
  Sleeper(const Sleeper&) = delete;
  Sleeper& operator=(const Sleeper&) = delete;
  [[nodiscard]] std::int32_t tid() const { return tid_; }

 private:
  std::atomic<std::int32_t> tid_ = 0;
  std::atomic<bool> end_ = false;
  std::thread thread_{[this] {
    tid_ = ::gettid();
    tid_.notify_all();
    end_.wait(false);
  }};
};

/// A kind of write: its name, and the write itself, different each time; 0 or an errno.
struct Kind {
  const char* name;
  std::function<int(int)> write;
  std::vector<double> microseconds{};
  int error = 0;
};

void measure(std::vector<Kind>& kinds) {
  for (int batch = 0; batch < kBatches; ++batch) {
    for (Kind& kind : kinds) {
      const Instant begin = monotonic_now();
      for (int i = 0; i < kCallsPerBatch && kind.error == 0; ++i) {
        kind.error = kind.write(i);
      }
      kind.microseconds.push_back(to_seconds(monotonic_now() - begin) * 1e6 / kCallsPerBatch);
    }
  }
}

/// Two halves of the CPUs where there are no clusters.
CpuTopology halves(std::uint64_t cpus) {
  CpuTopology topology;
  const std::uint64_t first = cpus & (~cpus + 1);
  for (const std::uint64_t half : {first, cpus & ~first}) {
    Cluster cluster;
    cluster.cpus = half;
    cluster.opps.push_back({khz(1000000), Speed(half == first ? 512e6 : 1024e6), {}});
    topology.clusters.push_back(cluster);
  }
  return topology;
}

int run() {
  const Sleeper sleeper;
  const Sleeper steered;
  const std::int32_t tid = sleeper.tid();
  const auto kernel = make_thread_kernel("/proc", kCpuRoot);
  std::uint64_t cpus = 0;
  if (const int error = kernel->read_cpus(tid, cpus); error != 0 || std::popcount(cpus) < 2) {
    std::puts("SKIPPED: one CPU: a thread has nowhere to go");
    return 0;
  }
  const std::uint64_t first = cpus & (~cpus + 1);
  const ThreadLevers levers{true, kernel->write_clamp(tid, {0, 512}) == 0};
  (void)kernel->write_clamp(tid, {});
  const std::filesystem::path state =
      std::filesystem::temp_directory_path() / ("bench_threads." + std::to_string(::getpid()));
  auto log = *Log::open(LogLevel::kError, {});
  ThreadActuator actuator(make_thread_kernel("/proc", kCpuRoot), {levers, {}}, halves(cpus),
                          *StateDir::open(state), "boot", *log);
  const FrameThreads threads{::getpid(), {steered.tid(), 0}};

  std::vector<Kind> kinds;
  kinds.push_back({"affinity", [&](int i) {
                     return kernel->write_cpus(tid, i % 2 == 0 ? first : cpus & ~first);
                   }});
  kinds.push_back(
      {"clamp", [&](int i) {
         return kernel->write_clamp(tid, {0, static_cast<std::int16_t>(i % 2 == 0 ? 300 : 600)});
       }});
  kinds.push_back({"plan: place and clamp", [&](int i) {
                     ThreadPlans plans;
                     plans.push_back({static_cast<std::uint8_t>(i % 2 + 1),
                                      {},
                                      Speed(i % 2 == 0 ? 300e6 : 600e6)});
                     return actuator.apply(threads, plans, instant_from_ns(1)) ? 0 : EBUSY;
                   }});
  const auto tree = CpufreqTree::open(kCpuRoot);
  if (tree) {
    const ClusterDir& dir = tree->clusters().back();
    const auto available =
        parse_numbers(tree->read(dir.path + "/scaling_available_frequencies").value_or(""));
    const auto node = std::make_shared<CpufreqNode>(tree->fd(), dir.path + "/scaling_max_freq");
    if (available.size() > 1) {
      kinds.push_back({"scaling_max_freq", [node, available](int i) {
                         const std::size_t n = available.size();
                         return node->write(khz(available[i % 2 == 0 ? n - 2 : n - 1]));
                       }});
    }
  }
  measure(kinds);
  const bool restored = actuator.restore().has_value();
  std::filesystem::remove_all(state);
  double clamp = 0;
  double limit = 0;
  for (Kind& kind : kinds) {
    std::nth_element(kind.microseconds.begin(), kind.microseconds.begin() + kBatches / 2,
                     kind.microseconds.end());
    const double median = kind.microseconds[kBatches / 2];
    if (kind.error != 0) {
      std::printf("%-24s SKIPPED: %s\n", kind.name,
                  std::generic_category().message(kind.error).c_str());
      continue;
    }
    std::printf("%-24s %7.2f us\n", kind.name, median);
    clamp = kind.name == std::string("clamp") ? median : clamp;
    limit = kind.name == std::string("scaling_max_freq") ? median : limit;
  }
  if (clamp > 0 && limit > 0) {
    std::printf("clamp / limit            %7.2f (target: below 1)\n", clamp / limit);
  } else {
    std::puts("clamp / limit            SKIPPED: this machine has not both");
  }
  return restored ? 0 : 1;
}

}  // namespace
}  // namespace framegov

int main() { return framegov::run(); }
