# SPDX-License-Identifier: Apache-2.0
"""What a scene was in the phone, as a workload CSV (docs/workload-csv.md): frames with their work and
their recorded times, the frequencies that the kernel traced, touches."""

from __future__ import annotations

import csv
import io
import re

from phonelib import Phone
from phonelib.meter import ClusterUse

_TRACE = "/sys/kernel/tracing/instances/meter/trace"
_FREQUENCY = re.compile(r"(\d+\.\d+): cpu_frequency: state=(\d+) cpu_id=(\d+)")
_COLUMNS = ("vsync_ns", "deadline_ns", "interval_ns", "ui_work", "render_work", "start_ns", "ui_done_ns", "ready_ns")


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


def workload(phone: Phone, frames_csv: str, events: str, changes: list[tuple[int, int, int]], cluster: int) -> str:
    layout = phone.layout
    big = layout.clusters[-1]
    lines = [
        "# framegov workload 1",
        f"# device = virtual phone, layout {layout.name}",
        f"# reference = emulated, {big.top.khz}, 0",
    ]
    for index, each in enumerate(layout.clusters):
        mask = sum(1 << cpu for cpu in layout.cpus(index))
        relative = each.capacity / each.top.mhz / (big.capacity / big.top.mhz)
        lines.append(f"# cluster = {layout.first_cpu(index)}, {mask}, {each.top.khz}, {relative:.6f}")
    cpu = layout.first_cpu(cluster)
    lines.append(",".join((*_COLUMNS, "ui_cpu", "render_cpu")))
    for row in csv.DictReader(io.StringIO(frames_csv)):
        lines.append(",".join([*(row[column] for column in _COLUMNS), str(cpu), str(cpu)]))
    lines += ["[touches]", "down_ns,up_ns"]
    for line in events.splitlines():
        at, kind = line.split(",")
        if kind == "touch":
            lines.append(f"{at},{at}")
    lines += ["[frequencies]", "at_ns,cluster,khz"]
    lines += [f"{at},{index},{khz}" for at, index, khz in changes]
    return "\n".join(lines) + "\n"
