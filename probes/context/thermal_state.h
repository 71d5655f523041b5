// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/thermal_level.h"
#include "base/time.h"
#include "base/unique_fd.h"
#include "probes/context/child_command.h"
#include "probes/context/thermal_sensors.h"

namespace framegov {

struct ThermalSources {
  std::filesystem::path sensors;  ///< /sys/class/thermal
  CommandLine service;            ///< `dumpsys thermalservice`
};

/// How hot the phone is: the higher of what the kernel's sensors and Android's thermal service say.
///
/// look() is to be called while frames come; it reads the sensors every kSensorsEvery, and asks the
/// service every kServiceEvery, or kHotEvery while that says that it is hot. One that cannot be
/// asked, or does not answer in that time, says nothing; after a failure it is asked again after
/// kSensorsEvery, twice that, ... kServiceEvery. Nothing is read or asked, and nobody woken, while
/// nothing is drawn. One thread.
class ThermalState {
 public:
  static constexpr Duration kSensorsEvery = std::chrono::seconds{2};
  static constexpr Duration kServiceEvery = std::chrono::seconds{60};
  static constexpr Duration kHotEvery = std::chrono::seconds{10};

  explicit ThermalState(ThermalSources sources);

  /// For epoll: readable when update() has something to do.
  [[nodiscard]] int fd() const { return epoll_.get(); }

  /// Frames come. Allocates only when the service is asked. True when the sensors were read.
  bool look(Instant now);
  /// Takes the service's answer.
  void update();

  [[nodiscard]] ThermalLevel level() const;
  [[nodiscard]] const ThermalReading& reading() const { return reading_; }

 private:
  void ask(Instant now);
  [[nodiscard]] Duration ask_every() const;

  ThermalSensors sensors_;
  CommandLine command_;
  UniqueFd epoll_;
  std::optional<ChildCommand> asked_;
  bool hopeless_ = false;  ///< there is no such command
  ThermalReading reading_;
  std::optional<ThermalLevel> service_level_;
  Instant read_at_;
  Instant asked_at_;
  Duration ask_again_{};  ///< after the last question, which could not be put; zero: it could
};

}  // namespace framegov
