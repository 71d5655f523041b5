#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The demo: its arithmetic, and a short run of what needs no service."""

from __future__ import annotations

import unittest
from types import SimpleNamespace

from demolib import app, table
from demolib.frames import Frames, compare
from demolib.modes import Boost, Plain
from demolib.play import Player
from demolib.scenes import Scene
from phonelib.testing import PhoneTestCase, main

RECORD = """frame,vsync_ns,start_ns,ui_done_ns,ready_ns,deadline_ns,interval_ns,ui_work,render_work,missed,blocked_ns
1,1000000,0,0,6000000,17000000,16000000,1,1,0,0
2,17000000,0,0,37000000,33000000,16000000,1,1,1,0
"""


class Arithmetic(unittest.TestCase):
    def test_reads_the_app_s_record(self):
        frames = Frames.from_csv(RECORD)
        self.assertEqual(frames.generation_ms, {1000000: 5.0, 17000000: 20.0})
        self.assertEqual((frames.count, frames.missed, frames.missed_share), (2, 1, 0.5))

    def test_compares_measured_times_frame_by_frame(self):
        agreement = compare(Frames.from_csv(RECORD), {1000000: 5.5, 99: 1.0})
        self.assertEqual((agreement.frames, agreement.matched), (2, 1))
        self.assertAlmostEqual(agreement.worst_ms, 0.5)
        self.assertAlmostEqual(agreement.p95_error, 0.1)

    def test_the_verdict_is_one_line_of_framegovd_beside_the_boost(self):
        def outcome(mode: str, missed: int, energy_mj: float):
            made = SimpleNamespace(missed=missed, count=100)
            return SimpleNamespace(mode=mode, frames=made, energy_mj=energy_mj)

        ours, stock = outcome("framegov", 1, 80), outcome("boost", 10, 100)
        self.assertEqual(
            table.verdict([stock, ours]),
            "framegovd: 1.0 % of the frames late and 20 % less energy than schedutil with boost, which had 10.0 % late",
        )
        self.assertIn("25 % more energy", table.verdict([outcome("boost", 0, 100), outcome("framegov", 0, 125)]))
        self.assertIn("late and the energy of schedutil", table.verdict([outcome("boost", 0, 1000), outcome("framegov", 0, 1004)]))
        self.assertEqual(table.verdict([stock]), "")

    def test_refuses_what_is_not_a_scene(self):
        self.assertEqual(Scene.parse("fling@120"), Scene("fling", 120))
        for text in ("fling", "fling@5", "walk@60", "fling@120x"):
            with self.assertRaisesRegex(ValueError, "is not a scene"):
                Scene.parse(text)


class ShortRun(PhoneTestCase):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        app.install(cls.phone)
        cls.seconds = []
        cls.player = Player(cls.phone, 4, 1, lambda *second: cls.seconds.append(second))

    def test_plain_and_boosted_play_the_same_work_and_only_boost_sets_floors(self):
        scene = Scene("fling", 60)
        plain = self.player.play(Plain(self.phone), scene)
        boost = self.player.play(Boost(self.phone), scene)
        self.assertGreater(plain.frames.count, 60)
        self.assertAlmostEqual(plain.frames.count, boost.frames.count, delta=0.2 * plain.frames.count)
        self.assertGreater(len(self.seconds), 3)
        for index, cluster in enumerate(self.phone.layout.clusters):
            lowest = cluster.opps[0].mhz
            self.assertAlmostEqual(plain.clusters[index].mean_floor_mhz, lowest)
            self.assertGreater(boost.clusters[index].mean_floor_mhz, 1.2 * lowest)
            self.assertAlmostEqual(boost.clusters[index].mean_cap_mhz, cluster.top.mhz)


if __name__ == "__main__":
    main()
