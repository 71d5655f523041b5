# SPDX-License-Identifier: Apache-2.0
"""The three ways to run a phone that the demo compares. Each is entered before the app starts."""

from __future__ import annotations

import json
import pathlib
import re
import signal
import time

from phonelib import Phone, PhoneError, PhoneUnavailable, Process

EVENTS = "/tmp/events"


class Plain:
    """The kernel's schedutil alone.

    With `probes`, a framegovd that only watches: emulation makes a probe a hundred times dearer than
    hardware does, and runs are comparable only if the app's threads pay for it in all of them."""

    key, title = "plain", "schedutil"

    def __init__(self, phone: Phone, probes: Framegov | None = None):
        self.phone = phone
        self._probes = probes

    def start(self) -> str:
        """Makes the phone ready; returns where the app shall write its touches and bursts."""
        if self._probes:
            self._probes.start()
        return EVENTS

    def stop(self) -> None:
        """Ends what start() began, after the app."""
        if self._probes:
            self._probes.stop()

    def measured_ms(self) -> dict[int, float]:
        """Generation times that the mode itself measured, by vsync; after stop()."""
        return {}

    def cpu_share(self, seconds: float) -> float | None:
        """The mode's own load, in CPUs."""
        return None


class Boost(Plain):
    """schedutil with a floor of 60 % of the top frequency for 500 ms after each touch or burst."""

    key, title = "boost", "schedutil + boost"
    _PIPE = "/tmp/events.pipe"

    def __init__(self, phone: Phone, probes: Framegov | None = None):
        super().__init__(phone, probes)
        self._process: Process | None = None
        phone.put(phone.parts.binaries / "tests/vm/guest/phone_vendor_boost", "/bin/vendor_boost", 0o755)
        phone.run(f"mkfifo {self._PIPE}").check()

    def start(self) -> str:
        super().start()
        self._process = self.phone.start(f"exec vendor_boost < {self._PIPE}")
        return self._PIPE

    def stop(self) -> None:
        # It ends with the app's end of the pipe.
        self._process.wait(10).check()
        super().stop()


class Framegov(Plain):
    """framegovd with its built-in settings, told only where the app's libraries are.

    `settings` is YAML that goes before that: other sections than `service`, to try them out.
    `service` is what the section `service` says beyond that, or instead."""

    key, title = "framegov", "framegovd"
    _FOLDER = "/data/local/tmp/framegov"
    _FRAME = re.compile(r"decision .*cause=frame .*vsync_ns=(\d+) .*generation_ms=([\d.]+)")
    _START_SECONDS = 60

    def __init__(self, phone: Phone, settings: str = "", log_level: str = "debug", service: dict | None = None):
        super().__init__(phone)
        self._process: Process | None = None
        self._pid = 0
        self._busy_s = 0.0
        self.under = ""  # what it is started by, if not by a shell alone
        section = {
            "state_dir": f"{self._FOLDER}/state",
            "log_file": f"{self._FOLDER}/log",
            "log_level": log_level,
            "hwui_libraries": ["/app/libhwui.so"],
            "gui_libraries": ["/app/libgui.so"],
            "android_libraries": ["/app/libandroid.so"],
            **(service or {}),
        }
        # JSON is YAML.
        self._config = f"{settings}\nservice: {json.dumps(section)}\n"
        phone.put(self.binary(phone), "/bin/framegovd", 0o755)

    @staticmethod
    def binary(phone: Phone) -> pathlib.Path:
        path = phone.parts.binaries / "governor/framegovd"
        if not path.exists():
            raise PhoneUnavailable(f"{path} is missing", "run ./dev build aarch64")
        return path

    def begin(self) -> None:
        """As start(), without waiting for anything."""
        log = f"{self._FOLDER}/log"
        self.phone.run(f"rm -f {log}*").check()
        self.phone.put(self._config.encode(), f"{self._FOLDER}/framegov.yaml")
        self._process = self.phone.start(f"exec {self.under} framegovd --config {self._FOLDER}/framegov.yaml 2> {self._FOLDER}/errors")

    def start(self) -> str:
        self.begin()
        log = f"{self._FOLDER}/log"
        end = time.monotonic() + self._START_SECONDS
        while self.phone.run(f"grep -q governing {log}").exit_code != 0:
            if self._process.exit_code is not None or time.monotonic() > end:
                said = self.phone.run(f"tail -n 5 {self._FOLDER}/errors").text.strip()
                raise PhoneError(f"framegovd does not run: {said or 'it says nothing'}")
            time.sleep(0.1)
        self._pid = self.service_pid()
        self._busy_s = self._cpu_seconds()
        return EVENTS

    def stop(self) -> None:
        self._busy_s = self._cpu_seconds() - self._busy_s
        self._process.stop().check()

    def forget(self) -> None:
        """What it has learned of apps, while it does not run."""
        self.phone.run(f"rm -f {self._FOLDER}/state/learned").check()

    def service_pid(self) -> int:
        """Of the process that governs, which is its supervisor's child."""
        return int(self.phone.read(f"{self._FOLDER}/state/lock"))

    def log(self) -> str:
        return self.phone.read(f"{self._FOLDER}/log")

    def signal(self, number: int) -> None:
        self._process.signal(number)

    def ended(self) -> bool:
        return self._process is None or self._process.exit_code is not None

    def end(self) -> None:
        """As stop(), whatever has become of it."""
        if not self.ended():
            self._process.stop()

    def kill(self) -> None:
        """As kill -9: what it wrote stays."""
        self.signal(signal.SIGKILL)
        self._process.wait(10)

    def measured_ms(self) -> dict[int, float]:
        log = self.phone.run(f"cat {self._FOLDER}/log.1 {self._FOLDER}/log 2> /dev/null", timeout=60).text
        return {int(match[1]): float(match[2]) for match in self._FRAME.finditer(log)}

    def cpu_share(self, seconds: float) -> float | None:
        return self._busy_s / seconds

    def _cpu_seconds(self) -> float:
        return int(self.phone.read(f"/proc/{self._pid}/schedstat").split()[0]) / 1e9


MODES = (Plain, Boost, Framegov)
