// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace framegov {

/// Version of the kernel, as far as features depend on it.
struct KernelRelease {
  std::string text;  ///< "5.10.198-android13-4"
  int major{};
  int minor{};

  [[nodiscard]] constexpr bool at_least(int wanted_major, int wanted_minor) const {
    return major > wanted_major || (major == wanted_major && minor >= wanted_minor);
  }
};

/// "5.10.198-android13-4" -> 5, 10. 0, 0 when it does not begin with two numbers.
[[nodiscard]] KernelRelease parse_release(std::string_view text);

/// That of the running kernel; 0, 0 when it does not say.
[[nodiscard]] KernelRelease running_kernel();

/// Whether the kernel has something, as it answers when asked for it.
enum class Support : std::uint8_t { kNo, kYes, kForbidden };

enum class SelinuxState : std::uint8_t { kAbsent, kPermissive, kEnforcing };

/// What the kernel can do for frame sources. Detected once and handed on.
struct KernelFeatures {
  KernelRelease release;
  bool arm64 = false;
  bool root = false;
  bool uprobe_pmu = false;        ///< perf_event_open makes uprobes (4.17)
  Support bpf{};                  ///< BPF programs on probes
  std::string bpf_refusal;        ///< what the kernel said where `bpf` is not kYes
  Support ring_buffer{};          ///< BPF ring buffer (5.8)
  bool btf = false;               ///< not needed by framegov; others' tools do
  std::filesystem::path tracefs;  ///< where it is mounted; empty: nowhere
  bool uprobe_events = false;     ///< tracefs takes uprobe definitions
  bool trace_instances = false;   ///< tracefs lets us have a buffer of our own
  bool reads_memory = true;       ///< process_vm_readv (CONFIG_CROSS_MEMORY_ATTACH)
  SelinuxState selinux{};
  std::size_t cycle_pmus = 0;  ///< kinds of core whose PMU counts cycles
  /// The CONFIG_... of /proc/config.gz that matter here; empty when there is no such file.
  std::map<std::string, bool> config;

  /// arm64 before 5.8 refuses a uprobe on a PAC or BTI hint.
  [[nodiscard]] bool refuses_hints() const { return arm64 && !release.at_least(5, 8); }
  /// There is some way to make a uprobe.
  [[nodiscard]] bool uprobes() const { return uprobe_pmu || uprobe_events; }
};

/// Where the kernel's file systems are: tests bring trees of their own.
struct KernelRoots {
  std::filesystem::path proc = "/proc";
  std::filesystem::path sys = "/sys";
};

/// Where `proc`/mounts says that tracefs is mounted, by itself or within debugfs; empty: nowhere.
[[nodiscard]] std::filesystem::path find_tracefs(const std::filesystem::path& proc);

/// Reads the files under `roots`; BPF support is asked of the running kernel itself, which makes
/// and drops a map and a program. Nothing fails: what cannot be found out counts as not there.
[[nodiscard]] KernelFeatures detect_kernel_features(const KernelRoots& roots);

}  // namespace framegov
