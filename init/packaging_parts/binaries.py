# SPDX-License-Identifier: Apache-2.0
"""The static arm64 programs: stripped, and looked at before they are shipped."""

from __future__ import annotations

import os
import pathlib
import struct
import subprocess
import tempfile

_ROOT = pathlib.Path(__file__).resolve().parents[2]
# Android 15 and later may run kernels with 16 KiB pages; a segment aligned to less does not load there.
LARGEST_PAGE = 16384
_AARCH64 = 183
_PT_LOAD, _PT_INTERP = 1, 3


class BadBinary(Exception):
    """A program that would not run on a phone."""


def stripped(path: pathlib.Path) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / path.name
        subprocess.run(["aarch64-linux-gnu-strip", "--strip-all", "-o", out, path], check=True)
        data = out.read_bytes()
    check(path.name, data)
    return data


def check(name: str, data: bytes) -> None:
    """Raises BadBinary unless it is a static AArch64 ELF file for pages of up to 16 KiB that does not tell where it
    was built: that would make the same sources give other bytes elsewhere."""
    if data[:5] != b"\x7fELF\x02" or struct.unpack_from("<H", data, 18)[0] != _AARCH64:
        raise BadBinary(f"{name} is no 64-bit ARM program: run ./dev build aarch64")
    if os.fsencode(_ROOT) + b"/" in data:
        raise BadBinary(f"{name} names {_ROOT}, where it was built: compile with -ffile-prefix-map")
    offset, size, count = struct.unpack_from("<Q", data, 32)[0], *struct.unpack_from("<HH", data, 54)
    for index in range(count):
        header = data[offset + index * size :][:size]
        kind, alignment = struct.unpack_from("<I", header)[0], struct.unpack_from("<Q", header, 48)[0]
        if kind == _PT_INTERP:
            raise BadBinary(f"{name} is not static: it needs a loader that phones do not have")
        if kind == _PT_LOAD and alignment % LARGEST_PAGE:
            raise BadBinary(f"{name} is aligned to {alignment} bytes: link with -z max-page-size={LARGEST_PAGE}")
