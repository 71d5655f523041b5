#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each rung of the ladder of frame sources, forced in turn: frames, or the reason why there are none."""

from __future__ import annotations

import re
import signal
import time

from demolib import app, dumpsys
from demolib.governed import GovernedTestCase, capped
from demolib.modes import Framegov
from demolib.play import MOST_APART, Player, play_agreeing
from demolib.scenes import Scene
from phonelib.testing import main


class Rungs(GovernedTestCase):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.phone.put(dumpsys.SCRIPT.encode(), dumpsys.PATH, 0o755)

    def expect_the_apps_times(self, source: str, more: str = "") -> None:
        framegov = Framegov(self.phone, service={"source": source})
        # It fails when other limits are left than were found.
        outcome = play_agreeing(Player(self.phone, 5, 1, lambda *_: None, more), framegov, Scene("scroll", 60))
        log = framegov.log()
        self.assertIn(f"frames from {source}", log)
        self.assertNotIn("events were lost", log)
        agreement = outcome.agreement
        self.assertIsNotNone(agreement, log)
        print(f"{source}: p95 generation time {agreement.measured_p95_ms:.3f} ms, the app's own {agreement.own_p95_ms:.3f} ms "
              f"({100 * agreement.p95_error:.2f} % apart, {agreement.matched} of {agreement.frames} frames)")  # fmt: skip
        self.assertGreater(agreement.frames, 100)
        self.assertGreater(agreement.matched, 0.95 * agreement.frames)
        self.assertLess(agreement.p95_error, MOST_APART)

    def test_ring_buffer(self):
        self.expect_the_apps_times("ringbuf")

    def test_perf_event_array(self):
        self.expect_the_apps_times("perf")

    def test_without_types_of_the_kernel(self):
        """BTF that is hidden: whatever our programs needed of it, they could not be loaded."""
        self.phone.run("mount -t tmpfs none /sys/kernel/btf && ! ls /sys/kernel/btf/*").check()
        self.addCleanup(self.phone.run, "umount /sys/kernel/btf")
        self.expect_the_apps_times("ringbuf")

    def test_tracefs(self):
        self.expect_the_apps_times("tracefs")
        left = self.phone.run("cd /sys/kernel/tracing && ls instances && cat uprobe_events").check().text
        self.assertNotIn("framegov", left)

    def test_zygisk(self):
        """The module's library is in the app; no probe is set."""
        daemon = self.phone.start("exec /app/zygiskd /app/zygisk.so /tmp/zygiskd")
        self.addCleanup(daemon.signal, signal.SIGKILL)
        zygisk = "--zygisk /app/zygisk.so --zygiskd /tmp/zygiskd"
        # As a phone starts: the system's server tells that Zygisk loads the module.
        self.phone.run("until [ -S /tmp/zygiskd ]; do sleep 0.1; done", timeout=20).check()
        self.phone.run("mkdir -p -m 700 /data/local/tmp/framegov/state").check()
        self.phone.run(f"/app/demo-app {zygisk} --zygisk-server --scene still --seconds 0.05").check()
        self.expect_the_apps_times("zygisk", zygisk)

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
        self.until("nothing is governed", framegov, capped)
        intervals = [float(ms) for ms in re.findall(r"cause=frame .*generation_ms=([\d.]+)", framegov.log())]
        self.assertGreater(len(intervals), 30)
        self.assertLess(max(abs(ms - dumpsys.PERIOD_NS / 1e6) for ms in intervals), 0.1)
        print(f"surfaceflinger: {len(intervals)} intervals as SurfaceFlinger told them")
        self.stop(framegov)

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
            self.assertEqual(self.phone.limits(), self.before)
            time.sleep(0.1)
        self.assertEqual(self.status()["totals"]["frames"], 0)
        self.assertIn("frames not from ringbuf, perf, tracefs, zygisk, surfaceflinger: service.source is none", framegov.log())
        self.assertIn("no frames can be seen: nothing is capped", framegov.log())
        self.stop(framegov)

    def test_a_rung_that_is_not_there_says_why(self):
        framegov = Framegov(self.phone, service={"source": "surfaceflinger", "dumpsys": "/system/bin/missing"})
        framegov.start()
        self.addCleanup(framegov.end)
        self.assertIn("frames not from surfaceflinger: there is no dumpsys", framegov.log())


if __name__ == "__main__":
    main()
