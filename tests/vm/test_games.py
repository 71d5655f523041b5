#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Games and surfaces beside the UI: what framegovd knows of a game's slack under a vsync cap, how soon of another frame
rate, and that an overlay's buffers are nobody's frames."""

from __future__ import annotations

import bisect
import dataclasses
import re

from demolib import app
from demolib.frames import quantile, rows
from demolib.governed import GovernedTestCase
from demolib.modes import Framegov
from demolib.scenes import Scene
from phonelib.testing import main

_FRAME = re.compile(r"cause=frame .*ready_ns=(\d+) generation_ms=([\d.]+)(?: budget_ms=([\d.]+))?(?: blocked_ms=([\d.]+))?")


@dataclasses.dataclass(frozen=True)
class Told:
    """A frame as the log tells it."""

    ready_ns: int
    busy_ms: float
    deadline_ns: float


class Games(GovernedTestCase):
    def setUp(self) -> None:
        self.framegov = Framegov(self.phone)
        self.addCleanup(self.framegov.end)

    def play(self, scene: Scene, seconds: float, more: str) -> tuple[list[Told], list[dict[str, int]]]:
        """What was told of the app's frames, and its own record."""
        if self.framegov.ended():
            self.framegov.start()
        app.start(self.phone, scene, seconds, 1, "/tmp/events", more=more).wait(60).check()
        self.stop(self.framegov)
        told = [
            Told(int(ready), float(generation) - float(blocked or 0), int(ready) + 1e6 * (float(budget) - float(generation)) if budget else 0)
            for ready, generation, budget, blocked in _FRAME.findall(self.framegov.log())
        ]
        return told, rows(self.phone.get(app.RECORD).decode())

    def test_slack_under_a_vsync_cap_is_what_it_did_not_use(self):
        told, own = self.play(Scene("game", 60), 6, "--fps 60")
        true_ms = [
            (row["ready_ns"] - before["ready_ns"] - row["blocked_ns"]) / 1e6 for before, row in zip(own, own[1:])
        ]  # fmt: skip
        self.assertGreaterEqual(len(told), 0.95 * len(own))
        interval_ms = 1000 / 60
        for q in (0.5, 0.95):
            mine, true = (interval_ms - quantile(values, q) for values in ([frame.busy_ms for frame in told], true_ms))
            print(f"slack of the game, p{100 * q:.0f} of its busy time: {mine:.2f} ms, its own {true:.2f} ms")
            self.assertLess(abs(mine - true), 0.1 * interval_ms)
        mine, true = (interval_ms - sum(values) / len(values) for values in ([frame.busy_ms for frame in told], true_ms))
        print(f"mean slack {mine:.2f} ms, its own {true:.2f} ms (off by {100 * abs(mine - true) / true:.1f} %)")
        self.assertLess(abs(mine - true), 0.1 * true)

    def test_another_rate_is_known_soon(self):
        # A slower game may only be slow: that takes TargetRate::kSteady. Half a second for the rest.
        for before, after, most_s in ((60, 40, 1.5), (30, 60, 0.5)):
            with self.subTest(before=before, after=after):
                told, own = self.play(Scene("game", 120), 5, f"--fps {before} --then-fps {after}")
                changed = next(
                    i for i, row in enumerate(own)
                    if i > 20 and abs((row["deadline_ns"] - own[i - 1]["deadline_ns"]) / 1e9 * after - 1) < 0.1
                    and row["ready_ns"] > (own[0]["ready_ns"] + own[-1]["ready_ns"]) / 2 - 5e8
                )  # fmt: skip
                changed_ns = own[changed - 1]["ready_ns"]
                # The rate that frames are held to is that of their deadlines; a few, as one alone may jump.
                held = [
                    (frame.ready_ns, bool(frame.deadline_ns and earlier.deadline_ns) and abs(4e9 / (frame.deadline_ns - earlier.deadline_ns) / after - 1) < 0.08)
                    for earlier, frame in zip(told, told[4:])
                ]  # fmt: skip
                known_ns = next((ready for ready, holds in held if ready > changed_ns and holds), None)
                self.assertIsNotNone(known_ns, f"never held to {after} fps")
                later = [holds for ready, holds in held if ready >= known_ns]
                seconds = (known_ns - changed_ns) / 1e9
                frames = sum(changed_ns < row["ready_ns"] <= known_ns for row in own)
                print(f"{before} to {after} fps: known after {seconds:.2f} s, {frames} frames")
                self.assertLess(seconds, most_s)
                self.assertGreater(sum(later), 0.9 * len(later))

    def test_a_told_target_is_what_frames_are_held_to(self):
        # What it makes alone would be taken for 60 fps that it does not reach.
        told, own = self.play(Scene("game", 120), 5, "--fps 57 --hints")
        budgets_ms = [float(each) for each in re.findall(r"cause=frame .*budget_ms=([\d.]+)", self.framegov.log())]
        later = budgets_ms[len(budgets_ms) // 4 :]
        hurried = sum(each < 0.99 * 1000 / 57 for each in later)
        print(f"a game that tells 57 fps: {hurried} of {len(later)} frames held to less than {1000 / 57:.2f} ms")
        self.assertGreater(len(told), 0.95 * len(own))
        self.assertLess(hurried, 0.2 * len(later))  # a busy machine delays some; without the target it is half

    def test_an_overlay_s_buffers_are_no_frames(self):
        for scene in (Scene("game", 60), Scene("scroll", 60)):
            with self.subTest(scene=scene.name):
                told, own = self.play(scene, 5, "--overlay 20")
                # Before the app's first frames and where it rests, the overlay is what moves.
                ready = [row["ready_ns"] for row in own]
                others = 0
                for frame in told:
                    after = bisect.bisect(ready, frame.ready_ns)
                    around = ready[max(0, after - 1) : after + 1]
                    busy = len(around) == 2 and around[1] - around[0] < 5e7 and frame.ready_ns > ready[0] + 1e9
                    others += busy and min(abs(frame.ready_ns - each) for each in around) > 2e6
                print(f"{scene.name} under an overlay: {len(told)} frames told of {len(own)}, {others} that it did not make")
                self.assertGreater(len(told), 0.95 * len(own))
                self.assertLessEqual(others, 0.01 * len(told))


if __name__ == "__main__":
    main()
