#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The app's library is replaced while framegovd runs, as an update of the phone does it."""

from __future__ import annotations

import signal
import time

from demolib import app
from demolib.modes import Framegov
from demolib.scenes import Scene
from phonelib.testing import PhoneTestCase, main

LIBRARY = "/app/libhwui.so"


class Update(PhoneTestCase):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        app.install(cls.phone)
        cls.framegov = Framegov(cls.phone)
        cls.before = cls.phone.limits()
        folder = cls.phone.parts.binaries / "tests/app"
        cls.old, cls.new = (folder / name for name in ("libhwui.so", "update/libhwui.so"))

    def play(self):
        playing = app.start(self.phone, Scene("scroll", 60), 120, 1, "/tmp/events")
        self.addCleanup(playing.signal, signal.SIGKILL)
        return playing

    def until(self, what: str, condition, seconds: float = 30) -> None:
        end = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), end, f"{what}; the log:\n{self.framegov.log()}")
            time.sleep(0.1)

    def until_governed(self) -> None:
        self.until("nothing is governed", lambda: self.phone.limits() != self.before)

    def test_finds_the_sites_again_lifts_without_them_and_comes_back(self):
        self.assertNotEqual(self.old.read_bytes(), self.new.read_bytes())
        self.framegov.start()
        self.addCleanup(self.framegov.kill)
        playing = self.play()
        self.until_governed()

        with self.subTest("replaced: found at their new places and attached"):
            before = self.framegov.service_pid()
            self.phone.put(self.new, LIBRARY, 0o755)
            self.until("no fresh start", lambda: self.framegov.log().count("governing") == 2)
            self.assertIn(f"{LIBRARY} is no longer the file that was probed", self.framegov.log())
            self.assertNotEqual(self.framegov.service_pid(), before)
            playing.signal(signal.SIGKILL)  # it has the old file still
            self.until("limits were left behind", lambda: self.phone.limits() == self.before)
            playing = self.play()
            self.until_governed()

        with self.subTest("no library any more: lifted, with the reason"):
            self.phone.put(self.new.read_bytes()[:3000], LIBRARY, 0o755)
            self.until("limits were left behind", lambda: self.phone.limits() == self.before)
            self.until("no fresh start", lambda: self.framegov.log().count("governing") == 3)
            self.assertRegex(self.framegov.log(), rf"not probed: .*{LIBRARY}")
            playing.signal(signal.SIGKILL)

        with self.subTest("the old one again"):
            self.phone.put(self.old, LIBRARY, 0o755)
            self.until("no fresh start", lambda: self.framegov.log().count("governing") == 4)
            self.play()
            self.until_governed()


if __name__ == "__main__":
    main()
