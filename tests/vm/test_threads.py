#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Frames' threads, placed and clamped on a kernel that can both (./dev kernel), and put back."""

from __future__ import annotations

import json
import random
import re
import signal
import time

from demolib import app
from demolib.scenes import Scene
from phonelib import Process
from phonelib.testing import PhoneTestCase, main

KERNEL = "6.1"
KILLS = 50
STATE = "/data/local/tmp/steerer"
SETTINGS = f"service:\n  state_dir: {STATE}\n"


class Threads(PhoneTestCase):
    own_kernel = KERNEL

    def put(self, program: str) -> None:
        path = self.phone.parts.binaries / program
        self.phone.put(path, f"/bin/{path.name}", 0o755)

    def test_the_kernel_is_one_that_can(self):
        domains = self.phone.run("ls /sys/kernel/debug/energy_model").check().text.split()
        self.assertEqual(len(domains), len(self.phone.layout.clusters), domains)
        self.assertIn("uclamp.min", self.phone.run("cat /proc/self/sched").check().text)

    def test_doctor_says_what_works(self):
        self.put("cli/framegov")
        report = json.loads(self.phone.run("framegov doctor --json", timeout=90).text)
        (found,) = [finding for finding in report["findings"] if finding["id"] == "threads"]
        self.assertEqual(found["what"], "placed by affinity, clamped by uclamp")

    def test_all_that_holds_on_any_kernel_holds_here(self):
        self.put("tests/integration/threads/test_real_threads")
        # Few numbers, so that one is soon used again; those below 300 never are.
        self.phone.run("echo 1000 > /proc/sys/kernel/pid_max; while [ $(sh -c 'echo $$') -lt 300 ]; do :; done").check()
        done = self.phone.run("TMPDIR=/tmp test_real_threads", timeout=180)
        print(re.search(r"\d+ kills.*", done.text)[0])
        self.assertEqual(done.exit_code, 0, done.text)
        self.assertNotIn("SKIPPED", done.text)

    def test_a_clamp_costs_less_than_a_limit(self):
        self.put("bench/threads/bench_threads")
        told = self.phone.run("TMPDIR=/tmp bench_threads", timeout=120).check().text
        print(told)
        self.assertLess(float(re.search(r"clamp / limit\s+([\d.]+)", told)[1]), 1)

    def start_app(self) -> tuple[Process, int, dict[str, int]]:
        app.install(self.phone)
        playing = app.start(self.phone, Scene("scroll", 60), 600, 1, "/tmp/events")
        self.addCleanup(playing.signal, signal.SIGKILL)
        end = time.monotonic() + 30
        while True:
            listing = self.phone.run("for t in $(pidof demo-app)/; do cd /proc/$t/task && grep . */comm; pwd; done").text
            threads = {name: int(tid) for tid, name in re.findall(r"^(\d+)/comm:(\S+)", listing, re.MULTILINE)}
            if "RenderThread" in threads:
                return playing, int(re.search(r"/proc/(\d+)/task", listing)[1]), threads
            self.assertLess(time.monotonic(), end, listing)

    def standing(self, pid: int) -> str:
        """CPUs and clamps of all threads, as the kernel shows them."""
        return self.phone.run(
            f"cd /proc/{pid}/task && for t in *; do echo $t $(grep Cpus_allowed: $t/status) "
            f"$(grep -E '^uclamp.(min|max)' $t/sched); done"
        ).check().text  # fmt: skip

    def test_the_apps_threads_are_put_back_whenever_the_service_is_killed(self):
        self.put("tests/vm/guest/phone_thread_steerer")
        self.put("governor/framegovd")
        self.phone.run(f"mkdir -p -m 700 {STATE}").check()
        self.phone.put(SETTINGS.encode(), f"{STATE}.yaml", 0o600)
        _, pid, threads = self.start_app()
        before = self.standing(pid)
        chance = random.Random(1)
        altered = 0
        for kill in range(KILLS):
            steering = self.phone.start(f"exec phone_thread_steerer {STATE} {pid} {pid} {threads['RenderThread']}")
            words = next(steering.lines(timeout=30))
            # The app may have the frequency at its top anyway.
            self.assertRegex(words, "^placed by affinity, clamped by uclamp")
            time.sleep(chance.uniform(0, 0.2))
            steering.signal(signal.SIGKILL)
            steering.wait(10)
            altered += self.standing(pid) != before
            self.phone.run(f"framegovd --config {STATE}.yaml --restore").check()
            self.assertEqual(self.standing(pid), before, f"after kill {kill + 1}")
        print(f"{KILLS} kills, {altered} of them left something")
        self.assertGreater(altered, KILLS / 4)


if __name__ == "__main__":
    main(KERNEL)
