// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "base/result.h"
#include "base/time.h"
#include "config/settings.h"
#include "governor/service/heartbeat.h"
#include "governor/supervisor/supervisor.h"

namespace framegov {

/// The service from its start to its exit status; it shows its turns. It is to make the call once
/// it runs, without the privileges that it starts with: that starts a thread.
using LoneService = std::function<int(Heartbeat& heartbeat, const std::function<void()>& running)>;

/// Runs the service in this process, for an init that starts it again after any failure and puts
/// the limits back. What Supervisor keeps of BootGuard's rules: a start counts until it has lasted
/// or ended by itself. A loop that is stuck within a turn ends the process (SIGKILL). Returns the
/// exit status. Error: it did not last too often; what an earlier one left is put back by then.
[[nodiscard]] Result<int> run_alone(const ServiceSettings& settings, const SupervisorTimes& times,
                                    const LoneService& serve);

}  // namespace framegov
