// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/unique_fd.h"
#include "base/units.h"

namespace framegov {

/// A value read from a node, or the errno why there is none.
struct NodeReading {
  Frequency value;
  int error = 0;
  [[nodiscard]] bool ok() const { return error == 0; }
};

/// One node of cpufreq that holds a frequency in kHz, kept open.
///
/// CPUs come and go, and their nodes with them: after any error the node is closed, and the next
/// access opens it again below the root. Nothing here allocates after construction.
class CpufreqNode {
 public:
  /// `path` is relative to the directory `root_fd`, which must stay open.
  CpufreqNode(int root_fd, std::string path) : root_fd_(root_fd), path_(std::move(path)) {}

  [[nodiscard]] NodeReading read();

  /// 0 or an errno. A short write is EIO.
  [[nodiscard]] int write(Frequency value);

  /// From its next opening on, others_wrote() has something to say. Where the kernel cannot tell
  /// (no inotify, no descriptor left) it never has.
  void watch();

  /// Has another program written it since the last call, and since our own last write? What the
  /// kernel itself changes is no write. A system call, nothing else: nobody is woken by a write.
  [[nodiscard]] bool others_wrote();

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  [[nodiscard]] int ensure_open(bool for_writing);
  void look_at_what_is_open();

  int root_fd_;
  std::string path_;
  UniqueFd fd_;
  UniqueFd watch_;
  bool writable_ = false;
};

}  // namespace framegov
