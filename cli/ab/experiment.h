// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "cli/ab/window.h"

namespace framegov::ab {

/// The phone as the experiment needs it; tests have one of their own.
class Phone {
 public:
  Phone() = default;
  Phone(const Phone&) = delete;
  Phone& operator=(const Phone&) = delete;
  virtual ~Phone() = default;

  /// Stock: the app is left alone. framegov: it is governed.
  [[nodiscard]] virtual Status use(Arm arm) = 0;
  [[nodiscard]] virtual Result<Observation> observe() = 0;
  [[nodiscard]] virtual Instant now() = 0;
  /// False: the owner wants to stop.
  [[nodiscard]] virtual bool wait_until(Instant at) = 0;
};

struct Plan {
  std::size_t pairs = 0;
  Duration window{};  ///< including what is left out after the switch
  std::uint64_t seed = 0;
};

struct Progress {
  std::size_t window = 0;  ///< of `windows`, from 0
  std::size_t windows = 0;
  Arm arm = Arm::kStock;
};

/// Alternates the arms and looks at the phone once a second. Ends early, with the windows so far,
/// when the owner wants to stop. Error: the phone is on a charger at the start, or cannot be
/// switched or looked at.
[[nodiscard]] Result<std::vector<Window>> run_experiment(
    Phone& phone, const Plan& plan, const std::function<void(const Progress&)>& on_window);

}  // namespace framegov::ab
