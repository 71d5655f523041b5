#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Battery saver and the screen choose the mode, as the owner's profiles say, while they last."""

from __future__ import annotations

import signal
import time

from demolib import app
from demolib.modes import Framegov
from demolib.scenes import Scene
from phonelib.testing import PhoneTestCase, main

FOLDER = "/data/local/tmp/framegov"
SAVER, SCREEN = "/tmp/low_power", "/tmp/screen"
# Android's commands, as far as they are asked here; each answer is a file's.
SETTINGS = f'#!/bin/sh\n[ "$*" = "get global low_power" ] && cat {SAVER}\n'
DUMPSYS = f'#!/bin/sh\n[ "$*" = "deviceidle get screen" ] && cat {SCREEN}\n'
PROFILES = """profiles:
  mode: free
  when: {battery_saver: saving, screen_off: dark}
  modes:
    free: {floors: {all: 70%}}
    saving: {ceilings: {all: 60%}}
    dark: {ceilings: {all: 30%}}
"""
# Frames after a pause of five seconds are what lets the service ask again at once.
PAUSE_S = 6
PATIENCE_S = 60


class PhoneState(PhoneTestCase):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        app.install(cls.phone)
        app.install_tool(cls.phone)
        cls.phone.put(SETTINGS.encode(), "/system/bin/settings", 0o755)
        cls.phone.put(DUMPSYS.encode(), "/system/bin/dumpsys", 0o755)
        cls.phone.put(PROFILES.encode(), f"{FOLDER}/state/profiles/test.yaml")
        cls.tops = [cluster.top.khz for cluster in cls.phone.layout.clusters]

    def play(self) -> None:
        self.playing = app.start(self.phone, Scene("game", 60), 240, 1, "/tmp/events")

    def rest(self) -> None:
        self.playing.signal(signal.SIGKILL)
        time.sleep(PAUSE_S)

    def say(self, saver: str, screen: str) -> None:
        self.phone.put(f"{saver}\n".encode(), SAVER)
        self.phone.put(f"{screen}\n".encode(), SCREEN)

    def mode(self) -> str:
        return self.phone.run("framegov mode", timeout=60).check().text.strip()

    def caps_within(self, part: float) -> bool:
        nodes = " ".join(self.phone.policy(i, "scaling_max_freq") for i in range(len(self.tops)))
        caps = [int(khz) for khz in self.phone.run(f"cat {nodes}").check().text.split()]
        return all(cap <= part * top for cap, top in zip(caps, self.tops))

    def expect(self, mode: str, part: float) -> None:
        """The mode holds, and its ceilings are written."""
        end = time.monotonic() + PATIENCE_S
        while not (self.mode() == mode and self.caps_within(part)):
            said = self.phone.run(f"grep -v decision {FOLDER}/log | tail -n 20").text
            self.assertLess(time.monotonic(), end, f"{mode}: mode {self.mode()}; {said}")
            time.sleep(0.2)

    def test_battery_saver_and_the_screen_choose_the_mode(self):
        framegov = Framegov(self.phone)
        self.say("0", "true")
        framegov.start()
        self.addCleanup(framegov.end)
        self.play()
        self.addCleanup(lambda: self.playing.signal(signal.SIGKILL))
        self.expect("free", 1)
        self.assertFalse(self.caps_within(0.6))

        self.rest()
        self.say("1", "true")
        self.play()
        self.expect("saving", 0.6)

        # The screen comes before battery saver, and before a mode chosen by hand.
        self.rest()
        self.say("1", "false")
        self.play()
        self.expect("dark", 0.3)
        self.phone.run("framegov mode free", timeout=60).check()
        self.expect("dark", 0.3)

        # In the dark it is asked again while frames come: the screen may be on.
        self.say("1", "true")
        self.expect("saving", 0.6)

        self.rest()
        self.say("0", "true")
        self.play()
        self.expect("free", 1)
        log = self.phone.run(f"grep 'battery saver is' {FOLDER}/log").text
        self.assertIn("mode saving: battery saver is on, the screen is on", log)
        self.assertIn("mode dark: battery saver is on, the screen is off", log)


if __name__ == "__main__":
    main()
