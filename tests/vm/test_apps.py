#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Apps that are not alone, die or lie: what framegovd makes of their frames."""

from __future__ import annotations

import re
import signal
import time

from demolib import app
from demolib.frames import compare
from demolib.governed import PATIENCE_S, GovernedTestCase, capped
from demolib.modes import Framegov
from demolib.scenes import Scene
from phonelib import Process
from phonelib.testing import main

SCROLL = Scene("scroll", 60)


class Apps(GovernedTestCase):
    def setUp(self) -> None:
        self.framegov = Framegov(self.phone)
        self.framegov.start()
        self.addCleanup(self.framegov.end)

    def play(self, scene: Scene, seconds: float = 120, **named) -> Process:
        playing = app.start(self.phone, scene, seconds, 1, "/tmp/events", **named)
        self.addCleanup(playing.signal, signal.SIGKILL)
        return playing

    def governed_pids(self, since: int = 0) -> list[int]:
        """Whose frames the log tells of, from a place in it."""
        return [int(pid) for pid in re.findall(r"cause=frame .*pid=(\d+)", self.framegov.log()[since:])]

    def pid_of(self, name: str) -> int:
        """Of the process whose command line begins with it."""
        return int(self.phone.run(f"grep -l '^{name}' /proc/[0-9]*/cmdline 2> /dev/null | cut -d / -f 3").text)

    def move(self, name: str, group: str) -> None:
        self.phone.write(f"{group}/cgroup.procs", self.pid_of(name))

    def test_only_the_app_on_top_governs(self):
        self.play(SCROLL, name="com.example.one", record="/tmp/one.csv")
        self.play(Scene("game", 60), name="com.example.two", record="/tmp/two.csv", group=app.BACKGROUND)
        on_top = lambda name: lambda status: status["app"] == name and status["frames"]["count"] > 30 and capped(status)  # noqa: E731
        self.until("the app on top does not govern", self.framegov, on_top("com.example.one"))
        self.assertEqual(set(self.governed_pids()), {self.pid_of("com.example.one")})

        self.move("com.example.one", app.BACKGROUND)
        self.move("com.example.two", app.TOP_APP)
        self.until("the new app on top does not govern", self.framegov, on_top("com.example.two"))
        # Once it has, the other has no say.
        seen = len(self.framegov.log())
        end = time.monotonic() + PATIENCE_S
        while len(self.governed_pids(seen)) < 60:
            self.assertLess(time.monotonic(), end, "its frames are not governed")
            time.sleep(0.2)
        self.assertEqual(set(self.governed_pids(seen)), {self.pid_of("com.example.two")})
        self.stop(self.framegov)

    def test_two_apps_that_draw_at_once_are_not_capped(self):
        """Split screen: both are on top."""
        first = self.play(SCROLL, name="com.example.one", record="/tmp/one.csv")
        self.until("one app does not govern", self.framegov, capped)
        second = self.play(Scene("game", 60), name="com.example.two", record="/tmp/two.csv")
        end = time.monotonic() + PATIENCE_S
        while "two apps draw at once" not in self.framegov.log():
            self.assertLess(time.monotonic(), end, "nothing is told")
            time.sleep(0.1)
        self.until("caps stay", self.framegov, lambda status: not capped(status))
        for playing in (first, second):
            playing.signal(signal.SIGKILL)
            playing.wait(10)
        self.play(SCROLL, name="com.example.one")
        self.until("one app does not govern again", self.framegov, capped)
        self.assertIn("one app draws again", self.framegov.log())
        self.stop(self.framegov)

    def test_an_app_that_dies_in_a_frame_leaves_no_cap(self):
        for attempt in range(5):
            with self.subTest(attempt=attempt):
                # Work for half of every interval: most kills fall into a frame.
                playing = self.play(Scene("game", 60), name="com.example.game")
                self.until("not governed", self.framegov, capped)
                playing.signal(signal.SIGKILL)
                playing.wait(10)
                self.until("a cap is left", self.framegov, lambda status: not capped(status))
                self.assertEqual(self.phone.limits(), self.before)
        memory = self.status()["process"]["rss_kib"]
        print(f"the service after five apps that died: {memory} KiB")
        self.stop(self.framegov)

    def test_a_forged_frame_info_is_rejected_and_counted(self):
        playing = self.play(SCROLL, seconds=10, more="--forge 5")
        playing.wait(60).check()
        own = app.frames(self.phone)
        totals = self.status()["totals"]
        measured = self.framegov.measured_ms()
        agreement = compare(own, measured)
        print(f"forged: every fifth of {own.count} frames; {totals['rejected']} rejected, {agreement.matched} measured")
        self.assertEqual(totals["rejected"], own.count // 5)
        self.assertLessEqual(measured.keys(), own.generation_ms.keys())
        self.assertGreater(agreement.matched, 0.75 * own.count)
        self.assertLess(agreement.p95_error, 0.05)
        self.stop(self.framegov)


if __name__ == "__main__":
    main()
