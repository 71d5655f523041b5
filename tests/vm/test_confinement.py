#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""framegovd governs with what is left of root once it is attached, and no attempt at more succeeds."""

from __future__ import annotations

import json
import re
import signal
import time

from demolib import app
from demolib.modes import Framegov
from demolib.scenes import Scene
from phonelib.testing import PhoneTestCase, main

DAC_OVERRIDE = 1 << 1
SYS_PTRACE = 1 << 19
SYS_NICE = 1 << 23
SYS_ADMIN = 1 << 21  # before Linux 5.8 in place of the next two
PERFMON = 1 << 38
BPF = 1 << 39
READPROC = 3009


class Confinement(PhoneTestCase):
    def capabilities(self) -> int:
        return DAC_OVERRIDE | (BPF if self.phone.kernel_at_least(5, 8) else SYS_ADMIN)

    def of_commands(self) -> int:
        """Of the process that starts the service's commands and counts threads' time."""
        return DAC_OVERRIDE | SYS_PTRACE | (PERFMON if self.phone.kernel_at_least(5, 8) else SYS_ADMIN)

    def test_every_forbidden_thing_is_refused(self):
        program = self.phone.parts.binaries / "tests/unit/confinement/test_confinement"
        self.phone.put(program, "/bin/test_confinement", 0o755)
        done = self.phone.run("test_confinement", timeout=120)
        self.assertEqual(done.exit_code, 0, done.text)
        skipped = set(re.findall(r"^\[  SKIPPED \] (\S+\.\S+)", done.text, re.MULTILINE))
        self.assertLessEqual(skipped, {"Confined.LandlockAloneKeepsSocketsAndSignalsOfOthersOut"}, done.text)

    def start_governing(self, settings: str = "") -> Framegov:
        app.install(self.phone)
        app.install_tool(self.phone)
        framegov = Framegov(self.phone, settings)
        framegov.start()
        self.addCleanup(framegov.kill)
        nodes = [self.phone.policy(i, "scaling_max_freq") for i in range(len(self.layout.clusters))]
        before = [self.phone.read(node) for node in nodes]
        playing = app.start(self.phone, Scene("scroll", 60), 60, 1, "/tmp/events")
        self.addCleanup(playing.signal, signal.SIGKILL)
        end = time.monotonic() + 20
        while [self.phone.read(node) for node in nodes] == before:
            self.assertLess(time.monotonic(), end, framegov.log())
        return framegov

    def status_of(self, pid: int | str) -> str:
        return self.phone.run(f"cat /proc/{pid}/task/*/status").check().text

    def values(self, status: str, key: str) -> set[str]:
        return set(re.findall(rf"^{key}:\s+(.*?)\s*$", status, re.MULTILINE))

    def test_where_proc_hides_other_users_a_group_is_enough(self):
        self.phone.run(f"mount -o remount,gid={READPROC},hidepid=2 /proc").check()
        self.addCleanup(self.phone.run, "mount -o remount,hidepid=0 /proc")
        framegov = self.start_governing()
        status = self.status_of(framegov.service_pid())
        self.assertEqual(self.values(status, "CapEff"), {f"{self.capabilities():016x}"})
        for groups in self.values(status, "Groups"):
            self.assertIn(str(READPROC), groups.split())
        told = json.loads(self.phone.run("framegov status --json").check().text)
        self.assertIn("demo-app", told["app"])

    def test_the_service_governs_confined_and_its_supervisor_does_not_need_to_be(self):
        framegov = self.start_governing()
        end = time.monotonic() + 20
        tasks = self.status_of(framegov.service_pid())
        for key in ("CapEff", "CapPrm", "CapBnd"):
            self.assertEqual(self.values(tasks, key), {f"{self.capabilities():016x}"}, key)
        for key, value in (("NoNewPrivs", "1"), ("Seccomp", "2")):
            self.assertEqual(self.values(tasks, key), {value}, key)
        self.assertNotIn("not confined", framegov.log())
        commands = self.phone.run("grep -l '^Name:.framegov-run' /proc/[0-9]*/status").text.split()
        self.assertEqual(len(commands), 1)
        runner = self.phone.read(commands[0])
        for key in ("CapEff", "CapPrm", "CapBnd"):
            self.assertEqual(self.values(runner, key), {f"{self.of_commands():016x}"}, key)
        self.assertEqual(self.values(runner, "Seccomp"), {"2"})
        told = self.phone.run("framegov status").check().text
        print(re.search("^privileges.*", told, re.MULTILINE)[0])
        self.assertIn(f"capabilities {self.capabilities():016x}, seccomp filter, no_new_privs on, files confined", told)
        # CPU times of other processes' threads, which some kernels give to all of root only.
        while not json.loads(self.phone.run("framegov status --json").check().text)["frames"]["power_mw"]:
            self.assertLess(time.monotonic(), end + 10, "the frames have no CPU time")
        listing = self.phone.run("cd /data/local/tmp/framegov && stat -c '%a %n' log state state/*").text
        for line in listing.splitlines():
            self.assertIn(line.split()[0], ("600", "700"), line)

    def test_the_right_to_steer_threads_stays_only_with_a_policy_that_does(self):
        framegov = self.start_governing("mpc: {placement: 1}\n")
        tasks = self.status_of(framegov.service_pid())
        self.assertEqual(self.values(tasks, "CapEff"), {f"{self.capabilities() | SYS_NICE:016x}"})


if __name__ == "__main__":
    main()
