#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tuning as it is typed: any number of threads gives the same bytes, what holds is a file that the service reads.

usage: test_tune.py FRAMEGOV [TEST...]
"""
import json
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

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


if __name__ == "__main__":
    if len(sys.argv) < 2 or not shutil.which(sys.argv[1]):
        sys.exit(__doc__)
    FRAMEGOV = sys.argv[1]
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
