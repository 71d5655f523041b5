# SPDX-License-Identifier: Apache-2.0
"""A phone in which framegovd governs an app, and what a fault does to it is measured."""

from __future__ import annotations

import re
import signal
import time
from collections.abc import Callable

from demolib import app
from demolib.modes import Framegov
from demolib.scenes import Scene
from phonelib import Phone, Process
from phonelib.limits import LimitsWatch

FOLDER = "/data/local/tmp/framegov"
_LOGS = f"{FOLDER}/log.1 {FOLDER}/log {FOLDER}/errors"
_SCENE = Scene("scroll", 60)


class Fault(Exception):
    """Something is not as it must be after a fault."""


class Rig:
    """`before` are the limits that must stand again after every fault."""

    def __init__(self, phone: Phone):
        self.phone = phone
        app.install(phone)
        self.framegov = Framegov(phone)
        self.put_before_back()
        self._limits = LimitsWatch(phone)
        self.before = self._limits.read()
        self._playing: Process | None = None

    def put_before_back(self) -> None:
        """Limits that are not the kernel's own, one of each kind."""
        clusters = self.phone.layout.clusters
        self.phone.write(self.phone.policy(0, "scaling_max_freq"), clusters[0].opps[-2].khz)
        self.phone.write(self.phone.policy(1, "scaling_min_freq"), clusters[1].opps[1].khz)

    def limits(self) -> str:
        return self._limits.read()

    def govern(self) -> None:
        """The service and the app, running, with limits written."""
        self.framegov.start()
        self.play()
        self.until_governed()

    def play(self, scene: Scene = _SCENE, more: str = "") -> Process:
        self.stop_app()
        self._playing = app.start(self.phone, scene, 600, 1, "/tmp/events", more=more)
        return self._playing

    def stop_app(self) -> None:
        if self._playing:
            self._playing.signal(signal.SIGKILL)
            self._playing.wait(10)
        self._playing = None

    def until(self, what: str, condition: Callable[[], bool], seconds: float = 30) -> float:
        """Waits; returns how long. Fault with the log's end when it takes too long."""
        started = time.monotonic()
        if not self.within(seconds, condition):
            raise Fault(f"{what} for {seconds:g} s; limits {self.limits()}; the log ends:\n{self.log_tail()}")
        return time.monotonic() - started

    def within(self, seconds: float, condition: Callable[[], bool]) -> bool:
        """Waits for the condition so long; whether it came."""
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                return False
            time.sleep(0.002)
        return True

    def until_governed(self) -> float:
        return self.until("nothing is governed", lambda: self.limits() != self.before)

    def until_restored(self, seconds: float = 20) -> float:
        return self.until("limits are left behind", lambda: self.limits() == self.before, seconds)

    def until_said(self, pattern: str) -> None:
        self.until(f"the log does not say '{pattern}'", lambda: self.says(pattern))

    def end(self) -> None:
        """Ends both; the limits must be back."""
        self.stop_app()
        self.framegov.end()
        self.until_restored(5)

    def says(self, pattern: str) -> bool:
        """Does the log have a line with the (extended) pattern?"""
        return self.phone.run(f"cat {_LOGS} 2> /dev/null | grep -qE '{pattern}'").exit_code == 0

    def log_tail(self) -> str:
        return self.phone.run(f"cat {_LOGS} 2> /dev/null | grep -v decision | tail -n 25").text

    def lost(self) -> int:
        """Frame events that were lost, as far as the log counts them."""
        told = self.phone.run(f"cat {_LOGS} 2> /dev/null | grep -oE '[0-9]+ frame events were lost'").text
        return sum(int(line.split()[0]) for line in told.splitlines())

    def rss_kib(self) -> int:
        """Of the service; 0 while there is none."""
        status = self.phone.run(f"cat /proc/$(cat {FOLDER}/state/lock)/status 2> /dev/null").text
        found = re.search(r"VmRSS:\s+(\d+)", status)
        return int(found[1]) if found else 0
