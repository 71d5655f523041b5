# SPDX-License-Identifier: Apache-2.0
"""The faults. Each begins with nothing running, returns how long it took until the limits were back
(or nothing where they never change), and leaves the rest to Rig.end()."""

from __future__ import annotations

import random
import signal
import time

from demolib.app import TOP_APP
from phonelib import CPUFREQ

from .kinds import fault
from .rig import FOLDER, Fault, Rig

CONFIG = f"{FOLDER}/framegov.yaml"


@fault("kill -9 of the service", 100, 2, says="was ended by signal 9")
def kill_service(rig: Rig) -> float:
    rig.govern()
    time.sleep(random.uniform(0, 0.3))
    rig.strike(f"kill -9 {rig.framegov.service_pid()}")
    return rig.until_restored(for_good=False)


@fault("kill -9 of both, next start", 10, says="an earlier service was killed or crashed")
def kill_both(rig: Rig) -> float:
    rig.govern()
    time.sleep(random.uniform(0, 0.3))
    return _next_start(rig)


@fault("kill -9 of both, at any moment", 50, 2)
def kill_both_at_any_moment(rig: Rig) -> float:
    """While it starts, while it learns the first frames, while it caps, while it lifts."""
    rig.framegov.begin()
    rig.play()
    time.sleep(random.uniform(0, 4))
    if random.random() < 0.3:
        rig.stop_app()
        time.sleep(random.uniform(0, 0.6))
    return _next_start(rig)


def _next_start(rig: Rig) -> float:
    rig.framegov.kill()
    rig.stop_app()
    rig.framegov.start()
    # It has said that it governs: before that, everything must be back.
    rig.strike()
    return rig.until_restored()


@fault("kill -9 of the supervisor", 10, says="stopping: SIGTERM")
def kill_supervisor(rig: Rig) -> float:
    rig.govern()
    rig.strike(f"kill -9 {rig.supervisor_pid()}")
    seconds = rig.until_restored(for_good=False)
    # Nobody was left to say that the start had ended well.
    rig.phone.run(f"framegovd --config {CONFIG} --enable").check()
    return seconds


@fault("SIGSTOP", 5, says="was stopped by a signal")
def stop_service(rig: Rig) -> float:
    rig.govern()
    rig.strike(f"kill -STOP {rig.framegov.service_pid()}")
    return rig.until_restored(for_good=False)


@fault("crashes at every start", 1, says="framegovd is disabled")
def crash_loop(rig: Rig) -> float:
    rig.govern()
    # The supervisor holds the lock while it restores; it is not what shall crash.
    crash = (f"pid=$(cat {FOLDER}/state/lock); parent=$(awk '/^PPid/ {{print $2}}' /proc/$pid/status);"
             ' [ "$(cat /proc/$parent/comm)" = framegovd ] && kill -SEGV $pid')  # fmt: skip
    rig.until("it is started for ever", lambda: rig.phone.run(crash) and rig.framegov.ended(), 60)
    rig.stop_app()
    seconds = rig.until_restored()
    rig.phone.run(f"framegovd --config {CONFIG} --enable").check()
    return seconds


@fault("library replaced", 5, says="is no longer the file that was probed")
def update(rig: Rig) -> float:
    rig.govern()
    rig.phone.run("cp /app/libhwui.so /app/new.so").check()
    rig.strike("mv /app/new.so /app/libhwui.so")
    return rig.until_restored(for_good=False)


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
    rig.until_governed(last)
    rig.stop_app()
    return rig.until_restored()


def _stays(rig: Rig, cluster: int, khz: int) -> float:
    """What another program wrote last is there once no app draws, and when framegovd has ended."""
    limits = rig.before.split()
    limits[2 * cluster] = str(khz)
    rig.stop_app()
    seconds = rig.until_restored(" ".join(limits))
    rig.framegov.end()
    if rig.limits() != " ".join(limits):
        raise Fault(f"{rig.limits()} at the end, not {' '.join(limits)}")
    rig.put_before_back()
    return seconds


@fault("another writer every 10 ms", 4, 2, says="sets the limits of policy")
def other_writer(rig: Rig) -> float:
    """Its value is none of those that framegovd found."""
    rig.govern()
    khz = random.choice(rig.phone.layout.clusters[2].opps[:-1]).khz
    writer = rig.phone.start(f"while :; do echo {khz} > {rig.phone.policy(2, 'scaling_max_freq')}; usleep 10000; done")
    try:
        rig.until_said("sets the limits of policy")
        time.sleep(3)
    finally:
        writer.signal(signal.SIGKILL)
        writer.wait(10)
    return _stays(rig, 2, khz)


@fault("a vendor daemon every 100 ms", 3, 1, says="sets the limits of policy")
def vendor_daemon(rig: Rig) -> float:
    """It goes up and down through the cluster's speeds, as userspace throttling does."""
    rig.govern()
    speeds = [opp.khz for opp in rig.phone.layout.clusters[2].opps[:-1]]
    steps = [*reversed(speeds), *speeds, random.choice(speeds)]
    node = rig.phone.policy(2, "scaling_max_freq")
    words = " ".join(str(khz) for khz in steps)
    rig.phone.run(f"for khz in {words}; do echo $khz > {node}; usleep 100000; done", timeout=60).check()
    return _stays(rig, 2, steps[-1])


@fault("a program lowers a maximum below ours", 10, 2, says="has set the maximum of policy")
def lowered_maximum(rig: Rig) -> float:
    """Once, or until it is noticed: a value that is our own cap's at that moment is nobody's."""
    rig.govern()
    khz = rig.phone.layout.clusters[2].opps[0].khz

    def noticed() -> bool:
        time.sleep(random.uniform(0, 0.3))
        rig.phone.write(rig.phone.policy(2, "scaling_max_freq"), khz)
        return rig.within(1, lambda: rig.says("has set the maximum of policy"))

    rig.until("nobody notices a lower maximum", noticed)
    return _stays(rig, 2, khz)


@fault("a node that refuses to be written", 3, 1)
def denied_node(rig: Rig) -> float:
    """As an SELinux policy does that knows the one limit and not the other."""
    cpus = rig.phone.layout.cpus(2)
    usual = rig.phone.read(f"{TOP_APP}/cpus")
    # Only the cluster of an app's frames gets floors.
    rig.phone.write(f"{TOP_APP}/cpus", f"{cpus[0]}-{cpus[-1]}")
    rig.framegov.under = f"{rig.TOOL} deny {rig.phone.policy(2, 'scaling_min_freq')}"
    refused = "takes no floor: scaling_min_freq: Permission denied"
    try:
        rig.govern()
        rig.until_said(refused)
        rig.until_governed(2)
        rig.framegov.kill()
        rig.stop_app()
        rig.framegov.start()
        rig.strike()
        rig.until_restored()
        rig.play()
        rig.until_said(refused)
        rig.until_governed(2)
        told = rig.phone.run(f"{rig.framegov.under} framegov doctor --config {CONFIG}", timeout=90).text
        if "caps alone work" not in told:
            raise Fault(f"doctor says nothing of it: {told}")
        rig.stop_app()
        return rig.until_restored()
    finally:
        rig.framegov.under = ""
        rig.phone.write(f"{TOP_APP}/cpus", usual)


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
        return _next_start(rig)
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
    # One that rings before all processes are frozen wakes nobody: on a busy machine that takes seconds.
    rig.phone.run(f"echo 0 > {alarm} && echo +6 > {alarm} && echo freeze > /sys/power/state", timeout=60).check()
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


@fault("started with few file descriptors", 3)
def few_descriptors(rig: Rig) -> None:
    for most in (6, 10, 14, 18, 24):
        process = rig.phone.start(f"ulimit -n {most}; exec framegovd --config {CONFIG} 2> {FOLDER}/errors")
        time.sleep(0.7)
        rig.play()
        time.sleep(0.5)
        rig.stop_app()
        process.stop()
        rig.strike()
        rig.until_restored()


@fault("out of file descriptors while it governs", 5, says="Too many open files")
def no_descriptors(rig: Rig) -> float:
    """Not one more can be opened; to read its settings again needs one."""
    rig.govern()
    pid = rig.framegov.service_pid()
    rig.strike(f"{rig.TOOL} descriptors {pid} 0 && kill -HUP {pid}")
    rig.until_said("Too many open files")
    rig.until_governed()
    if rig.framegov.service_pid() != pid:
        raise Fault(f"process {pid} has ended for want of descriptors; the log ends:\n{rig.log_tail()}")
    rig.stop_app()
    seconds = rig.until_restored()
    # Whose memory is looked at governs another app, which it could not get to know.
    rig.phone.run(f"{rig.TOOL} descriptors {pid} 1024").check()
    return seconds
