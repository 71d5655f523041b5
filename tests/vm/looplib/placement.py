# SPDX-License-Identifier: Apache-2.0
"""How the phone's kernel places threads."""

from __future__ import annotations

from phonelib import Phone

_VERBOSE = "/sys/kernel/debug/sched/verbose"
_GOVERNOR = "scaling_governor"


def energy_aware(phone: Phone) -> str:
    """Whether it does so by energy: the kernel says it while it builds its domains anew, which a change of governor makes it do
    (kernel/sched/topology.c, build_perf_domains())."""
    policy = phone.policy(0, _GOVERNOR)
    governor = phone.read(policy)
    phone.write(_VERBOSE, "Y")
    phone.run("dmesg -c").check()
    phone.write(policy, "performance")
    phone.write(policy, governor)
    told = phone.run("for i in 1 2 3 4 5 6 7 8 9 10; do dmesg | grep 'starting EAS' && exit; sleep 0.2; done; dmesg | grep -i 'eas\\|pd' | tail -n 3").text
    phone.write(_VERBOSE, "N")
    return "energy-aware (EAS)" if "starting EAS" in told else f"not energy-aware: {told.strip() or 'it says nothing'}"
