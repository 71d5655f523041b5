#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""init/release: what a release consists of, with programs as small as can be."""

from __future__ import annotations

import hashlib
import importlib.machinery
import importlib.util
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

from test_package import COMPILER, ROOT, SKIPPED, compile_parts

URL = "https://example.org/framegov"


def load(name: str):
    loader = importlib.machinery.SourceFileLoader(name, str(ROOT / "init" / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


class Changes(unittest.TestCase):
    package = load("package")
    release = load("release")
    LOG = "# Changelog\n\n## Unreleased\n\n- new\n\n## 0.2.0 (2026-01-01)\n\n- two\n\n## 0.1.0\n\n- one\n"

    def test_are_those_of_the_version(self):
        self.assertEqual(self.release.changes_of(self.LOG, "0.2.0"), "- two")
        self.assertEqual(self.release.changes_of(self.LOG, "0.1.0"), "- one")

    def test_not_released_yet_become_those_of_the_version(self):
        self.assertEqual(self.package.released_changelog(self.LOG, "0.2.0", 0), self.LOG)
        released = self.package.released_changelog(self.LOG, "0.3.0", 1700000000)
        self.assertIn("\n## 0.3.0 (2023-11-14)\n\n- new\n", released)
        self.assertNotIn("Unreleased", released)
        self.assertEqual(self.release.changes_of(released, "0.3.0"), "- new")

    def test_are_needed(self):
        for log in (self.LOG, "# Changelog\n\n## 0.3.0\n\n## 0.1.0\n\n- one\n"):
            with self.assertRaisesRegex(self.release.BadRelease, "says nothing of 0.3.0"):
                self.release.changes_of(log, "0.3.0")


class Release(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        compile_parts(self.folder / "build")

    def released(self, out: str) -> pathlib.Path:
        done = subprocess.run(
            [ROOT / "init/release", "--binaries", self.folder / "build", "--out", self.folder / out, "--release-url", URL],
            capture_output=True, text=True, check=False, env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000"},
        )  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.folder / out

    def test_has_everything_and_says_what_it_is(self):
        out = self.released("out")
        version = json.loads((out / "update.json").read_text())["version"]
        names = {"CHANGELOG.md", "update.json", f"framegov-{version}.zip", f"framegov-{version}.cdx.json"}
        self.assertEqual({path.name for path in out.iterdir()}, names | {"SHA256SUMS", "RELEASE_NOTES.md"})
        sums = dict(reversed(line.split("  ")) for line in (out / "SHA256SUMS").read_text().splitlines())
        self.assertEqual(set(sums), names)
        for name, digest in sums.items():
            self.assertEqual(hashlib.sha256((out / name).read_bytes()).hexdigest(), digest, name)
        parts = json.loads((out / f"framegov-{version}.cdx.json").read_text())
        self.assertEqual(parts["bomFormat"], "CycloneDX")
        self.assertTrue(all(part["version"] and part["licenses"] for part in parts["components"]))
        notes = (out / "RELEASE_NOTES.md").read_text()
        self.assertTrue(notes.startswith(f"# framegov {version}\n"))
        for told in (f"framegov-{version}.zip", "`bin/framegovd` ", "sha256sum -c SHA256SUMS", "## Install"):
            self.assertIn(told, notes)

    def test_files_agree_with_each_other(self):
        out = self.released("out")
        update = json.loads((out / "update.json").read_text())
        version = update["version"]
        target = out / f"framegov-{version}.zip"
        self.assertEqual(update["zipUrl"], f"{URL}/{target.name}")
        self.assertEqual(update["changelog"], f"{URL}/CHANGELOG.md")
        with zipfile.ZipFile(target) as archive:
            prop = dict(line.split("=", 1) for line in archive.read("module.prop").decode().splitlines())
            changelog, parts = archive.read("CHANGELOG.md"), archive.read("licences/parts.cdx.json")
            notice = archive.read("licences/NOTICE").decode()
        self.assertEqual((prop["version"], int(prop["versionCode"])), (version, update["versionCode"]))
        self.assertEqual(prop["updateJson"], f"{URL}/update.json")
        self.assertEqual(changelog, (out / "CHANGELOG.md").read_bytes())
        self.assertEqual(parts, (out / f"framegov-{version}.cdx.json").read_bytes())
        listed = json.loads(parts)
        self.assertEqual(listed["metadata"]["component"]["version"], version)
        self.assertEqual(listed["metadata"]["timestamp"], "2023-11-14T22:13:20Z")
        for part in listed["components"]:
            self.assertIn(f"\n{part['name']} {part['version']}: {part['licenses'][0]['expression']}\n", notice)
        notes = (out / "RELEASE_NOTES.md").read_text()
        section = re.search(rf"^## {re.escape(version)}.*?\n(.*?)(?=^## |\Z)", changelog.decode(), re.DOTALL | re.MULTILINE)
        self.assertIn(f"# framegov {version}\n\n{section[1].strip()}\n\n## Install", notes)
        for line in (out / "SHA256SUMS").read_text().splitlines():
            name = line.split("  ")[1]
            self.assertIn(f"| `{name}` | {(out / name).stat().st_size} |", notes)

    def test_is_the_same_twice(self):
        one, two = self.released("one"), self.released("two")
        for path in one.iterdir():
            self.assertEqual(path.read_bytes(), (two / path.name).read_bytes(), path.name)

    def test_without_programs_there_is_none(self):
        shutil.rmtree(self.folder / "build")
        done = subprocess.run(
            [ROOT / "init/release", "--binaries", self.folder / "build", "--out", self.folder / "out", "--release-url", URL],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        self.assertEqual(done.returncode, 1)
        self.assertIn("no package, no release", done.stderr)
        self.assertFalse((self.folder / "out/SHA256SUMS").exists())


_PARTS = ("cli/framegov", "governor/framegovd", "init/zygisk/arm64-v8a.so")


class RealPrograms(unittest.TestCase):
    """What `./dev release` makes of the programs that `./dev build aarch64` left, where it did."""

    def setUp(self):
        self.built = ROOT / "build/aarch64"
        if not all((self.built / program).is_file() for program in _PARTS):
            self.skipTest("no programs for the phone: ./dev build aarch64")
        self.out = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        done = subprocess.run(
            [ROOT / "init/release", "--binaries", self.built, "--out", self.out, "--release-url", URL],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_readme_says_how_large_the_module_is(self):
        target = next(self.out.glob("framegov-*.zip"))
        with zipfile.ZipFile(target) as archive:
            installed = sum(entry.file_size for entry in archive.infolist())
        print(f"{target.name}: {target.stat().st_size / 1e6:.1f} MB, {installed / 1e6:.1f} MB on the phone")
        for page in ROOT.glob("README*.md"):
            told = re.search(r"([\d.]+) MB[^\d\n]+([\d.]+) MB", page.read_text().replace(",", "."))
            self.assertAlmostEqual(float(told[1]), target.stat().st_size / 1e6, delta=0.25, msg=page)
            self.assertAlmostEqual(float(told[2]), installed / 1e6, delta=0.5, msg=page)


if __name__ == "__main__":
    for needed in (shutil.which(COMPILER), (ROOT / ".cache/arm64/sysroot").is_dir(), (ROOT / ".cache/npm/uplot").is_dir()):
        if not needed:
            print(f"skipped: {COMPILER} or what ./dev deps unpacks is missing")
            sys.exit(SKIPPED)
    unittest.main(verbosity=2)
