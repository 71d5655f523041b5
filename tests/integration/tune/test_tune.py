#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tuning as it is typed: any number of threads and ranks gives the same bytes, what holds is a file that the service
reads.

usage: test_tune.py FRAMEGOV [TEST...]
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from ranks import OPEN_MPI, kill_a_rank, mpirun, rank_of

FRAMEGOV = ""
INPUTS = ("synthetic:fling@120:4", "synthetic:scroll@60:4", "synthetic:mixed@90:4")
EFFORT = ("--generations", "3", "--population", "8", "--folds", "3", "--on", "sm8250")
UNSUPPORTED = 5


class TuneTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.output = self.folder / "tuned.yaml"

    def tune(self, *words):
        done = subprocess.run([FRAMEGOV, "tune", *INPUTS, *EFFORT, *map(str, words)], capture_output=True, text=True,
                              check=False, timeout=300)
        if done.returncode == UNSUPPORTED:
            self.assertIn("libpagmo-dev", done.stderr)
            self.skipTest(done.stderr.strip())
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def test_what_holds_is_written_and_read_back(self):
        # Any miss is allowed here, so that something holds.
        done = self.tune("--policy", "mpc", "--parameters", "eps", "--allow-missed", 100, "--output", self.output,
                         "--json", self.folder / "front.json", "--jobs", 1)
        front = json.loads((self.folder / "front.json").read_text())
        self.assertTrue(front["holds"], done.stdout)
        self.assertIn("holds on the recordings left out", done.stdout)
        chosen = next(each for each in front["front"] if each["chosen"])
        self.assertLess(chosen["left_out"]["energy"], front["defaults"]["figures"]["energy"])
        self.assertIn(f"eps: {chosen['parameters']['eps']:g}\n", self.output.read_text())
        check = subprocess.run([FRAMEGOV, "check", self.output], capture_output=True, text=True, check=False)
        self.assertEqual(check.returncode, 0, check.stderr)
        again = self.tune("--policy", "mpc", "--parameters", "eps", "--allow-missed", 100, "--jobs", 3)
        self.assertEqual(again.stdout, done.stdout)

    def test_without_anything_better_nothing_is_written(self):
        # These frames' render threads are seen, which leaves this parameter without effect.
        done = self.tune("--policy", "pid", "--parameters", "ui_share", "--output", self.output)
        self.assertIn("the defaults stand", done.stdout)
        self.assertFalse(self.output.exists())

    def test_ctrl_c_leaves_what_was_there(self):
        self.tune("--policy", "pid", "--parameters", "margin")  # skips where there is no pagmo
        self.output.write_text("# mine\n")
        process = subprocess.Popen([FRAMEGOV, "tune", *INPUTS, "--generations", "1000", "--output", self.output],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   # A test in the background has it ignored.
                                   preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        self.addCleanup(lambda: (process.kill(), process.wait()))
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(30), -signal.SIGINT)
        self.assertEqual(self.output.read_text(), "# mine\n")
        self.assertEqual([each.name for each in self.folder.iterdir()], ["tuned.yaml"])


class RanksTest(unittest.TestCase):
    SEARCH = ("tune", *INPUTS, "--generations", "5", "--population", "8", "--islands", "2", "--folds", "3", "--on",
              "sm8250,tensor_g1")

    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            front = pathlib.Path(folder, "front.json")
            done = subprocess.run([FRAMEGOV, *cls.SEARCH, "--jobs", "1", "--json", front], capture_output=True, text=True,
                                  check=False, timeout=300)
            if done.returncode == UNSUPPORTED:
                raise unittest.SkipTest(done.stderr.strip())
            cls.table, cls.front = done.stdout, front.read_text()

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.json = self.folder / "front.json"
        self.untouched = self.folder.stat().st_mtime_ns

    def start(self, *words, before=(), env=None):
        process = subprocess.Popen([*before, FRAMEGOV, *self.SEARCH, "--json", self.json, *map(str, words)],
                                   cwd=self.folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env={**os.environ, **OPEN_MPI, **(env or {})})
        self.addCleanup(lambda: (process.kill(), process.communicate()))
        return process

    def expect_ended(self, process, code=0):
        out, err = process.communicate(timeout=300)
        self.assertEqual(process.returncode, code, out + err)
        return out, err

    def meeting_files(self):
        return list(self.folder.glob("*.ranks*"))

    def wait_until_all_have_come(self):
        """Rank 0 leaves a file for the others until it has seen them all."""
        until = time.monotonic() + 120
        while self.folder.stat().st_mtime_ns == self.untouched or self.meeting_files():
            self.assertLess(time.monotonic(), until, "the ranks do not find each other")
            time.sleep(0.005)

    def expect_the_same_but_for_lost_rank_1(self, table):
        loss = "lost ranks: 1; the others did their work\n"
        self.assertIn(loss, table)
        self.assertEqual(table.replace(loss, ""), self.table)
        front = json.loads(self.json.read_text())
        self.assertEqual(front["lost_ranks"], [1])
        self.assertEqual({**front, "lost_ranks": []}, json.loads(self.front))

    def test_mpirun_gives_the_same_bytes_on_any_number_of_ranks_and_threads(self):
        for count, jobs in ((1, 2), (2, 1), (3, 2)):
            with self.subTest(ranks=count, jobs=jobs):
                table, _ = self.expect_ended(self.start("--jobs", jobs, before=mpirun(self, count)))
                self.assertEqual((table, self.json.read_text()), (self.table, self.front))
        self.assertEqual(self.meeting_files(), [])

    def test_mpirun_with_recovery_survives_a_lost_rank(self):
        job = self.start(before=mpirun(self, 3, "--enable-recovery"))
        self.wait_until_all_have_come()
        kill_a_rank(self, 1, FRAMEGOV, str(self.json))
        self.expect_the_same_but_for_lost_rank_1(self.expect_ended(job)[0])

    def test_a_lost_rank_stands_in_the_output_and_its_work_is_done_again(self):
        ranks = [self.start(env=rank_of(number, 3)) for number in range(3)]
        self.wait_until_all_have_come()
        ranks[1].kill()
        self.expect_the_same_but_for_lost_rank_1(self.expect_ended(ranks[0])[0])
        self.assertEqual(self.expect_ended(ranks[2]), ("", ""))

    def test_a_rank_with_other_work_is_sent_away_with_one_error(self):
        rank_0 = self.start(env=rank_of(0, 2))
        out, err = self.expect_ended(self.start("--parameters", "eps", env=rank_of(1, 2)), 3)
        self.assertEqual((out, err.count("framegov: ")), ("", 1), err)
        self.assertIn("start all ranks with the same", err)
        self.expect_the_same_but_for_lost_rank_1(self.expect_ended(rank_0)[0])

    def test_a_lost_rank_0_ends_the_others_and_leaves_nothing_behind(self):
        ranks = [self.start(env=rank_of(number, 2)) for number in range(2)]
        self.wait_until_all_have_come()
        ranks[0].kill()
        self.assertIn("rank 0 went away", self.expect_ended(ranks[1], 1)[1])
        self.assertEqual(list(self.folder.iterdir()), [])


if __name__ == "__main__":
    if len(sys.argv) < 2 or not shutil.which(sys.argv[1]):
        sys.exit(__doc__)
    FRAMEGOV = sys.argv[1]
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
