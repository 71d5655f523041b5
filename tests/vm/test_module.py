#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The module's life in the phone: installed, started at boot, asked, updated, removed; under busybox ash.

A stand-in for the root manager (guest/manager.sh) gives its scripts what Magisk and KernelSU give them."""

from __future__ import annotations

import pathlib
import signal
import subprocess
import tempfile
import time

from demolib import app
from demolib.scenes import Scene
from phonelib import PhoneUnavailable
from phonelib.machine import ROOT
from phonelib.testing import PhoneTestCase, main

MODULE = "/data/adb/modules/framegov"
STATE = "/data/adb/framegov"
CONFIG = f"{STATE}/framegov.yaml"
ZIP = "/tmp/framegov.zip"
SCRIPT_SECONDS = 60


class Module(PhoneTestCase):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        app.install(cls.phone)
        cls.phone.put(cls.package(), ZIP)
        cls.phone.put(ROOT / "tests/vm/guest/manager.sh", "/data/adb/magisk/util_functions.sh")
        cls.phone.put(b"#!/bin/sh\necho 1\n", "/bin/getprop", 0o755)
        # Where phones have them; the app maps the same files.
        cls.phone.run("mkdir -p /system/lib64 /data/adb/ksu/bin && ln -s /app/libhwui.so /app/libgui.so /system/lib64").check()
        # Limits that are not the kernel's own: what has to be put back.
        cls.phone.write(cls.phone.policy(0, "scaling_max_freq"), cls.phone.layout.clusters[0].opps[-2].khz)
        cls.before = cls.phone.limits(), cls.files()

    @classmethod
    def package(cls) -> bytes:
        for program in ("cli/framegov", "governor/framegovd", "init/zygisk/arm64-v8a.so"):
            if not (cls.phone.parts.binaries / program).exists():
                raise PhoneUnavailable(f"{program} is not built for the phone", "run ./dev build aarch64")
        with tempfile.TemporaryDirectory() as folder:
            command = [ROOT / "init/package", "--binaries", cls.phone.parts.binaries, "--out", folder]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            return next(pathlib.Path(folder).glob("*.zip")).read_bytes()

    @classmethod
    def files(cls) -> str:
        """Everything below the folders that a module may write to."""
        return cls.phone.run("find /data /system /bin | sort").check().text

    def tearDown(self) -> None:
        if self.phone.run(f"[ -d {MODULE} ]").exit_code == 0:
            self.remove()
        self.phone.run("rm -rf /data/adb/modules_update")
        limits, files = self.before
        self.assertEqual(self.phone.limits(), limits)
        self.assertEqual(self.files(), files)

    def install(self, variables: str = ""):
        """What the manager does with the zip: its update-binary, in ash."""
        self.phone.run(f"cd /tmp && unzip -oq {ZIP} 'META-INF/*'").check()
        binary = "/tmp/META-INF/com/google/android/update-binary"
        done = self.phone.run(f"{variables} ash {binary} 3 1 {ZIP} 2>&1; code=$?; rm -rf /tmp/META-INF; exit $code", timeout=SCRIPT_SECONDS)
        return done

    def reboot(self) -> None:
        """What a reboot does to a module: processes gone, the new files in place, service.sh run."""
        self.phone.run("killall -9 framegovd; sleep 0.3; rm -rf /data/adb/modules; mv /data/adb/modules_update /data/adb/modules", timeout=SCRIPT_SECONDS)
        self.phone.run(f"ash {MODULE}/service.sh < /dev/null > /dev/null 2>&1", timeout=SCRIPT_SECONDS).check()

    def remove(self) -> None:
        self.phone.run(f"ash {MODULE}/uninstall.sh 2>&1", timeout=SCRIPT_SECONDS).check()
        # The manager's part.
        self.phone.run("rm -rf /data/adb/modules")

    def until(self, condition, what: str) -> None:
        end = time.monotonic() + 60
        while not condition():
            self.assertLess(time.monotonic(), end, what)
            time.sleep(0.2)

    def governing(self) -> bool:
        return self.phone.run(f"grep -q governing {STATE}/framegov.log").exit_code == 0

    def action(self) -> str:
        return self.phone.run(f"ash {MODULE}/action.sh 2>&1", timeout=SCRIPT_SECONDS).text

    def test_installs_governs_and_leaves_nothing(self):
        done = self.install()
        self.assertEqual(done.exit_code, 0, done.text)
        self.assertIn("framegov can govern this phone", done.text)
        self.reboot()
        self.until(self.governing, "the service does not start")
        self.assertIn("framegovd is running", self.action())
        self.assertEqual(self.phone.run("readlink /data/adb/ksu/bin/framegov").text.strip(), f"{MODULE}/bin/framegov")
        playing = app.start(self.phone, Scene("scroll", 60), 60, 1, "/tmp/events")
        self.addCleanup(playing.signal, signal.SIGKILL)
        self.until(lambda: self.phone.limits() != self.before[0], "no limit is written")
        # While it governs.
        self.remove()
        self.assertEqual((self.phone.limits(), self.files()), self.before)

    def test_an_update_keeps_the_owner_s_settings(self):
        self.install().check()
        self.reboot()
        self.phone.run(f"echo 'policy: pid' >> {CONFIG}; echo mine > {STATE}/kept").check()
        before = self.phone.read(CONFIG)
        done = self.install()
        self.assertIn("are kept", done.text)
        self.reboot()
        self.until(self.governing, "the service does not start")
        self.assertEqual(self.phone.read(CONFIG), before)
        self.assertEqual(self.phone.read(f"{STATE}/kept"), "mine")

    def test_settings_that_cannot_be_read_are_kept_and_named(self):
        self.install().check()
        self.phone.run(f"echo 'polcy: pid' >> {CONFIG}").check()
        done = self.install()
        self.assertEqual(done.exit_code, 0, done.text)
        self.assertIn("did you mean", done.text)
        self.reboot()
        self.until(lambda: "exit code 3" in self.action(), "the reason is not shown")
        self.assertIn("framegovd is not running", self.action())

    def test_refuses_a_phone_that_it_cannot_govern(self):
        self.phone.run("mv /system/lib64 /system/away").check()
        try:
            done = self.install()
        finally:
            self.phone.run("mv /system/away /system/lib64").check()
        self.assertEqual(done.exit_code, 1, done.text)
        self.assertRegex(done.text, r"missing +source")
        self.assertIn("Nothing on this phone was changed", done.text)
        for variables, reason in (("ARCH=arm", "64-bit"), ("API=28", "Android 10"), ("BOOTMODE=false", "recovery")):
            done = self.install(variables)
            self.assertEqual(done.exit_code, 1, done.text)
            self.assertIn(reason, done.text)

    def test_an_update_lifts_the_disabling_after_starts_that_did_not_last(self):
        self.install().check()
        self.reboot()
        self.until(self.governing, "the service does not start")
        for _ in range(6):
            # As a phone that goes down: nobody is left to clean up.
            self.phone.run("killall -9 framegovd; sleep 0.5; echo", timeout=SCRIPT_SECONDS)
            self.phone.run(f"ash {MODULE}/service.sh < /dev/null > /dev/null 2>&1; sleep 1", timeout=SCRIPT_SECONDS).check()
        self.until(lambda: "--enable" in self.action(), "it starts on and on, or does not say why it does not")
        self.install().check()
        self.phone.run(f"rm -f {STATE}/framegov.log").check()
        self.reboot()
        self.until(self.governing, "the update does not start")

    def test_every_script_parses_in_ash(self):
        self.install().check()
        for script in ("paths", "words", "customize", "service", "uninstall", "action"):
            self.phone.run(f"ash -n /data/adb/modules_update/framegov/{script}.sh").check()
        self.reboot()


if __name__ == "__main__":
    main()
