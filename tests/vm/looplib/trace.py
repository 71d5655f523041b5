# SPDX-License-Identifier: Apache-2.0
"""The phone's own trace of a run: who ran where, and how fast."""

from __future__ import annotations

import bisect
import collections
import re
from typing import NamedTuple

from phonelib import Cluster, Layout, Phone

_TRACE = "/sys/kernel/tracing/instances/meter/trace"
_FREQUENCY = re.compile(r"(\d+\.\d+): cpu_frequency: state=(\d+) cpu_id=(\d+)")
_SWITCH = re.compile(r"\[(\d+)\] \S+ +(\d+\.\d+): sched_switch: prev_comm=.* ==> next_comm=(.*) next_pid=(\d+)")
_IDLE_THREAD = "0"
_WINDOW_NS = 10_000_000


class Run(NamedTuple):
    """A CPU's time on a thread, ns."""

    begin: int
    end: int
    cpu: int
    comm: str


def read(phone: Phone) -> str:
    """Of the last measured run."""
    return phone.get(_TRACE, timeout=120).decode()


def frequencies(trace: str, layout: Layout) -> list[tuple[int, int, int]]:
    """Changes of frequency: (ns, cluster, kHz)."""
    first = {layout.first_cpu(index): index for index in range(len(layout.clusters))}
    return [
        (round(float(at) * 1e9), first[int(cpu)], int(khz))
        for at, khz, cpu in _FREQUENCY.findall(trace) if int(cpu) in first
    ]  # fmt: skip


def runs(trace: str) -> list[Run]:
    """Of all threads but the CPUs' idle ones, by end."""
    found = []
    now: dict[str, tuple[int, str, str]] = {}  # by CPU: since when, who
    for cpu, at, comm, pid in _SWITCH.findall(trace):
        ns = round(float(at) * 1e9)
        since, before, before_pid = now.get(cpu, (ns, "", _IDLE_THREAD))
        if before_pid != _IDLE_THREAD:
            found.append(Run(since, ns, int(cpu), before))
        now[cpu] = (ns, comm, pid)
    return found


def ran_on(thread: list[Run], begin: int, end: int, unknown: int) -> int:
    """The CPU that the thread was on for most of the time in between."""
    on: collections.Counter[int] = collections.Counter()
    for run in thread[bisect.bisect_right(thread, begin, key=lambda run: run.end) :]:
        if run.begin >= end:
            break
        on[run.cpu] += min(run.end, end) - max(run.begin, begin)
    return on.most_common(1)[0][0] if on else unknown


def relative(cluster: Cluster, big: Cluster) -> float:
    """Work per MHz, of what the big cluster does."""
    return cluster.capacity / cluster.top.mhz / (big.capacity / big.top.mhz)


class Speeds:
    """How fast each cluster was, in reference cycles per ns, over time."""

    def __init__(self, changes: list[tuple[int, int, int]], layout: Layout):
        big = layout.clusters[-1]
        self._cluster = {cpu: index for index in range(len(layout.clusters)) for cpu in layout.cpus(index)}
        self._at: list[list[int]] = [[] for _ in layout.clusters]
        self._speed: list[list[float]] = [[] for _ in layout.clusters]
        for at, index, khz in changes:
            self._at[index].append(at)
            self._speed[index].append(khz * 1e-6 * relative(layout.clusters[index], big))

    def ran(self, thread: list[Run], begin: int, end: int) -> tuple[float, int]:
        """What a thread did in between: reference cycles, and ns on a CPU whose speed is known."""
        cycles, busy = 0.0, 0
        for run in thread[bisect.bisect_right(thread, begin, key=lambda run: run.end) :]:
            if run.begin >= end:
                break
            since, until = max(run.begin, begin), min(run.end, end)
            if (made := self.cycles(run.cpu, since, until)) is not None:
                cycles += made
                busy += until - since
        return cycles, busy

    def cycles(self, cpu: int, begin: int, end: int) -> float | None:
        """Reference cycles of a CPU that is busy in between; None where the speed is not known."""
        at, speed = self._at[self._cluster[cpu]], self._speed[self._cluster[cpu]]
        index = bisect.bisect_right(at, begin) - 1
        if index < 0:
            return None
        edges = [begin, *at[index + 1 : bisect.bisect_left(at, end)], end]
        return sum((until - since) * each for since, until, each in zip(edges, edges[1:], speed[index:]))

    def load(self, ran: list[Run]) -> list[tuple[int, int, float, float]]:
        """What `ran`, by window and cluster: (ns, cluster, reference cycles per s, those of the cluster's busiest CPU)."""
        if not ran:
            return []
        origin = min(run.begin for run in ran)
        cycles: collections.Counter[tuple[int, int]] = collections.Counter()
        for run in ran:
            begin = run.begin
            while begin < run.end:
                window = (begin - origin) // _WINDOW_NS
                end = min(run.end, origin + (window + 1) * _WINDOW_NS)
                cycles[window, run.cpu] += self.cycles(run.cpu, begin, end) or 0
                begin = end
        per_s = 1e9 / _WINDOW_NS
        loads = []
        for window in range(max(window for window, _ in cycles) + 1):
            for cluster in range(len(self._at)):
                each = [cycles[window, cpu] * per_s for cpu, index in self._cluster.items() if index == cluster]
                loads.append((origin + window * _WINDOW_NS, cluster, sum(each), max(each)))
        return loads
