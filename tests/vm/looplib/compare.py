# SPDX-License-Identifier: Apache-2.0
"""The phone's runs beside the simulator's."""

from __future__ import annotations

import dataclasses
import statistics

from demolib.play import Outcome

# A policy's name in the simulator, by the mode's key.
POLICIES = {"plain": "schedutil", "boost": "schedutil-boost", "pid": "pid", "mpc": "mpc"}


@dataclasses.dataclass(frozen=True)
class Side:
    """Times are generation times without waiting for buffers; rates are parts of all frames made."""

    p50: float
    p95: float
    miss_rate: float  # late, and not for a full queue alone
    stuffed_rate: float  # late for that alone
    energy_mj: float


@dataclasses.dataclass(frozen=True)
class Row:
    scene: str
    policy: str
    phone: Side
    sim: Side

    @property
    def p95_error(self) -> float:
        return abs(self.sim.p95 - self.phone.p95) / self.phone.p95

    def to_json(self) -> dict:
        return {"scene": self.scene, "policy": self.policy,
                "phone": dataclasses.asdict(self.phone), "sim": dataclasses.asdict(self.sim)}  # fmt: skip


def row(outcome: Outcome, run: dict) -> Row:
    """Energy on both sides is what working adds: an idle CPU draws the same under every policy."""
    frames = outcome.frames
    busy_mj = sum(seconds * use.cluster.busy_mw(khz) for use in outcome.clusters for khz, seconds in use.busy_s.items())
    return Row(
        outcome.scene.name,
        POLICIES[outcome.mode],
        Side(frames.quantile(0.5), frames.quantile(0.95), frames.missed_share, frames.stuffed / max(1, frames.count), busy_mj),
        Side(run["busy_ms"]["p50"], run["busy_ms"]["p95"], (run["late_frames"] - run["stuffed_frames"]) / max(1, run["frames"]),
             run["stuffed_frames"] / max(1, run["frames"]), run["energy_mj"]),
    )


def median(plays: list[Row]) -> Row:
    """Of several plays of one scene under one policy: where the machine was late now and then, a single play's 95th
    percentile says little."""
    def side(of: str) -> Side:
        values = [dataclasses.astuple(getattr(each, of)) for each in plays]
        return Side(*(statistics.median(figures) for figures in zip(*values)))

    return dataclasses.replace(plays[0], phone=side("phone"), sim=side("sim"))


def same_order(rows: list[Row], figure: str, tolerance: float) -> tuple[int, int]:
    """Pairs of policies that both sides put in the same order, of those that differ in the phone by
    more than `tolerance` (relative for energy, absolute for misses)."""
    agree = pairs = 0
    for scene in {each.scene for each in rows}:
        mine = [each for each in rows if each.scene == scene]
        for i, a in enumerate(mine):
            for b in mine[i + 1 :]:
                phone = getattr(a.phone, figure) - getattr(b.phone, figure)
                scale = getattr(a.phone, figure) if figure == "energy_mj" else 1.0
                if abs(phone) > tolerance * scale:
                    pairs += 1
                    agree += phone * (getattr(a.sim, figure) - getattr(b.sim, figure)) > 0
    return agree, pairs


def table(rows: list[Row]) -> str:
    lines = [f"{'scene':<12} {'policy':<16} {'p50 ms':>15} {'p95 ms':>15} {'error':>7} {'missed %':>15} {'stuffed %':>15} {'energy mJ':>15}",
             f"{'':<12} {'':<16} {'phone / sim':>15} {'phone / sim':>15} {'of p95':>7} {'phone / sim':>15} {'phone / sim':>15} {'phone / sim':>15}"]  # fmt: skip
    for each in rows:
        pair = lambda a, b, digits: f"{a:.{digits}f} / {b:.{digits}f}"  # noqa: E731
        lines.append(
            f"{each.scene:<12} {each.policy:<16} {pair(each.phone.p50, each.sim.p50, 2):>15} "
            f"{pair(each.phone.p95, each.sim.p95, 2):>15} {100 * each.p95_error:>6.1f}% "
            f"{pair(100 * each.phone.miss_rate, 100 * each.sim.miss_rate, 2):>15} "
            f"{pair(100 * each.phone.stuffed_rate, 100 * each.sim.stuffed_rate, 2):>15} "
            f"{pair(each.phone.energy_mj, each.sim.energy_mj, 0):>15}"
        )
    for figure, tolerance, what in (("miss_rate", 0.01, "misses"), ("energy_mj", 0.03, "energy")):
        agree, pairs = same_order(rows, figure, tolerance)
        lines.append(f"order by {what}: {agree} of {pairs} pairs of policies that differ in the phone differ alike in the simulator")
    return "\n".join(lines)
