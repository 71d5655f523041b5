#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Cycles of threads, counted by a real driver of an arm64 PMU."""

from __future__ import annotations

import dataclasses
import json

from phonelib import LAYOUTS
from phonelib.testing import PhoneTestCase, main


class Pmu(PhoneTestCase):
    layout = dataclasses.replace(LAYOUTS["three"], pmu=True)

    def put(self, program: str) -> None:
        path = self.phone.parts.binaries / program
        self.phone.put(path, f"/bin/{path.name}", 0o755)

    def test_cycles_of_a_thread(self):
        self.put("tests/unit/context/test_context")
        tests = "CycleCounter.*:FrameMeterTest.Cycles*"
        told = self.phone.run(f"TMPDIR=/tmp test_context --gtest_filter='{tests}' --gtest_output=json:/tmp/told.json")
        self.assertEqual(told.exit_code, 0, told.text)
        self.assertIn("[  PASSED  ] 3 tests.", told.text)  # and none was skipped
        results = json.loads(self.phone.run("cat /tmp/told.json").check().text)
        (counted,) = [
            test["mhz"] for suite in results["testsuites"] for test in suite["testsuite"] if "mhz" in test
        ]  # fmt: skip
        # What QEMU counts at every operating point, less what it takes to start and stop the counter.
        self.assertAlmostEqual(int(counted), 1000, delta=150)

    def test_doctor_names_it(self):
        self.put("cli/framegov")
        report = json.loads(self.phone.run("framegov doctor --json", timeout=90).text)
        (found,) = [finding for finding in report["findings"] if finding["id"] == "pmu"]
        self.assertEqual(found["what"], "cycles of 1 kind of core")


if __name__ == "__main__":
    main()
