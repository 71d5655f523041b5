// SPDX-License-Identifier: Apache-2.0
#undef _FORTIFY_SOURCE  // its pread() and pwrite() would be defined here already
#include "tests/support/cpufreq_kernel.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "base/unique_fd.h"

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

/// A limit's text, always as long: room for any frequency, and a node that never grows.
std::string node_text(std::int64_t khz) {
  std::string text = std::to_string(khz);
  text.resize(16, '\n');
  return text;
}

/// inotify does not see what is written through a mapping. False where that cannot be had.
bool write_unseen(const std::string& path, const std::string& text) {
  const framegov::UniqueFd file{::open(path.c_str(), O_RDWR | O_CLOEXEC)};
  if (!file || ::lseek(file.get(), 0, SEEK_END) != static_cast<off_t>(text.size())) {
    return false;
  }
  void* const there =
      ::mmap(nullptr, text.size(), PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (there == MAP_FAILED) {
    return false;
  }
  std::memcpy(there, text.data(), text.size());
  return ::munmap(there, text.size()) == 0;
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
  if (active != nullptr) {
    active->let_others_answer();
  }
  if (is_deleted(node_path(fd))) {
    errno = ENODEV;
    return -1;
  }
  return ::syscall(SYS_pread64, fd, data, size, offset);
}

namespace framegov::test {

CpufreqKernel::CpufreqKernel(const TemporaryCpufreqTree& tree,
                             const std::vector<PolicyShape>& policies)
    : tree_(tree) {
  for (const PolicyShape& shape : policies) {
    const std::int64_t min = tree.min(shape.id);
    const std::int64_t max = tree.max(shape.id);
    tree.set(shape.id, "scaling_min_freq", node_text(min));
    tree.set(shape.id, "scaling_max_freq", node_text(max));
    states_.push_back({shape, min, max, 0, 0, 0, {}, 0, 0});
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

void CpufreqKernel::overwrite(int policy, std::int64_t min, std::int64_t max) {
  state(policy).forced_min = min;
  state(policy).forced_max = max;
  publish(state(policy));
}

void CpufreqKernel::request(State& state, const std::string& node, std::int64_t khz) {
  const bool max = node == "scaling_max_freq";
  std::int64_t& user = max ? state.user_max : state.user_min;
  if (user != khz) {
    user = khz;
    (max ? state.forced_max : state.forced_min) = 0;
  }
}

void CpufreqKernel::fail_writes(int policy, int error, const std::string& node) {
  state(policy).error = error;
  state(policy).failing_node = node;
}

void CpufreqKernel::write_as_other(int policy, const std::string& node, std::int64_t khz) {
  State& which = state(policy);
  request(which, node, khz);
  publish_unless_late(which);
  seen_by_inotify(policy, node);
}

int CpufreqKernel::write(const std::string& path, std::int64_t khz) {
  const std::filesystem::path node(path);
  const int policy = std::atoi(node.parent_path().filename().c_str() + sizeof "policy" - 1);
  State& which = state(policy);
  writes_.push_back({policy, node.filename().string(), khz});
  if (which.error != 0 && (which.failing_node.empty() || which.failing_node == node.filename())) {
    return which.error;
  }
  State changed = which;
  request(changed, node.filename(), khz);
  if (strict_ && changed.user_min > changed.user_max) {
    return EINVAL;
  }
  which = changed;
  publish_unless_late(which);
  seen_by_inotify(policy, node.filename());
  answering_ = which.answer > 0 && node.filename() == "scaling_max_freq" ? policy : -1;
  return 0;
}

void CpufreqKernel::let_others_answer() {
  if (const int policy = std::exchange(answering_, -1); policy >= 0) {
    write_as_other(policy, "scaling_max_freq", state(policy).answer);
  }
}

void CpufreqKernel::take_over() {
  for (const State& each : states_) {
    publish(each);
  }
}

void CpufreqKernel::publish(const State& state) const {
  const auto& opps = state.shape.khz;
  std::int64_t max = state.forced_max > 0 ? state.forced_max : state.user_max;
  const std::int64_t min = state.forced_min > 0 ? state.forced_min : state.user_min;
  if (state.ceiling > 0) {
    max = std::min(max, state.ceiling);
  }
  const auto above = std::upper_bound(opps.begin(), opps.end(), max);
  max = above == opps.begin() ? opps.front() : *(above - 1);
  show(state.shape.id, "scaling_max_freq", max);
  show(state.shape.id, "scaling_min_freq", std::min(min, max));
}

void CpufreqKernel::publish_unless_late(const State& state) const {
  if (!late_) {
    publish(state);
  }
}

void CpufreqKernel::show(int policy, const std::string& node, std::int64_t khz) const {
  const std::string text = node_text(khz);
  if (!write_unseen((tree_.policy(policy) / node).string(), text)) {
    tree_.set(policy, node, text);
  }
}

void CpufreqKernel::seen_by_inotify(int policy, const std::string& node) const {
  tree_.set(policy, node, node_text(tree_.get(policy, node)));
}

}  // namespace framegov::test
