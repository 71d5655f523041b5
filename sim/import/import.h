// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sim/workload/workload.h"
#include "trace/byte_source.h"

namespace framegov::sim {

enum class TraceFormat : std::uint8_t { kPerfetto, kRecording, kFtraceText, kWipe, kCsv };
[[nodiscard]] std::string_view format_name(TraceFormat format);

struct ImportOptions {
  bool frames_only = false;  ///< take frames' times where their work is not known
  bool partial = false;      ///< of a damaged trace take what comes before the damage
  std::string recorded_on;   ///< the SoC, phone or device, where the caller knows; may be empty
  std::uint64_t max_events = 100'000'000;
  std::function<void(double)> on_progress;  ///< called now and then with 0 to 1; may be empty
};

/// One app in a recording. Counts are of slices and FrameTimeline events as they stand in it
/// (slices from when on every CPU's buffer has them); `frames` is what was found: a note says how
/// many of them the workload leaves out.
struct ImportedApp {
  std::string name;
  std::int32_t pid{};
  std::uint64_t frames{};
  std::uint64_t do_frames{}, draw_frames{}, queue_buffers{}, dequeue_buffers{};
  std::uint64_t timeline_expected{}, timeline_actual{};
  std::map<std::string, std::uint64_t> jank_types{};
  std::uint64_t labelled{};       ///< frames with a jank label of the platform, but "unknown"
  std::uint64_t platform_late{};  ///< of them, labelled "app deadline missed" or "buffer stuffing"
  std::uint64_t late{};           ///< of them, taken from the queue after their turn by ours
  std::uint64_t agree{};          ///< of them, both or neither
};

struct ImportedCluster {
  WorkloadCluster cluster;
  std::map<std::int64_t, std::uint64_t> changes;  ///< kHz -> times it was set
};

/// What was found in a recording.
struct ImportReport {
  TraceFormat format{};
  std::string device;
  double duration_s{};
  double refresh_hz{};
  std::map<std::string, std::uint64_t> counts;  ///< by event name
  std::vector<ImportedCluster> clusters;
  std::vector<ImportedApp> apps;
  std::vector<std::string> missing;
  std::vector<std::string> notes;
};

struct Imported {
  ImportReport report;
  /// Nothing where the recording has no frames, or no work (and not frames_only).
  std::optional<Workload> workload;
  std::optional<Error> no_workload;  ///< why
};

/// Reads a recording of any known format, or a folder of a workload's tables. Fails on a file that
/// cannot be read; a recording that can, but makes no workload, is reported with the reason.
[[nodiscard]] Result<Imported> import_trace(const std::filesystem::path& path,
                                            const ImportOptions& options = {});
[[nodiscard]] Result<Imported> import_bytes(ByteSource& source, const std::string& name,
                                            const ImportOptions& options = {});

/// import_trace() for callers that need a workload: its failures include the reason for none.
[[nodiscard]] Result<Workload> import_workload(const std::filesystem::path& path,
                                               const ImportOptions& options = {});

}  // namespace framegov::sim
