// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "base/result.h"
#include "base/time.h"
#include "config/settings.h"

namespace framegov {

/// The service from its start to its exit status. It is to make the call once it runs, without the
/// privileges that it starts with: that starts a thread.
using LoneService = std::function<int(const std::function<void()>& running)>;

/// Runs the service in this process, for an init that starts it again after any failure and puts
/// the limits back. What Supervisor keeps of BootGuard's rules: a start counts until it has lasted
/// or ended by itself. Returns the exit status. Error: it did not last too often; what an earlier
/// one left is put back by then.
[[nodiscard]] Result<int> run_alone(const ServiceSettings& settings, Duration lasted_after,
                                    const LoneService& serve);

}  // namespace framegov
