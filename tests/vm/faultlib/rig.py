# SPDX-License-Identifier: Apache-2.0
"""A phone in which framegovd governs an app, and what a fault does to it is measured."""

from __future__ import annotations

import contextlib
import re
import signal
import time
from collections.abc import Callable, Iterator

from demolib import app
from demolib.modes import Framegov
from demolib.scenes import Scene
from phonelib import Phone, Process
from phonelib.limits import LimitsWatch

FOLDER = "/data/local/tmp/framegov"
_LOGS = f"{FOLDER}/log.1 {FOLDER}/log {FOLDER}/errors"
_SCENE = Scene("scroll", 60)
# Caps are lifted half a second after the last frame, and a death is noticed at once.
PROMISED_S = 0.5
# What emulation adds to that: a CPU some dozen times slower than a real one. How long the phone's CPUs had
# to wait for one of this machine's comes on top, and is measured. Where nothing has to be waited for, none of
# 286 faults took longer than 195 ms.
EMULATION_S = 0.1


# A service that has suffered a fault may have so much more memory than one that has not.
MOST_GROWN_KIB = 256


class Fault(Exception):
    """Something is not as it must be after a fault."""


class Rig:
    """`before` are the limits that must stand again after every fault."""

    TOOL = "/bin/phone_fault"

    def __init__(self, phone: Phone):
        self.phone = phone
        app.install(phone)
        app.install_tool(phone)
        self.framegov = Framegov(phone)
        phone.put(phone.parts.binaries / "tests/vm/guest/phone_fault", self.TOOL, 0o755)
        self.put_before_back()
        self._limits = LimitsWatch(phone)
        self.before = self._limits.read()
        self._playing: Process | None = None
        self._struck = 0.0  # the phone's clock at the last fault
        self._waits: dict[str, float] = {}  # how long its CPUs have been kept waiting by then

    def put_before_back(self) -> None:
        """Limits that are not the kernel's own, one of each kind; the others are."""
        clusters = self.phone.layout.clusters
        for i, cluster in enumerate(clusters):
            self.phone.write(self.phone.policy(i, "scaling_max_freq"), cluster.opps[-2 if i == 0 else -1].khz)
            self.phone.write(self.phone.policy(i, "scaling_min_freq"), cluster.opps[1 if i == 1 else 0].khz)

    def limits(self) -> str:
        return self._limits.read()

    def govern(self) -> None:
        """The service and the app, running, with limits written."""
        self.framegov.start()
        self.play()
        self.until_governed()

    @contextlib.contextmanager
    def settings(self, settings: str) -> Iterator[None]:
        """The service that is started meanwhile has these beside the built-in ones; none runs before or after."""
        usual, self.framegov = self.framegov, Framegov(self.phone, settings)
        try:
            yield
        finally:
            self.framegov.end()
            self.framegov = usual

    def play(self, scene: Scene = _SCENE, more: str = "") -> Process:
        self.stop_app()
        self._playing = app.start(self.phone, scene, 600, 1, "/tmp/events", more=more)
        return self._playing

    def stop_app(self) -> None:
        if self._playing:
            self.strike()
            self._playing.signal(signal.SIGKILL)
            self._playing.wait(10)
        self._playing = None

    def kill_app(self) -> None:
        """What follows counts from when it is told to end: on CPUs that it floods, that takes a while."""
        self.struck(f"kill -9 {self.app_pid()}")

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

    def until_governed(self, cluster: int | None = None) -> None:
        """Until a frame that begins from now on is decided on, and limits (of this cluster) are ours: those
        that stand already say nothing."""
        asked = self.now()

        def governed() -> bool:
            there, before = (limits.split() for limits in (self.limits(), self.before))
            which = slice(None) if cluster is None else slice(2 * cluster, 2 * cluster + 2)
            return there[which] != before[which] and self._last_vsync() > asked

        self.until("no new frame is governed", governed)

    def now(self) -> float:
        """The phone's clock, s."""
        return self._limits.look()[0]

    def strike(self, command: str = "", timeout: float = 30) -> None:
        """The fault happens, by this command in the phone if need be: what follows is counted from now."""
        self._struck, self._waits = self.now(), self.phone.waits_s()
        if command:
            self.phone.run(command, timeout=timeout).check()

    def struck(self, command: str) -> None:
        """The fault has happened when this command in the phone ends: what follows is counted from then."""
        ended = self.phone.run(f"{command} && read up _ < /proc/uptime && echo $up").check().text
        self._struck, self._waits = float(ended), self.phone.waits_s()

    def until_restored(self, limits: str = "", for_good: bool = True) -> float:
        """Until the limits (those from before) are back, for good if nobody begins anew; returns how long after
        the fault, by the phone's own clock. Fault when that is longer than promised, emulated, and kept waiting
        by this machine."""
        wanted = limits or self.before
        seen = [self._struck]

        def back() -> bool:
            clock, there = self._limits.look()
            seen.append(clock)
            return there == wanted

        self.until(f"limits are left behind, not {wanted},", back, 20)
        # When they were not back the last time that somebody looked: a phone that stands still is not seen.
        left = seen[-2] - self._struck
        waited = max(wait - self._waits.get(thread, 0) for thread, wait in self.phone.waits_s().items())
        if left > PROMISED_S + EMULATION_S + waited:
            raise Fault(f"limits were not back after {left * 1e3:.0f} ms, of which a CPU of the phone's had to wait for this "
                        f"machine's {waited * 1e3:.0f} ms; the log ends:\n{self.log_tail()}")  # fmt: skip
        time.sleep(0.05 if for_good else 0)
        if for_good and self.limits() != wanted:
            raise Fault(f"limits were back for a moment only: {self.limits()}, not {wanted}")
        return seen[-1] - self._struck

    def until_said(self, pattern: str) -> None:
        self.until(f"the log does not say '{pattern}'", lambda: self.says(pattern))

    def end(self) -> None:
        """Ends both; the limits must be back."""
        self.stop_app()
        self.framegov.end()
        self.strike()
        self.until_restored()

    def supervisor_pid(self) -> int:
        return int(self.phone.run(f"awk '/^PPid/ {{print $2}}' /proc/{self.framegov.service_pid()}/status").check().text)

    def app_pid(self) -> int:
        return int(self.phone.run("pidof demo-app || pgrep -f '^/app/demo-app'").text.split()[0])

    def says(self, pattern: str) -> bool:
        """Does the log have a line with the (extended) pattern?"""
        return self.phone.run(f"cat {_LOGS} 2> /dev/null | grep -qE '{pattern}'").exit_code == 0

    def _last_vsync(self) -> float:
        """Of the frames that were decided on; seconds of the phone's clock."""
        line = self.phone.run(f"tail -n 100 {FOLDER}/log | grep cause=frame | tail -n 1").text
        found = re.search(r" vsync_ns=(\d+)", line)
        return int(found[1]) / 1e9 if found else 0.0

    def log_tail(self) -> str:
        return self.phone.run(f"cat {_LOGS} 2> /dev/null | grep -v decision | tail -n 25").text

    def lost(self) -> int:
        """Frame events that were lost, as far as the log counts them."""
        told = self.phone.run(f"cat {_LOGS} 2> /dev/null | grep -oE '[0-9]+ frame events were lost'").text
        return sum(int(line.split()[0]) for line in told.splitlines())

    def settled_rss_kib(self) -> int:
        """Of the service, whatever process that is by now, once it has governed a new app's frames for a
        second: until then it still touches memory for the first time."""
        self.play()
        self.until_governed()
        asked = self.now()
        self.until("no second of frames is governed", lambda: self._last_vsync() > asked + 1)
        return self.rss_kib()

    def rss_kib(self) -> int:
        """Of the service; 0 while there is none."""
        status = self.phone.run(f"cat /proc/$(cat {FOLDER}/state/lock)/status 2> /dev/null").text
        found = re.search(r"VmRSS:\s+(\d+)", status)
        return int(found[1]) if found else 0
