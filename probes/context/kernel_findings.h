// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "probes/context/doctor_finding.h"
#include "probes/context/kernel_features.h"

namespace framegov {

/// What doctor says of the kernel: root, release, uprobes, BPF, BTF, tracefs, SELinux.
[[nodiscard]] std::vector<DoctorFinding> examine_kernel(const KernelFeatures& kernel);

}  // namespace framegov
