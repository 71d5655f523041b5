# SPDX-License-Identifier: Apache-2.0
"""Faults of control groups: tasks that are frozen, and memory that is taken away."""

from __future__ import annotations

import random
import time

from .kinds import fault
from .rig import Fault, Rig

_CGROUP = "/sys/fs/cgroup"
_FROZEN = f"{_CGROUP}/frozen"
_SMALL = f"{_CGROUP}/small"


def freeze(rig: Rig, pid: int) -> None:
    """Stops all threads of a process, without a signal: nobody is told. What follows is counted from when the last
    of them has stopped: until then an app makes frames, and an emulated phone takes its time for it."""
    rig.struck(
        f"mkdir -p {_FROZEN} && echo {pid} > {_FROZEN}/cgroup.procs && echo 1 > {_FROZEN}/cgroup.freeze && "
        f"until grep -q 'frozen 1' {_FROZEN}/cgroup.events; do usleep 1000; done"
    )


def thaw(rig: Rig) -> None:
    rig.strike(f"echo 0 > {_FROZEN}/cgroup.freeze")


@fault("app frozen mid-frame", 10, 2)
def frozen_app(rig: Rig) -> float:
    """As Android freezes apps that are not seen; it goes on later."""
    rig.govern()
    time.sleep(random.uniform(0, 0.1))
    freeze(rig, rig.app_pid())
    try:
        seconds = rig.until_restored()
    finally:
        thaw(rig)
    rig.until_governed()
    rig.stop_app()
    rig.until_restored()
    return seconds


@fault("frames stop while the policy waits", 5, 1, says="cause=failsafe")
def patient_policy(rig: Rig) -> float:
    """Policies lift their caps themselves after some intervals without a frame. One that waits for two seconds
    leaves it to the service."""
    with rig.settings("mpc: {still_after_intervals: 120}"):
        rig.govern()
        time.sleep(random.uniform(0, 0.1))
        freeze(rig, rig.app_pid())
        try:
            return rig.until_restored()
        finally:
            thaw(rig)
            rig.end()


@fault("service frozen and thawed", 5)
def frozen_service(rig: Rig) -> float:
    """Nobody can lift its caps while it cannot run and is not dead; it does once it can."""
    rig.govern()
    freeze(rig, rig.framegov.service_pid())
    rig.stop_app()
    time.sleep(random.uniform(0.5, 2))
    thaw(rig)
    return rig.until_restored()


@fault("service killed for its memory", 5, says="was ended by signal 9")
def out_of_memory(rig: Rig) -> float:
    """As lmkd does, and the kernel when it is too late for that: the service's group may have none."""
    rig.phone.run(f"echo +memory > {_CGROUP}/cgroup.subtree_control && mkdir -p {_SMALL} && echo max > {_SMALL}/memory.max").check()
    rig.framegov.under = f"sh -c 'echo $$ > {_SMALL}/cgroup.procs; exec \"$@\"' sh"
    try:
        rig.govern()
    finally:
        rig.framegov.under = ""
    rig.phone.run(f"echo {rig.supervisor_pid()} > {_CGROUP}/cgroup.procs").check()
    pid = rig.framegov.service_pid()
    rig.strike(f"echo 0 > {_SMALL}/memory.max")
    seconds = rig.until_restored(for_good=False)
    if not rig.phone.run(f"grep -q 'oom_kill [1-9]' {_SMALL}/memory.events").exit_code == 0:
        raise Fault(f"process {pid} was not killed for its memory")
    return seconds
