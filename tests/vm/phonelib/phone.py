# SPDX-License-Identifier: Apache-2.0
"""The arm64 virtual phone: boot it, run commands in it, bring results back (docs/virtual-phone.md)."""

from __future__ import annotations

import pathlib
import shlex
import tempfile
import time

from . import devicetree, ramdisk
from .errors import PhoneError
from .layouts import DEFAULT_LAYOUT, Layout
from .link import Link
from .machine import Machine, find_parts, shape
from .process import Completed, Process

CPUFREQ = "/sys/devices/system/cpu/cpufreq"
_CONSOLE_TAIL = 60


class Phone:
    """A booted phone, used in a `with` block; QEMU is gone when the block ends.

    Every method raises PhoneError with the console's last lines when the guest panics or hangs.
    PhoneUnavailable, raised at the start of the block, means that this machine cannot run one.
    """

    def __init__(self, layout: Layout = DEFAULT_LAYOUT, boot_timeout: float = 60, own_kernel: str = ""):
        self.layout = layout
        self.parts = find_parts(own_kernel)
        self.boot_seconds = 0.0
        self._boot_timeout = boot_timeout
        self._folder: tempfile.TemporaryDirectory | None = None
        self._machine: Machine | None = None
        self._link: Link | None = None

    def __enter__(self) -> Phone:
        started = time.monotonic()
        self._folder = tempfile.TemporaryDirectory(prefix="framegov-phone-")
        try:
            self._boot(pathlib.Path(self._folder.name))
        except BaseException:
            self.__exit__()
            raise
        self.boot_seconds = time.monotonic() - started
        return self

    def __exit__(self, *_) -> None:
        if self._machine:
            self._machine.kill()
        if self._folder:
            self._folder.cleanup()
        self._machine = self._folder = self._link = None

    def run(self, command: str, timeout: float = 30, stdin: bytes = b"") -> Completed:
        """Runs a shell command to its end."""
        process = self.start(command)
        if stdin:
            process.write(stdin)
        process.close_input()
        return process.wait(timeout)

    def start(self, command: str) -> Process:
        """Starts a shell command and returns at once."""
        if not self._link:
            raise PhoneError("the phone is not running")
        return Process(self._link, command, self._lost)

    def put(self, source: pathlib.Path | bytes, path: str, mode: int = 0o644) -> None:
        """Copies a file of the host, or bytes, to `path` in the phone; its folder is made."""
        data = source if isinstance(source, bytes) else source.read_bytes()
        target = shlex.quote(path)
        # Written beside and renamed: a program that is running can be replaced.
        script = f'mkdir -p "$(dirname {target})" && cat > {target}.part && chmod {mode:o} {target}.part && mv {target}.part {target}'
        self.run(script, timeout=60, stdin=data).check()

    def get(self, path: str, timeout: float = 60) -> bytes:
        """The content of a file in the phone."""
        return self.run(f"cat {shlex.quote(path)}", timeout=timeout).check().stdout

    def read(self, path: str) -> str:
        """A small text node, such as those of sysfs, without its last newline."""
        return self.get(path).decode(errors="replace").rstrip("\n")

    def write(self, path: str, value: object) -> None:
        """Writes a text node. CommandFailed when the kernel refuses it."""
        self.run(f"printf %s {shlex.quote(str(value))} > {shlex.quote(path)}").check()

    def policy(self, index: int, node: str) -> str:
        """The path of a cpufreq node of the layout's cluster `index`."""
        return f"{CPUFREQ}/policy{self.layout.first_cpu(index)}/{node}"

    def limits(self) -> str:
        """Every policy's limits as they stand, to be compared with how they stood."""
        return self.run(f"grep -H . {CPUFREQ}/policy*/scaling_m??_freq").check().text

    def kernel_at_least(self, major: int, minor: int) -> bool:
        release = self.read("/proc/sys/kernel/osrelease").split(".")
        return (int(release[0]), int(release[1])) >= (major, minor)

    def best_source(self) -> str:
        """What frames come from when nothing is chosen."""
        return "ringbuf" if self.kernel_at_least(5, 8) else "perf"

    def console(self) -> str:
        return self._machine.log() if self._machine else ""

    def waited_s(self) -> float:
        """How long the phone has waited for a CPU of this machine: what is above a few percent of
        the time that passed makes its times late for no reason of its own."""
        return self._machine.waited_s() if self._machine else 0.0

    def waits_s(self) -> dict[str, float]:
        """The same for each of the phone's CPUs (and what else QEMU is made of) alone."""
        return self._machine.waits_s() if self._machine else {}

    def _boot(self, folder: pathlib.Path) -> None:
        tree = devicetree.build(self.layout, shape(self.layout), self.parts.qemu, folder)
        disk = folder / "ramdisk.cpio"
        disk.write_bytes(ramdisk.build(self.parts.modules, self.parts.busybox, self.parts.agent).to_bytes())
        self._machine = Machine(self.parts, self.layout, tree, disk)
        self._link = Link(self._machine.stream)
        end = time.monotonic() + self._boot_timeout
        while not self._link.hello.wait(0.05):
            if not self._machine.running:
                raise self._lost("the phone did not boot")
            if time.monotonic() > end:
                raise self._lost(f"the phone did not boot in {self._boot_timeout:g} s")
        self._set_governor()

    def _set_governor(self) -> None:
        # cpufreq-dt has one set of schedutil's tunables for all policies, in the folder above them.
        self.run(
            f"cd {CPUFREQ} && for p in policy*; do echo schedutil > $p/scaling_governor || exit 1; done && "
            # Vendors' kernels have one node for each direction.
            f"for f in schedutil/*rate_limit_us; do echo {self.layout.rate_limit_us} > $f || exit 1; done"
        ).check()

    def _lost(self, message: str) -> PhoneError:
        tail = "\n".join(self.console().splitlines()[-_CONSOLE_TAIL:])
        return PhoneError(f"{message}; its console ends with:\n{tail or '(nothing)'}")
