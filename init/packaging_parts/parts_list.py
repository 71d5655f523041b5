# SPDX-License-Identifier: Apache-2.0
"""What is linked into the programs: a CycloneDX list of parts and the licence texts.

Everything comes from the packages' own files: their copyright and changelog below usr/share/doc."""

from __future__ import annotations

import dataclasses
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


@dataclasses.dataclass(frozen=True)
class Part:
    name: str
    version: str
    licence: str  # as its own files name it
    text: bytes
    purl: str

    @staticmethod
    def from_debian(docs: pathlib.Path) -> Part:
        text = (docs / "copyright").read_bytes()
        changelog = gzip.decompress((docs / "changelog.Debian.gz").read_bytes()).decode(errors="replace")
        version = re.match(r"\S+ \(([^)]+)\)", changelog)[1]
        purl = f"pkg:deb/debian/{docs.name}@{version}?arch=arm64"
        return Part(docs.name, version, _licence_of(text.decode(errors="replace")), text, purl)

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
            "licenses": [{"license": {"name": self.licence}}],
        }


def _licence_of(copyright_text: str) -> str:
    """The licence of `Files: *`, or of the first paragraph; old files without paragraphs name none."""
    paragraphs = re.findall(r"^Files:\s*(.*?)^License:[ \t]*(.*?)$", copyright_text, re.DOTALL | re.MULTILINE)
    for files, licence in paragraphs:
        if files.split()[:1] == ["*"]:
            return licence.strip()
    return paragraphs[0][1].strip() if paragraphs else "see its licence text"


def linked_parts(sysroot: pathlib.Path, npm: pathlib.Path, host_docs: pathlib.Path) -> list[Part]:
    """Sorted by name. `host_docs` is /usr/share/doc, where the cross compiler's runtime is described."""
    docs = [folder for folder in (sysroot / "usr/share/doc").iterdir() if folder.name not in _NOT_LINKED]
    docs = [folder for folder in docs if (folder / "changelog.Debian.gz").exists()]
    for pattern in _TOOLCHAIN:
        docs += host_docs.glob(pattern)
    parts = [Part.from_debian(folder) for folder in docs] + [Part.from_npm(npm / name) for name in _PAGE]
    return sorted(parts, key=lambda part: part.name)


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
