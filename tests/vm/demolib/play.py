# SPDX-License-Identifier: Apache-2.0
"""Plays one scene under one mode, telling how it goes, and measures it."""

from __future__ import annotations

import dataclasses
import re
import time
from collections.abc import Callable

from phonelib import Phone, PhoneError
from phonelib.limits import LimitsWatch
from phonelib.meter import ClusterUse, Meter

from . import app
from .frames import Agreement, Frames, compare
from .modes import Plain
from .scenes import Scene

_LIVE = re.compile(r"live frames=(\d+) missed=(\d+) .*p95_ms=([\d.]+)")


@dataclasses.dataclass(frozen=True)
class Second:
    """A second's frames, told `second` after the start. Limits in MHz, one per cluster."""

    second: int
    fps: int
    missed: int
    p95_ms: float
    caps: list[int]
    floors: list[int]


@dataclasses.dataclass(frozen=True)
class Outcome:
    mode: str
    scene: Scene
    frames: Frames
    clusters: list[ClusterUse]
    agreement: Agreement | None
    cpu_share: float | None
    waiting: float  # share of the time that the phone waited for a CPU of this machine

    @property
    def energy_mj(self) -> float:
        return sum(use.energy_mj for use in self.clusters)

    def to_json(self) -> dict:
        return {
            "mode": self.mode,
            "scene": self.scene.name,
            "frames": self.frames.count,
            "missed": self.frames.missed,
            "generation_ms": {f"p{q}": self.frames.quantile(q / 100) for q in (50, 95, 99)},
            "energy_mj": self.energy_mj,
            "clusters": [
                {
                    "busy_share": use.busy_share,
                    "energy_mj": use.energy_mj,
                    "mean_mhz": use.mean_mhz,
                    "mean_cap_mhz": use.mean_cap_mhz,
                    "mean_floor_mhz": use.mean_floor_mhz,
                }
                for use in self.clusters
            ],
            "measured": self.agreement and {**dataclasses.asdict(self.agreement), "p95_error": self.agreement.p95_error},
            "service_cpu_share": self.cpu_share,
            "waiting": self.waiting,
        }


class Player:
    """Plays scenes in a phone that has the app. `tell` is called about once a second.

    `more` are further options of the app."""

    def __init__(self, phone: Phone, seconds: float, seed: int, tell: Callable[[str, Scene, Second], None], more: str = ""):
        self._phone = phone
        self._seconds = seconds
        self._seed = seed
        self._tell = tell
        self._more = more
        self._meter = Meter(phone)
        self._watch = LimitsWatch(phone)
        self._limits = self._phone.limits()

    def play(self, mode: Plain, scene: Scene) -> Outcome:
        events = mode.start()
        process = app.start(self._phone, scene, self._seconds, self._seed, events, more=self._more)
        time.sleep(app.LEAD_SECONDS / 2)
        self._meter.start()
        waited = self._phone.waited_s()
        started = time.monotonic()
        for line in process.lines(self._seconds + 60):
            if match := _LIVE.match(line):
                caps, floors = self._watch.mhz()
                second = Second(round(time.monotonic() - started), int(match[1]), int(match[2]), float(match[3]), caps, floors)
                self._tell(mode.title, scene, second)
        process.wait(60).check()
        waited = self._phone.waited_s() - waited
        uses = self._meter.stop()
        mode.stop()
        if (left := self._phone.limits()) != self._limits:
            raise PhoneError(f"{mode.title} left other limits than it found: {left}, not {self._limits}")
        frames = app.frames(self._phone)
        measured = mode.measured_ms()
        return Outcome(
            mode.key, scene, frames, uses,
            compare(frames, measured) if measured else None, mode.cpu_share(uses[0].seconds),
            waited / uses[0].seconds,
        )  # fmt: skip


# Of the 95th percentile of generation times, between the service and the app itself.
MOST_APART = 0.05


def play_agreeing(player: Player, mode: Plain, scene: Scene) -> Outcome:
    """The emulator stands still now and then, and what is read of a clock before differs from what is
    read after it. What is truly measured wrong is wrong in a second play as well."""
    outcome = player.play(mode, scene)
    if outcome.agreement and outcome.agreement.p95_error >= MOST_APART:
        print(f"{100 * outcome.agreement.p95_error:.2f} % apart: played again")
        outcome = player.play(mode, scene)
    return outcome
