// SPDX-License-Identifier: Apache-2.0
#include "governor/confinement/capabilities.h"

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <string_view>

#include "base/text.h"

namespace framegov {

namespace {

// Newer than some headers.
constexpr unsigned kPerfmon = 38;
constexpr unsigned kBpf = 39;
constexpr unsigned kMostCapabilities = 64;

constexpr CapabilitySet bit(unsigned capability) { return CapabilitySet{1} << capability; }

Status drop_bounding_set(CapabilitySet needed) {
  for (unsigned capability = 0; capability < kMostCapabilities; ++capability) {
    const int held = ::prctl(PR_CAPBSET_READ, capability);
    if (held < 0) {
      break;  // the kernel knows no more
    }
    // Without CAP_SETPCAP the set stays; no_new_privs keeps it from being used.
    if (held == 1 && (needed & bit(capability)) == 0 && ::prctl(PR_CAPBSET_DROP, capability) != 0 &&
        errno != EPERM) {
      return fail_errno(errno, "giving up capability " + std::to_string(capability));
    }
  }
  return {};
}

}  // namespace

HiddenProcesses parse_hidden_processes(std::string_view mountinfo) {
  HiddenProcesses found;
  for (std::string_view rest = mountinfo; !rest.empty();) {
    const std::string_view line = take_line(rest);
    const std::size_t options = line.find(" - proc ");
    // What is mounted later lies above.
    if (options == std::string_view::npos || line.find(" /proc ") == std::string_view::npos) {
      continue;
    }
    const std::string_view text = line.substr(options);
    found = {};
    const std::size_t hide = text.find("hidepid=");
    found.hidden = hide != std::string_view::npos && !text.substr(hide).starts_with("hidepid=0") &&
                   !text.substr(hide).starts_with("hidepid=off");
    const std::size_t at = text.find("gid=");
    gid_t group{};
    // A kernel that shows what may be traced (hidepid=4) looks at no group.
    if (found.hidden && at != std::string_view::npos &&
        !text.substr(hide).starts_with("hidepid=4") &&
        !text.substr(hide).starts_with("hidepid=ptraceable") &&
        std::from_chars(text.data() + at + 4, text.data() + text.size(), group).ec == std::errc{}) {
      found.seen_by = group;
    }
  }
  return found;
}

CapabilitySet service_capabilities(const KernelRelease& kernel, SourceKind source,
                                   const HiddenProcesses& hidden, bool steers_threads) {
  const bool bpf = source == SourceKind::kBpfRingBuffer || source == SourceKind::kBpfPerfBuffer;
  const bool traces =
      source == SourceKind::kTracefs || (hidden.hidden && !hidden.seen_by.has_value());
  return bit(CAP_DAC_OVERRIDE) | (traces ? bit(CAP_SYS_PTRACE) : 0) |
         (steers_threads ? bit(CAP_SYS_NICE) : 0) |
         (!bpf                    ? 0
          : kernel.at_least(5, 8) ? bit(kBpf)
                                  : bit(CAP_SYS_ADMIN));
}

CapabilitySet command_capabilities(const KernelRelease& kernel) {
  return bit(CAP_DAC_OVERRIDE) | bit(CAP_SYS_PTRACE) |
         (kernel.at_least(5, 8) ? bit(kPerfmon) : bit(CAP_SYS_ADMIN));
}

Status join(gid_t group) {
  std::array<gid_t, 64> groups{};
  const int held = ::getgroups(static_cast<int>(groups.size()) - 1, groups.data());
  const std::size_t count = held < 0 ? 0 : static_cast<std::size_t>(held);
  groups.at(count) = group;
  // Of this thread and those that it will start, as capabilities are. The C library's call is of
  // all threads, and ends the process where one has fewer rights than another.
  if (::syscall(SYS_setgroups, count + 1, groups.data()) != 0) {
    return fail_errno(errno, "joining group " + std::to_string(group));
  }
  return {};
}

Status keep_only(CapabilitySet needed) {
  FRAMEGOV_TRY_STATUS(drop_bounding_set(needed));
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);  // Linux 4.3; nothing to clear before
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> sets{};
  if (::syscall(SYS_capget, &header, sets.data()) != 0) {
    return fail_errno(errno, "reading the capabilities");
  }
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const auto part = static_cast<std::uint32_t>(needed >> (32 * i));
    sets.at(i).permitted &= part;
    sets.at(i).effective = sets.at(i).permitted;
    sets.at(i).inheritable = 0;
  }
  if (::syscall(SYS_capset, &header, sets.data()) != 0) {
    return fail_errno(errno, "giving up capabilities");
  }
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    return fail_errno(errno, "no_new_privs");
  }
  return {};
}

std::string names_of(CapabilitySet set) {
  struct Name {
    unsigned capability;
    std::string_view name;
  };
  static constexpr std::array<Name, 6> kNames{{{CAP_DAC_OVERRIDE, "dac_override"},
                                               {CAP_SYS_NICE, "sys_nice"},
                                               {CAP_SYS_PTRACE, "sys_ptrace"},
                                               {CAP_SYS_ADMIN, "sys_admin"},
                                               {kPerfmon, "perfmon"},
                                               {kBpf, "bpf"}}};
  std::string text;
  const auto add = [&](std::string_view word) {
    text += (text.empty() ? "" : " ") + std::string(word);
  };
  for (const Name& each : kNames) {
    if ((set & bit(each.capability)) != 0) {
      add(each.name);
      set &= ~bit(each.capability);
    }
  }
  for (unsigned capability = 0; capability < kMostCapabilities; ++capability) {
    if ((set & bit(capability)) != 0) {
      add(std::to_string(capability));
    }
  }
  return text.empty() ? "none" : text;
}

}  // namespace framegov
