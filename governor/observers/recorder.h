// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/cpu_topology.h"
#include "base/result.h"
#include "governor/observers/service_observer.h"
#include "trace/packet_sinks.h"
#include "trace/recording.h"
#include "trace/trace_writer.h"

namespace framegov {

struct RecorderSettings {
  std::filesystem::path file;
  std::uint64_t max_bytes = std::uint64_t{64} << 20U;
  /// More than zero: keep the last so long in memory and write on save() only.
  Duration flight{};
};

/// Records what it observes as a Perfetto trace: into a file bounded in size, or into memory as a
/// flight recorder. What does not fit is dropped and counted. The file is written from the caller's
/// thread, 4 KiB at a time.
class Recorder final : public ServiceObserver {
 public:
  /// Error: the file cannot be made.
  [[nodiscard]] static Result<std::unique_ptr<Recorder>> open(const RecorderSettings& settings,
                                                              std::string_view device,
                                                              const CpuTopology& topology,
                                                              Instant now);
  ~Recorder() override;

  void on_frame(const Frame& frame, std::string_view app, Instant now) override;
  void on_app(AppId app, std::string_view name, Instant now) override;
  void on_decision(const Decision& decision) override;
  void on_frequencies(std::span<const Frequency> current, Instant now) override;
  /// `cluster` has had `frequency` since `at`.
  void on_frequency(std::size_t cluster, Frequency frequency, Instant at);
  [[nodiscard]] bool wants_frequencies() const override { return true; }

  /// What is recorded so far is in the file after this. Error: it cannot be written.
  [[nodiscard]] Status save();

  [[nodiscard]] std::uint64_t frames() const { return frames_; }
  [[nodiscard]] std::uint64_t bytes() const;
  [[nodiscard]] std::uint64_t dropped() const { return writer_.packets_dropped(); }

 private:
  Recorder(const RecorderSettings& settings, std::optional<TraceFile> file);
  bool put(std::string_view packet);

  RecorderSettings settings_;
  std::optional<TraceFile> file_;  ///< or flight_
  FlightBuffer flight_;
  TraceWriter writer_;
  RecordingWriter recording_;
  bool beginning_ = true;
  Instant now_;
  std::array<Frequency, kMaxClusters> last_{};
  std::uint64_t frames_ = 0;
};

/// The phone's name for recordings: its kernel and machine.
[[nodiscard]] std::string device_name();

}  // namespace framegov
