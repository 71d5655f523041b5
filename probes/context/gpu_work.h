// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "base/time.h"
#include "probes/context/event_pipe.h"
#include "probes/context/gpu_nodes.h"

namespace framegov {

/// A while of one app's work on one GPU.
struct GpuWorkPeriod {
  std::uint64_t gpu = 0;
  std::uint64_t uid = 0;
  Instant end;        ///< when the driver told of it, which is soon after its end
  Duration length{};  ///< up to a second
  Duration active{};  ///< of it
};

/// What a line of trace_pipe says; nothing when it is no gpu_work_period event, or one that cannot
/// be: working for longer than it lasted, or lasting for over a second.
[[nodiscard]] std::optional<GpuWorkPeriod> parse_gpu_work_period(std::string_view line);

/// How busy the GPU is with the app that takes most of it. What it does for several apps at once
/// counts for each of them, so that their sum says nothing.
///
/// Source: AOSP, "Implement GPU work period": a driver tells of each app's work at least once a
/// second. So the second before the last one is what is known in full.
class GpuWorkPeriods {
 public:
  void take(const GpuWorkPeriod& period) { periods_[next_++ % kPeriods] = period; }
  /// Nothing until there is any work: the driver may never tell.
  [[nodiscard]] std::optional<GpuReading> read(Instant now) const;

 private:
  /// More than apps have in two seconds; the oldest give way.
  static constexpr std::size_t kPeriods = 256;

  std::array<GpuWorkPeriod, kPeriods> periods_{};
  std::size_t next_ = 0;
};

/// The same, from the power/gpu_work_period events that drivers for Android 13 and later have: for
/// where its driver shows no node (GpuNodes). Nothing tells clocks. One thread.
class GpuWork {
 public:
  /// Does a kernel with this tracefs (may be empty) have the event?
  [[nodiscard]] static bool is_told(const std::filesystem::path& tracefs);
  /// Error: there is no tracefs that we may use, or it has no such event.
  [[nodiscard]] static Result<GpuWork> open(const std::filesystem::path& tracefs);

  [[nodiscard]] std::optional<GpuReading> read(Instant now);
  /// Its trace buffer in tracefs, which it takes away when it ends.
  [[nodiscard]] const std::filesystem::path& folder() const { return pipe_.folder(); }

 private:
  explicit GpuWork(EventPipe pipe) : pipe_(std::move(pipe)) {}

  EventPipe pipe_;
  GpuWorkPeriods told_;
};

}  // namespace framegov
