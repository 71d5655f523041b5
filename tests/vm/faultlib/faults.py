# SPDX-License-Identifier: Apache-2.0
"""The faults. Each begins with nothing running, returns how long it took until the limits were back
(or nothing where they never change), and leaves the rest to Rig.end()."""

from __future__ import annotations

import random
import signal
import time

from phonelib import CPUFREQ

from .kinds import fault
from .rig import FOLDER, Fault, Rig

CONFIG = f"{FOLDER}/framegov.yaml"


@fault("kill -9 of the service", 100, 2, says="was ended by signal 9")
def kill_service(rig: Rig) -> float:
    rig.govern()
    time.sleep(random.uniform(0, 0.3))
    rig.phone.run(f"kill -9 {rig.framegov.service_pid()}").check()
    return rig.until_restored()


@fault("kill -9 of both, next start", 10, says="an earlier service was killed or crashed")
def kill_both(rig: Rig) -> float:
    rig.govern()
    time.sleep(random.uniform(0, 0.3))
    rig.framegov.kill()
    rig.stop_app()
    rig.framegov.start()
    return rig.until_restored()


@fault("kill -9 of the supervisor", 10, says="stopping: SIGTERM")
def kill_supervisor(rig: Rig) -> float:
    rig.govern()
    rig.phone.run(f"kill -9 $(awk '/^PPid/ {{print $2}}' /proc/{rig.framegov.service_pid()}/status)").check()
    seconds = rig.until_restored()
    # Nobody was left to say that the start had ended well.
    rig.phone.run(f"framegovd --config {CONFIG} --enable").check()
    return seconds


@fault("SIGSTOP", 5, says="was stopped by a signal")
def stop_service(rig: Rig) -> float:
    rig.govern()
    rig.phone.run(f"kill -STOP {rig.framegov.service_pid()}").check()
    return rig.until_restored()


@fault("crashes at every start", 1, says="framegovd is disabled")
def crash_loop(rig: Rig) -> float:
    rig.govern()
    # The supervisor holds the lock while it restores; it is not what shall crash.
    crash = (f"pid=$(cat {FOLDER}/state/lock); parent=$(awk '/^PPid/ {{print $2}}' /proc/$pid/status);"
             ' [ "$(cat /proc/$parent/comm)" = framegovd ] && kill -SEGV $pid')  # fmt: skip
    rig.until("it is started for ever", lambda: rig.phone.run(crash) and rig.framegov.ended(), 60)
    rig.stop_app()
    rig.phone.run(f"framegovd --config {CONFIG} --enable").check()
    return rig.until_restored()


@fault("library replaced", 5, says="is no longer the file that was probed")
def update(rig: Rig) -> float:
    rig.govern()
    rig.phone.run("cp /app/libhwui.so /app/new.so && mv /app/new.so /app/libhwui.so").check()
    return rig.until_restored()


@fault("app dies mid-frame", 100, 3)
def app_dies(rig: Rig) -> float:
    rig.govern()
    time.sleep(random.uniform(0, 0.1))
    rig.stop_app()
    return rig.until_restored()


@fault("CPUs of a cluster off and on", 10, 2)
def hotplug(rig: Rig) -> float:
    rig.govern()
    last = len(rig.phone.layout.clusters) - 1
    cpus = " ".join(str(cpu) for cpu in rig.phone.layout.cpus(last))
    rig.phone.run(
        f"for state in 0 1; do for cpu in {cpus}; do echo $state > /sys/devices/system/cpu/cpu$cpu/online; done; sleep 0.3; done"
    ).check()
    rig.stop_app()
    return rig.until_restored()


@fault("another writer every 10 ms", 2, says="sets the limits of policy")
def other_writer(rig: Rig) -> float:
    rig.govern()
    node = rig.phone.policy(2, "scaling_max_freq")
    value = rig.before.split()[4]
    writer = rig.phone.start(f"while :; do echo {value} > {node}; usleep 10000; done")
    rig.until_said("sets the limits of policy")
    time.sleep(3)
    writer.signal(signal.SIGKILL)
    rig.stop_app()
    return rig.until_restored()


@fault("nodes read-only (0444) at the start", 2, says="cannot be set: Permission denied")
def read_only_from_the_start(rig: Rig) -> float:
    rig.phone.run(f"chmod 0444 {CPUFREQ}/policy*/scaling_m??_freq").check()
    try:
        rig.framegov.start()
        rig.play()
        rig.until_said("cannot be set: Permission denied")
        rig.stop_app()
        return rig.until_restored()
    finally:
        rig.phone.run(f"chmod 0644 {CPUFREQ}/policy*/scaling_m??_freq").check()


@fault("nodes read-only while capped, killed", 3, says="an earlier service was killed or crashed")
def read_only_and_killed(rig: Rig) -> float:
    rig.govern()
    try:
        rig.phone.run(f"chmod 0444 {CPUFREQ}/policy*/scaling_m??_freq").check()
        rig.framegov.kill()
        rig.stop_app()
        rig.framegov.start()
        return rig.until_restored()
    finally:
        rig.phone.run(f"chmod 0644 {CPUFREQ}/policy*/scaling_m??_freq").check()


@fault("file mounted over a node", 2, says="is left alone")
def mounted_over(rig: Rig) -> float:
    node = rig.phone.policy(2, "scaling_max_freq")
    rig.phone.run(f"cat {node} > /tmp/fake && mount --bind /tmp/fake {node}").check()
    try:
        rig.govern()
        if rig.phone.read("/tmp/fake") != rig.before.split()[4]:
            raise Fault("something was written to the file that hides the node")
        rig.stop_app()
        return rig.until_restored()
    finally:
        rig.phone.run(f"umount {node}").check()


@fault("thermal ceiling up and down", 5, says="thermal level is")
def thermal(rig: Rig) -> float:
    rig.govern()
    devices = rig.phone.run("ls -d /sys/class/thermal/cooling_device*").text.split()
    if not devices:
        raise Fault("the phone has no cooling device")

    def cool(state: int) -> None:
        rig.phone.run("; ".join(f"echo {state} > {device}/cur_state" for device in devices)).check()

    for state in (2, 0, 3, 1):
        cool(state)
        time.sleep(0.3)
    # The service looks every two seconds.
    rig.until_said("thermal level is")
    cool(0)
    rig.stop_app()
    return rig.until_restored()


@fault("wall clock jumps", 3)
def clock_jump(rig: Rig) -> float:
    rig.govern()
    rig.phone.run("date -s @2000000000 && sleep 0.2 && date -s @1000000000").check()
    rig.until_governed()
    rig.stop_app()
    return rig.until_restored()


@fault("suspend to idle and resume", 5)
def suspend(rig: Rig) -> float:
    rig.govern()
    alarm = "/sys/class/rtc/rtc0/wakealarm"
    rig.phone.run(f"echo 0 > {alarm} && echo +2 > {alarm} && echo freeze > /sys/power/state", timeout=60).check()
    rig.until_governed()
    rig.stop_app()
    return rig.until_restored()


@fault("apps started and killed by the dozen", 3)
def fork_bomb(rig: Rig) -> float:
    rig.govern()
    rig.phone.run(
        "echo $$ > /dev/cpuset/top-app/tasks; for n in $(seq 40); do"
        " /app/demo-app --scene scroll --hz 60 --seconds 5 --record /dev/null > /dev/null 2>&1 & sleep 0.02; done;"
        " sleep 1; kill -9 $(jobs -p)",
        timeout=60,
    )
    rig.stop_app()
    return rig.until_restored()


@fault("out of file descriptors", 3)
def few_descriptors(rig: Rig) -> None:
    for most in (6, 10, 14, 18, 24):
        process = rig.phone.start(f"ulimit -n {most}; exec framegovd --config {CONFIG} 2> {FOLDER}/errors")
        time.sleep(0.7)
        rig.play()
        time.sleep(0.5)
        rig.stop_app()
        process.stop()
        rig.until_restored()
