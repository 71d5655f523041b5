# SPDX-License-Identifier: Apache-2.0
"""Libraries that must be refused with a reason, and libgui's exported functions."""

import json
import pathlib
import struct
import subprocess

import builds
import library_source

GUI_SOURCE = """
struct ANativeWindow; struct ANativeWindowBuffer;
#define API __attribute__((visibility("default"), noinline))
namespace android {
struct SurfaceQueueBufferOutput;
class Surface {
 public:
  API static int hook_queueBuffer(ANativeWindow*, ANativeWindowBuffer*, int);
  API static int hook_dequeueBuffer(ANativeWindow*, ANativeWindowBuffer**, int*);
  API static int hook_queueBuffer_DEPRECATED(ANativeWindow*, ANativeWindowBuffer*);
  API static int hook_query(const ANativeWindow*, int, int*);
  API int queueBuffer(ANativeWindowBuffer*, int);
  API int queueBuffer(ANativeWindowBuffer*, int, SurfaceQueueBufferOutput*);
  API int dequeueBuffer(ANativeWindowBuffer**, int*);
  API int cancelBuffer(ANativeWindowBuffer*, int);
};
int Surface::hook_queueBuffer(ANativeWindow*, ANativeWindowBuffer*, int) { return 1; }
int Surface::hook_dequeueBuffer(ANativeWindow*, ANativeWindowBuffer**, int*) { return 2; }
int Surface::hook_queueBuffer_DEPRECATED(ANativeWindow*, ANativeWindowBuffer*) { return 3; }
int Surface::hook_query(const ANativeWindow*, int, int*) { return 4; }
int Surface::queueBuffer(ANativeWindowBuffer*, int) { return 5; }
int Surface::queueBuffer(ANativeWindowBuffer*, int, SurfaceQueueBufferOutput*) { return 6; }
int Surface::dequeueBuffer(ANativeWindowBuffer**, int*) { return 7; }
int Surface::cancelBuffer(ANativeWindowBuffer*, int) { return 8; }
class DisplayEventReceiver { public: struct Event; API long getEvents(Event*, unsigned long); };
long DisplayEventReceiver::getEvents(Event*, unsigned long) { return 9; }
class DisplayEventDispatcher { public: API int handleEvent(int, int, void*); };
int DisplayEventDispatcher::handleEvent(int, int, void*) { return 10; }
}
"""

GUI_SITES = [
    ("queue-buffer", "_ZN7android7Surface16hook_queueBufferEP13ANativeWindowP19ANativeWindowBufferi"),
    ("queue-buffer", "_ZN7android7Surface11queueBufferEP19ANativeWindowBufferi"),
    ("queue-buffer", "_ZN7android7Surface11queueBufferEP19ANativeWindowBufferiPNS_24SurfaceQueueBufferOutputE"),
    ("queue-buffer", "_ZN7android7Surface27hook_queueBuffer_DEPRECATEDEP13ANativeWindowP19ANativeWindowBuffer"),
    ("dequeue-buffer", "_ZN7android7Surface18hook_dequeueBufferEP13ANativeWindowPP19ANativeWindowBufferPi"),
    ("dequeue-buffer", "_ZN7android7Surface13dequeueBufferEPP19ANativeWindowBufferPi"),
    ("frame-start", "_ZN7android22DisplayEventDispatcher11handleEventEiiPv"),
    ("frame-start", "_ZN7android20DisplayEventReceiver9getEventsEPNS0_5EventEm"),
]


def refusal_problem(framegov, path, reason):
    done = subprocess.run([framegov, "locate", "--json", str(path)], capture_output=True, text=True, timeout=60,
                          check=False)
    if done.returncode != 3 or done.stdout:
        return f"exit code {done.returncode}, output {done.stdout[:200]!r}"
    lines = done.stderr.splitlines()
    if len(lines) != 1 or reason not in lines[0]:
        return f"expected one line with {reason!r}, got {lines}"
    return ""


def gui_problem(framegov, builder, arch, compiler, linker):
    """Every form is found, best first, where nm sees it; with and without section headers."""
    source = builder.folder / "gui.cpp"
    source.write_text(GUI_SOURCE)
    compiled = builder.folder / "gui.o"
    build = builds.Build(arch, compiler, linker, "-O2", True, "none", library_source.Shape())
    builds.run(*builder.compiler(arch, compiler), "-c", "-fPIC", "-O2", builds.BRANCH_PROTECTION[arch], source, "-o", compiled)
    full = builder.folder / f"gui-{arch}-{compiler}-{linker}.full.so"
    for style in ("gnu", "sysv"):
        builder.link(arch, compiler, linker, [compiled], full, f"-Wl,--hash-style={style}")
        addresses = {}
        for line in builds.run(builder.tool(arch, "nm"), "-D", "--defined-only", full).splitlines():
            address, _, name = line.split()
            addresses[name] = builds.Elf(full).offset(int(address, 16))
        for stripping in ("stripped", "no-sections"):
            library = builder.strip(build, full, stripping)
            done = subprocess.run([framegov, "locate", "--json", str(library)], capture_output=True, text=True,
                                  timeout=60, check=False)
            if done.returncode != 0:
                return f"{style} {stripping}: {done.stderr}"
            got = [(s["kind"], s["symbol"], int(s["function"], 16)) for s in json.loads(done.stdout)["sites"]]
            want = [(kind, name, addresses[name]) for kind, name in GUI_SITES]
            if got != want:
                return f"{style} {stripping}: {got} instead of {want}"
    return ""


def table_problem(framegov, folder, library):
    """A row that --yaml prints is one that --table takes, and agrees; a bad one is refused by its line."""
    row = builds.run(framegov, "locate", "--yaml", library)
    table = folder / "table.yaml"
    table.write_text("sites:\n" + row)
    answer = json.loads(builds.run(framegov, "locate", "--json", "--table", table, library))
    if not any(n.startswith("table: used: ") and n.endswith("agrees") for n in answer["notes"]):
        return f"{row!r} gave {answer['notes']}"
    keys = ["library", "sha1", "build_id", "arch", "sites", "notes"]
    site_keys = ["kind", "method", "function", "call", "return", "register", "confidence"]
    if list(answer) != keys or list(answer["sites"][0]) != site_keys:
        return f"keys {list(answer)}, {list(answer['sites'][0])}"
    table.write_text("sites:\n  - build_id: ab\n    call: none\n")
    done = subprocess.run([framegov, "locate", "--table", str(table), str(library)], capture_output=True, text=True,
                          check=False)
    return "" if done.returncode == 3 and f"{table}:3: " in done.stderr else f"{done.returncode} {done.stderr}"


def check(framegov, builder):
    """Pairs of a case's name and what is wrong with it ("" when nothing is)."""
    cases = []
    folder = pathlib.Path(builder.folder)
    shape = library_source.Shape(decoy_rows=300)

    def library(name, arch="arm64", compiler="clang", linker="lld", packing="android+relr", **changes):
        build = builds.Build(arch, compiler, linker, "-O2", False, packing,
                             library_source.dataclasses.replace(shape, **changes))
        full = builder.library(build, builder.compile(build, name), name)
        return builder.strip(build, full, "stripped")

    def refused(name, path, reason):
        cases.append((f"refused: {name}", refusal_problem(framegov, path, reason)))

    for packing in builds.PACKINGS["lld"]:
        refused(f"Android 5's signature, {packing}",
                library("android5", packing=packing, signature="(JJJF)I", decoy_rows=0), "(JJJF)I")
    refused("no such method", library("none", has_method=False, decoy_rows=1), "registers no nSyncAndDrawFrame")
    refused("decoys only", library("decoys", has_method=False, decoy_rows=3000), "nSyncAndDrawFrame")

    good = library("good", decoy_rows=1000)
    cases.append(("rows printed and read back", table_problem(framegov, folder, good)))
    data = good.read_bytes()
    for percent in (1, 10, 30, 50, 70, 90, 99):
        cut = folder / "cut.so"
        cut.write_bytes(data[:len(data) * percent // 100])
        refused(f"truncated to {percent} %", cut, "truncated")
    for name, content, reason in (
            ("empty", b"", "empty"), ("not ELF", b"PK\x03\x04" + bytes(200), "not an ELF file"),
            ("ELF magic only", data[:8], "too short"), ("zeros after the header", data[:64] + bytes(len(data) - 64), "")):
        path = folder / "other.so"
        path.write_bytes(content)
        refused(name, path, reason)
    refused("a directory", folder, "not a regular file")
    refused("no file", folder / "absent.so", "cannot be read")

    source = folder / "foreign.c"
    source.write_text("int f(void) { return 1; }\n")
    for target, reason in (("armv7a-linux-gnueabi", "32-bit library (arm)"), ("i686-linux-gnu", "32-bit library (x86)"),
                           ("riscv64-linux-gnu", "riscv"), ("aarch64_be-linux-gnu", "little-endian")):
        path = folder / "foreign.so"
        builds.run("clang-14", f"--target={target}", "-c", "-fPIC", source, "-o", path)
        refused(target, path, reason)
    path = folder / "object.o"
    builds.run("clang-14", "--target=aarch64-linux-gnu", "-c", "-fPIC", source, "-o", path)
    refused("an object file", path, "not a shared library")

    corrupt = bytearray(library("packed", packing="android").read_bytes())
    struct.pack_into("<Q", corrupt, corrupt.index(b"APS2") + 4, 0xFFFFFFFFFFFFFFFF)
    path = folder / "corrupt.so"
    path.write_bytes(corrupt)
    refused("damaged APS2", path, "corrupt relocations")

    for arch in builds.TARGETS:
        for compiler, linker in builds.TOOLCHAINS:
            cases.append((f"libgui's functions: {arch} {compiler} {linker}",
                          gui_problem(framegov, builder, arch, compiler, linker)))
    return cases
