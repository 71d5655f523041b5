# SPDX-License-Identifier: Apache-2.0
"""What a scene was in the phone, in the simulator's formats: as `framegov record` saw it, and as the app
itself knows it, a workload CSV (docs/workload-csv.md) with the frequencies that the kernel traced."""

from __future__ import annotations

import collections
import dataclasses
import itertools
import json
import statistics
from typing import NamedTuple

from demolib import app, frames
from demolib.modes import EVENTS
from phonelib import Layout, Phone, PhoneError, Process

from .trace import Run, Speeds, frequencies, ran_on, read, relative, runs

_THREADS = ("demo-app", "RenderThread")  # the UI thread's name, RenderThread's
_COLUMNS = (
    "vsync_ns", "deadline_ns", "deadline_edge", "interval_ns", "ui_work", "ui_fixed_ns", "render_work", "render_fixed_ns",
    "start_ns", "ui_done_ns", "ready_ns", "ui_cpu", "render_cpu", "pace_ns",
)  # fmt: skip
_VSYNC_INTERVAL, _TARGET_RATE = 2, 3  # docs/workload-csv.md
_PAUSE_NS = 100_000_000
_ANSWERED_NS = 20_000_000


class Recording:
    """`framegov record` while a scene plays. As a mode's `probes` it is also what makes runs without
    framegovd comparable with those under it: the app pays for the same probes."""

    _OUT = "/tmp/recording.pftrace"
    _CONFIG = "/data/local/tmp/recording.yaml"
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


def frame_cluster(threads: list[list[Run]], layout: Layout) -> int:
    """The cluster that ran most of the app, but for the little one: all else in the phone runs there, and raises its
    frequency before whoever governs does."""
    time: collections.Counter[int] = collections.Counter()
    for run in itertools.chain(*threads):
        time[run.cpu] += run.end - run.begin
    candidates = range(1 if len(layout.clusters) > 1 else 0, len(layout.clusters))
    return max(candidates, key=lambda index: sum(time[cpu] for cpu in layout.cpus(index)))


def rows(phone: Phone) -> list[dict[str, int]]:
    """The app's record of the last played scene, frame by frame. A game that waits for buffers begins a frame as soon as
    the one before is queued: its frame counts from the vsync that freed its buffer."""
    made = frames.rows(phone.get(app.RECORD).decode())
    for row in made:
        row["deadline_edge"], row["pace_ns"] = _VSYNC_INTERVAL, 0
        if row["ui_done_ns"] == 0:
            row["deadline_edge"], row["pace_ns"] = _TARGET_RATE, row["interval_ns"]
            drawn = row["start_ns"] + row["blocked_ns"]
            vsync = drawn - (drawn - row["deadline_ns"]) % row["interval_ns"]
            row.update(vsync_ns=vsync, start_ns=drawn, ui_done_ns=drawn, awake_ns=drawn, taken_ns=drawn, blocked_ns=0)
    return made


@dataclasses.dataclass(frozen=True)
class OwnFrames(frames.Frames):
    """What the frames took without waiting for buffers. `missed` leaves out those that are `stuffed`."""

    stuffed: int


def frames_of(phone: Phone) -> OwnFrames:
    made = rows(phone)
    full = stuffed(made)
    return OwnFrames({row["vsync_ns"]: (row["ready_ns"] - row["vsync_ns"] - row["blocked_ns"]) / 1e6 for row in made},
                     sum(row["ready_ns"] > row["deadline_ns"] for row in made) - sum(full), sum(full))  # fmt: skip


def stuffed(made: list[dict[str, int]]) -> list[bool]:
    """Of each frame, whether it is late for a full queue alone: the buffer before was shown when it was due, or after, and
    it was ready for the next vsync. FrameTimeline and the simulator (sim/plant/pipeline_frame.h) tell it so, too."""
    told, latch = [], 0
    for row in made:
        before, interval, ready = latch, row["interval_ns"], row["ready_ns"]
        next_vsync = ready + interval - (ready - row["vsync_ns"]) % interval
        latch = max(next_vsync, before + interval)
        told.append(ready > row["deadline_ns"] and row["deadline_ns"] <= before and ready < before + interval)
    return told


def add_what_is_beyond_work(made: list[dict[str, int]], speeds: Speeds, ran: list[list[Run]], usual_cpu: int) -> None:
    """A frame's threads do more than its work: probes and system calls, which are dear under emulation and keep
    the CPUs busy as the kernel's governor sees it. It belongs to the frame as its work does, and is added to that in
    reference cycles. What of a stage its thread did not run, waiting for something else or for this machine, is its
    fixed time.

    The UI thread's stage lasts until RenderThread has taken the frame, but for what it waited while RenderThread was at
    the frame before. What the threads mostly do outside of that (RenderThread when the frame is done, the UI thread
    while it wakes up) is part of the stages too, as far as these can begin earlier. Each stage ran where its thread was
    most of the time."""
    if not made:
        return
    spans, late, free, released = [], [], 0, 0
    for row in made:
        late.append(row["awake_ns"] - max(row["vsync_ns"], released))
        waited = max(0, free - row["ui_done_ns"]) + row["blocked_ns"]
        begin = max(row["awake_ns"], row["vsync_ns"])
        ui = (begin, max(begin, row["taken_ns"] - waited)) if row["ui_work"] else (begin, begin)
        spans.append((ui, (row["taken_ns"], row["ready_ns"])))
        free, released = row["ready_ns"], row["taken_ns"]
    # A game draws on its main thread.
    stages = [
        (
            Stage("ui", *ui, *speeds.ran(ran[0], *ui)),
            Stage("render", *render, *speeds.ran(ran[1] if row["ui_work"] else ran[0], *render)),
        )
        for row, (ui, render) in zip(made, spans)
    ]
    outside = [
        max(0, statistics.median(row[f"{stage.part}_cpu_ns"] - stage.busy for row, stage in zip(made, each)))
        for each in zip(*stages)
    ]
    usual = max(0, statistics.median(late))
    fits = min(1, usual / sum(outside)) if sum(outside) > 0 else 0
    for row, both in zip(made, stages):
        for thread, stage, more in zip(ran if row["ui_work"] else [ran[0]] * 2, both, outside):
            part = stage.part
            row[f"{part}_cpu"] = ran_on(thread, stage.begin, stage.end, usual_cpu)
            row[f"{part}_fixed_ns"] = stage.end - stage.begin - stage.busy if stage.busy else 0
            if stage.busy:
                row[f"{part}_work"] = max(row[f"{part}_work"], round(stage.cycles * (1 + fits * more / stage.busy)))
        row["start_ns"] = max(row["vsync_ns"], round(row["awake_ns"] - fits * sum(outside)))


class Stage(NamedTuple):
    """A thread's part of a frame: what it took, how much of that it ran, and the reference cycles of that."""

    part: str
    begin: int
    end: int
    cycles: float
    busy: int


@dataclasses.dataclass
class Workload:
    """One played scene as the app knows it."""

    head: list[str]
    cluster: int  # that ran most of it
    top_khz: int
    rows: list[dict[str, int]]
    scene: list[tuple[int, int]]  # for each row its frame's own work, which is the same in all runs of a scene
    touches: list[int] | None  # None: they were told to someone else
    changes: list[tuple[int, int, int]]
    others: list[tuple[int, int, float, float]]  # what else ran: at ns, cluster, reference cycles per s, of the busiest CPU

    def completed(self, other: Workload) -> Workload:
        """With the frames that were dropped here and made in another run of the same scene, and its touches."""
        mine = dict(zip(self.scene, self.rows))
        apart = [mine[works]["vsync_ns"] - row["vsync_ns"] for works, row in zip(other.scene, other.rows) if works in mine]
        if not apart:
            return self
        shift = round(statistics.median(apart))
        added = [(works, _shifted(row, shift)) for works, row in zip(other.scene, other.rows) if works not in mine]
        every = sorted([*zip(self.scene, self.rows), *added], key=lambda pair: pair[1]["vsync_ns"])
        touches = self.touches if self.touches is not None else [at + shift for at in other.touches or []]
        return dataclasses.replace(self, scene=[works for works, _ in every], rows=[row for _, row in every], touches=touches)

    def answer_us(self) -> int | None:
        """From the start of a burst's first frame until whoever governs had raised the frequency: the median. What takes
        a fraction of a millisecond on a phone takes several under emulation. None without bursts."""
        took = []
        for before, row in zip(self.rows, self.rows[1:]):
            if row["vsync_ns"] - before["vsync_ns"] > _PAUSE_NS:
                raised = (at - row["start_ns"] for at, index, khz in self.changes
                          if index == self.cluster and at > row["start_ns"] and khz >= self.top_khz / 2)  # fmt: skip
                took.append(next(raised, None))
        took = [ns for ns in took if ns is not None and ns < _ANSWERED_NS]
        return round(statistics.median(took) / 1e3) if took else None

    def csv(self) -> str:
        lines = [*self.head, ",".join(_COLUMNS)]
        lines += [",".join(str(row[name]) for name in _COLUMNS) for row in self.rows]
        lines += ["[touches]", "down_ns,up_ns", *(f"{at},{at}" for at in self.touches or [])]
        lines += ["[other]", "at_ns,cluster,total_per_s,busiest_per_s"]
        lines += [f"{at},{index},{total:.0f},{busiest:.0f}" for at, index, total, busiest in self.others]
        lines += ["[frequencies]", "at_ns,cluster,khz", *(f"{at},{index},{khz}" for at, index, khz in self.changes)]
        return "\n".join(lines) + "\n"


def _shifted(row: dict[str, int], ns: int) -> dict[str, int]:
    """What another run did is not what was recorded here: only the display's own times stay."""
    moved = {name: row[name] + ns for name in ("vsync_ns", "deadline_ns")}
    return {**row, **moved, "start_ns": 0, "ui_done_ns": 0, "ready_ns": 0}


def workload(phone: Phone, knows_touches: bool = True) -> Workload:
    """The last played scene. Touches are known where the app wrote them to a file."""
    layout = phone.layout
    big = layout.clusters[-1]
    head = [
        "# framegov workload 1",
        f"# device = virtual phone, layout {layout.name}",
        f"# reference = emulated, {big.top.khz}, 0",
    ]
    for index, each in enumerate(layout.clusters):
        mask = sum(1 << cpu for cpu in layout.cpus(index))
        head.append(f"# cluster = {layout.first_cpu(index)}, {mask}, {each.top.khz}, {relative(each, big):.6f}")
    trace = read(phone)
    changes = frequencies(trace, layout)
    speeds = Speeds(changes, layout)
    ran = runs(trace)
    made = rows(phone)
    scene = [(row["ui_work"], row["render_work"]) for row in made]
    threads = [[run for run in ran if run.comm == name] for name in _THREADS]
    cluster = frame_cluster(threads, layout)
    add_what_is_beyond_work(made, speeds, threads, layout.first_cpu(cluster))
    others = speeds.load([run for run in ran if run.comm not in _THREADS])
    touches = None
    if knows_touches:
        events = [line.split(",") for line in phone.get(EVENTS).decode().splitlines()]
        touches = [int(at) for at, kind in events if kind == "touch"]
    return Workload(head, cluster, layout.clusters[cluster].top.khz, made, scene, touches, changes, others)
