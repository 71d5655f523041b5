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

from demolib import app
from demolib.modes import Plain
from demolib.play import Player
from demolib.scenes import Scene
from looplib import device, recording
from phonelib.testing import PhoneTestCase, main

FRAMEGOV = os.environ.get("FRAMEGOV", "framegov")


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
        csv = self.folder / "scroll.csv"
        self.tool("import", "--csv", csv, self.trace)
        section = csv.read_text().partition("[frequencies]")[2].partition("[")[0]
        recorded = [tuple(map(int, row.split(",")[1:])) for row in section.split() if row[0].isdigit()]
        # The kernel's own trace of the scene, which the recording began before and ended after.
        kernel = [change[1:] for change in recording.frequencies(self.phone)]
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
        # Far from what a part counted twice or left out would make of it; how close it comes on a calm
        # machine is in docs/comparison.md.
        self.assertLess(float(match[1]), 25)
        self.assertLess(float(match[2]), 70)


if __name__ == "__main__":
    main()
