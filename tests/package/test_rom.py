#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""init/rom: a ROM's tree with each step of the checklist open, and with all done; and Android.bp as soong reads it."""

from __future__ import annotations

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from test_package import COMPILER, HARDENED, ROOT, SKIPPED, compile_program

RC = ROOT / "init/rc"
# As AOSP writes its rules, shortened.
POLICY = {
    "private/bpfloader.te": """
neverallow { domain -bpfloader } *:bpf { map_create prog_load };  # loads all
neverallow { domain -bpfdomain } *:bpf { map_read map_write prog_run };
neverallow domain *:bpf ~{ map_create map_read map_write prog_load prog_run };
""",
    "private/domain.te": """
define(`dac_override_allowed', `{
  init
  vold
}')
neverallow ~dac_override_allowed self:global_capability_class_set dac_override;
neverallow { domain -system_server } self:global_capability_class_set sys_ptrace;
neverallow { domain -init } self:capability2 perfmon;
full_treble_only(`neverallow { domain -init } debugfs_tracing_debug:file no_rw_file_perms;')
""",
    "private/access_vectors": "class capability2\ninherits cap2\n{\n  mac_override\n  perfmon\n  bpf\n}\n",
    "public/file.te": "type sysfs, fs_type, sysfs_type;\ntype sysfs_uprobe, fs_type, sysfs_type;\n",
}
EXCEPTED = {
    "private/bpfloader.te": (("-bpfloader }", "-bpfloader -framegovd }"),),
    "private/domain.te": (
        ("  vold\n", "  vold\n  framegovd\n"),
        ("-system_server }", "-system_server -framegovd }"),
        ("-init } self", "-init -framegovd } self"),
        ("-init } debugfs", "-init -framegovd } debugfs"),
    ),
}


class Rom(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.tree = self.folder / "aosp"
        for program in ("cli/framegov", "governor/framegovd"):
            compile_program(self.folder / "build" / program, *HARDENED)
        for name, text in POLICY.items():
            self.write(f"system/sepolicy/{name}", text)
        self.write("device/example/phone/device.mk", "PRODUCT_PACKAGES += Camera\n")
        (self.tree / "build").mkdir()

    def write(self, name: str, text: str) -> None:
        path = self.tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def edit(self, name: str, *changes: tuple[str, str]) -> None:
        text = (self.tree / name).read_text()
        for old, new in changes:
            self.assertIn(old, text)
            text = text.replace(old, new)
        self.write(name, text)

    def rom(self, action: str, *arguments) -> subprocess.CompletedProcess:
        return subprocess.run(
            [ROOT / "init/rom", action, self.tree, "--binaries", self.folder / "build", *arguments],
            capture_output=True, text=True, check=False,
        )  # fmt: skip

    def prepare_all(self) -> None:
        self.assertEqual(self.rom("install").returncode, 0)
        self.edit("device/example/phone/device.mk", ("Camera\n", "Camera\n$(call inherit-product, vendor/framegov/framegov.mk)\n"))
        self.edit("system/sepolicy/private/bpfloader.te", *EXCEPTED["private/bpfloader.te"])
        self.edit("system/sepolicy/private/domain.te", *EXCEPTED["private/domain.te"])
        self.edit("vendor/framegov/sepolicy/framegovd.te", ("type framegovd_exec", "typeattribute framegovd bpfdomain;\ntype framegovd_exec"))

    def missing(self, *arguments) -> list[str]:
        done = self.rom("check", *arguments)
        found = re.findall(r"^missing  (.+)", done.stdout, re.MULTILINE)
        self.assertEqual(done.returncode, 1 if found else 0, done.stdout + done.stderr)
        self.assertEqual(len(re.findall(r"^         -> .+", done.stdout, re.MULTILINE)), len(re.findall(r"^(?:missing|better)  ", done.stdout, re.MULTILINE)))
        return found

    def test_nothing_is_missing_when_all_is_done(self):
        self.prepare_all()
        self.assertEqual(self.missing(), [])

    def test_an_untouched_tree_lacks_every_step(self):
        found = self.missing()
        for path in RC.iterdir():
            self.assertTrue(any(f"/{path.name}" in each for each in found), f"{path.name} in {found}")
        for step in ("vendor/framegov/framegovd, for arm64", "a product that has framegov", "the exception from neverallow of dac_override"):
            self.assertIn(step, found)

    def test_each_step_that_is_left_out_is_named(self):
        for name, step, old, new in (
            ("device/example/phone/device.mk", "a product that has framegov", "$(call", "# $(call"),
            ("system/sepolicy/private/bpfloader.te", "the exception from neverallow of bpf", " -framegovd", ""),
            ("vendor/framegov/sepolicy/framegovd.te", "the exception from neverallow of bpf", "typeattribute framegovd bpfdomain;", ""),
            ("system/sepolicy/private/domain.te", "the exception from neverallow of dac_override", "  framegovd\n", ""),
            ("system/sepolicy/private/domain.te", "the exception from neverallow of sys_ptrace", "-system_server -framegovd", "-system_server"),
            ("system/sepolicy/private/domain.te", "the exception from neverallow of perfmon", "-framegovd } self:cap", "} self:cap"),
            ("system/sepolicy/private/domain.te", "the exception from neverallow of debugfs_tracing_debug", "-framegovd } debug", "} debug"),
            ("system/sepolicy/public/file.te", "the label sysfs_uprobe", "type sysfs_uprobe", "type other"),
            ("system/sepolicy/private/access_vectors", "capability2 bpf", "  bpf\n", ""),
            ("vendor/framegov/framegovd.rc", "vendor/framegov/framegovd.rc, of this version", "disabled", ""),
        ):
            with self.subTest(step=step, name=name):
                self.prepare_all()
                self.edit(name, (old, new))
                self.assertEqual(self.missing(), [step])
                for policy, text in POLICY.items():
                    self.write(f"system/sepolicy/{policy}", text)
                self.write("device/example/phone/device.mk", "PRODUCT_PACKAGES += Camera\n")

    def test_the_rule_of_an_older_release_is_struck(self):
        self.prepare_all()
        self.edit("system/sepolicy/private/access_vectors", ("  bpf\n", ""))
        self.edit("vendor/framegov/sepolicy/framegovd.te", ("allow framegovd self:capability2 bpf;\n", ""))
        self.assertEqual(self.missing(), [])

    def test_a_kernel_is_looked_at_too(self):
        self.prepare_all()
        config = self.folder / "config"
        config.write_text("CONFIG_UPROBE_EVENTS=y\n# CONFIG_UCLAMP_TASK is not set\nCONFIG_BPF_SYSCALL=y\n")
        self.assertEqual(self.missing("--kernel-config", config), [])
        config.write_text("CONFIG_UPROBE_EVENTS=m\n")
        self.assertEqual(self.missing("--kernel-config", config), ["kernel: CONFIG_UPROBE_EVENTS"])

    def test_another_folder_is_refused(self):
        shutil.rmtree(self.tree / "build")
        done = self.rom("check")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("the top of a ROM's source tree is meant", done.stderr)


class Soong(unittest.TestCase):
    def test_the_modules_are_what_the_page_says_and_name_files_that_are_installed(self):
        text = (RC / "Android.bp").read_text()
        modules = dict(re.findall(r'^(?:cc_prebuilt_binary|prebuilt_etc) \{\n    name: "([^"]+)",\n(.*?)^\}', text, re.DOTALL | re.MULTILINE))
        self.assertEqual(set(modules), {"framegovd", "framegov", "framegov.yaml"})
        for name, body in modules.items():
            self.assertIn("system_ext_specific: true", body, name)
        self.assertIn('init_rc: ["framegovd.rc"]', modules["framegovd"])
        self.assertIn('sub_dir: "framegov"', modules["framegov.yaml"])
        self.assertIn("/system_ext/etc/framegov/framegov.yaml", (RC / "framegovd.rc").read_text())
        # What another name in quotes is, is a file beside it, a module, or a program.
        product = (RC / "framegov.mk").read_text()
        self.assertIn("framegovd", re.search(r"PRODUCT_PACKAGES \+= (.+)", product)[1].split())

    @unittest.skipUnless(shutil.which("bpfmt"), "bpfmt is not installed: apt-get install blueprint-tools")
    def test_soongs_own_parser_takes_the_file(self):
        done = subprocess.run(["bpfmt", "-d", RC / "Android.bp"], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        broken = (RC / "Android.bp").read_text().replace('name: "framegovd",', 'name "framegovd",', 1)
        with tempfile.NamedTemporaryFile("w", suffix=".bp") as other:
            other.write(broken)
            other.flush()
            self.assertNotEqual(subprocess.run(["bpfmt", "-d", other.name], capture_output=True, check=False).returncode, 0)


if __name__ == "__main__":
    for needed in (shutil.which(COMPILER), (ROOT / ".cache/arm64/sysroot").is_dir()):
        if not needed:
            print(f"skipped: {COMPILER} or what ./dev deps unpacks is missing")
            sys.exit(SKIPPED)
    unittest.main(verbosity=2)
