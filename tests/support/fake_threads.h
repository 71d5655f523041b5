// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "governor/threads/thread_kernel.h"

namespace framegov::test {

/// Threads as a kernel keeps them: what they ask for, cut by their process's cpuset. With
/// `remembers_mask`, as Linux does since 6.2, a cpuset that changes brings back what was asked for.
class FakeThreads final : public ThreadKernel {
 public:
  struct Thread {
    std::int32_t pid{};
    std::uint64_t born{};
    std::uint64_t asked = kEveryCpu;
    std::uint64_t cpus{};
    UtilClamp clamp;
  };

  explicit FakeThreads(std::uint64_t online) : online_(online), cpuset_(online) {}
  /// The same threads, for somebody else to look at.
  [[nodiscard]] std::unique_ptr<FakeThreads> copy() const {
    auto same = std::make_unique<FakeThreads>(online_);
    same->cpuset_ = cpuset_;
    same->clock_ = clock_;
    same->threads_ = threads_;
    same->remembers_mask = remembers_mask;
    return same;
  }

  void add(std::int32_t pid, std::int32_t tid) {
    threads_[tid] = {pid, ++clock_, kEveryCpu, cpuset_, {}};
  }
  void end(std::int32_t tid) { threads_.erase(tid); }
  /// As fork does it.
  void start_from(std::int32_t parent, std::int32_t tid) {
    threads_[tid] = threads_.at(parent);
    threads_[tid].born = ++clock_;
  }
  [[nodiscard]] Thread& at(std::int32_t tid) { return threads_.at(tid); }
  [[nodiscard]] std::uint64_t cpus(std::int32_t tid) { return threads_.at(tid).cpus; }
  [[nodiscard]] UtilClamp clamp(std::int32_t tid) { return threads_.at(tid).clamp; }

  /// All threads are moved to another one, or its CPUs change.
  void set_cpuset(std::uint64_t cpus) {
    cpuset_ = cpus;
    for (auto& [tid, thread] : threads_) {
      thread.asked = remembers_mask ? thread.asked : kEveryCpu;
      const std::uint64_t left = thread.asked & cpuset_ & online_;
      thread.cpus = left != 0 ? left : cpuset_ & online_;
    }
  }

  bool remembers_mask = true;
  int fail_cpus = 0;          ///< errno of every write of an affinity
  int fail_clamps = 0;        ///< of a clamp
  bool does_nothing = false;  ///< says yes to every write
  int writes = 0;
  int calls = 0;

  std::uint64_t born(std::int32_t pid, std::int32_t tid) override {
    ++calls;
    const auto found = threads_.find(tid);
    return found != threads_.end() && found->second.pid == pid ? found->second.born : 0;
  }
  bool lives(const ThreadId& thread) override {
    return thread.born != 0 && born(thread.pid, thread.tid) == thread.born;
  }
  std::uint64_t ticks_now() override { return ++clock_; }
  std::vector<std::int32_t> threads_of(std::int32_t pid) override {
    std::vector<std::int32_t> tids;
    for (const auto& [tid, thread] : threads_) {
      if (thread.pid == pid) {
        tids.push_back(tid);
      }
    }
    return tids;
  }
  int read_cpus(std::int32_t tid, std::uint64_t& cpus) override {
    return with(tid, [&](Thread& thread) { cpus = thread.cpus; });
  }
  int write_cpus(std::int32_t tid, std::uint64_t cpus) override {
    ++writes;
    if (fail_cpus != 0 || does_nothing) {
      return fail_cpus;
    }
    if ((cpus & cpuset_ & online_) == 0) {
      return EINVAL;
    }
    return with(tid, [&](Thread& thread) {
      thread.asked = cpus;
      thread.cpus = cpus & cpuset_ & online_;
    });
  }
  std::uint64_t open_cpus(std::int32_t /*pid*/, std::int32_t /*tid*/) override {
    return cpuset_ & online_;
  }
  int read_clamp(std::int32_t tid, UtilClamp& clamp) override {
    return with(tid, [&](Thread& thread) { clamp = thread.clamp; });
  }
  int write_clamp(std::int32_t tid, const UtilClamp& clamp) override {
    ++writes;
    if (fail_clamps != 0 || does_nothing) {
      return fail_clamps;
    }
    return with(tid, [&](Thread& thread) { thread.clamp = clamp; });
  }

 private:
  template <class Do>
  int with(std::int32_t tid, const Do& what) {
    ++calls;
    const auto found = threads_.find(tid);
    if (found == threads_.end()) {
      return ESRCH;
    }
    what(found->second);
    return 0;
  }

  std::uint64_t online_;
  std::uint64_t cpuset_;
  std::uint64_t clock_ = 100;
  std::map<std::int32_t, Thread> threads_;
};

}  // namespace framegov::test
