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

# dac_override, sys_ptrace, perfmon, bpf
CAPABILITIES = 1 << 1 | 1 << 19 | 1 << 38 | 1 << 39


class Confinement(PhoneTestCase):
    def test_every_forbidden_thing_is_refused(self):
        program = self.phone.parts.binaries / "tests/unit/confinement/test_confinement"
        self.phone.put(program, "/bin/test_confinement", 0o755)
        done = self.phone.run("test_confinement", timeout=120)
        self.assertEqual(done.exit_code, 0, done.text)
        self.assertNotIn("SKIPPED", done.text)

    def test_the_service_governs_confined_and_its_supervisor_does_not_need_to_be(self):
        app.install(self.phone)
        framegov = Framegov(self.phone)
        framegov.start()
        self.addCleanup(framegov.kill)
        nodes = [self.phone.policy(i, "scaling_max_freq") for i in range(len(self.layout.clusters))]
        before = [self.phone.read(node) for node in nodes]
        playing = app.start(self.phone, Scene("scroll", 60), 60, 1, "/tmp/events")
        self.addCleanup(playing.signal, signal.SIGKILL)
        end = time.monotonic() + 20
        while [self.phone.read(node) for node in nodes] == before:
            self.assertLess(time.monotonic(), end, framegov.log())
        tasks = self.phone.run(f"cat /proc/{framegov.service_pid()}/task/*/status").check().text
        for key in ("CapEff", "CapPrm", "CapBnd"):
            found = {int(value, 16) for value in re.findall(rf"^{key}:\s+(\w+)", tasks, re.MULTILINE)}
            self.assertEqual(found, {CAPABILITIES}, key)
        for key, value in (("NoNewPrivs", "1"), ("Seccomp", "2")):
            self.assertEqual(set(re.findall(rf"^{key}:\s+(\w+)", tasks, re.MULTILINE)), {value}, key)
        self.assertNotIn("not confined", framegov.log())
        app.install_tool(self.phone)
        told = self.phone.run("framegov status").check().text
        print(re.search("^privileges.*", told, re.MULTILINE)[0])
        self.assertIn(f"capabilities {CAPABILITIES:016x}, seccomp filter, no_new_privs on", told)
        # CPU times of other processes' threads, which some kernels give to all of root only.
        while not json.loads(self.phone.run("framegov status --json").check().text)["frames"]["power_mw"]:
            self.assertLess(time.monotonic(), end + 10, "the frames have no CPU time")
        listing = self.phone.run("cd /data/local/tmp/framegov && stat -c '%a %n' log state state/*").text
        for line in listing.splitlines():
            self.assertIn(line.split()[0], ("600", "700"), line)


if __name__ == "__main__":
    main()
