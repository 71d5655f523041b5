// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "cli/ab/experiment.h"
#include "cli/ab/fuel_gauge.h"
#include "governor/control/control_client.h"

namespace framegov::cli {

/// The phone under a running service: one app is switched through the control socket, the battery
/// read from the kernel. When the object goes, the switch is as it was. The signals that end the
/// experiment must be blocked (block_ending_signals()).
class ServicePhone final : public ab::Phone {
 public:
  struct App {
    std::string package;
    std::optional<bool> switched;  ///< by hand before; nothing: as its profile says
  };

  ServicePhone(ControlClient client, ab::FuelGauge gauge, App app);
  ~ServicePhone() override;

  [[nodiscard]] Status use(ab::Arm arm) override;
  [[nodiscard]] Result<ab::Observation> observe() override;
  [[nodiscard]] Instant now() override;
  [[nodiscard]] bool wait_until(Instant at) override;

 private:
  [[nodiscard]] Status switch_app(std::optional<bool> on);

  ControlClient client_;
  ab::FuelGauge gauge_;
  App app_;
};

/// SIGINT, SIGTERM and SIGHUP are kept until ServicePhone asks for them.
void block_ending_signals();

}  // namespace framegov::cli
