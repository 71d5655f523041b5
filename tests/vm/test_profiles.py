#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Profiles in the phone, edited while the game scene runs."""

from __future__ import annotations

import signal
import time

from demolib import app
from demolib.modes import Framegov
from demolib.scenes import Scene
from phonelib.testing import PhoneTestCase, main

FOLDER = "/data/local/tmp/framegov"
PROFILE = f"{FOLDER}/state/profiles/test.yaml"
# Long enough for a busy machine; how long it took is printed.
PATIENCE_S = 60
SAMPLES = 20


class Profiles(PhoneTestCase):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        app.install(cls.phone)
        cls.framegov = Framegov(cls.phone)
        cls.tops = [cluster.top.khz for cluster in cls.phone.layout.clusters]

    def setUp(self) -> None:
        self.phone.run(f"rm -rf {FOLDER}/state/profiles {FOLDER}/state/switches").check()
        self.framegov.start()
        self.addCleanup(self.framegov.stop)
        playing = app.start(self.phone, Scene("game", 60), 240, 1, "/tmp/events")
        self.addCleanup(playing.signal, signal.SIGKILL)

    def edit(self, text: str) -> None:
        self.phone.put(f"profiles:\n{text}".encode(), PROFILE)

    def caps(self) -> list[int]:
        nodes = " ".join(self.phone.policy(i, "scaling_max_freq") for i in range(len(self.tops)))
        return [int(khz) for khz in self.phone.run(f"cat {nodes}").check().text.split()]

    def log(self) -> str:
        return self.phone.run(f"grep -v decision {FOLDER}/log").text

    def wait(self, what: str, true) -> None:
        started = time.monotonic()
        while not true():
            self.assertLess(time.monotonic() - started, PATIENCE_S, f"{what}: caps {self.caps()}; {self.log()}")
            time.sleep(0.05)
        print(f"{what}: after {time.monotonic() - started:.2f} s")

    def governed(self) -> bool:
        return self.caps() != self.tops

    def within(self, part: float) -> bool:
        """Is every cluster capped at that part of its top frequency?"""
        return all(cap <= part * top for cap, top in zip(self.caps(), self.tops))

    def often(self, true) -> float:
        """How often it is true, of a few looks: the service lifts its caps while the scene rests."""
        return sum(true() for _ in range(SAMPLES)) / SAMPLES

    def test_edits_hold_at_once_and_broken_ones_never(self):
        self.wait("governed", self.governed)
        self.edit("  apps: {'*demo-app': {ceilings: {all: 40%}}}\n")
        self.wait("a ceiling", lambda: self.within(0.4))
        self.assertGreater(self.often(lambda: self.within(0.4)), 0.5)

        self.edit("  apps:\n    '*demo-app': {ceilings: {all: 900}}\n")
        self.wait("the mistake is told", lambda: "test.yaml:3: 'profiles.apps.*demo-app.ceilings.all'" in self.log())
        self.assertGreater(self.often(lambda: self.within(0.4)), 0.5)

        self.edit("  apps: {'*demo-app': {enabled: false}}\n")
        self.wait("off", lambda: not self.governed())
        self.assertEqual(self.often(self.governed), 0)

        self.phone.run(f"rm {PROFILE}").check()
        self.wait("governed again", self.governed)

    def test_a_mode_holds_and_outlasts_a_restart(self):
        big = len(self.tops) - 1
        capped = lambda: self.caps()[big] <= 0.75 * self.tops[big]  # noqa: E731
        self.wait("governed", self.governed)
        self.edit("  mode: powersave\n  defaults: {floors: {big: 80%}}\n")
        self.wait("powersave", lambda: self.governed() and capped())
        # In balance the floor is higher than powersave's ceiling.
        self.edit("  mode: balance\n  defaults: {floors: {big: 80%}}\n")
        self.wait("balance", lambda: self.governed() and not capped())

        self.framegov.stop()
        switches = "framegov owner switches 1\nmode powersave\nend\n"
        self.phone.put(switches.encode(), f"{FOLDER}/state/switches", 0o600)
        self.framegov.start()
        self.wait("powersave, by hand", lambda: self.governed() and capped())


if __name__ == "__main__":
    main()
