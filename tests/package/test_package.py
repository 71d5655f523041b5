#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""init/package: the same bytes twice, what an installer expects in the zip, and what is refused."""

from __future__ import annotations

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

SKIPPED = 77
ROOT = pathlib.Path(__file__).resolve().parents[2]
COMPILER = "aarch64-linux-gnu-gcc"
URL = "https://example.org/framegov"


def compile_program(path: pathlib.Path, *options: str, says: str = "") -> None:
    """A program as small as can be, so that the test needs no build of the real ones."""
    path.parent.mkdir(parents=True, exist_ok=True)
    source = f'const char text[] = "{says}"; void _start(void) {{ for (;;) {{}} }}'.encode()
    command = [COMPILER, "-xc", "-nostdlib", "-fPIC", *options, "-o", path, "-"]
    subprocess.run(command, input=source, check=True)


class Package(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        for program in ("cli/framegov", "governor/framegovd"):
            compile_program(self.folder / "build" / program, "-static", "-Wl,-z,max-page-size=16384")

    def package(self, out: str, *arguments: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            [ROOT / "init/package", "--binaries", self.folder / "build", "--out", self.folder / out, *arguments],
            capture_output=True, text=True, check=False, env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000"},
        )  # fmt: skip

    def packaged(self, out: str, *arguments: str) -> pathlib.Path:
        done = self.package(out, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return next((self.folder / out).glob("framegov-*.zip"))

    def test_two_packagings_are_equal(self):
        self.assertEqual(self.packaged("one").read_bytes(), self.packaged("two").read_bytes())

    def test_holds_what_the_managers_look_for(self):
        with zipfile.ZipFile(self.packaged("out", "--release-url", URL)) as archive:
            names = archive.namelist()
            mode = {entry.filename: entry.external_attr >> 16 & 0o777 for entry in archive.infolist()}
            prop = dict(line.split("=", 1) for line in archive.read("module.prop").decode().splitlines())
            parts = json.loads(archive.read("licences/parts.cdx.json"))
            self.assertEqual(archive.read("META-INF/com/google/android/updater-script"), b"#MAGISK\n")
        self.assertEqual(names, sorted(names))
        self.assertLessEqual(
            {"META-INF/com/google/android/update-binary", "customize.sh", "service.sh", "uninstall.sh", "action.sh",
             "sepolicy.rule", "framegov.yaml", "bin/framegov", "bin/framegovd", "LICENSE", "CHANGELOG.md"}, set(names),
        )  # fmt: skip
        self.assertEqual(mode["bin/framegovd"], 0o755)
        self.assertRegex(prop["id"], r"^[a-zA-Z][a-zA-Z0-9._-]+$")
        self.assertEqual(prop["updateJson"], f"{URL}/update.json")
        update = json.loads((self.folder / "out/update.json").read_text())
        self.assertEqual((update["version"], str(update["versionCode"])), (prop["version"], prop["versionCode"]))
        listed = {part["name"] for part in parts["components"]}
        self.assertLessEqual({"libbpf-dev", "libc6-dev-arm64-cross", "libyaml-cpp-dev", "uplot"}, listed)
        self.assertLessEqual({f"licences/{name}" for name in listed}, set(names))
        self.assertTrue(listed.isdisjoint({"busybox-static", "axe-core"}))
        # Every file that the page names is there.
        page = (ROOT / "init/module/webroot/index.html").read_text()
        for name in re.findall(r'(?:src|href)="([\w./]+)"', page):
            self.assertIn(f"webroot/{name}", names)

    def test_refuses_a_program_that_would_not_run(self):
        program = self.folder / "build/governor/framegovd"
        compile_program(program, "-static", "-Wl,-z,max-page-size=4096")
        self.assertIn("aligned to 4096 bytes", self.package("out").stderr)
        compile_program(program, "-pie", "-Wl,-z,max-page-size=16384,-dynamic-linker,/lib/ld.so")
        self.assertIn("not static", self.package("out").stderr)

    def test_refuses_a_program_that_tells_where_it_was_built(self):
        program = self.folder / "build/cli/framegov"
        compile_program(program, "-static", "-Wl,-z,max-page-size=16384", says=f"{ROOT}/probes/bpf/frames.bpf.c")
        self.assertIn(f"names {ROOT}, where it was built", self.package("out").stderr)

    def test_every_script_parses(self):
        scripts = [path for path in (ROOT / "init/module").rglob("*") if path.suffix == ".sh" or path.name == "update-binary"]
        self.assertGreaterEqual(len(scripts), 6)
        for script in scripts:
            done = subprocess.run(["sh", "-n", script], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, f"{script}: {done.stderr}")

    def test_every_rule_is_explained(self):
        explained = False
        for line in (ROOT / "init/module/sepolicy.rule").read_text().splitlines():
            explained = explained or line.startswith("#")
            if line and not line.startswith("#"):
                self.assertTrue(explained, line)
                self.assertRegex(line, re.compile(r"^allow \w+ \w+ \w+ (\w+|\{ [\w ]+ \})$"))
            if not line:
                explained = False


def main() -> None:
    for missing, how in (
        (not shutil.which(COMPILER), f"{COMPILER} is not installed"),
        (not (ROOT / ".cache/arm64/sysroot").exists(), "the arm64 packages are not unpacked"),
    ):
        if missing:
            print(f"SKIPPED: {how}: run ./dev deps")
            sys.exit(SKIPPED)
    unittest.main(verbosity=2)


if __name__ == "__main__":
    main()
