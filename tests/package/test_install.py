#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""init/module/customize.sh with a doctor that says what the test wants: what is installed, and what is refused."""

from __future__ import annotations

import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest

MODULE = pathlib.Path(__file__).resolve().parents[2] / "init/module"
MANAGER = """
ARCH=arm64 API=33 BOOTMODE=true MODPATH={module}
ui_print() {{ echo "$1"; }}
abort() {{ ui_print "$1"; exit 1; }}
set_perm_recursive() {{ :; }}
. "$MODPATH/customize.sh"
"""
DOCTOR = """#!/bin/sh
[ "$1" = doctor ] || exit 0
case "$*" in *--json*) cat "${0%/*}/report.json" ;; *) echo "missing  as the report says" ;; esac
exit CODE
"""
NOT_LOADED = (
    "none (ringbuf, perf, tracefs: service.source is zygisk; zygisk: Zygisk has not loaded the module since the phone "
    "started; surfaceflinger: service.source is zygisk)"
)


def finding(name: str, health: str, what: str, needed: bool = True) -> dict:
    return {"id": name, "health": health, "needed": needed, "what": what, "meaning": "", "action": ""}


class Install(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.module = self.folder / "framegov"
        self.state = self.folder / "state"

    def install(self, source: dict, *others: dict) -> subprocess.CompletedProcess:
        """As the manager unpacks the zip and sources the script, where doctor finds this."""
        shutil.rmtree(self.module, ignore_errors=True)
        (self.module / "bin").mkdir(parents=True)
        (self.module / "zygisk").mkdir()
        (self.module / "zygisk/arm64-v8a.so").touch()
        for script in ("customize.sh", "paths.sh", "words.sh"):
            text = (MODULE / script).read_text().replace("/data/adb/framegov", str(self.state))
            (self.module / script).write_text(text)
        (self.module / "framegov.yaml").touch()
        findings = [*others, source, finding("cpufreq", "ok", "two clusters")]
        govern = not any(each["health"] == "missing" and each["needed"] for each in findings)
        report = json.dumps({"can_govern": govern, "findings": findings}, indent=2)
        (self.module / "bin/report.json").write_text(report)
        for program in ("framegov", "framegovd"):
            (self.module / "bin" / program).write_text(DOCTOR.replace("CODE", "0" if govern else "5"))
            (self.module / "bin" / program).chmod(0o755)
        return subprocess.run(["sh", "-c", MANAGER.format(module=self.module)], capture_output=True, text=True, check=False)

    def has_library(self) -> bool:
        return (self.module / "zygisk/arm64-v8a.so").exists()

    def test_leaves_the_library_out_where_the_kernel_sees_frames(self):
        for source, has in (("ringbuf", False), ("perf (ringbuf: old)", False), ("tracefs (perf: old)", False),
                            ("zygisk (ringbuf: no uprobes)", True), ("surfaceflinger (ringbuf: no uprobes)", True)):  # fmt: skip
            done = self.install(finding("source", "degraded", source))
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertEqual(self.has_library(), has, source)

    def test_gives_the_library_to_whoever_asks_for_it_though_it_was_left_out_before(self):
        self.install(finding("source", "ok", "ringbuf"))
        self.assertFalse(self.has_library())
        done = self.install(finding("source", "missing", NOT_LOADED), finding("libgui", "missing", "no site", needed=False))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertTrue(self.has_library())
        self.assertIn("once Zygisk has loaded framegov", done.stdout)
        self.assertNotIn("Nothing on this phone was changed", done.stdout)

    def test_refuses_a_phone_that_lacks_more_than_that(self):
        for findings in (
            (finding("source", "missing", NOT_LOADED), finding("root", "missing", "no root")),
            (finding("source", "missing", "none (ringbuf: no root; surfaceflinger: there is no dumpsys)"),),
            (finding("source", "degraded", "tracefs"), finding("root", "missing", "no root")),
        ):
            done = self.install(*findings)
            self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
            self.assertIn("missing  as the report says", done.stdout)
            self.assertFalse(self.state.exists(), "what was made a moment ago goes again")


if __name__ == "__main__":
    unittest.main()
