// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "probes/sources/probe_points.h"

namespace framegov {

/// Uprobe events of ours in tracefs, and a trace buffer of ours that they alone go to: others'
/// traces are not disturbed. Events are called after their ProbeRole and carry, in decimal,
///   frame_info_call: destination, count, and w0 to w13, the words at the destination before the
///   call; frame_finished: info;
///   queue_buffer, dequeue_buffer_enter: surface.
/// Both are taken away when the object goes; what a killed process left is not
/// (remove_trace_leftovers).
class TraceInstance {
 public:
  /// `name`: of the instance and of the group of events. `buffer_kb`: for each CPU. The buffer's
  /// clock is CLOCK_MONOTONIC.
  ///
  /// Errors: kNoPermission without root, kUnsupported when tracefs has no uprobe_events or no
  /// instances, kBadInput when a library cannot be probed.
  [[nodiscard]] static Result<TraceInstance> create(const std::filesystem::path& tracefs,
                                                    const std::string& name,
                                                    const ProbePoints& points, int buffer_kb);
  TraceInstance(TraceInstance&& other) noexcept = default;
  TraceInstance& operator=(TraceInstance&& other) = delete;
  ~TraceInstance();

  /// trace_pipe: text, read without waiting.
  [[nodiscard]] int fd() const { return pipe_.get(); }
  /// Probes that were left out, and why.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

 private:
  TraceInstance(std::filesystem::path tracefs, std::string name)
      : tracefs_(std::move(tracefs)), name_(std::move(name)) {}

  [[nodiscard]] Status define(const ProbePoints& points);
  [[nodiscard]] Status open_buffer(int buffer_kb);
  void remove() const;
  [[nodiscard]] std::filesystem::path folder() const { return tracefs_ / "instances" / name_; }

  std::filesystem::path tracefs_;  ///< empty: moved from
  std::string name_;
  UniqueFd pipe_;
  std::vector<std::string> notes_;
};

/// The line that defines `point` in `group`. Error (kBadInput): its path cannot stand in one.
[[nodiscard]] Result<std::string> uprobe_definition(const std::string& group,
                                                    const ProbePoint& point,
                                                    int destination_register);

}  // namespace framegov
