#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A short fault run; `./dev test faults` is the long one."""

from __future__ import annotations

import pathlib
import subprocess
import sys
import unittest

from phonelib.testing import main


class Faults(unittest.TestCase):
    def test_leave_no_limit_behind(self):
        driver = pathlib.Path(__file__).with_name("faults")
        done = subprocess.run([sys.executable, "-B", driver, "--quick"], capture_output=True, text=True, check=False)
        print(done.stdout, file=sys.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    main()
