// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/unique_fd.h"

namespace framegov::test {

/// The daemon of a Zygisk: what connects gets a thread that runs the module's companion.
class ZygiskDaemon {
 public:
  /// Listens on a file in `folder`. Before Linux 5.3 there are no pidfds.
  explicit ZygiskDaemon(const std::filesystem::path& folder, bool has_pidfds = true);
  ZygiskDaemon(const ZygiskDaemon&) = delete;
  ZygiskDaemon& operator=(const ZygiskDaemon&) = delete;
  ~ZygiskDaemon();

  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  std::string name_;
  UniqueFd listener_;
  pid_t process_ = -1;
};

/// A frame as the app made it, ns of CLOCK_MONOTONIC.
struct MadeFrame {
  std::int64_t vsync{};
  std::int64_t done{};
  std::int64_t ready{};
};

/// A process that Zygisk turns into an app; killed with the object.
class ZygiskApp {
 public:
  ZygiskApp(const ZygiskDaemon& daemon, const std::vector<std::string>& arguments);
  ZygiskApp(const ZygiskApp&) = delete;
  ZygiskApp& operator=(const ZygiskApp&) = delete;
  ~ZygiskApp();

  /// Does it keep the module? Waits for that.
  [[nodiscard]] bool watched();
  [[nodiscard]] pid_t pid() const { return pid_; }
  /// Readable when it prints or ends.
  [[nodiscard]] int fd() const { return output_.get(); }
  /// Takes what it has printed. False: it has ended.
  [[nodiscard]] bool listen();
  [[nodiscard]] const std::vector<MadeFrame>& frames() const { return frames_; }
  void kill() const;
  /// It ended by itself, and found no fault. Waits for that.
  [[nodiscard]] bool ended_well();

 private:
  pid_t pid_ = -1;
  UniqueFd output_;
  std::string text_;
  std::string word_;  ///< "watched" or "unloaded"
  std::vector<MadeFrame> frames_;
};

}  // namespace framegov::test
