# SPDX-License-Identifier: Apache-2.0
"""QEMU: the process, its console, and the files it needs from the build and the kernel package."""

from __future__ import annotations

import ctypes
import dataclasses
import os
import pathlib
import shutil
import signal
import socket
import subprocess

from .errors import PhoneUnavailable
from .layouts import Layout
from .link import PORT_NAME

ROOT = pathlib.Path(__file__).resolve().parents[3]
CPU = "cortex-a72"
_PR_SET_PDEATHSIG = 1
# Loaded before any fork: the child may only make the call.
_libc = ctypes.CDLL(None)


@dataclasses.dataclass(frozen=True)
class Parts:
    """Where what a phone is made of lies."""

    qemu: str
    kernel: pathlib.Path
    modules: pathlib.Path
    busybox: pathlib.Path
    binaries: pathlib.Path

    @property
    def agent(self) -> pathlib.Path:
        return self.binaries / "tests/vm/guest/phone_agent"


def find_parts(own_kernel: str = "") -> Parts:
    """`own_kernel`: a series that ./dev kernel builds, else Debian's. Raises PhoneUnavailable, naming the first
    thing that is missing."""
    qemu = shutil.which("qemu-system-aarch64")
    if not qemu:
        raise PhoneUnavailable("qemu-system-aarch64 is not installed", "run ./dev deps")
    if not shutil.which("dtc"):
        raise PhoneUnavailable("dtc, the device tree compiler, is not installed", "run ./dev deps")
    arm64 = ROOT / ".cache/arm64"
    # Another kernel package, unpacked (docs/portability.md).
    kernel = pathlib.Path(os.environ.get("FRAMEGOV_PHONE_KERNEL", arm64 / "kernel"))
    if own_kernel:
        kernel = ROOT / ".cache/kernels" / own_kernel
    brought_by = f"run ./dev kernel {own_kernel}" if own_kernel else "run ./dev deps"
    parts = Parts(
        qemu=qemu,
        kernel=_one(kernel / "boot", "vmlinuz-*", brought_by),
        modules=_one(kernel / "lib/modules", "*/kernel", brought_by),
        busybox=arm64 / "sysroot/bin/busybox",
        binaries=pathlib.Path(os.environ.get("FRAMEGOV_AARCH64_BUILD", ROOT / "build/aarch64")),
    )
    if not parts.busybox.exists():
        raise PhoneUnavailable(f"{parts.busybox} is missing", "run ./dev deps")
    if not parts.agent.exists():
        raise PhoneUnavailable(f"{parts.agent} is missing", "run ./dev build aarch64")
    return parts


def _one(folder: pathlib.Path, pattern: str, brought_by: str) -> pathlib.Path:
    found = sorted(folder.glob(pattern))
    if not found:
        raise PhoneUnavailable(f"no arm64 kernel: {folder}/{pattern} is missing", brought_by)
    return found[-1]


def shape(layout: Layout) -> list[str]:
    """The arguments that decide the hardware; the device tree is dumped with the same."""
    return [
        "-M", "virt,gic-version=3", "-cpu", CPU + ("" if layout.pmu else ",pmu=off"), "-smp", str(layout.cpu_count), "-m", str(layout.memory_mib),
        "-nodefaults", "-no-user-config", "-display", "none",
    ]  # fmt: skip


class Machine:
    """A running QEMU. It is killed by kill() and, whatever happens, with this process."""

    def __init__(self, parts: Parts, layout: Layout, device_tree: pathlib.Path, ramdisk: pathlib.Path):
        self._console = device_tree.with_name("console.log")
        self.stream, theirs = socket.socketpair()
        command = [
            parts.qemu, *shape(layout), "-accel", "tcg,thread=multi",
            "-kernel", str(parts.kernel), "-initrd", str(ramdisk), "-dtb", str(device_tree),
            # loglevel=4: a panic or a warning shows on the console, the boot does not slow it down.
            "-append", "console=ttyAMA0 loglevel=4 panic=-1 oops=panic",
            "-no-reboot", "-serial", f"file:{self._console}",
            # Old kernels wait long for entropy without.
            "-device", "virtio-rng-device",
            "-device", "virtio-serial-device",
            "-chardev", f"socket,id=agent,fd={theirs.fileno()}",
            "-device", f"virtserialport,chardev=agent,name={PORT_NAME}",
        ]  # fmt: skip
        self._errors = device_tree.with_name("qemu.err")
        with theirs, self._errors.open("wb") as errors:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=errors, stderr=errors,
                pass_fds=[theirs.fileno()], preexec_fn=_prepare, start_new_session=True,
            )  # fmt: skip

    @property
    def running(self) -> bool:
        return self.process.poll() is None

    def log(self) -> str:
        """What the guest's console and QEMU itself have said."""
        texts = [path.read_text(errors="replace") for path in (self._errors, self._console) if path.exists()]
        return "\n".join(text for text in texts if text.strip())

    def waited_s(self) -> float:
        """Time that QEMU's threads were ready to run and had no CPU of this machine, all added up, and
        time that this machine, where it is a virtual one itself, had none of its own host's."""
        return _stolen_s() + sum(self.waits_s().values())

    def waits_s(self) -> dict[str, float]:
        """For each of QEMU's threads, one of which is each of the phone's CPUs: how long it was ready to run
        and had no CPU of this machine."""
        waits = {}
        for file in pathlib.Path(f"/proc/{self.process.pid}/task").glob("*/schedstat"):
            try:
                waits[file.parent.name] = int(file.read_text().split()[1]) / 1e9
            except OSError:
                pass  # the thread has ended
        return waits

    def kill(self) -> None:
        self.stream.close()
        self.process.kill()
        self.process.wait()


def _stolen_s() -> float:
    """All CPUs' steal time (proc(5), /proc/stat)."""
    ticks = int(pathlib.Path("/proc/stat").read_text().split("\n", 1)[0].split()[8])
    return ticks / os.sysconf("SC_CLK_TCK")


def _prepare() -> None:
    """In the child: die with the parent, and where allowed (root) run before all other work.

    A phone's CPUs do not wait for anyone's compiler. Under a fair scheduler, whatever the nice value,
    they wait for milliseconds each time they wake, and frames miss deadlines because of it. The
    kernel's real-time throttling keeps the rest of this machine alive."""
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    try:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    except OSError:
        pass
