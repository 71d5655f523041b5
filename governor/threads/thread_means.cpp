// SPDX-License-Identifier: Apache-2.0
#include "governor/threads/thread_means.h"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <bit>
#include <charconv>
#include <system_error>
#include <thread>
#include <utility>

#include "base/file.h"
#include "base/monotonic_clock.h"

namespace framegov {

namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr std::uint64_t cpu_bit(int cpu) { return std::uint64_t{1} << static_cast<unsigned>(cpu); }
int last_cpu(std::uint64_t cpus) { return 63 - std::countl_zero(cpus); }
std::string reason_of(int error) { return std::generic_category().message(error); }

class OwnTrialThread final : public TrialThread {
 public:
  explicit OwnTrialThread(std::filesystem::path cpu_root)
      : cpu_root_(std::move(cpu_root)), thread_([this] { run(); }) {
    tid_.wait(0);
  }
  ~OwnTrialThread() override {
    ending_ = true;
    thread_.join();
  }

  std::int32_t tid() const override { return tid_; }

  std::optional<int> seen_on(std::uint64_t cpus) override {
    constexpr Duration kLong = milliseconds{200};
    const Instant end = monotonic_now() + kLong;
    cpu_ = -1;
    do {
      std::this_thread::sleep_for(kLook);
    } while ((cpu_ < 0 || (cpus & cpu_bit(cpu_)) == 0) && monotonic_now() < end);
    return cpu_ < 0 ? std::nullopt : std::optional(cpu_.load());
  }

  std::optional<Frequency> busy_until(int cpu, Frequency wanted) override {
    constexpr Duration kLong = milliseconds{60};
    const Instant end = monotonic_now() + kLong;
    std::optional<Frequency> now;
    busy_ = true;
    do {
      std::this_thread::sleep_for(kLook);
      now = read(cpu, "scaling_cur_freq");
    } while (now && *now != wanted && monotonic_now() < end);
    busy_ = false;
    return now;
  }

  std::optional<Frequency> limit_of(int cpu) override { return read(cpu, "scaling_max_freq"); }

 private:
  static constexpr Duration kLook = microseconds{500};

  void run() {
    tid_ = static_cast<std::int32_t>(::syscall(SYS_gettid));
    tid_.notify_all();
    while (!ending_) {
      cpu_ = ::sched_getcpu();
      if (!busy_) {
        std::this_thread::sleep_for(kLook);
      }
    }
  }

  [[nodiscard]] std::optional<Frequency> read(int cpu, const char* node) const {
    const std::string text =
        first_line(cpu_root_ / ("cpu" + std::to_string(cpu)) / "cpufreq" / node);
    std::int64_t value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    return read.ec == std::errc{} && value > 0 ? std::optional(khz(value)) : std::nullopt;
  }

  std::filesystem::path cpu_root_;
  std::atomic<std::int32_t> tid_ = 0;
  std::atomic<int> cpu_ = -1;
  std::atomic<bool> busy_ = false;
  std::atomic<bool> ending_ = false;
  std::thread thread_;  ///< last: it uses the others
};

struct Trial {
  bool works = false;
  std::string words;
};

/// Leaves the thread where it was.
Trial try_affinity(ThreadKernel& kernel, TrialThread& thread) {
  std::uint64_t before = 0;
  if (const int error = kernel.read_cpus(thread.tid(), before); error != 0) {
    return {false, "no placement: " + reason_of(error)};
  }
  const std::uint64_t target = cpu_bit(last_cpu(before));
  if (const int error = kernel.write_cpus(thread.tid(), target); error != 0) {
    return {false, "no placement: " + reason_of(error)};
  }
  std::uint64_t stands = 0;
  const int error = kernel.read_cpus(thread.tid(), stands);
  const std::optional<int> seen = thread.seen_on(target);
  (void)kernel.write_cpus(thread.tid(), before);
  if (error != 0 || stands != target || (seen && (target & cpu_bit(*seen)) == 0)) {
    return {false, "no placement: the kernel takes an affinity and does not keep to it"};
  }
  return {true, seen && before != target ? "placed by affinity"
                                         : "placed by affinity (set, effect not seen)"};
}

/// Does the frequency follow the clamp? What it came to where it did not, in words; else empty.
Trial watch_clamp(ThreadKernel& kernel, TrialThread& thread, int cpu) {
  const std::optional<Frequency> limit = thread.limit_of(cpu);
  const Trial unseen{true, "clamped by uclamp (set, effect not seen)"};
  if (!limit || kernel.write_clamp(thread.tid(), {0, 1}) != 0) {
    return unseen;
  }
  const auto low = thread.busy_until(cpu, Frequency{});
  if (kernel.write_clamp(thread.tid(), {kFullUtil, kFullUtil}) != 0) {
    return unseen;
  }
  const auto high = thread.busy_until(cpu, *limit);
  if (!low || !high || (*low >= *limit && *high >= *limit)) {
    return unseen;
  }
  return *high > *low ? Trial{true, "clamped by uclamp"}
                      : Trial{false, "no clamps: the kernel takes them, frequencies do not follow"};
}

/// Leaves it without one.
Trial try_clamp(ThreadKernel& kernel, TrialThread& thread, const CpuTopology& topology,
                bool placement) {
  constexpr UtilClamp kTried{kFullUtil / 4, kFullUtil / 2};
  UtilClamp stands;
  if (const int error = kernel.write_clamp(thread.tid(), kTried); error != 0) {
    return {false, "no clamps: " + reason_of(error)};
  }
  Trial trial{false, "no clamps: the kernel takes them and does not keep them"};
  if (kernel.read_clamp(thread.tid(), stands) == 0 && stands == kTried) {
    std::uint64_t before = 0;
    const std::uint64_t fastest =
        kernel.read_cpus(thread.tid(), before) == 0 && !topology.clusters.empty()
            ? before & topology.clusters[topology.fastest_cluster()].cpus
            : 0;
    const bool pinned = placement && fastest != 0 &&
                        kernel.write_cpus(thread.tid(), cpu_bit(last_cpu(fastest))) == 0;
    trial = pinned ? watch_clamp(kernel, thread, last_cpu(fastest))
                   : Trial{true, "clamped by uclamp (set, effect not seen)"};
    if (pinned) {
      (void)kernel.write_cpus(thread.tid(), before);
    }
  }
  (void)kernel.write_clamp(thread.tid(), {});
  return trial;
}

}  // namespace

double clamp_headroom(const KernelRelease& kernel) { return kernel.at_least(6, 8) ? 1 : 1.25; }

std::unique_ptr<TrialThread> start_trial_thread(std::filesystem::path cpu_root) {
  return std::make_unique<OwnTrialThread>(std::move(cpu_root));
}

ThreadMeans find_thread_means(ThreadKernel& kernel, TrialThread& thread,
                              const CpuTopology& topology) {
  const Trial affinity = try_affinity(kernel, thread);
  const Trial clamp = try_clamp(kernel, thread, topology, affinity.works);
  ThreadMeans means{{affinity.works, clamp.works}, affinity.words + ", " + clamp.words};
  if (!means.levers.any()) {
    means.words += ": caps and floors of clusters alone";
  }
  return means;
}

}  // namespace framegov
