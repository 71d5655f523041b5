// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sim/run/full_speed.h"
#include "sim/run/replay.h"

namespace framegov::sim {

/// One frame of one run and what became of it.
struct FrameRow {
  const PipelineFrame& frame;
  FrameVerdict verdict;
  /// Missed, although full speed meets the deadline in the same world. Nothing where that is not
  /// known (RunResult::avoidable).
  std::optional<bool> avoidable;
};

/// A column of per-frame results: one name for the CSV, Python and the documents.
struct FrameColumn {
  enum class Kind : std::uint8_t {
    kTime,    ///< whole ns; instants are on the run's own clock
    kNumber,  ///< an index or a count
    kFlag,    ///< 0 or 1
  };
  std::string_view name;  ///< with its unit
  std::string_view meaning;
  Kind kind;
  std::optional<std::int64_t> (*of)(const FrameRow&);  ///< nothing where it is not known
};

/// In the order in which they are written; docs/results.md lists them.
[[nodiscard]] std::span<const FrameColumn> frame_columns();

/// Replays `scene` under `policy` and hands each frame to `take` as it ends. `full_speed` is of the
/// scene: it is asked where the world moves threads. `beside` is told of plans and frequencies; it
/// may be null.
RunResult replay_rows(const ReplayScene& scene, const PolicyEntry& policy,
                      const ReplaySettings& settings, FullSpeed& full_speed,
                      const std::function<void(const FrameRow&)>& take,
                      PlantObserver* beside = nullptr);

/// The first line of a frames CSV, with its end.
[[nodiscard]] std::string frames_csv_header();

/// Writes the frames of one run as CSV, a line each (RFC 4180). Pieces are whole lines. Returns
/// what replay_rows() does.
RunResult write_frames_csv(const ReplayInput& input, const ReplayScene& scene,
                           const PolicyEntry& policy, const ReplaySettings& settings,
                           FullSpeed& full_speed,
                           const std::function<void(std::string_view)>& write);

}  // namespace framegov::sim
