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

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "init"))

from packaging_parts import parts_list  # noqa: E402

SKIPPED = 77
COMPILER = "aarch64-linux-gnu-gcc"
URL = "https://example.org/framegov"


# As the shipped programs are linked, and what their checks call.
SAFE = "-Wl,-z,max-page-size=16384,-z,relro,-z,now,-z,noexecstack"
HARDENED = ("-static-pie", SAFE)
CHECKS = ("__stack_chk_fail", "__pread_chk", "_ZSt21__glibcxx_assert_failPKciS0_S0_")


def compile_program(path: pathlib.Path, *options: str, says: str = "", checks: tuple[str, ...] = CHECKS) -> None:
    """A program as small as can be, so that the test needs no build of the real ones."""
    path.parent.mkdir(parents=True, exist_ok=True)
    called = "".join(f"void {name}(void) {{}} " for name in checks)
    source = f'const char text[] = "{says}"; {called} void _start(void) {{ for (;;) {{}} }}'.encode()
    command = [COMPILER, "-xc", "-nostdlib", "-fPIC", *options, "-o", path, "-"]
    subprocess.run(command, input=source, check=True)


def compile_parts(build: pathlib.Path) -> None:
    """What a package is made of."""
    for program in ("cli/framegov", "governor/framegovd"):
        compile_program(build / program, *HARDENED)
    compile_program(build / "init/zygisk/arm64-v8a.so", "-shared", SAFE, checks=CHECKS[:1])


class Package(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        compile_parts(self.folder / "build")

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
             "sepolicy.rule", "framegov.yaml", "bin/framegov", "bin/framegovd", "zygisk/arm64-v8a.so", "LICENSE", "CHANGELOG.md"}, set(names),
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
        self.assertLessEqual({"licences/NOTICE", "licences/common/LGPL-2.1", "licences/common/LGPL-3"}, set(names))
        # Every file that the page names is there.
        page = (ROOT / "init/module/webroot/index.html").read_text()
        for name in re.findall(r'(?:src|href)="([\w./]+)"', page):
            self.assertIn(f"webroot/{name}", names)
        # The page's words, without those of commands alone.
        with zipfile.ZipFile(self.folder / "out" / update["zipUrl"].rpartition("/")[2]) as archive:
            words = json.loads(archive.read("webroot/texts/de.json"))
        self.assertEqual([key for key in words if key.startswith("cli_")], [])
        self.assertIn("isSmooth", words)

    def test_refuses_a_program_that_would_not_run(self):
        program = self.folder / "build/governor/framegovd"
        compile_program(program, "-static-pie", "-Wl,-z,max-page-size=4096")
        self.assertIn("aligned to 4096 bytes", self.package("out").stderr)
        compile_program(program, "-pie", "-Wl,-z,max-page-size=16384,-dynamic-linker,/lib/ld.so")
        self.assertIn("not static", self.package("out").stderr)

    def test_refuses_a_program_that_tells_where_it_was_built(self):
        program = self.folder / "build/cli/framegov"
        compile_program(program, *HARDENED, says=f"{ROOT}/probes/bpf/frames.bpf.c")
        self.assertIn(f"names {ROOT}, where it was built", self.package("out").stderr)

    def test_refuses_a_program_that_is_not_hardened(self):
        program = self.folder / "build/governor/framegovd"
        for options, told in (
            (("-static", *HARDENED[1:]), "loaded at one address only"),
            ((*HARDENED, "-Wl,-z,execstack"), "lets its stack be run"),
            ((*HARDENED, "-Wl,-z,norelro"), "tables of functions writable"),
            ((*HARDENED, "-Wl,-z,lazy"), "tables of functions writable"),
        ):
            compile_program(program, *options)
            self.assertIn(told, self.package("out").stderr)
        for missing, option in zip(CHECKS, ("-fstack-protector-strong", "-D_FORTIFY_SOURCE", "-D_GLIBCXX_ASSERTIONS")):
            compile_program(program, *HARDENED, checks=tuple(name for name in CHECKS if name != missing))
            self.assertIn(f"compile with {option}", self.package("out").stderr)

    def test_refuses_a_library_for_apps_without_its_checks(self):
        library = self.folder / "build/init/zygisk/arm64-v8a.so"
        compile_program(library, "-shared", SAFE, checks=())
        self.assertIn("compile with -fstack-protector-strong", self.package("out").stderr)
        compile_program(library, "-shared", "-Wl,-z,max-page-size=4096", checks=CHECKS[:1])
        self.assertIn("arm64-v8a.so is aligned to 4096 bytes", self.package("out").stderr)

    def test_scripts_say_the_same_in_every_language(self):
        """Each key that a script uses is there in each language, and takes a value in all or in none."""
        module = ROOT / "init/module"
        words = (module / "words.sh").read_text()
        languages = re.findall(r"^say_(\w+)\(\) \{\n  case \$1 in\n(.*?)^  esac", words, re.DOTALL | re.MULTILINE)
        self.assertEqual([name for name, _ in languages], ["en", "de", "zh"])
        texts = {name: dict(re.findall(r'^    (\w+)\) echo "(.*)" ;;$', body, re.MULTILINE)) for name, body in languages}
        scripts = "".join(path.read_text() for path in module.glob("*.sh") if path.name != "words.sh")
        used = set(re.findall(r"\bsay ([a-z]\w*)", scripts))
        for name, body in languages:
            self.assertEqual(len(body.splitlines()), len(texts[name]), f"{name}: a line of another form")
            self.assertEqual(set(texts[name]), used, name)
            for key, text in texts[name].items():
                self.assertEqual("$2" in text, "$2" in texts["en"][key], f"{name}: {key}")
            self.assertIn(f"{name}) say_{name}" if name != "en" else "*) say_en", words)

    def test_the_phone_s_language_is_spoken(self):
        for locale, told in (("zh-Hans-CN", "下次重启后启动"), ("de-AT", "nächsten Neustart"), ("fr-FR", "next reboot"),
                             ("", "next reboot")):  # fmt: skip
            script = f"getprop() {{ echo '{locale}'; }}; . {ROOT}/init/module/words.sh; say reboot"
            done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True)
            self.assertIn(told, done.stdout)

    def test_every_script_parses(self):
        scripts = [path for path in (ROOT / "init/module").rglob("*") if path.suffix == ".sh" or path.name == "update-binary"]
        self.assertGreaterEqual(len(scripts), 6)
        for script in scripts:
            done = subprocess.run(["sh", "-n", script], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, f"{script}: {done.stderr}")

    def test_a_folder_that_was_deleted_is_made_anew_with_the_usual_settings(self):
        module = self.folder / "module"
        shutil.copytree(ROOT / "init/module", module)
        state = self.folder / "state"
        paths = module / "paths.sh"
        paths.write_text(paths.read_text().replace("STATE=/data/adb/framegov", f"STATE={state}"))
        programs = self.folder / "programs"
        for program, text in ((module / "bin/framegovd", "exit 0"), (programs / "getprop", "echo 1")):
            program.parent.mkdir()
            program.write_text(f"#!/bin/sh\n{text}\n")
            program.chmod(0o755)
        usual = (module / "framegov.yaml").read_text()
        for settings in (usual, "mine\n"):
            environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
            subprocess.run(["sh", module / "service.sh"], env=environment, stdout=subprocess.PIPE, check=True)
            self.assertEqual((state / "framegov.yaml").read_text(), settings)
            self.assertEqual((state / "framegov.yaml").stat().st_mode & 0o777, 0o600)
            (state / "framegov.yaml").write_text("mine\n")

    def test_every_rule_is_explained(self):
        explained = False
        for line in (ROOT / "init/module/sepolicy.rule").read_text().splitlines():
            explained = explained or line.startswith("#")
            if line and not line.startswith("#"):
                self.assertTrue(explained, line)
                self.assertRegex(line, re.compile(r"^allow \w+ \w+ \w+ (\w+|\{ [\w ]+ \})$"))
            if not line:
                explained = False


# Of licences and exceptions, as https://spdx.org/licenses has them; LicenseRef- is for what it has not.
SPDX = {
    "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "GCC-exception-3.1", "GPL-2.0-or-later", "GPL-3.0-or-later",
    "LGPL-2.1-only", "LGPL-2.1-or-later", "LGPL-3.0-or-later", "LicenseRef-public-domain", "MIT", "MPL-2.0", "NCSA", "Zlib",
}  # fmt: skip


def is_gpl_alone(licence: str) -> bool:
    """No choice is without a GPL that has no exception. The LGPL is not meant."""
    def has_bare_gpl(choice: str) -> bool:
        return any(term.startswith(("GPL-", "AGPL-")) and " WITH " not in term for term in choice.split(" AND "))

    return all(has_bare_gpl(choice) for choice in licence.split(" OR "))


class Parts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.sysroot = ROOT / ".cache/arm64/sysroot"
        cls.parts = parts_list.linked_parts(cls.sysroot, ROOT / ".cache/npm", pathlib.Path("/usr/share/doc"))

    def test_no_part_is_under_the_gpl_alone(self):
        for part in self.parts:
            self.assertFalse(is_gpl_alone(part.licence), f"{part.name}: {part.licence}")
        for licence in ("GPL-3.0-or-later", "MIT AND GPL-2.0-only", "GPL-2.0-only OR GPL-3.0-or-later", "AGPL-3.0-only"):
            self.assertTrue(is_gpl_alone(licence), licence)

    def test_each_licence_is_one_that_tools_know(self):
        for part in self.parts:
            self.assertLessEqual(part.identifiers(), SPDX, part.name)
            self.assertNotIn("(", part.licence)
            self.assertEqual(part.component()["licenses"], [{"expression": part.licence}])

    def test_what_is_said_of_what_is_linked_is_stated_where_it_says(self):
        stated = {
            "libcapstone-dev": "Files: arch/AArch64/",
            "libc6-dev-arm64-cross": "* Most of the GNU C library is under the following copyright",
            "libelf-dev": "License: LGPL-3+ or GPL-2+",
            "libgcc-12-dev-arm64-cross": "libgcc (libgcc/",
            "libstdc++-12-dev-arm64-cross": "libstdc++-v3",
            "liblzma-dev": "liblzma is in the public domain",
            "libmd-dev": "License: public-domain-sha1",
            "libyaml-cpp-dev": "Permission is hereby granted, free of charge",
        }
        texts = {part.name: part.text.decode(errors="replace") for part in self.parts}
        for name, quoted in stated.items():
            self.assertIn(quoted, texts[name], name)
        self.assertNotIn("shall not be used in advertising", texts["libyaml-cpp-dev"])
        header = (self.sysroot / "usr/include/aarch64-linux-gnu/sys/sdt.h").read_text()
        self.assertIn("dedicated to the public domain, pursuant to CC0", header)

    def test_the_notice_names_all_and_says_how_to_link_again(self):
        files = parts_list.licence_files(self.parts, pathlib.Path("/usr/share/common-licenses"))
        notice = files["NOTICE"].decode()
        for part in self.parts:
            self.assertIn(f"{part.name} {part.version}: {part.licence}\n", notice)
        self.assertIn("sources\nand build commands are public", notice)
        self.assertLessEqual({f"common/{name}" for name in ("LGPL-2.1", "LGPL-3", "GPL-3", "MPL-2.0")}, set(files))
        self.assertTrue(all(files.values()))


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
