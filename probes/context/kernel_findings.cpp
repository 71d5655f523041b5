// SPDX-License-Identifier: Apache-2.0
#include "probes/context/kernel_findings.h"

namespace framegov {
namespace {

constexpr const char* kOtherKernel = "a kernel built with it is needed";

/// " (CONFIG_X is not set)" where config.gz says so.
std::string unset(const KernelFeatures& kernel, const std::string& option) {
  const auto found = kernel.config.find(option);
  return found != kernel.config.end() && !found->second ? " (" + option + " is not set)" : "";
}

DoctorFinding root(const KernelFeatures& kernel) {
  if (kernel.root) {
    return {"root", Health::kOk, "runs as root", "", "", true};
  }
  return {"root",
          Health::kMissing,
          "does not run as root",
          "neither probes nor frequency limits can be set",
          "run it from a root shell (su)",
          true};
}

DoctorFinding release(const KernelFeatures& kernel) {
  DoctorFinding finding{"kernel", Health::kOk,
                        "Linux " + kernel.release.text + (kernel.arm64 ? " (arm64)" : ""), "", ""};
  if (kernel.release.major == 0) {
    finding = {"kernel", Health::kDegraded, "the kernel does not say its version",
               "assuming an old kernel", "check that /proc is mounted"};
  } else if (kernel.refuses_hints()) {
    finding.health = Health::kDegraded;
    finding.meaning =
        "before 5.8 functions that start with a PAC or BTI hint are probed behind it, and time "
        "blocked in their dequeueBuffer is not known";
  }
  return finding;
}

DoctorFinding uprobes(const KernelFeatures& kernel) {
  if (kernel.uprobe_pmu) {
    return {"uprobes", Health::kOk, "uprobes through perf events", "", ""};
  }
  if (kernel.uprobe_events) {
    return {"uprobes", Health::kOk, "uprobes through tracefs", "", ""};
  }
  const std::string why = unset(kernel, "CONFIG_UPROBES") + unset(kernel, "CONFIG_UPROBE_EVENTS");
  return {"uprobes", Health::kMissing, "the kernel offers no uprobes" + why,
          "only intervals between frames can be seen, through SurfaceFlinger",
          why.empty() ? "mount tracefs; if that does not help, another kernel is needed"
                      : kOtherKernel};
}

DoctorFinding bpf(const KernelFeatures& kernel) {
  if (kernel.bpf == Support::kForbidden) {
    return {"bpf", Health::kDegraded, "BPF programs are forbidden here",
            "frames come through tracefs, at more cost",
            kernel.root ? "look at SELinux and lockdown" : "run it as root"};
  }
  if (kernel.bpf == Support::kNo) {
    return {"bpf", Health::kDegraded,
            "no BPF programs for probes" + unset(kernel, "CONFIG_BPF_SYSCALL") +
                unset(kernel, "CONFIG_BPF_EVENTS"),
            "frames come through tracefs, at more cost", kOtherKernel};
  }
  if (kernel.ring_buffer != Support::kYes) {
    return {"bpf", Health::kDegraded, "BPF without ring buffer (before 5.8)",
            "frames come through perf buffers: each record wakes the service", ""};
  }
  return {"bpf", Health::kOk, "BPF programs and ring buffer", "", ""};
}

DoctorFinding btf(const KernelFeatures& kernel) {
  return {"btf", Health::kOk, kernel.btf ? "kernel BTF" : "no kernel BTF",
          kernel.btf ? "" : "framegov does not need it", ""};
}

DoctorFinding tracefs(const KernelFeatures& kernel) {
  if (kernel.tracefs.empty()) {
    return {"tracefs", Health::kDegraded, "not mounted",
            "cannot stand in for BPF; before 4.17 there are no uprobes without it",
            "mount -t tracefs tracefs /sys/kernel/tracing"};
  }
  if (!kernel.uprobe_events || !kernel.trace_instances) {
    return {"tracefs", Health::kDegraded,
            kernel.tracefs.string() + " without " +
                (kernel.uprobe_events ? "instances" : "uprobe_events") +
                unset(kernel, "CONFIG_UPROBE_EVENTS"),
            "cannot stand in for BPF", ""};
  }
  return {"tracefs", Health::kOk, kernel.tracefs.string(), "", ""};
}

DoctorFinding pmu(const KernelFeatures& kernel) {
  if (kernel.cycle_pmus == 0) {
    return {"pmu", Health::kOk, "no PMU counts the CPUs' cycles",
            "a frame's work is its CPU time at its cluster's frequency", ""};
  }
  return {"pmu", Health::kOk,
          "cycles of " + std::to_string(kernel.cycle_pmus) +
              (kernel.cycle_pmus == 1 ? " kind of core" : " kinds of core"),
          "", ""};
}

DoctorFinding selinux(const KernelFeatures& kernel) {
  switch (kernel.selinux) {
    case SelinuxState::kEnforcing:
      return {"selinux", Health::kOk, "enforcing",
              "root managers run services in a domain of their own that may probe", ""};
    case SelinuxState::kPermissive:
      return {"selinux", Health::kOk, "permissive", "", ""};
    case SelinuxState::kAbsent:
      break;
  }
  return {"selinux", Health::kOk, "not there", "", ""};
}

}  // namespace

std::vector<DoctorFinding> examine_kernel(const KernelFeatures& kernel) {
  return {root(kernel), release(kernel), uprobes(kernel), bpf(kernel),
          btf(kernel),  tracefs(kernel), pmu(kernel),     selinux(kernel)};
}

}  // namespace framegov
