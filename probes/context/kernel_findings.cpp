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
    return {.id = "root", .health = Health::kOk, .what = "runs as root", .needed = true};
  }
  return {.id = "root",
          .health = Health::kMissing,
          .what = "does not run as root",
          .meaning = "neither probes nor frequency limits can be set",
          .action = "run it from a root shell (su)",
          .needed = true};
}

DoctorFinding release(const KernelFeatures& kernel) {
  DoctorFinding finding{.id = "kernel",
                        .health = Health::kOk,
                        .what = "Linux " + kernel.release.text + (kernel.arm64 ? " (arm64)" : "")};
  if (kernel.release.major == 0) {
    finding = {.id = "kernel",
               .health = Health::kDegraded,
               .what = "the kernel does not say its version",
               .meaning = "assuming an old kernel",
               .action = "check that /proc is mounted"};
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
    return {.id = "uprobes", .health = Health::kOk, .what = "uprobes through perf events"};
  }
  if (kernel.uprobe_events) {
    return {.id = "uprobes", .health = Health::kOk, .what = "uprobes through tracefs"};
  }
  const std::string why = unset(kernel, "CONFIG_UPROBES") + unset(kernel, "CONFIG_UPROBE_EVENTS");
  return {.id = "uprobes",
          .health = Health::kMissing,
          .what = "the kernel offers no uprobes" + why,
          .meaning = "only intervals between frames can be seen, through SurfaceFlinger",
          .action = why.empty() ? "mount tracefs; if that does not help, another kernel is needed"
                                : kOtherKernel};
}

DoctorFinding bpf(const KernelFeatures& kernel) {
  if (kernel.bpf == Support::kForbidden) {
    return {.id = "bpf",
            .health = Health::kDegraded,
            .what = "BPF programs are forbidden here",
            .meaning = "frames come through tracefs, at more cost",
            .action = kernel.root ? "look at SELinux and lockdown" : "run it as root"};
  }
  if (kernel.bpf == Support::kNo) {
    return {.id = "bpf",
            .health = Health::kDegraded,
            .what = "the kernel refuses BPF programs for probes: " + kernel.bpf_refusal +
                    unset(kernel, "CONFIG_BPF_SYSCALL") + unset(kernel, "CONFIG_BPF_EVENTS"),
            .meaning = "frames come through tracefs, at more cost",
            .action = kernel.bpf_refusal.find("CONFIG_") == std::string::npos ? "" : kOtherKernel};
  }
  if (kernel.ring_buffer != Support::kYes) {
    return {.id = "bpf",
            .health = Health::kDegraded,
            .what = "BPF without ring buffer (before 5.8)",
            .meaning = "frames come through perf buffers, which need more reading"};
  }
  return {.id = "bpf", .health = Health::kOk, .what = "BPF programs and ring buffer"};
}

DoctorFinding btf(const KernelFeatures& kernel) {
  return {.id = "btf",
          .health = Health::kOk,
          .what = kernel.btf ? "kernel BTF" : "no kernel BTF",
          .meaning = kernel.btf ? "" : "framegov does not need it"};
}

DoctorFinding tracefs(const KernelFeatures& kernel) {
  if (kernel.tracefs.empty()) {
    return {.id = "tracefs",
            .health = Health::kDegraded,
            .what = "not mounted",
            .meaning = "cannot stand in for BPF; before 4.17 there are no uprobes without it",
            .action = "mount -t tracefs tracefs /sys/kernel/tracing"};
  }
  if (!kernel.uprobe_events || !kernel.trace_instances) {
    return {.id = "tracefs",
            .health = Health::kDegraded,
            .what = kernel.tracefs.string() + " without " +
                    (kernel.uprobe_events ? "instances" : "uprobe_events") +
                    unset(kernel, "CONFIG_UPROBE_EVENTS"),
            .meaning = "cannot stand in for BPF"};
  }
  if (!kernel.reads_memory) {
    return {
        .id = "tracefs",
        .health = Health::kOk,
        .what = kernel.tracefs.string() + ", without process_vm_readv (CONFIG_CROSS_MEMORY_ATTACH)",
        .meaning = "in place of BPF it reads frames' fields through /proc/PID/mem"};
  }
  return {.id = "tracefs", .health = Health::kOk, .what = kernel.tracefs.string()};
}

DoctorFinding pmu(const KernelFeatures& kernel) {
  if (kernel.cycle_pmus == 0) {
    return {.id = "pmu",
            .health = Health::kOk,
            .what = "no PMU counts the CPUs' cycles",
            .meaning = "a frame's work is its CPU time at its cluster's frequency"};
  }
  return {.id = "pmu",
          .health = Health::kOk,
          .what = "cycles of " + std::to_string(kernel.cycle_pmus) +
                  (kernel.cycle_pmus == 1 ? " kind of core" : " kinds of core")};
}

DoctorFinding selinux(const KernelFeatures& kernel) {
  switch (kernel.selinux) {
    case SelinuxState::kEnforcing:
      return {.id = "selinux",
              .health = Health::kOk,
              .what = "enforcing",
              .meaning = "root managers run services in a domain of their own that may probe"};
    case SelinuxState::kPermissive:
      return {.id = "selinux", .health = Health::kOk, .what = "permissive"};
    case SelinuxState::kAbsent:
      break;
  }
  return {.id = "selinux", .health = Health::kOk, .what = "not there"};
}

}  // namespace

std::vector<DoctorFinding> examine_kernel(const KernelFeatures& kernel) {
  return {root(kernel), release(kernel), uprobes(kernel), bpf(kernel),
          btf(kernel),  tracefs(kernel), pmu(kernel),     selinux(kernel)};
}

}  // namespace framegov
