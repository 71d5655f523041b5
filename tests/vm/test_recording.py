#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A recording made in the phone by `framegov record`, replayed and validated here by `framegov sim --validate`."""

from __future__ import annotations

import difflib
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from demolib import app
from demolib.modes import Plain
from demolib.play import Player
from demolib.scenes import Scene
from looplib import device, recording, trace
from phonelib import Cluster, Layout, Opp
from phonelib.testing import PhoneTestCase, main

FRAMEGOV = os.environ.get("FRAMEGOV", "framegov")


def frame(vsync: int, **times: int) -> dict[str, int]:
    """At 1 GHz, in us after the vsync: awake at 500, its work done from 1000 to 3000, taken at 4000, ready at 9000."""
    made = {"start": 1000, "ui_done": 3000, "taken": 4000, "ready": 9000, "awake": 500, "deadline": 10000, **times}
    row = {f"{name}_ns": vsync + 1000 * us for name, us in made.items()}
    return {"vsync_ns": vsync, "interval_ns": 10_000_000, "ui_work": 2_000_000, "render_work": 4_000_000, "blocked_ns": 0,
            "ui_cpu_ns": 3_500_000, "render_cpu_ns": 5_000_000, **row}  # fmt: skip


class AFullQueue(unittest.TestCase):
    def test_frames_behind_one_that_is_two_vsyncs_late_are_stuffed(self):
        # The third is shown at 60 ms, where the fifth was due; each further one has to wait for the vsync that it was due at.
        made = [frame(10_000_000 * (i + 1)) for i in range(3)]
        made[2] = frame(30_000_000, ready=25_000)
        made += [frame(10_000_000 * (i + 1), ready=15_000) for i in range(3, 9)]
        self.assertEqual(recording.stuffed(made), 3 * [False] + 6 * [True])

    def test_one_that_costs_another_vsync_is_late_itself(self):
        made = [frame(10_000_000 * (i + 1)) for i in range(2)]
        made += [frame(30_000_000, ready=15_000), frame(40_000_000, ready=21_000), frame(50_000_000)]
        self.assertEqual(recording.stuffed(made), 5 * [False])


class WhatTheAppKnows(unittest.TestCase):
    LAYOUT = Layout("test", (Cluster(1, 512, (Opp(1000, 900_000),), 100, 1), Cluster(1, 1024, (Opp(1000, 900_000),), 100, 1)))
    SPEEDS = trace.Speeds([(0, 0, 1_000_000), (0, 1, 1_000_000)], LAYOUT)
    FAST = [trace.Run(0, 1_000_000_000, 1, "")]

    def test_the_cluster_that_answers_is_not_the_little_one(self):
        threads = [[trace.Run(0, 900, 0, "demo-app")], [trace.Run(0, 100, 1, "RenderThread")]]
        self.assertEqual(recording.frame_cluster(threads, self.LAYOUT), 1)

    def add(self, made: list[dict[str, int]], ui: list[trace.Run] = FAST) -> None:
        recording.add_what_is_beyond_work(made, self.SPEEDS, [ui, self.FAST], 1)

    def test_a_frame_has_what_its_threads_did_beyond_its_work(self):
        made = [frame(10_000_000 * (i + 1)) for i in range(9)]
        made[4] = frame(50_000_000, awake=2500, start=3000, ui_done=5000, taken=6000, ready=11000)
        self.add(made)
        self.assertEqual((made[0]["ui_work"], made[0]["render_work"]), (3_500_000, 5_000_000))
        self.assertEqual([row["start_ns"] - row["vsync_ns"] for row in made], 4 * [500_000] + [2_500_000] + 4 * [500_000])

    def test_what_runs_outside_of_frames_makes_stages_begin_earlier(self):
        made = [frame(10_000_000 * (i + 1)) for i in range(9)]
        for row in made:
            row["render_cpu_ns"] += 300_000
        self.add(made)
        self.assertEqual((made[0]["render_work"], made[0]["start_ns"]), (5_300_000, 10_200_000))

    def test_a_stage_has_the_speed_of_the_cpu_that_it_ran_on(self):
        made = [frame(10_000_000 * (i + 1), ui_done=9000, taken=9000) for i in range(2)]
        spans = ((0, 15_000_000, 1), (15_000_000, 16_000_000, 0), (20_000_000, 30_000_000, 0))
        self.add(made, [trace.Run(*span, "") for span in spans])
        self.assertEqual([(row["ui_cpu"], row["render_cpu"]) for row in made], [(1, 1), (0, 1)])
        self.assertEqual([row["ui_work"] for row in made], [5_000_000, 4_250_000])

    def test_what_of_a_stage_its_thread_did_not_run_is_fixed_time(self):
        made = [frame(10_000_000 * (i + 1), ui_done=9000, taken=9000) for i in range(2)]
        self.add(made, [trace.Run(0, 16_000_000, 1, ""), trace.Run(20_000_000, 30_000_000, 1, "")])
        self.assertEqual([row["ui_fixed_ns"] for row in made], [3_000_000, 0])
        self.assertEqual([row["ui_work"] for row in made], [5_500_000, 8_500_000])

    def test_finds_where_threads_ran(self):
        def switch(at: float, cpu: int, before: str, after: str) -> str:
            return (f"  {before}-1   [{cpu:03}] d..2. {at:.6f}: sched_switch: prev_comm={before} prev_pid=1 prev_prio=120 "
                    f"prev_state=S ==> next_comm={after} next_pid=2 next_prio=120")  # fmt: skip

        ran = trace.runs("\n".join(
            [switch(1, 3, "swapper/3", "ui"), switch(2, 3, "ui", "x y"), switch(2.5, 1, "kworker/1:0", "ui"), switch(3, 1, "ui", "x y")]
        ))  # fmt: skip
        self.assertEqual([(run.comm, run.cpu) for run in ran], [("ui", 3), ("ui", 1)])
        seconds = lambda begin, end: (round(begin * 1e9), round(end * 1e9))  # noqa: E731
        self.assertEqual(trace.ran_on(ran, *seconds(1.5, 2.75), 0), 3)
        self.assertEqual(trace.ran_on(ran, *seconds(1.9, 2.75), 0), 1)
        self.assertEqual(trace.ran_on(ran, *seconds(2.1, 2.2), 0), 0)

    def test_adds_up_what_else_ran(self):
        ran = [trace.Run(0, 4_000_000, 0, "a"), trace.Run(8_000_000, 15_000_000, 1, "b")]
        ms = 10_000_000
        self.assertEqual(
            self.SPEEDS.load(ran), [(0, 0, 2e8, 2e8), (0, 1, 2e8, 2e8), (ms, 0, 0, 0), (ms, 1, 5e8, 5e8)]
        )  # fmt: skip

    def test_dropped_frames_come_from_another_run(self):
        every = [frame(10_000_000 * (i + 1)) for i in range(4)]
        works = [(i, i) for i in range(4)]
        mine = recording.Workload([], 0, 1_000_000, every[:2] + every[3:], works[:2] + works[3:], None, [], [])
        later = [{name: value + 7 if name.endswith("_ns") else value for name, value in row.items()} for row in every]
        whole = mine.completed(recording.Workload([], 0, 1_000_000, later, works, [17], [], []))
        self.assertEqual([row["vsync_ns"] for row in whole.rows], [row["vsync_ns"] for row in every])
        self.assertEqual((whole.scene, whole.touches, whole.rows[2]["ready_ns"]), (works, [10], 0))


class RecordedInThePhone(PhoneTestCase):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        app.install(cls.phone)
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        (cls.folder / f"{device.name_of(cls.phone.layout)}.yaml").write_text(device.yaml(cls.phone.layout))
        record = recording.Recording(cls.phone)
        cls.played = Player(cls.phone, 8, 1, lambda *_: None).play(Plain(cls.phone, record), Scene("scroll", 60))
        cls.trace = cls.folder / "scroll.pftrace"
        cls.trace.write_bytes(record.bytes())

    def tool(self, *arguments: object) -> str:
        return subprocess.run([FRAMEGOV, *map(str, arguments)], check=True, capture_output=True, text=True).stdout

    def test_holds_the_app_s_frames_and_every_change_of_frequency(self):
        found = json.loads(self.tool("import", self.trace, "--json"))
        self.assertAlmostEqual(found["apps"][0]["frames"], self.played.frames.count, delta=3)
        tables = self.folder / "scroll"
        self.tool("import", "--csv", tables, self.trace)
        rows = (tables / "frequencies.csv").read_text().splitlines()[1:]
        recorded = [tuple(map(int, row.split(",")[1:])) for row in rows]
        # The kernel's own trace of the scene, which the recording began before and ended after.
        kernel = [change[1:] for change in trace.frequencies(trace.read(self.phone), self.phone.layout)]
        for cluster in range(len(self.phone.layout.clusters)):
            mine, theirs = ([khz for index, khz in changes if index == cluster] for changes in (recorded, kernel))
            blocks = difflib.SequenceMatcher(None, mine, theirs, autojunk=False).get_matching_blocks()
            found = sum(block.size for block in blocks)
            print(f"cluster {cluster}: {found} of the kernel's {len(theirs)} changes are among {len(mine)} recorded")
            self.assertGreaterEqual(found, 0.95 * len(theirs))

    def test_is_predicted(self):
        if self.played.waiting > 0.1:
            self.skipTest(f"this machine is busy: the phone waited for a CPU {100 * self.played.waiting:.0f} % of the time")
        told = self.tool("sim", "--validate", self.trace, "--device-dir", self.folder, "--device", device.name_of(self.phone.layout))
        print(told.rstrip().rpartition("\n\n")[2])
        match = re.search(r"off by ([\d.]+) % \(median\), ([\d.]+) % \(p90\)", told)
        self.assertTrue(match, told)
        # A late moment that fills the buffer queue on one side only moves a burst by a vsync; the others are near.
        self.assertLess(float(match[1]), 5)
        self.assertLess(float(match[2]), 70)


if __name__ == "__main__":
    main()
