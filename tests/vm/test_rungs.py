#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each rung of the ladder of frame sources, forced in turn: frames, or the reason why there are none."""

from __future__ import annotations

import json
import re
import signal
import time

from demolib import app, dumpsys
from demolib.modes import Framegov
from demolib.play import Player
from demolib.scenes import Scene
from phonelib import CPUFREQ, PhoneUnavailable
from phonelib.testing import PhoneTestCase, main

PATIENCE_S = 60


class Rungs(PhoneTestCase):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        app.install(cls.phone)
        tool = cls.phone.parts.binaries / "cli/framegov"
        if not tool.exists():
            raise PhoneUnavailable(f"{tool} is missing", "run ./dev build aarch64")
        cls.phone.put(tool, "/bin/framegov", 0o755)
        cls.phone.put(dumpsys.SCRIPT.encode(), dumpsys.PATH, 0o755)
        cls.before = cls.limits()

    @classmethod
    def limits(cls) -> str:
        return cls.phone.run(f"grep -H . {CPUFREQ}/policy*/scaling_m??_freq").check().text

    def status(self) -> dict:
        return json.loads(self.phone.run("framegov status --json", timeout=60).check().text)

    def until(self, what: str, framegov: Framegov, condition) -> dict:
        end = time.monotonic() + PATIENCE_S
        while not condition(status := self.status()):
            self.assertLess(time.monotonic(), end, f"{what}: {status}; the log:\n{framegov.log()[-3000:]}")
            time.sleep(0.2)
        return status

    def expect_the_apps_times(self, source: str) -> None:
        framegov = Framegov(self.phone, service={"source": source})
        # It fails when other limits are left than were found.
        outcome = Player(self.phone, 5, 1, lambda *_: None).play(framegov, Scene("scroll", 60))
        log = framegov.log()
        self.assertIn(f"frames from {source}", log)
        self.assertNotIn("events were lost", log)
        agreement = outcome.agreement
        self.assertIsNotNone(agreement, log)
        print(f"{source}: p95 generation time {agreement.measured_p95_ms:.3f} ms, the app's own {agreement.own_p95_ms:.3f} ms "
              f"({100 * agreement.p95_error:.2f} % apart, {agreement.matched} of {agreement.frames} frames)")  # fmt: skip
        self.assertGreater(agreement.frames, 100)
        self.assertGreater(agreement.matched, 0.95 * agreement.frames)
        self.assertLess(agreement.p95_error, 0.05)

    def test_ring_buffer(self):
        self.expect_the_apps_times("ringbuf")

    def test_perf_event_array(self):
        self.expect_the_apps_times("perf")

    def test_tracefs(self):
        self.expect_the_apps_times("tracefs")

    def expect_surface_flinger(self, framegov: Framegov) -> None:
        framegov.start()
        self.addCleanup(framegov.end)
        self.assertIn("frames from surfaceflinger", framegov.log())
        playing = app.start(self.phone, Scene("game", 60), 120, 1, "/tmp/events", name=dumpsys.PACKAGE)
        self.addCleanup(playing.signal, signal.SIGKILL)
        status = self.until("no frames", framegov, lambda status: status["frames"]["count"] > 30)
        self.assertEqual(status["source"], "surfaceflinger")
        self.assertEqual(status["app"], dumpsys.PACKAGE)
        # A command that a busy machine does not finish in time counts as rejected as well.
        self.assertLess(status["totals"]["rejected"], 5)
        self.until("nothing is governed", framegov, lambda status: any(c["cap_khz"] for c in status["clusters"]))
        intervals = [float(ms) for ms in re.findall(r"cause=frame .*generation_ms=([\d.]+)", framegov.log())]
        self.assertGreater(len(intervals), 30)
        self.assertLess(max(abs(ms - dumpsys.PERIOD_NS / 1e6) for ms in intervals), 0.1)
        print(f"surfaceflinger: {len(intervals)} intervals as SurfaceFlinger told them")
        framegov.stop()
        self.assertEqual(self.limits(), self.before)

    def test_surface_flinger(self):
        self.expect_surface_flinger(Framegov(self.phone, service={"source": "surfaceflinger", "dumpsys": dumpsys.PATH}))

    def test_a_phone_with_32_bit_libraries_only_falls_to_surface_flinger(self):
        service = {"dumpsys": dumpsys.PATH}
        for key in ("hwui", "gui"):
            # The 64-bit library with the header of a 32-bit one.
            library = bytearray((self.phone.parts.binaries / f"tests/app/lib{key}.so").read_bytes())
            library[4] = 1
            service[f"{key}_libraries"] = [f"/system/lib/lib{key}.so"]
            self.phone.put(bytes(library), f"/system/lib/lib{key}.so")
        framegov = Framegov(self.phone, service=service)
        self.expect_surface_flinger(framegov)
        log = framegov.log()
        self.assertRegex(log, "not probed: .*/system/lib/libhwui.so: .*32-bit processes cannot be probed")
        self.assertIn("frames not from ringbuf, perf, tracefs: neither libhwui nor libgui has a site to probe", log)

    def test_none_says_so_and_caps_nothing(self):
        framegov = Framegov(self.phone, service={"source": "none"})
        framegov.start()
        self.addCleanup(framegov.end)
        playing = app.start(self.phone, Scene("scroll", 60), 3, 1, "/tmp/events")
        while playing.exit_code is None:
            self.assertEqual(self.limits(), self.before)
            time.sleep(0.1)
        self.assertEqual(self.status()["totals"]["frames"], 0)
        self.assertIn("frames not from ringbuf, perf, tracefs, surfaceflinger: service.source is none", framegov.log())
        self.assertIn("no frames can be seen: nothing is capped", framegov.log())
        framegov.stop()
        self.assertEqual(self.limits(), self.before)

    def test_a_rung_that_is_not_there_says_why(self):
        framegov = Framegov(self.phone, service={"source": "surfaceflinger", "dumpsys": "/system/bin/missing"})
        framegov.start()
        self.addCleanup(framegov.end)
        self.assertIn("frames not from surfaceflinger: there is no dumpsys", framegov.log())


if __name__ == "__main__":
    main()
