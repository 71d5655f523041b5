// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace framegov::test {

/// A folder that goes with the object, holding a cpufreq tree of one policy whose CPUs all run at
/// a fixed frequency.
class TemporaryCpuTree {
 public:
  TemporaryCpuTree();
  ~TemporaryCpuTree();
  TemporaryCpuTree(const TemporaryCpuTree&) = delete;
  TemporaryCpuTree& operator=(const TemporaryCpuTree&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// What demo-app wrote of one frame (see tests/app/recorder.h).
struct RecordedFrame {
  std::int64_t vsync_ns{};
  std::int64_t start_ns{};
  std::int64_t ready_ns{};
  std::int64_t blocked_ns{};
};

/// demo-app in a process of its own.
class DemoApp {
 public:
  /// Starts it; it makes its first frame 50 ms later.
  explicit DemoApp(std::vector<std::string> arguments);
  ~DemoApp();
  DemoApp(const DemoApp&) = delete;
  DemoApp& operator=(const DemoApp&) = delete;

  [[nodiscard]] static std::filesystem::path folder();

  [[nodiscard]] pid_t pid() const { return pid_; }
  /// True once it has ended.
  [[nodiscard]] bool ended();
  /// Asks it to end and waits until it has.
  void end();
  /// Its exit status, once it has ended.
  [[nodiscard]] int status() const { return status_; }
  /// Its record, once it has ended.
  [[nodiscard]] std::vector<RecordedFrame> record() const;

 private:
  TemporaryCpuTree cpus_;
  pid_t pid_ = -1;
  bool ended_ = false;
  int status_ = -1;
};

}  // namespace framegov::test
