// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "base/cpu_topology.h"
#include "base/result.h"
#include "governor/app_context.h"
#include "governor/recorder.h"
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

  /// Until `seconds` have passed (zero: without end), SIGINT or SIGTERM. SIGUSR1 saves a flight
  /// recording and goes on. The three must be blocked (block_record_signals). `tell` is called once
  /// a second. Error: the source or the file failed.
  [[nodiscard]] Status run(Duration limit, const std::function<void(const RecordProgress&)>& tell);

  [[nodiscard]] RecordProgress progress(Instant now) const;

 private:
  [[nodiscard]] Status take_frames(Instant now);
  void take(FrameEvent& event, Instant now);

  std::unique_ptr<FrameSource> source_;
  std::unique_ptr<AppContext> context_;
  std::unique_ptr<Recorder> recorder_;
  std::size_t clusters_;
  Instant began_;
  AppId app_{};
  FrameBatch batch_;
};

void block_record_signals();

}  // namespace framegov
