// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <utility>

#include "base/result.h"
#include "cli/service_link.h"
#include "governor/state/state_dir.h"

namespace framegov::cli {

/// The running service leaves the phone alone until this object goes; then it is as its owner had
/// it: a pause of the owner's lasts as long as it would have. Where none runs, none can start.
class ServiceAside {
 public:
  ServiceAside(const ServiceAside&) = delete;
  ServiceAside& operator=(const ServiceAside&) = delete;
  ~ServiceAside();

  /// Error: a service runs and cannot be paused.
  [[nodiscard]] static Result<std::unique_ptr<ServiceAside>> make(ServiceLink link,
                                                                  StateDir& state_dir);

  /// To be called more often than every half an hour, as a pause is made for so long only: whatever
  /// becomes of this program, the service governs again. Error: it does so already, or cannot be
  /// asked.
  [[nodiscard]] Status hold();

  [[nodiscard]] bool service_runs() const { return runs_; }

 private:
  explicit ServiceAside(ServiceLink link) : link_(std::move(link)) {}

  /// When the pause ends, in seconds since the epoch, zero for never; nothing: there is none.
  [[nodiscard]] Result<std::optional<std::int64_t>> pause_now() const;
  [[nodiscard]] Status give_back() const;

  ServiceLink link_;
  bool runs_ = false;
  bool held_ = false;
  std::optional<std::int64_t> owners_;  ///< the pause that is not of this object, as of pause_now()
  std::optional<std::int64_t> ours_;    ///< the last one that is
};

}  // namespace framegov::cli
