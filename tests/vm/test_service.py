#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""framegovd in the phone: it measures what the app itself records, and leaves nothing behind."""

from __future__ import annotations

import signal
import time

from demolib import app
from demolib.modes import Framegov
from demolib.play import MOST_APART, Player, play_agreeing
from demolib.scenes import Scene
from phonelib.testing import PhoneTestCase, main


class Service(PhoneTestCase):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        app.install(cls.phone)
        cls.framegov = Framegov(cls.phone)
        # Limits that are not the kernel's own: what has to be put back.
        cls.phone.write(cls.phone.policy(0, "scaling_max_freq"), cls.phone.layout.clusters[0].opps[-2].khz)
        cls.phone.write(cls.phone.policy(1, "scaling_min_freq"), cls.phone.layout.clusters[1].opps[1].khz)
        cls.before = cls.phone.limits()

    def start_governing(self):
        """The service and the app, running, with limits written. Returns the app."""
        self.framegov.start()
        playing = app.start(self.phone, Scene("scroll", 60), 60, 1, "/tmp/events")
        self.addCleanup(playing.signal, signal.SIGKILL)
        end = time.monotonic() + 20
        while self.phone.limits() == self.before:
            self.assertLess(time.monotonic(), end, "framegovd writes no limits")
        return playing

    def test_measures_generation_times_as_the_app_records_them(self):
        player = Player(self.phone, 5, 1, lambda *_: None)
        outcome = play_agreeing(player, self.framegov, Scene("scroll", 60))
        self.assertGreater(outcome.frames.count, 100)
        self.assertGreater(outcome.agreement.matched, 0.95 * outcome.frames.count)
        self.assertLess(outcome.agreement.p95_error, MOST_APART)

    def test_puts_every_limit_back_on_sigterm(self):
        # Several times: the kernel takes written limits over a little later, and a service that
        # reads too early mistakes its own for somebody else's.
        for attempt in range(6):
            with self.subTest(attempt=attempt):
                playing = self.start_governing()
                self.framegov.stop()
                playing.stop()
                self.assertEqual(self.phone.limits(), self.before)

    def test_puts_every_limit_back_at_the_next_start_after_a_kill(self):
        playing = self.start_governing()
        # Frozen first, so that it is killed while its limits stand and not in a pause of the scene.
        self.framegov.signal(signal.SIGSTOP)
        while self.phone.limits() == self.before:
            self.framegov.signal(signal.SIGCONT)
            time.sleep(0.1)
            self.framegov.signal(signal.SIGSTOP)
        self.framegov.kill()
        playing.stop()
        self.assertNotEqual(self.phone.limits(), self.before)
        self.framegov.start()
        self.framegov.stop()
        self.assertEqual(self.phone.limits(), self.before)


if __name__ == "__main__":
    main()
