#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""init/module/uninstall.sh where something starts framegovd again and again, among processes of its own."""

from __future__ import annotations

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

MODULE = pathlib.Path(__file__).resolve().parents[2] / "init/module"
SKIPPED = 77
# It waits for ten seconds at most.
PATIENCE = 60
# Only what runs in here is seen and killed.
ALONE = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]
RESPAWNING = '#!/bin/sh\nwhile :; do "${0%/*}/bin/framegovd" 600; done\n'


class Uninstall(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.module = self.folder / "framegov"
        self.state = self.folder / "state"
        self.state.mkdir()
        (self.module / "bin").mkdir(parents=True)
        shutil.copy(shutil.which("sleep"), self.module / "bin/framegovd")
        for script in ("uninstall.sh", "paths.sh", "words.sh"):
            text = (MODULE / script).read_text().replace("/data/adb/framegov", str(self.state))
            (self.module / script).write_text(text)

    def uninstall(self, starter: pathlib.Path) -> subprocess.CompletedProcess:
        """With framegovd running, and started again whenever it ends, by `starter`."""
        starter.parent.mkdir(exist_ok=True)
        starter.write_text(RESPAWNING.replace("${0%/*}", str(self.module)))
        script = (
            f"sh {starter} & "
            f"until [ -n \"$(. {self.module}/paths.sh; service_pids)\" ]; do sleep 0.1; done; "
            f"sh {self.module}/uninstall.sh; code=$?; "
            f"echo \"left: $(. {self.module}/paths.sh; service_pids | wc -w)\"; exit $code"
        )
        return subprocess.run([*ALONE, "sh", "-c", script], capture_output=True, text=True, timeout=PATIENCE)

    def test_the_modules_own_script_does_not_start_it_again(self) -> None:
        done = self.uninstall(self.module / "service.sh")
        self.assertIn("left: 0", done.stdout)
        self.assertFalse(self.state.exists())

    def test_settings_and_profiles_stay_for_an_owner_who_wants_it(self) -> None:
        for name in ("framegov.yaml", "keep-profiles", "profiles/mine.yaml", "history", "sites/one", ".hidden"):
            (self.state / name).parent.mkdir(exist_ok=True)
            (self.state / name).write_text(name)
        done = self.uninstall(self.module / "service.sh")
        self.assertIn(f"your settings and profiles stay in {self.state}", done.stdout)
        left = {path.relative_to(self.state).as_posix() for path in self.state.rglob("*") if path.is_file()}
        self.assertEqual(left, {"framegov.yaml", "keep-profiles", "profiles/mine.yaml"})

    def test_it_ends_and_says_what_stays_where_somebody_else_starts_it_again(self) -> None:
        done = self.uninstall(self.folder / "other" / "starter.sh")
        self.assertEqual(done.returncode, 1)
        self.assertIn("starts framegovd again and again", done.stdout)
        self.assertIn(f"{self.state} stays", done.stdout)
        self.assertTrue(self.state.exists())


if __name__ == "__main__":
    if subprocess.run([*ALONE, "true"], capture_output=True).returncode != 0:
        print("skipped: no process namespace of its own (needs root)")
        sys.exit(SKIPPED)
    unittest.main(verbosity=2)
