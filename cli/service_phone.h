// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>
#include <optional>
#include <string>

#include "cli/ab/experiment.h"
#include "cli/ab/fuel_gauge.h"
#include "governor/control/control_client.h"

namespace framegov::cli {

/// The phone under a running service: one app is held on or off through the control socket, the
/// battery read from the kernel. The service lets go of the app when the connection ends, however
/// that comes about, and forgets it when it ends itself. The signals that end the experiment must
/// be blocked (block_ending_signals()).
class ServicePhone final : public ab::Phone {
 public:
  ServicePhone(ControlClient client, ab::FuelGauge gauge, std::string package);

  [[nodiscard]] Status use(ab::Arm arm) override;
  [[nodiscard]] Result<ab::Observation> observe() override;
  [[nodiscard]] Instant now() override;
  [[nodiscard]] bool wait_until(Instant at) override;

 private:
  ControlClient client_;
  ab::FuelGauge gauge_;
  std::string package_;
};

/// SIGINT, SIGTERM and SIGHUP are kept until ServicePhone asks for them.
void block_ending_signals();
/// SIGINT, SIGTERM, SIGHUP, and SIGQUIT and SIGTSTP: a command that is stopped by a key would hold
/// the phone as it is.
[[nodiscard]] sigset_t ending_signals();
/// Waits so long for one of them. True: it came.
[[nodiscard]] bool ending_signal_within(Duration time);

}  // namespace framegov::cli
