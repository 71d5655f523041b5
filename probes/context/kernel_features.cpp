// SPDX-License-Identifier: Apache-2.0
#include "probes/context/kernel_features.h"

#include <bpf/libbpf.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <memory>
#include <sstream>

#include "base/file.h"
#include "probes/context/cycle_counter.h"
#include "probes/context/probe_programs.h"

namespace framegov {
namespace {

namespace fs = std::filesystem;

constexpr std::array kOptions{"CONFIG_UPROBES",    "CONFIG_UPROBE_EVENTS", "CONFIG_BPF_SYSCALL",
                              "CONFIG_BPF_EVENTS", "CONFIG_PERF_EVENTS",   "CONFIG_DEBUG_INFO_BTF"};
/// A kernel configuration is a few hundred kilobytes.
constexpr std::size_t kLargestConfig = 4U << 20U;

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

struct GzipCloser {
  void operator()(gzFile file) const { ::gzclose(file); }
};

std::map<std::string, bool> read_config(const fs::path& path) {
  const std::unique_ptr<gzFile_s, GzipCloser> file(::gzopen(path.c_str(), "rbe"));
  std::string text = "\n";
  std::array<char, 16384> part{};
  int got = 0;
  while (file && text.size() < kLargestConfig &&
         (got = ::gzread(file.get(), part.data(), part.size())) > 0) {
    text.append(part.data(), static_cast<std::size_t>(got));
  }
  std::map<std::string, bool> options;
  if (text.find("CONFIG_") != std::string::npos) {
    for (const char* const name : kOptions) {
      options[name] = text.find("\n" + std::string(name) + "=y") != std::string::npos;
    }
  }
  return options;
}

Support support_of(int probed) {
  if (probed == -EPERM || probed == -EACCES) {
    return Support::kForbidden;
  }
  return probed == 1 ? Support::kYes : Support::kNo;
}

SelinuxState selinux_state(const fs::path& sys) {
  const fs::path enforce = sys / "fs/selinux/enforce";
  if (!is_there(enforce)) {
    return SelinuxState::kAbsent;
  }
  return first_line(enforce) == "0" ? SelinuxState::kPermissive : SelinuxState::kEnforcing;
}

bool is_arm64() {
  utsname names{};
  return ::uname(&names) == 0 && std::string_view(names.machine) == "aarch64";
}

}  // namespace

KernelRelease parse_release(std::string_view text) {
  KernelRelease release;
  release.text = text;
  const char* const end = text.data() + text.size();
  int major = 0;
  int minor = 0;
  const auto first = std::from_chars(text.data(), end, major);
  if (first.ec == std::errc{} && first.ptr != end && *first.ptr == '.' &&
      std::from_chars(first.ptr + 1, end, minor).ec == std::errc{} && major >= 0 && minor >= 0) {
    release.major = major;
    release.minor = minor;
  }
  return release;
}

KernelRelease running_kernel() {
  utsname names{};
  return ::uname(&names) == 0 ? parse_release(names.release) : KernelRelease{};
}

fs::path find_tracefs(const fs::path& proc) {
  std::istringstream file(read_node(proc / "mounts"));
  fs::path within_debugfs;
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::string device;
    std::string folder;
    std::string type;
    fields >> device >> folder >> type;
    if (type == "tracefs" && is_there(fs::path(folder) / "trace_pipe")) {
      return folder;
    }
    if (type == "debugfs" && is_there(fs::path(folder) / "tracing" / "trace_pipe")) {
      within_debugfs = fs::path(folder) / "tracing";
    }
  }
  return within_debugfs;
}

KernelFeatures detect_kernel_features(const KernelRoots& roots) {
  KernelFeatures features;
  features.release = parse_release(first_line(roots.proc / "sys/kernel/osrelease"));
  const bool own_kernel = roots.proc == KernelRoots().proc;
  if (features.release.text.empty() && own_kernel) {
    features.release = running_kernel();  // SELinux of a ROM may keep the file from its services
  }
  features.arm64 = is_arm64();
  features.root = ::geteuid() == 0;
  features.uprobe_pmu = is_there(roots.sys / "bus/event_source/devices/uprobe/type");
  features.btf = is_there(roots.sys / "kernel/btf/vmlinux");
  features.tracefs = find_tracefs(roots.proc);
  if (!features.tracefs.empty()) {
    features.uprobe_events = is_there(features.tracefs / "uprobe_events");
    features.trace_instances = is_there(features.tracefs / "instances");
  }
  features.reads_memory =
      ::process_vm_readv(::getpid(), nullptr, 0, nullptr, 0, 0) == 0 || errno != ENOSYS;
  features.selinux = selinux_state(roots.sys);
  features.cycle_pmus = find_cycle_events(roots.sys / "bus/event_source/devices").size();
  features.config = read_config(roots.proc / "config.gz");
  ::libbpf_set_print(nullptr);  // errors tell what its messages would
  const ProbeProgramAnswer programs = ask_for_probe_programs();
  features.bpf = programs.support;
  features.bpf_refusal = programs.refusal;
  features.ring_buffer = support_of(::libbpf_probe_bpf_map_type(BPF_MAP_TYPE_RINGBUF, nullptr));
  return features;
}

}  // namespace framegov
