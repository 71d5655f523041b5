// SPDX-License-Identifier: Apache-2.0
#include "governor/confinement/capabilities.h"

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>

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

CapabilitySet needed_capabilities(const KernelRelease& kernel) {
  const CapabilitySet always = bit(CAP_DAC_OVERRIDE) | bit(CAP_SYS_PTRACE);
  const bool split = kernel.at_least(5, 8);
  return always | (split ? bit(kPerfmon) | bit(kBpf) : bit(CAP_SYS_ADMIN));
}

Status keep_only(CapabilitySet needed) {
  if (Status dropped = drop_bounding_set(needed); !dropped) {
    return dropped;
  }
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
  static constexpr std::array<Name, 5> kNames{{{CAP_DAC_OVERRIDE, "dac_override"},
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
