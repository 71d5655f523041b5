// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/cpu_topology.h"
#include "base/result.h"
#include "governor/observers/recorder.h"
#include "governor/service/app_context.h"
#include "probes/context/frequency_events.h"
#include "probes/frame_source.h"

namespace framegov {

/// What has come of a recording so far.
struct RecordProgress {
  Duration elapsed{};
  std::uint64_t frames{};
  std::uint64_t bytes{};
  std::uint64_t dropped{};  ///< packets for which the file had no room
  std::uint64_t lost{};     ///< events the kernel had no room for
};

/// Records frames, frequencies and the app on top without governing: nothing of cpufreq is written.
class RecordSession {
 public:
  RecordSession(std::unique_ptr<FrameSource> source, std::unique_ptr<AppContext> context,
                std::unique_ptr<Recorder> recorder, std::size_t clusters);

  /// Records every change of frequency; without it the frequencies at frames' ends.
  void use(FrequencyEvents events) { frequency_events_.emplace(std::move(events)); }

  /// Until `seconds` have passed (zero: without end), SIGINT or SIGTERM. SIGUSR1 saves a flight
  /// recording and goes on. The three must be blocked (block_record_signals). `tell` is called once
  /// a second. Error: the source or the file failed.
  [[nodiscard]] Status run(Duration limit, const std::function<void(const RecordProgress&)>& tell);

  [[nodiscard]] RecordProgress progress(Instant now) const;

 private:
  [[nodiscard]] Status take_frames(Instant now);
  void take(FrameEvent& event, Instant now);
  void take_frequencies(Instant now);

  std::unique_ptr<FrameSource> source_;
  std::unique_ptr<AppContext> context_;
  std::unique_ptr<Recorder> recorder_;
  std::size_t clusters_;
  std::optional<FrequencyEvents> frequency_events_;
  std::vector<FrequencyEvent> changes_;
  bool know_frequencies_ = false;  ///< those at the beginning are recorded
  Instant began_;
  AppId app_{};
  FrameBatch batch_;
};

void block_record_signals();

}  // namespace framegov
