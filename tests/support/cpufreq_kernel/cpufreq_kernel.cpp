// SPDX-License-Identifier: Apache-2.0
#include "tests/support/cpufreq_kernel.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <stdexcept>

namespace {

framegov::test::CpufreqKernel* active = nullptr;

/// What the descriptor names; empty when it is not a node of the tree in use.
std::string node_path(int fd) {
  if (active == nullptr) {
    return {};
  }
  std::array<char, 4096> path{};
  const ssize_t size =
      ::readlink(("/proc/self/fd/" + std::to_string(fd)).c_str(), path.data(), path.size());
  std::string text(path.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  return active->owns(text) ? text : std::string();
}

bool is_deleted(const std::string& path) { return path.ends_with(" (deleted)"); }

}  // namespace

// The program's own definitions come before the C library's.
extern "C" ssize_t pwrite(int fd, const void* data, size_t size, off_t offset) {
  const std::string path = node_path(fd);
  if (path.empty()) {
    return ::syscall(SYS_pwrite64, fd, data, size, offset);
  }
  const std::string text(static_cast<const char*>(data), size);
  const int error =
      is_deleted(path) ? ENODEV : active->write(path, std::strtoll(text.c_str(), nullptr, 10));
  if (error != 0) {
    errno = error;
    return -1;
  }
  return static_cast<ssize_t>(size);
}

extern "C" ssize_t pread(int fd, void* data, size_t size, off_t offset) {
  if (is_deleted(node_path(fd))) {
    errno = ENODEV;
    return -1;
  }
  return ::syscall(SYS_pread64, fd, data, size, offset);
}

namespace framegov::test {

CpufreqKernel::CpufreqKernel(const TemporaryCpufreqTree& tree, std::vector<PolicyShape> policies)
    : tree_(tree) {
  for (PolicyShape& shape : policies) {
    states_.push_back({shape, tree.min(shape.id), tree.max(shape.id), 0, 0});
  }
  active = this;
}

CpufreqKernel::~CpufreqKernel() { active = nullptr; }

bool CpufreqKernel::owns(const std::string& path) const {
  return path.starts_with(tree_.root().string());
}

CpufreqKernel::State& CpufreqKernel::state(int policy) {
  for (State& each : states_) {
    if (each.shape.id == policy) {
      return each;
    }
  }
  throw std::out_of_range("no policy " + std::to_string(policy));
}

void CpufreqKernel::hold_max(int policy, std::int64_t khz) {
  state(policy).ceiling = khz;
  publish(state(policy));
}

void CpufreqKernel::fail_writes(int policy, int error) { state(policy).error = error; }

void CpufreqKernel::write_as_other(int policy, const std::string& node, std::int64_t khz) {
  State& which = state(policy);
  (node == "scaling_max_freq" ? which.user_max : which.user_min) = khz;
  publish(which);
}

int CpufreqKernel::write(const std::string& path, std::int64_t khz) {
  const std::filesystem::path node(path);
  const int policy = std::atoi(node.parent_path().filename().c_str() + sizeof "policy" - 1);
  State& which = state(policy);
  writes_.push_back({policy, node.filename().string(), khz});
  if (which.error != 0) {
    return which.error;
  }
  State changed = which;
  (node.filename() == "scaling_max_freq" ? changed.user_max : changed.user_min) = khz;
  if (strict_ && changed.user_min > changed.user_max) {
    return EINVAL;
  }
  which = changed;
  if (!late_) {
    publish(which);
  }
  return 0;
}

void CpufreqKernel::take_over() {
  for (const State& each : states_) {
    publish(each);
  }
}

void CpufreqKernel::publish(const State& state) const {
  const auto& opps = state.shape.khz;
  std::int64_t max = state.user_max;
  if (state.ceiling > 0) {
    max = std::min(max, state.ceiling);
  }
  const auto above = std::upper_bound(opps.begin(), opps.end(), max);
  max = above == opps.begin() ? opps.front() : *(above - 1);
  const std::int64_t min = std::min(state.user_min, max);
  tree_.set(state.shape.id, "scaling_max_freq", std::to_string(max) + "\n");
  tree_.set(state.shape.id, "scaling_min_freq", std::to_string(min) + "\n");
}

}  // namespace framegov::test
