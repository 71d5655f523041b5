# SPDX-License-Identifier: Apache-2.0
"""The phone's ramdisk: a cpio archive with busybox, the modules it boots with, init and the agent.

It is not compressed: unpacking would cost the emulated CPU more than reading."""

from __future__ import annotations

import lzma
import pathlib
import stat

# In loading order. What a kernel package has built in is left out, as 6.1 has the first two.
MODULES = ("drivers/virtio/virtio", "drivers/virtio/virtio_ring", "drivers/virtio/virtio_mmio",
           "drivers/char/virtio_console", "drivers/cpufreq/cpufreq-dt")  # fmt: skip

INIT = """#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
mount -t tmpfs tmpfs /tmp
mount -t tracefs tracefs /sys/kernel/tracing
mount -t debugfs debugfs /sys/kernel/debug
mount -t bpf bpf /sys/fs/bpf
mount -t cgroup2 cgroup2 /sys/fs/cgroup
# Android's cpusets: version 1, without the prefix.
mkdir /dev/cpuset
mount -t cgroup -o cpuset,noprefix cpuset /dev/cpuset
for group in top-app foreground background; do
  mkdir /dev/cpuset/$group
  cat /dev/cpuset/cpus > /dev/cpuset/$group/cpus
  cat /dev/cpuset/mems > /dev/cpuset/$group/mems
done
for module in {modules}; do insmod /lib/modules/$module || echo "init: $module not loaded"; done
ip link set lo up
exec /bin/phone_agent
"""

_TRAILER = "TRAILER!!!"


class Archive:
    """A cpio archive (newc) in memory. Folders of a path are added by themselves."""

    def __init__(self) -> None:
        self._data = bytearray()
        self._inode = 0
        self._folders: set[str] = set()

    def folder(self, path: str) -> None:
        path = path.strip("/")
        if path and path not in self._folders:
            self.folder(str(pathlib.PurePosixPath(path).parent).replace(".", "", 1))
            self._folders.add(path)
            self._entry(path, stat.S_IFDIR | 0o755)

    def file(self, path: str, content: bytes, mode: int = 0o644) -> None:
        path = path.strip("/")
        parent = str(pathlib.PurePosixPath(path).parent)
        if parent != ".":
            self.folder(parent)
        self._entry(path, stat.S_IFREG | mode, content)

    def character_device(self, path: str, major: int, minor: int) -> None:
        self.folder(str(pathlib.PurePosixPath(path.strip("/")).parent))
        self._entry(path.strip("/"), stat.S_IFCHR | 0o600, device=(major, minor))

    def to_bytes(self) -> bytes:
        ended = Archive()
        ended._data = bytearray(self._data)
        ended._entry(_TRAILER, 0)
        return bytes(ended._data)

    def _entry(self, path: str, mode: int, content: bytes = b"", device: tuple[int, int] = (0, 0)) -> None:
        self._inode += 1
        name = path.encode() + b"\0"
        links = 2 if stat.S_ISDIR(mode) else 1
        fields = (self._inode, mode, 0, 0, links, 0, len(content), 0, 0, *device, len(name), 0)
        self._data += b"070701" + b"".join(b"%08x" % field for field in fields) + name
        self._pad()
        self._data += content
        self._pad()

    def _pad(self) -> None:
        self._data += b"\0" * (-len(self._data) % 4)


def _module(path: pathlib.Path) -> bytes | None:
    """Newer kernel packages compress their modules; what they have built in is no file at all."""
    packed = path.with_name(path.name + ".xz")
    if packed.exists():
        return lzma.decompress(packed.read_bytes())
    return path.read_bytes() if path.exists() else None


def build(kernel_modules: pathlib.Path, busybox: pathlib.Path, agent: pathlib.Path) -> Archive:
    """The archive every phone boots from. `kernel_modules` is .../lib/modules/VERSION/kernel."""
    archive = Archive()
    for folder in ("proc", "sys", "dev", "tmp", "bin", "data/local/tmp"):
        archive.folder(folder)
    # The kernel opens it for init before devtmpfs is there.
    archive.character_device("dev/console", 5, 1)
    names = []
    for module in MODULES:
        if (content := _module(kernel_modules / f"{module}.ko")) is not None:
            names.append(pathlib.PurePosixPath(module).name + ".ko")
            archive.file(f"lib/modules/{names[-1]}", content)
    archive.file("bin/busybox", busybox.read_bytes(), 0o755)
    archive.file("bin/phone_agent", agent.read_bytes(), 0o755)
    archive.file("init", INIT.replace("{modules}", " ".join(names)).encode(), 0o755)
    return archive
