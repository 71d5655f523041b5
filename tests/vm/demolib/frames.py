# SPDX-License-Identifier: Apache-2.0
"""The app's own record of its frames, and how framegovd's measurement of them compares."""

from __future__ import annotations

import csv
import dataclasses
import io


def quantile(values: list[float], q: float) -> float:
    """Nearest rank below; 0 without values."""
    ordered = sorted(values)
    return ordered[int(q * (len(ordered) - 1))] if ordered else 0.0


def rows(text: str) -> list[dict[str, int]]:
    """The app's record of its frames (tests/app/recorder.h): times in ns, work in cycles."""
    return [{name: int(value) for name, value in row.items()} for row in csv.DictReader(io.StringIO(text))]


@dataclasses.dataclass(frozen=True)
class Frames:
    """Generation times in ms by vsync (ns), and how many missed their deadline."""

    generation_ms: dict[int, float]
    missed: int

    @staticmethod
    def from_csv(text: str) -> Frames:
        made = rows(text)
        return Frames(
            {row["vsync_ns"]: (row["ready_ns"] - row["vsync_ns"]) / 1e6 for row in made},
            sum(row["ready_ns"] > row["deadline_ns"] for row in made),
        )

    @property
    def count(self) -> int:
        return len(self.generation_ms)

    @property
    def missed_share(self) -> float:
        return self.missed / max(1, self.count)

    def quantile(self, q: float) -> float:
        return quantile(list(self.generation_ms.values()), q)


@dataclasses.dataclass(frozen=True)
class Agreement:
    """framegovd's measured generation times against the app's own, frame by frame."""

    frames: int
    matched: int
    measured_p95_ms: float
    own_p95_ms: float
    worst_ms: float

    @property
    def p95_error(self) -> float:
        """Relative difference of the two 95th percentiles, over the frames both know."""
        return abs(self.measured_p95_ms - self.own_p95_ms) / self.own_p95_ms if self.own_p95_ms else 0.0


def compare(own: Frames, measured_ms: dict[int, float]) -> Agreement:
    both = sorted(own.generation_ms.keys() & measured_ms.keys())
    return Agreement(
        frames=own.count,
        matched=len(both),
        measured_p95_ms=quantile([measured_ms[vsync] for vsync in both], 0.95),
        own_p95_ms=quantile([own.generation_ms[vsync] for vsync in both], 0.95),
        worst_ms=max((abs(measured_ms[vsync] - own.generation_ms[vsync]) for vsync in both), default=0.0),
    )
