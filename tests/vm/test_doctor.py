#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""framegov doctor in the phone: what it has, what it lacks, and who else is at it."""

from __future__ import annotations

import json
import signal
import time

from demolib import app, dumpsys
from demolib.governed import PATIENCE_S, GovernedTestCase, capped
from demolib.modes import Framegov
from demolib.scenes import Scene
from phonelib.testing import main

CONFIG = "/data/local/tmp/doctor.yaml"  # /tmp is anybody's
SETTINGS = {
    "state_dir": "/data/local/tmp/framegov/state",
    "hwui_libraries": ["/app/libhwui.so"],
    "gui_libraries": ["/app/libgui.so"],
}


class Doctor(GovernedTestCase):
    def findings(self, exit_code: int = 0, **settings) -> dict[str, dict]:
        self.phone.put(f"service: {json.dumps({**SETTINGS, **settings})}".encode(), CONFIG)
        asked = self.phone.run(f"framegov doctor --config {CONFIG} --json", timeout=90)
        self.assertEqual(asked.exit_code, exit_code, asked.stderr)
        return {finding["id"]: finding for finding in json.loads(asked.text)["findings"]}

    def test_a_phone_that_has_everything(self):
        self.phone.put(dumpsys.SCRIPT.encode(), dumpsys.PATH, 0o755)
        playing = app.start(self.phone, Scene("scroll", 60), 60, 1, "/tmp/events", name=dumpsys.PACKAGE)
        self.addCleanup(playing.signal, signal.SIGKILL)
        next(playing.lines(30))  # it has begun
        found = self.findings()
        print(self.phone.run(f"framegov doctor --config {CONFIG}", timeout=90).text)
        # What a kernel before 5.8 lacks, and one before 5.13. The oldest have no energy model to show.
        old = {"kernel", "bpf", "source", "confinement", "power"} if not self.phone.kernel_at_least(5, 13) else set()
        self.assertEqual({id: finding["what"] for id, finding in found.items() if finding["health"] != "ok" and id not in old},
                         {"service": "framegovd is not running"})  # fmt: skip
        self.assertTrue(found["source"]["what"].startswith(self.phone.best_source()), found["source"])
        if self.phone.kernel_at_least(5, 13):
            # No SoC has this phone's clusters.
            self.assertTrue(found["power"]["what"].startswith("the kernel's energy model (no SoC"), found["power"])
        self.assertEqual(found["refresh"]["what"], "60.00 Hz (16.667 ms)")
        self.assertTrue(found["foreground"]["what"].startswith(f"{dumpsys.PACKAGE}, known from group "))
        self.assertEqual(found["others"]["what"], "no other program probes")

    def test_limits_of_framegov_itself_are_no_fault(self):
        framegov = Framegov(self.phone)
        framegov.start()
        self.addCleanup(framegov.end)
        playing = app.start(self.phone, Scene("scroll", 60), 60, 1, "/tmp/events")
        self.addCleanup(playing.signal, signal.SIGKILL)
        self.until("nothing is governed", framegov, capped)

        def policies() -> list[dict]:
            return [found for id, found in self.findings().items() if id.startswith("policy")]

        self.assertEqual([found["meaning"] for found in policies() if found["health"] != "ok"], [])
        framegov.kill()
        # It is there until the kernel has taken its probes away.
        end = time.monotonic() + PATIENCE_S
        while "left its limits behind" not in (told := str(policies())):
            self.assertLess(time.monotonic(), end, told)
        framegov.start()
        self.stop(framegov)
        self.assertNotIn("framegov's", str(policies()))

    def test_another_prober_on_the_same_library_is_named(self):
        events = "/sys/kernel/tracing/uprobe_events"
        self.phone.run(f"echo 'p:tool/queue /app/libgui.so:0x1000' >> {events}").check()
        self.addCleanup(lambda: self.phone.run(f"echo '-:tool/queue' >> {events}").check())
        found = self.findings()["others"]
        self.assertEqual(found["health"], "degraded")
        self.assertIn("tool/queue (/app/libgui.so)", found["what"])

    def test_a_phone_without_sources_cannot_be_governed(self):
        nothing = {"hwui_libraries": ["/none"], "gui_libraries": ["/none"], "dumpsys": "/none", "top_app_groups": ["/none"]}
        found = self.findings(exit_code=5, **nothing)
        self.assertEqual(found["source"]["health"], "missing")
        self.assertEqual(found["refresh"]["health"], "degraded")
        self.assertEqual(found["foreground"]["health"], "degraded")


if __name__ == "__main__":
    main()
