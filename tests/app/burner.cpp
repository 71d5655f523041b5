// SPDX-License-Identifier: Apache-2.0
#include "tests/app/burner.h"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "tests/app/clock.h"

namespace demo {
namespace {

constexpr double kFullCapacity = 1024;
constexpr std::int64_t kSpeedPeriodNs = 150'000;

double read_number(const std::string& path, double otherwise = 0) {
  std::ifstream file(path);
  double value = 0;
  if (file >> value) {
    return value;
  }
  if (otherwise > 0) {
    return otherwise;
  }
  throw std::runtime_error(path + ": no number there (use --fixed-khz where there is no cpufreq)");
}

}  // namespace

CpuSpeeds::CpuSpeeds(std::int64_t fixed_khz) : reference_(static_cast<double>(fixed_khz) * 1e3) {}

CpuSpeeds::CpuSpeeds(const std::string& cpu_root) {
  const std::string root = cpu_root + "/cpufreq";
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(root, error)) {
    if (entry.path().filename().string().starts_with("policy")) {
      read_policy(cpu_root, entry.path());
    }
  }
  if (policies_.empty()) {
    throw std::runtime_error(root + ": no cpufreq policy (use --fixed-khz where there is none)");
  }
}

void CpuSpeeds::read_policy(const std::string& cpu_root, const std::string& policy) {
  const double top_khz = read_number(policy + "/cpuinfo_max_freq");
  framegov::UniqueFd current(::open((policy + "/scaling_cur_freq").c_str(), O_RDONLY | O_CLOEXEC));
  if (!current) {
    throw std::runtime_error(policy + "/scaling_cur_freq: cannot be opened");
  }
  policies_.push_back(std::move(current));
  std::ifstream related(policy + "/related_cpus");
  for (std::size_t cpu = 0; related >> cpu && cpu < 1024;) {
    if (cpus_.size() <= cpu) {
      cpus_.resize(cpu + 1);
    }
    const double capacity =
        read_number(cpu_root + "/cpu" + std::to_string(cpu) + "/cpu_capacity", kFullCapacity);
    cpus_[cpu] = {static_cast<int>(policies_.size()) - 1, capacity / top_khz};
    if (capacity > top_capacity_) {
      top_capacity_ = capacity;
      reference_ = top_khz * 1e3;
    }
  }
}

double CpuSpeeds::current(int cpu) const {
  if (policies_.empty()) {
    return reference_;
  }
  const auto index = static_cast<std::size_t>(cpu);
  if (cpu < 0 || index >= cpus_.size() || cpus_[index].policy < 0) {
    return reference_;
  }
  const Cpu& entry = cpus_[index];
  char text[32];
  const ssize_t size =
      ::pread(policies_[static_cast<std::size_t>(entry.policy)].get(), text, sizeof(text), 0);
  std::int64_t khz = 0;
  if (size <= 0 || std::from_chars(text, text + size, khz).ec != std::errc{}) {
    return reference_;
  }
  return static_cast<double>(khz) * entry.capacity_per_khz / top_capacity_ * reference_;
}

void burn(const CpuSpeeds& speeds, double work) {
  std::int64_t before = clock_ns(CLOCK_THREAD_CPUTIME_ID);
  std::int64_t speed_read = before;
  int cpu = ::sched_getcpu();
  double speed = speeds.current(cpu);
  while (work > 0) {
    for (int i = 0; i < 4000; ++i) {
      asm volatile("" ::: "memory");
    }
    const std::int64_t now = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    work -= static_cast<double>(now - before) * 1e-9 * speed;
    before = now;
    const int cpu_now = ::sched_getcpu();
    if (cpu_now != cpu || now - speed_read >= kSpeedPeriodNs) {
      cpu = cpu_now;
      speed = speeds.current(cpu);
      speed_read = now;
    }
  }
}

}  // namespace demo
