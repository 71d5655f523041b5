# SPDX-License-Identifier: Apache-2.0
"""What is linked into the programs: a CycloneDX list of parts and the licence texts.

Everything comes from the packages' own files, their copyright and changelog below usr/share/doc, but the licences of those
whose copyright file speaks of more than what is linked."""

from __future__ import annotations

import dataclasses
import fnmatch
import gzip
import json
import pathlib
import re
import time
import uuid

# In the unpacked tree for the virtual phone and the tests, not in the programs.
_NOT_LINKED = {"busybox-static", "libgtest-dev", "libgmock-dev"}
# Of the front-end packages the only one that is shipped; the others test the page.
_PAGE = ("uplot",)
# The cross compiler's runtime: glibc, libstdc++, libgcc.
_TOOLCHAIN = ("libc6-dev-arm64-cross", "libstdc++-*-dev-arm64-cross", "libgcc-*-dev-arm64-cross")

_GCC = "GPL-3.0-or-later WITH GCC-exception-3.1"
# What is linked of a package, where that is not under the licence of its `Files: *`, as an SPDX expression.
_LINKED = {
    # copyright, "Files: arch/AArch64/...": the decoder is LLVM's, under the University of Illinois' licence.
    "libcapstone-dev": "BSD-3-Clause AND NCSA",
    # copyright: "Most of the GNU C library is under the following"; the rest is utilities, or asks for less.
    "libc6-dev-arm64-cross": "LGPL-2.1-or-later",
    # copyright, "Files: backends/* ... lib*"; `*`, the GPL, is that of the tools.
    "libelf-dev": "LGPL-3.0-or-later OR GPL-2.0-or-later",
    # copyright: "The following runtime libraries ... with version 3.1 of the GCC Runtime Library Exception".
    "libgcc-*-dev-arm64-cross": _GCC,
    "libstdc++-*-dev-arm64-cross": _GCC,
    # copyright: "liblzma is in the public domain".
    "liblzma-dev": "LicenseRef-public-domain",
    # copyright, "Files: include/sha1.h src/sha1.c"; of the library only SHA-1 is used.
    "libmd-dev": "LicenseRef-public-domain",
    # LICENSE.txt of yaml-cpp and its text in copyright, which Debian calls X11: SPDX's X11 has a clause more.
    "libyaml-cpp-dev": "MIT",
    # sys/sdt.h, "dedicated to the public domain, pursuant to CC0"; the GPL of copyright is that of the tools.
    "systemtap-sdt-dev": "CC0-1.0",
}
# Debian's short names that SPDX has others for (https://spdx.org/licenses).
_SPDX = {
    "BSD-2-Clause and Apache-2.0": "BSD-2-Clause AND Apache-2.0",
    "BSD-3-clause": "BSD-3-Clause",
    "Expat": "MIT",
    "Expat with embedded exception": "MIT",  # the exception asks for less still
    "LGPL-2.1 or BSD-2-Clause": "LGPL-2.1-only OR BSD-2-Clause",
    "MPL-2": "MPL-2.0",
}
# Texts that Debian's copyright files name without quoting them: by the licence, the files of /usr/share/common-licenses.
_COMMON_TEXTS = {
    "Apache-2.0": ("Apache-2.0",),
    "CC0-1.0": ("CC0-1.0",),
    "GPL-2.0-or-later": ("GPL-2",),
    "GPL-3.0-or-later": ("GPL-3",),
    "LGPL-2.1-only": ("LGPL-2.1",),
    "LGPL-2.1-or-later": ("LGPL-2.1",),
    "LGPL-3.0-or-later": ("LGPL-3", "GPL-3"),  # it adds to the GPL
    "MPL-2.0": ("MPL-2.0",),
}
_NOTICE = """What is linked into framegovd and framegov, and under which licence. The texts are in the files of the same names;
those that several refer to are in common/.

{parts}

Some of these libraries are under the LGPL and linked statically. To link the programs with others of your own: framegov's sources
and build commands are public, so put your libraries into the unpacked packages (.cache/arm64/sysroot, made by ./dev deps), or your C
library into the cross compiler, and run ./dev build aarch64; init/package makes the zip again.
"""


@dataclasses.dataclass(frozen=True)
class Part:
    name: str
    version: str
    licence: str  # an SPDX expression
    text: bytes
    purl: str

    @staticmethod
    def from_debian(docs: pathlib.Path) -> Part:
        text = (docs / "copyright").read_bytes()
        changelog = gzip.decompress((docs / "changelog.Debian.gz").read_bytes()).decode(errors="replace")
        version = re.match(r"\S+ \(([^)]+)\)", changelog)[1]
        purl = f"pkg:deb/debian/{docs.name}@{version}?arch=arm64"
        return Part(docs.name, version, _licence_of(docs.name, text.decode(errors="replace")), text, purl)

    @staticmethod
    def from_npm(folder: pathlib.Path) -> Part:
        about = json.loads((folder / "package.json").read_text())
        purl = f"pkg:npm/{about['name']}@{about['version']}"
        return Part(about["name"], about["version"], about["license"], (folder / "LICENSE").read_bytes(), purl)

    def component(self) -> dict:
        return {
            "type": "library",
            "bom-ref": self.purl,
            "name": self.name,
            "version": self.version,
            "purl": self.purl,
            "licenses": [{"expression": self.licence}],
        }

    def identifiers(self) -> set[str]:
        """Of licences and exceptions."""
        return set(re.findall(r"[\w.+-]+", self.licence)) - {"AND", "OR", "WITH"}


def _licence_of(package: str, copyright_text: str) -> str:
    """What is linked of it, otherwise the licence of `Files: *`, or of the first paragraph. A file without paragraphs
    names none: its package has to be in _LINKED."""
    for pattern, linked in _LINKED.items():
        if fnmatch.fnmatch(package, pattern):
            return linked
    paragraphs = re.findall(r"^Files:\s*(.*?)^License:[ \t]*(.*?)$", copyright_text, re.DOTALL | re.MULTILINE)
    everything = [licence for files, licence in paragraphs if files.split()[:1] == ["*"]]
    named = [licence.strip() for licence in everything or [licence for _, licence in paragraphs]] or ["NOASSERTION"]
    return _SPDX.get(named[0], named[0])


def linked_parts(sysroot: pathlib.Path, npm: pathlib.Path, host_docs: pathlib.Path) -> list[Part]:
    """Sorted by name. `host_docs` is /usr/share/doc, where the cross compiler's runtime is described."""
    docs = [folder for folder in (sysroot / "usr/share/doc").iterdir() if folder.name not in _NOT_LINKED]
    docs = [folder for folder in docs if (folder / "changelog.Debian.gz").exists()]
    for pattern in _TOOLCHAIN:
        docs += host_docs.glob(pattern)
    parts = [Part.from_debian(folder) for folder in docs] + [Part.from_npm(npm / name) for name in _PAGE]
    return sorted(parts, key=lambda part: part.name)


def licence_files(parts: list[Part], common: pathlib.Path) -> dict[str, bytes]:
    """Name -> content: a notice, the text of each part, and those of `common` (/usr/share/common-licenses) they refer to."""
    files = {part.name: part.text for part in parts}
    for identifier in set().union(*(part.identifiers() for part in parts)):
        for name in _COMMON_TEXTS.get(identifier, ()):
            files[f"common/{name}"] = (common / name).read_bytes()
    lines = "\n".join(f"{part.name} {part.version}: {part.licence}" for part in parts)
    files["NOTICE"] = _NOTICE.format(parts=lines).encode()
    return files


def cyclonedx(version: str, parts: list[Part], epoch: int) -> str:
    components = [part.component() for part in parts]
    identity = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps([version, components], sort_keys=True))
    return json.dumps(
        {
            "bomFormat": "CycloneDX",
            "specVersion": "1.5",
            "serialNumber": f"urn:uuid:{identity}",
            "version": 1,
            "metadata": {
                "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(epoch)),
                "component": {
                    "type": "application",
                    "name": "framegov",
                    "version": version,
                    "licenses": [{"license": {"id": "Apache-2.0"}}],
                },
            },
            "components": components,
        },
        indent=2,
    )
