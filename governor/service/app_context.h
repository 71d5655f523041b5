// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/frame.h"
#include "base/static_vector.h"
#include "base/time.h"
#include "config/settings.h"
#include "governor/log/log.h"
#include "probes/context/app_names.h"
#include "probes/context/foreground_tracker.h"
#include "probes/context/frame_meter.h"
#include "probes/context/process_info.h"
#include "probes/frame_source.h"

namespace framegov {

/// How to know the apps on top, as the service's settings say it.
[[nodiscard]] ForegroundSettings foreground_settings(const ServiceSettings& settings);

/// Whose frames come, and whose matter: names the app of each frame event, keeps the source to the
/// processes on top, and adds CPU times and frequencies to their frames. Where the phone does not
/// tell which those are, every process counts. Used from one thread.
class AppContext {
 public:
  enum class Owner : std::uint8_t {
    kOnTop,    ///< its frames govern
    kOther,    ///< another app is on top
    kUnknown,  ///< nobody knows who is on top
  };

  AppContext(const ServiceSettings& settings, const CpuTopology& topology, Log& log);

  /// For epoll; -1 when there is nothing to wait for.
  [[nodiscard]] int fd() const { return tracker_ ? tracker_->fd() : -1; }
  /// When update() is to be called if nothing happens before; zero for never.
  [[nodiscard]] Instant wake_at() const { return tracker_ ? tracker_->wake_at() : Instant{}; }

  /// Takes in what has happened. True when the processes on top have changed.
  [[nodiscard]] bool update(Instant now, FrameSource& source);

  /// Sets the event's app and says whether its app is on top; measures the frame if so.
  [[nodiscard]] Owner own(FrameEvent& event, Instant now, FrameSource& source);

  /// Is a process of `app` on top (as far as anyone knows)?
  [[nodiscard]] bool on_top(AppId app) const;

  [[nodiscard]] const FrequencyMeter& frequencies() const { return meter_.frequencies(); }

  /// Empty when not known.
  [[nodiscard]] std::string_view name(AppId app) const { return names_.name(app); }

 private:
  struct Known {
    std::int32_t pid{};
    AppId app{};
  };

  [[nodiscard]] Owner owner_of(std::int32_t pid, AppId& app, Instant now, FrameSource& source);
  [[nodiscard]] AppId app_of_any(std::int32_t pid);
  void narrow(FrameSource& source) const;

  ProcessInfo process_info_;
  AppNames names_;
  FrameMeter meter_;
  std::unique_ptr<ForegroundTracker> tracker_;  ///< null: every process counts
  StaticVector<Known, 32> known_;               ///< without a tracker
  std::size_t next_known_ = 0;
};

}  // namespace framegov
