# SPDX-License-Identifier: Apache-2.0
"""What a scene was in the phone, in the simulator's formats: as `framegov record` saw it, and as the app
itself knows it, a workload CSV (docs/workload-csv.md) with the frequencies that the kernel traced."""

from __future__ import annotations

import bisect
import json
import re
import statistics

from demolib import app, frames
from demolib.modes import EVENTS
from phonelib import Phone, PhoneError, Process
from phonelib.meter import ClusterUse

_TRACE = "/sys/kernel/tracing/instances/meter/trace"
_FREQUENCY = re.compile(r"(\d+\.\d+): cpu_frequency: state=(\d+) cpu_id=(\d+)")
_COLUMNS = ("vsync_ns", "deadline_ns", "interval_ns", "ui_work", "render_work", "start_ns", "ui_done_ns", "ready_ns")


class Recording:
    """`framegov record` while a scene plays. As a mode's `probes` it is also what makes runs without
    framegovd comparable with those under it: the app pays for the same probes."""

    _OUT = "/tmp/recording.pftrace"
    _CONFIG = "/tmp/recording.yaml"
    _PATIENCE_S = 30

    def __init__(self, phone: Phone):
        self._phone = phone
        self._process: Process | None = None
        app.install_tool(phone)
        libraries = {"hwui_libraries": ["/app/libhwui.so"], "gui_libraries": ["/app/libgui.so"]}
        # JSON is YAML.
        phone.put(json.dumps({"service": libraries}).encode(), self._CONFIG)

    def start(self) -> None:
        self._phone.run(f"rm -f {self._OUT}").check()
        self._process = self._phone.start(f"exec framegov record {self._OUT} --config {self._CONFIG} 2>&1")
        # It tells its progress once it records.
        if next(self._process.lines(self._PATIENCE_S), None) is None:
            raise PhoneError("framegov record says nothing")

    def stop(self) -> None:
        self._process.stop().check()

    def bytes(self) -> bytes:
        """Of the last run; after stop()."""
        return self._phone.get(self._OUT)


def frequencies(phone: Phone) -> list[tuple[int, int, int]]:
    """Changes of frequency in the last measured run: (ns, cluster, kHz)."""
    first = {phone.layout.first_cpu(index): index for index in range(len(phone.layout.clusters))}
    text = phone.get(_TRACE, timeout=120).decode()
    return [
        (round(float(at) * 1e9), first[int(cpu)], int(khz))
        for at, khz, cpu in _FREQUENCY.findall(text) if int(cpu) in first
    ]  # fmt: skip


def frame_cluster(uses: list[ClusterUse]) -> int:
    """The cluster that ran most of the app: its cpuset leaves the little one out."""
    candidates = range(1 if len(uses) > 1 else 0, len(uses))
    return max(candidates, key=lambda index: sum(uses[index].busy_s.values()))


class _Speed:
    """How fast a cluster was, in reference cycles per ns, over time."""

    def __init__(self, changes: list[tuple[int, int, int]], cluster: int, relative: float):
        mine = [(at, khz * 1e-6 * relative) for at, index, khz in changes if index == cluster]
        self._at = [at for at, _ in mine]
        self._speed = [speed for _, speed in mine]

    def cycles(self, begin: int, end: int) -> float | None:
        """Reference cycles of a CPU that is busy in between; None where the speed is not known."""
        index = bisect.bisect_right(self._at, begin) - 1
        if index < 0:
            return None
        edges = [begin, *(at for at in self._at[index + 1 :] if at < end), end]
        return sum((until - at) * speed for at, until, speed in zip(edges, edges[1:], self._speed[index:]))


def _beyond_work(rows: list[dict[str, int]], speed: _Speed) -> tuple[int, int]:
    """What a frame's two stages do beyond their work, in reference cycles: medians. Most of it is probes and
    system calls, which are dear under emulation and keep the CPU busy as the kernel's governor sees it."""
    ui, render, free = [], [], 0
    for row in rows:
        drawn = max(row["ui_done_ns"], free) + row["blocked_ns"]
        for stage, begin, end, work in (
            (ui, row["start_ns"], row["ui_done_ns"], row["ui_work"]), (render, drawn, row["ready_ns"], row["render_work"])
        ):  # fmt: skip
            if (done := speed.cycles(begin, end)) is not None:
                stage.append(done - work)
        free = row["ready_ns"]
    return tuple(max(0, round(statistics.median(each))) if each else 0 for each in (ui, render))


def workload(phone: Phone, uses: list[ClusterUse]) -> str:
    """The last played scene as the app knows it, on the cluster that ran most of it."""
    layout = phone.layout
    big = layout.clusters[-1]
    relative = [each.capacity / each.top.mhz / (big.capacity / big.top.mhz) for each in layout.clusters]
    lines = [
        "# framegov workload 1",
        f"# device = virtual phone, layout {layout.name}",
        f"# reference = emulated, {big.top.khz}, 0",
    ]
    for index, each in enumerate(layout.clusters):
        mask = sum(1 << cpu for cpu in layout.cpus(index))
        lines.append(f"# cluster = {layout.first_cpu(index)}, {mask}, {each.top.khz}, {relative[index]:.6f}")
    changes = frequencies(phone)
    cluster = frame_cluster(uses)
    cpu = layout.first_cpu(cluster)
    rows = frames.rows(phone.get(app.RECORD).decode())
    ui, render = _beyond_work(rows, _Speed(changes, cluster, relative[cluster]))
    lines.append(",".join((*_COLUMNS, "ui_cpu", "render_cpu")))
    for row in rows:
        row["ui_work"] += ui
        row["render_work"] += render
        lines.append(",".join(str(value) for value in (*(row[column] for column in _COLUMNS), cpu, cpu)))
    lines += ["[touches]", "down_ns,up_ns"]
    for line in phone.get(EVENTS).decode().splitlines():
        at, kind = line.split(",")
        if kind == "touch":
            lines.append(f"{at},{at}")
    lines += ["[frequencies]", "at_ns,cluster,khz"]
    lines += [f"{at},{index},{khz}" for at, index, khz in changes]
    return "\n".join(lines) + "\n"
