// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "probes/context/kernel_features.h"

namespace framegov {

enum class Health : std::uint8_t { kOk, kDegraded, kMissing };

/// "ok", "degraded", "missing"
[[nodiscard]] constexpr std::string_view name_of(Health health) {
  return health == Health::kOk ? "ok" : health == Health::kDegraded ? "degraded" : "missing";
}

/// One thing that was looked at.
struct DoctorFinding {
  std::string id{};  ///< "uprobes", "policy0", ...: stays the same between versions
  Health health{};
  std::string what{};     ///< what is there
  std::string meaning{};  ///< what follows from it; empty when all is well
  std::string action{};   ///< what to do; empty when there is nothing to do
  bool needed = false;    ///< missing, it keeps framegov from governing
};

/// What doctor says of the kernel: root, release, uprobes, BPF, BTF, tracefs, SELinux.
[[nodiscard]] std::vector<DoctorFinding> examine_kernel(const KernelFeatures& kernel);

}  // namespace framegov
