// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "base/frame.h"
#include "base/time.h"
#include "governor/observers/decision.h"
#include "governor/observers/step_report.h"

namespace framegov {

/// Is told what the service sees and decides, from its thread: it must not block. Views are valid
/// during the call.
class ServiceObserver {
 public:
  ServiceObserver() = default;
  ServiceObserver(const ServiceObserver&) = delete;
  ServiceObserver& operator=(const ServiceObserver&) = delete;
  virtual ~ServiceObserver() = default;

  /// A frame of the app on top, after what it led to is decided.
  virtual void on_frame(const Frame& frame, std::string_view app, Instant now) = 0;
  /// Frames of another app begin.
  virtual void on_app(AppId app, std::string_view name, Instant now) = 0;
  /// Before its limits are written: every microsecond spent here makes them later.
  virtual void on_decision(const Decision& decision) = 0;
  /// The clusters' frequencies at the end of a frame; they are read for observers that want them.
  virtual void on_frequencies(std::span<const Frequency> current, Instant now) = 0;
  [[nodiscard]] virtual bool wants_frequencies() const { return false; }
  /// A step is done, its limits are written.
  virtual void on_step(const StepReport& report) { static_cast<void>(report); }
  /// The service has ended, the limits are put back: nothing more will be told.
  virtual void on_end() {}
};

}  // namespace framegov
