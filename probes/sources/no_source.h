// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/eventfd.h>

#include <cerrno>
#include <memory>

#include "base/result.h"
#include "base/unique_fd.h"
#include "probes/frame_source.h"

namespace framegov {

/// No frames, ever: the last rung. The service lives and caps nothing.
class NoSource final : public FrameSource {
 public:
  [[nodiscard]] static Result<std::unique_ptr<FrameSource>> open() {
    UniqueFd fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!fd) {
      return fail_errno(errno, "a descriptor to wait on");
    }
    return std::unique_ptr<FrameSource>(new NoSource(std::move(fd)));
  }

  [[nodiscard]] SourceKind kind() const override { return SourceKind::kNone; }
  [[nodiscard]] int fd() const override { return fd_.get(); }
  [[nodiscard]] Result<bool> drain(FrameBatch& /*batch*/) override { return false; }
  [[nodiscard]] SourceCounters counters() const override { return {}; }

 private:
  explicit NoSource(UniqueFd fd) : fd_(std::move(fd)) {}

  UniqueFd fd_;  ///< never readable
};

}  // namespace framegov
