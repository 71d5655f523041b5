# SPDX-License-Identifier: Apache-2.0
"""Measures what the phone's clusters did over a span of time, from the kernel's own trace events.

sched_switch tells when each CPU began and ended to run a thread, cpu_frequency at which operating
point, cpu_frequency_limits which cap and floor held, so busy time by operating point is exact:
nothing is sampled, and nothing runs in the phone while it is measured. cpu_idle would tell the same,
but in one boot of the emulated phone out of three it has CPUs fall idle and never wake.
docs/virtual-phone.md says what the energy estimate made of it means and what it leaves out.
"""

from __future__ import annotations

import collections
import dataclasses
import re

from .errors import PhoneError
from .layouts import Cluster, Layout
from .phone import Phone

_INSTANCE = "/sys/kernel/tracing/instances/meter"
_EVENTS = ("sched/sched_switch", "power/cpu_frequency", "power/cpu_frequency_limits")
_LINE = re.compile(r"\[(\d+)\] \S+ +(\d+\.\d+): (\w+): (.*)")
_FIELD = re.compile(r"(\w+)=(\d+)")
_WRITTEN = re.compile(r"entries-in-buffer/entries-written: (\d+)/(\d+)")
_IDLE_THREAD = 0


@dataclasses.dataclass
class PolicyState:
    """A cluster's frequency, cap and floor at a moment, kHz."""

    khz: int
    cap: int
    floor: int


@dataclasses.dataclass
class ClusterUse:
    """What one cluster did. Means are over time; busy_s counts each CPU."""

    cluster: Cluster
    seconds: float = 0.0
    busy_s: dict[int, float] = dataclasses.field(default_factory=lambda: collections.defaultdict(float))
    frequency_s: dict[int, float] = dataclasses.field(default_factory=lambda: collections.defaultdict(float))
    cap_s: dict[int, float] = dataclasses.field(default_factory=lambda: collections.defaultdict(float))
    floor_s: dict[int, float] = dataclasses.field(default_factory=lambda: collections.defaultdict(float))

    @property
    def busy_share(self) -> float:
        """Of all its CPUs' time."""
        return sum(self.busy_s.values()) / (self.seconds * self.cluster.cpus)

    @property
    def energy_mj(self) -> float:
        """Busy time at each operating point times its power, and the rest of the time idle."""
        busy = sum(seconds * self.cluster.busy_mw(khz) for khz, seconds in self.busy_s.items())
        idle_s = self.seconds * self.cluster.cpus - sum(self.busy_s.values())
        return busy + idle_s * self.cluster.idle_mw

    @property
    def mean_mhz(self) -> float:
        return self._mean(self.frequency_s)

    @property
    def mean_cap_mhz(self) -> float:
        return self._mean(self.cap_s)

    @property
    def mean_floor_mhz(self) -> float:
        return self._mean(self.floor_s)

    def _mean(self, seconds_at: dict[int, float]) -> float:
        return sum(khz * seconds for khz, seconds in seconds_at.items()) / self.seconds / 1e3


class Meter:
    """start(), let the phone work, stop(). One at a time in a phone."""

    def __init__(self, phone: Phone, buffer_kib: int = 8192):
        self._phone = phone
        self._before: dict[int, PolicyState] = {}
        enable = "\n".join(f"echo 1 > events/{event}/enable" for event in _EVENTS)
        phone.run(
            f"mkdir -p {_INSTANCE} && cd {_INSTANCE} && echo 0 > tracing_on && echo mono > trace_clock && "
            f"echo {buffer_kib} > buffer_size_kb\n{enable}"
        ).check()

    def start(self) -> None:
        phone = self._phone
        for index, first in enumerate(phone.layout.policies):
            nodes = ("scaling_cur_freq", "scaling_max_freq", "scaling_min_freq")
            values = [int(phone.read(phone.policy(index, node))) for node in nodes]
            self._before[first] = PolicyState(*values)
        phone.run(f"cd {_INSTANCE} && echo > trace && echo 1 > tracing_on && echo begin > trace_marker").check()

    def stop(self) -> list[ClusterUse]:
        """One entry for each cluster, for the time since start()."""
        self._phone.run(f"cd {_INSTANCE} && echo end > trace_marker && echo 0 > tracing_on").check()
        text = self._phone.get(f"{_INSTANCE}/trace", timeout=120).decode()
        return account(text, self._phone.layout, self._before)


def account(trace: str, layout: Layout, before: dict[int, PolicyState]) -> list[ClusterUse]:
    """Adds up a trace. `before` is each policy's state at its beginning, by the policy's number."""
    counts = _WRITTEN.search(trace)
    if not counts or counts[1] != counts[2]:
        raise PhoneError("the phone's trace buffer was too small: events were lost")
    events = [event for line in trace.splitlines() if (event := _parse(line))]
    begin, end = (next((time for time, name, _ in events if name == mark), None) for mark in ("begin", "end"))
    if begin is None or end is None:
        raise PhoneError("the phone's trace has no beginning or no end")
    uses = []
    for index, cluster in enumerate(layout.clusters):
        use = ClusterUse(cluster, end - begin)
        state = before[layout.first_cpu(index)]
        _Accountant(use, layout.cpus(index), dataclasses.replace(state), begin).run(events, end)
        uses.append(use)
    return uses


def _parse(line: str) -> tuple[float, str, dict[str, int]] | None:
    match = _LINE.search(line)
    if not match:
        return None
    time, name, rest = float(match[2]), match[3], match[4]
    if name == "tracing_mark_write":
        return time, rest.strip(), {}
    fields = {key: int(value) for key, value in _FIELD.findall(rest)}
    return time, name, fields if "cpu_id" in fields else {**fields, "cpu_id": int(match[1])}


class _Accountant:
    """Walks the events of one cluster and books the time between them."""

    def __init__(self, use: ClusterUse, cpus: range, state: PolicyState, begin: float):
        self._use = use
        self._cpus = cpus
        self._state = state
        self._now = begin
        # A CPU whose first switch is from its idle thread was idle before; the rest were not.
        self._idle: dict[int, bool] = {}

    def run(self, events: list[tuple[float, str, dict[str, int]]], end: float) -> None:
        mine = [event for event in events if event[2].get("cpu_id") in self._cpus]
        for cpu in self._cpus:
            first = next((fields for _, name, fields in mine if name == "sched_switch" and fields["cpu_id"] == cpu), None)
            # Without any event it slept all the time.
            self._idle[cpu] = first is None or first["prev_pid"] == _IDLE_THREAD
        for time, name, fields in mine:
            if time >= end:
                break
            self._book(time)
            if name == "sched_switch":
                self._idle[fields["cpu_id"]] = fields["next_pid"] == _IDLE_THREAD
            elif name == "cpu_frequency":
                self._state.khz = fields["state"]
            elif name == "cpu_frequency_limits":
                self._state.cap, self._state.floor = fields["max"], fields["min"]
        self._book(end)

    def _book(self, time: float) -> None:
        # Events before the beginning only set the state.
        seconds = max(0.0, time - self._now)
        self._now = max(self._now, time)
        use, state = self._use, self._state
        use.busy_s[state.khz] += seconds * sum(not idle for idle in self._idle.values())
        use.frequency_s[state.khz] += seconds
        use.cap_s[state.cap] += seconds
        use.floor_s[state.floor] += seconds
