# SPDX-License-Identifier: Apache-2.0
"""What the demo prints."""

from __future__ import annotations

import dataclasses

from .play import Outcome, Second
from .scenes import Scene

TITLES = {"plain": "schedutil", "boost": "schedutil + boost", "framegov": "framegovd"}
# Share of the time; alone on two cores it is 0.03 to 0.06.
_QUIET = 0.2
_HEAD = ("", "frames", "missed", "", "p50 ms", "p95 ms", "p99 ms", "energy mJ", "cap MHz", "frequency MHz")


def live_line(title: str, scene: Scene, second: Second) -> str:
    limits = "  ".join(f"{cap}/{floor}" for cap, floor in zip(second.caps, second.floors))
    return (
        f"{scene.name:<10} {title:<18} {second.second:>2} s  {second.fps:>3} fps  "
        f"p95 {second.p95_ms:5.1f} of {scene.interval_ms:4.1f} ms  missed {second.missed:>3}  cap/floor MHz {limits}"
    )


def table(scene: Scene, outcomes: list[Outcome]) -> str:
    """One scene's outcomes. Means per cluster, little to big, over time."""
    rows = [_HEAD, *(_row(outcome) for outcome in outcomes)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEAD))]
    lines = [f"{scene.kind} at {scene.hz} Hz, deadline {scene.interval_ms:.2f} ms after the vsync"]
    for row in rows:
        cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:]))]
        lines.append("  " + "  ".join(cells))
    return "\n".join(lines)


def _row(outcome: Outcome) -> tuple[str, ...]:
    frames = outcome.frames
    return (
        TITLES[outcome.mode],
        str(frames.count),
        str(frames.missed),
        f"{100 * frames.missed_share:.1f} %",
        *(f"{frames.quantile(q):.2f}" for q in (0.5, 0.95, 0.99)),
        f"{outcome.energy_mj:.0f}",
        "/".join(f"{use.mean_cap_mhz:.0f}" for use in outcome.clusters),
        "/".join(f"{use.mean_mhz:.0f}" for use in outcome.clusters),
    )


@dataclasses.dataclass
class _Sum:
    """A mode's runs of all scenes together."""

    missed: int
    frames: int
    energy_mj: float

    @property
    def missed_percent(self) -> float:
        return 100 * self.missed / max(1, self.frames)


def _totals(outcomes: list[Outcome]) -> dict[str, _Sum]:
    totals = {}
    for mode in TITLES:
        if mine := [outcome for outcome in outcomes if outcome.mode == mode]:
            missed = sum(outcome.frames.missed for outcome in mine)
            count = sum(outcome.frames.count for outcome in mine)
            totals[mode] = _Sum(missed, count, sum(outcome.energy_mj for outcome in mine))
    return totals


def sums(outcomes: list[Outcome]) -> str:
    """All scenes together, each mode against plain schedutil."""
    lines = ["all scenes"]
    totals = _totals(outcomes)
    base = totals.get("plain")
    for mode, total in totals.items():
        line = f"  {TITLES[mode]:<18} missed {total.missed} of {total.frames} ({total.missed_percent:.1f} %), {total.energy_mj:.0f} mJ"
        if base and mode != "plain":
            line += f", {total.energy_mj / base.energy_mj:.2f} x the energy of plain schedutil"
        lines.append(line)
    return "\n".join(lines)


def verdict(outcomes: list[Outcome]) -> str:
    """What framegovd does beside what phones ship, in one line; empty unless both were played."""
    totals = _totals(outcomes)
    ours, stock = totals.get("framegov"), totals.get("boost")
    if not (ours and stock and stock.energy_mj):
        return ""
    saved = round(100 * (1 - ours.energy_mj / stock.energy_mj))
    energy = f"{abs(saved)} % {'less' if saved > 0 else 'more'} energy than" if saved else "the energy of"
    return (
        f"framegovd: {ours.missed_percent:.1f} % of the frames late and {energy} "
        f"schedutil with boost, which had {stock.missed_percent:.1f} % late"
    )


def noise(outcomes: list[Outcome]) -> str:
    """A warning when this machine was too busy for the figures to mean much; otherwise empty."""
    worst = max(outcomes, key=lambda outcome: outcome.waiting)
    if worst.waiting <= _QUIET:
        return ""
    return (
        f"this machine is busy: in {worst.scene.name} under {TITLES[worst.mode]} the phone waited for a CPU "
        f"{100 * worst.waiting:.0f} % of the time, so frames were late for no reason of their own; run as root, or again when it is quiet"
    )


def measured(outcomes: list[Outcome]) -> str:
    """How framegovd's measured generation times compare with the app's own; empty without them."""
    lines = []
    for outcome in outcomes:
        if agreement := outcome.agreement:
            lines.append(
                f"  {outcome.scene.name:<10} p95 {agreement.measured_p95_ms:.2f} ms, the app's own {agreement.own_p95_ms:.2f} ms "
                f"(off by {100 * agreement.p95_error:.1f} %); {agreement.matched} of {agreement.frames} frames, "
                f"farthest apart {agreement.worst_ms:.2f} ms; service {100 * (outcome.cpu_share or 0):.1f} % of a CPU"
            )
    return "\n".join(["generation times as framegovd measured them", *lines]) if lines else ""
