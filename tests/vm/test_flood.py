#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Apps that make thousands of frames a second: nothing is lost uncounted, and the service still does as it is told."""

from __future__ import annotations

import signal

from demolib import app
from demolib.governed import GovernedTestCase, capped
from demolib.modes import Framegov
from demolib.scenes import Scene
from phonelib import Process
from phonelib.testing import main

RUNGS = ("ringbuf", "perf", "tracefs")


class Flood(GovernedTestCase):
    def play(self, seconds: float, record: str) -> Process:
        playing = app.start(self.phone, Scene("game", 5000), seconds, 1, "/tmp/events", more="--fps 5000", record=record)
        self.addCleanup(playing.signal, signal.SIGKILL)
        return playing

    def test_a_flood_of_frames_loses_nothing_uncounted(self):
        for source in RUNGS:
            with self.subTest(source=source):
                self.flood(Framegov(self.phone, service={"source": source}))

    def test_a_flood_does_not_keep_the_service_from_stopping(self):
        for source in RUNGS:
            with self.subTest(source=source):
                framegov = Framegov(self.phone, service={"source": source})
                framegov.start()
                self.addCleanup(framegov.end)
                playing = [self.play(60, f"/tmp/flood{i}.csv") for i in range(3)]
                self.until("no flood", framegov, lambda status: status["totals"]["frames"] > 1000)
                self.assertTrue(all(process.exit_code is None for process in playing))
                self.stop(framegov)
                for process in playing:
                    process.signal(signal.SIGKILL)
                    process.wait(10)

    def flood(self, framegov: Framegov) -> None:
        framegov.start()
        self.addCleanup(framegov.end)
        playing = self.play(4, app.RECORD)
        playing.wait(120).check()
        own = app.frames(self.phone).count
        seen: list[dict] = [{}]

        def at_rest(status: dict) -> bool:
            seen.append(status["totals"])
            return seen[-1] == seen[-2] and not capped(status)

        status = self.until("frames are still read", framegov, at_rest)
        totals = status["totals"]
        print(f"flood: the app made {own} frames; {status['source']}: {totals['frames']} measured, {totals['lost']} events lost, "
              f"{totals['rejected']} rejected")  # fmt: skip
        self.assertGreater(own, 1000)
        self.assertLessEqual(totals["frames"], own)
        # A frame is several events; one that lost an event is not whole. The first has no interval, and
        # the last none when the app ends before its next buffer.
        self.assertGreaterEqual(totals["frames"] + totals["lost"] + totals["rejected"] + 2, own)
        if totals["lost"] > 0:
            self.assertIn("frame events were lost", framegov.log())
        self.stop(framegov)


if __name__ == "__main__":
    main()
