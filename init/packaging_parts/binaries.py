# SPDX-License-Identifier: Apache-2.0
"""The static arm64 programs: stripped, and looked at before they are shipped."""

from __future__ import annotations

import os
import pathlib
import re
import struct
import subprocess
import tempfile
from collections.abc import Iterable

_ROOT = pathlib.Path(__file__).resolve().parents[2]
# Android 15 and later may run kernels with 16 KiB pages; a segment aligned to less does not load there.
LARGEST_PAGE = 16384
_AARCH64 = 183
_ET_DYN = 3
_PT_LOAD, _PT_DYNAMIC, _PT_INTERP, _PT_GNU_STACK, _PT_GNU_RELRO = 1, 2, 3, 0x6474E551, 0x6474E552
_PF_X = 1
_DT_FLAGS_1, _DF_1_NOW = 0x6FFFFFFB, 1
# What the compiler's checks call when they fail (cmake/Hardening.cmake), by the option that makes them.
_CALLED_BY_CHECKS = {
    "-fstack-protector-strong": rb"\0__stack_chk_fail\0",
    "-D_FORTIFY_SOURCE": rb"\0__p?read(64)?_chk\0",
    "-D_GLIBCXX_ASSERTIONS": rb"\0_ZSt\w*assert\w*\0",
}


class BadBinary(Exception):
    """A program that would not run on a phone."""


def stripped(path: pathlib.Path) -> bytes:
    data = _checked(path)
    check_names(path.name, path.read_bytes(), _CALLED_BY_CHECKS)
    return data


def stripped_library(path: pathlib.Path) -> bytes:
    """What goes into apps: it has no C++ library to check anything with."""
    data = _checked(path)
    check_names(path.name, data, ["-fstack-protector-strong"])
    return data


def _checked(path: pathlib.Path) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / path.name
        subprocess.run(["aarch64-linux-gnu-strip", "--strip-all", "-o", out, path], check=True)
        data = out.read_bytes()
    check(path.name, data)
    return data


def check_names(name: str, data: bytes, options: Iterable[str]) -> None:
    """Raises BadBinary unless it was compiled with these checks, and calls what they call."""
    for option in options:
        if not re.search(_CALLED_BY_CHECKS[option], data):
            raise BadBinary(f"{name} has not all checks: compile with {option}")


def check(name: str, data: bytes) -> None:
    """Raises BadBinary unless it is a static AArch64 ELF file for pages of up to 16 KiB that does not tell where it
    was built: that would make the same sources give other bytes elsewhere. Nor may it help an attacker: it is loaded
    anywhere, its tables of functions are read-only once it runs, and no stack can be run."""
    if data[:5] != b"\x7fELF\x02" or struct.unpack_from("<H", data, 18)[0] != _AARCH64:
        raise BadBinary(f"{name} is no 64-bit ARM program: run ./dev build aarch64")
    if os.fsencode(_ROOT) + b"/" in data:
        raise BadBinary(f"{name} names {_ROOT}, where it was built: compile with -ffile-prefix-map")
    if struct.unpack_from("<H", data, 16)[0] != _ET_DYN:
        raise BadBinary(f"{name} is loaded at one address only: link with -static-pie")
    stack_is_safe = has_relro = binds_now = False
    offset, size, count = struct.unpack_from("<Q", data, 32)[0], *struct.unpack_from("<HH", data, 54)
    for index in range(count):
        header = data[offset + index * size :][:size]
        kind, flags, begin = struct.unpack_from("<IIQ", header)
        length, alignment = struct.unpack_from("<Q", header, 32)[0], struct.unpack_from("<Q", header, 48)[0]
        stack_is_safe = stack_is_safe or (kind == _PT_GNU_STACK and not flags & _PF_X)
        has_relro = has_relro or kind == _PT_GNU_RELRO
        if kind == _PT_DYNAMIC:
            entries = dict(struct.iter_unpack("<QQ", data[begin : begin + length]))
            binds_now = bool(entries.get(_DT_FLAGS_1, 0) & _DF_1_NOW)
        if kind == _PT_INTERP:
            raise BadBinary(f"{name} is not static: it needs a loader that phones do not have")
        if kind == _PT_LOAD and alignment % LARGEST_PAGE:
            raise BadBinary(f"{name} is aligned to {alignment} bytes: link with -z max-page-size={LARGEST_PAGE}")
    if not stack_is_safe:
        raise BadBinary(f"{name} lets its stack be run: link with -z noexecstack")
    if not (has_relro and binds_now):
        raise BadBinary(f"{name} leaves its tables of functions writable: link with -z relro -z now")
