#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the statistics that the generator's constants come from (synthetic.h states them).

    sim/workload/fit_generator.py FRAMEGOV DATA_DIR [SYNTHETIC...]

FRAMEGOV is the program: its importer finds the frames. DATA_DIR holds workloads/wipe-v2/*.json and
traces/*.zip, systrace pages. Behind the recordings stand generated scenes, such as
synthetic:scroll@60:600s, in the same columns: as a run at full speed records them.
"""
import math
import statistics
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

NOMINAL = 26000  # CoreMark iterations a second of a phone's big core of 2021 (kNominalCoremark)
LEAST_FRAMES = 40
STILL = 3  # refreshes without a frame are a pause


def quantile(values, q):
    ordered = sorted(values)
    return ordered[max(1, math.ceil(q * len(ordered))) - 1]


def correlation(xs, ys):
    mx, my = statistics.fmean(xs), statistics.fmean(ys)
    above = sum((x - mx) * (y - my) for x, y in zip(xs, ys))
    return above / math.sqrt(sum((x - mx) ** 2 for x in xs) * sum((y - my) ** 2 for y in ys))


class Frame:
    def __init__(self, row, per_mhz):
        self.vsync = int(row["vsync_ns"]) / 1e6
        self.interval = int(row["interval_ns"]) / 1e6
        to_ms = per_mhz / 1e6 / NOMINAL * 1e3  # reference cycles to ms on the nominal core
        self.ui, self.render = float(row["ui_work"]) * to_ms, float(row["render_work"]) * to_ms
        self.work = self.ui + self.render
        self.ui_fixed, self.render_fixed = int(row["ui_fixed_ns"]) / 1e6, int(row["render_fixed_ns"]) / 1e6


def others(sections, clusters):
    """Mean of the busiest other CPU of the slowest cluster, as a part of what that can do."""
    if "other" not in sections or not clusters:
        return None
    slowest = min(range(len(clusters)), key=lambda c: clusters[c])
    rows = [line.split(",") for line in sections["other"][1:]]
    loads = [float(row[3]) for row in rows if int(row[1]) == slowest]
    return statistics.fmean(loads) / clusters[slowest] if any(loads) else None  # wipe-v2 tells big cores' alone


def read(program, path):
    """The frames of each app that has enough of them, and what ran beside."""
    done = subprocess.run([program, "import", "--workload", "-", str(path)], capture_output=True, text=True, check=True)
    head, *parts = done.stdout.split("\n[")
    settings = [line[2:].split(" = ", 1) for line in head.splitlines() if " = " in line]
    per_mhz = float(dict(settings)["reference"].split(",")[-1])
    # cluster = policy, CPUs, top kHz, worth of a cycle
    clusters = [float(v.split(",")[2]) * 1e3 * float(v.split(",")[3]) for k, v in settings if k == "cluster"]
    sections = {part.split("]")[0]: part.split("]\n")[1].splitlines() for part in parts}
    names = sections["frames"][0].split(",")
    apps = {}
    for line in sections["frames"][1:]:
        row = dict(zip(names, line.split(",")))
        apps.setdefault(row["app"], []).append(Frame(row, per_mhz))
    enough = {app: frames for app, frames in apps.items() if len(frames) >= LEAST_FRAMES}
    return enough, others(sections, clusters)


def read_generated(program, text, folder):
    trace = Path(folder) / "generated.perfetto-trace"
    subprocess.run([program, "sim", text, "--device", "tensor_g1", "--policy", "performance", "--world", "ideal",
                    "--no-bounds", "--perfetto", str(trace)], capture_output=True, check=True)
    return read(program, trace)


def bursts(frames):
    """Lists of frames between pauses."""
    found = [[frames[0]]]
    for before, frame in zip(frames, frames[1:]):
        if frame.vsync - before.vsync > (STILL + 0.5) * frame.interval:
            found.append([])
        found[-1].append(frame)
    return found


def describe(frames, beside):
    works = [f.work for f in frames if f.work > 0]
    logs = [math.log(w) for w in works]
    found = bursts(frames)
    interval = statistics.median(f.interval for f in frames)
    pairs = [(math.log(a.work), math.log(b.work)) for b in found for a, b in zip(b, b[1:]) if min(a.work, b.work) > 0]
    lengths = [(b[-1].vsync - b[0].vsync + interval) / 1e3 for b in found]
    pauses = [(b[0].vsync - a[-1].vsync - interval) / 1e3 for a, b in zip(found, found[1:])]
    median = statistics.median(works)
    top = quantile(works, 1)
    cut = sum(w >= top * 0.9999 for w in works)
    row = {
        "Hz": 1e3 / interval,
        "frames": len(frames),
        "ms": median,
        "load": median / interval,
        # From the quartiles and more: of a cut-off or heavy tail the deviation says nothing.
        "log dev": (quantile(logs, 0.84) - quantile(logs, 0.16)) / 2,
        "lag 1": correlation(*zip(*pairs)),
        "p99/p50": quantile(works, 0.99) / median,
        "cut %": 100 * cut / len(works) if cut >= 5 else 0,
        "first": statistics.median([b[0].work for b in found]) / median,
        "burst s": statistics.fmean(lengths),
        "pause s": statistics.fmean(pauses) if pauses else 0,
        "in burst": sum(len(b) for b in found) * interval / sum(length * 1e3 for length in lengths),
    }
    if beside is not None:
        row["others"] = beside
    two = [f for f in frames if f.ui > 0 and f.render > 0]
    if two:
        shares = [f.ui / f.work for f in two]
        row["UI share"] = statistics.fmean(shares)
        row["its dev"] = statistics.pstdev(shares)
        row["UI wait"] = statistics.median(f.ui_fixed for f in two)
        row["RT wait"] = statistics.median(f.render_fixed for f in two)
    return row


COLUMNS = ["Hz", "frames", "ms", "load", "log dev", "lag 1", "p99/p50", "cut %", "first", "burst s", "pause s",
           "in burst", "UI share", "its dev", "UI wait", "RT wait", "others"]


def print_row(name, row):
    cells = [f"{row[c]:8.0f}" if c in ("Hz", "frames") else f"{row[c]:8.2f}" if c in row else f"{'':8}" for c in COLUMNS]
    print(f"{name[:28]:28}" + "".join(cells))


def print_median(name, rows):
    print_row(name, {c: statistics.median(r[c] for r in rows if c in r) for c in COLUMNS if any(c in r for r in rows)})


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    program, data, generated = sys.argv[1], Path(sys.argv[2]), sys.argv[3:]
    print(f"{'':28}" + "".join(f"{c:>8}" for c in COLUMNS))
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        paths = sorted((data / "workloads" / "wipe-v2").glob("*.json"))
        for archive in sorted((data / "traces").glob("*.zip")):
            with zipfile.ZipFile(archive) as opened:
                paths += [Path(opened.extract(name, folder)) for name in opened.namelist()]
        for path in paths:
            apps, beside = read(program, path)
            for app, frames in apps.items():
                rows.append(describe(frames, beside))
                print_row(path.stem if path.suffix == ".json" else app, rows[-1])
        for rate in sorted({round(r["Hz"] / 30) * 30 for r in rows}):
            print_median(f"median at {rate} Hz", [r for r in rows if round(r["Hz"] / 30) * 30 == rate])
        print_median("median", rows)
        for text in generated:
            apps, beside = read_generated(program, text, folder)
            print_row(text, describe(next(iter(apps.values())), beside))


if __name__ == "__main__":
    main()
