# SPDX-License-Identifier: Apache-2.0
"""Builds libraries of libhwui's shape in many ways, with what the locator should answer for each."""

import dataclasses
import itertools
import lzma
import pathlib
import re
import shutil
import struct
import subprocess

import library_source

FUNCTION = "android_view_ThreadedRenderer_syncAndDrawFrameEP7_JNIEnvP8_jobjectlP11_jlongArrayi"
WRAPPER = "_ZN7_JNIEnv18GetLongArrayRegionEP11_jlongArrayiiPl"

OPTIMISATIONS = ["-O0", "-O1", "-O2", "-O3", "-Os"]
TOOLCHAINS = [("gcc", "bfd"), ("gcc", "lld"), ("clang", "bfd"), ("clang", "lld")]
PACKINGS = {
    "bfd": {"none": []},
    "lld": {
        "none": ["-Wl,--pack-dyn-relocs=none"],
        "android": ["-Wl,--pack-dyn-relocs=android"],
        "relr": ["-Wl,--pack-dyn-relocs=relr"],
        "android+relr": ["-Wl,--pack-dyn-relocs=android+relr"],
        "android-tags": ["-Wl,--pack-dyn-relocs=android+relr", "-Wl,--use-android-relr-tags"],
        "old-tags": ["-Wl,--pack-dyn-relocs=relr", "-Wl,--use-android-relr-tags"],
    },
}
STRIPPINGS = ["stripped", "mini-debug", "no-sections"]
TARGETS = {"arm64": "aarch64-linux-gnu", "x86_64": "x86_64-linux-gnu"}
BRANCH_PROTECTION = {"arm64": "-mbranch-protection=standard", "x86_64": "-fcf-protection=full"}
NO_BRANCH_PROTECTION = {"arm64": "-mbranch-protection=none", "x86_64": "-fcf-protection=none"}


def run(*command, **options):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(str(c) for c in command)}\n{done.stdout}{done.stderr}")
    return done.stdout


@dataclasses.dataclass(frozen=True)
class Build:
    arch: str
    compiler: str
    linker: str
    optimisation: str
    protected: bool
    packing: str
    shape: library_source.Shape
    flags: tuple = ()

    def row(self):
        return f"{self.arch:7}{self.compiler:6}{self.linker:4} {'PAC/BTI/CET' if self.protected else '':12}{self.packing:13}"


@dataclasses.dataclass
class Expected:
    """File offsets; `None` for a library to refuse."""

    call: int
    after: int
    function: int
    has_local_symbols: bool


class Elf:
    """Just enough of an ELF file to turn addresses into offsets, apart from the code under test."""

    def __init__(self, path):
        self.data = pathlib.Path(path).read_bytes()
        offset, = struct.unpack_from("<Q", self.data, 32)
        size, count = struct.unpack_from("<HH", self.data, 54)
        self.loads = []
        for i in range(count):
            kind, _, file_offset, address, _, file_size = struct.unpack_from("<IIQQQQ", self.data, offset + i * size)
            if kind == 1:
                self.loads.append((address, file_offset, file_size))

    def offset(self, address):
        for start, file_offset, size in self.loads:
            if start <= address < start + size:
                return address - start + file_offset
        raise RuntimeError(f"address {address:#x} is in no segment")


class Builder:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        linkers = self.folder / "linkers"
        linkers.mkdir(exist_ok=True)
        for name in ("ld.lld", "aarch64-linux-gnu-ld.lld"):
            if not (linkers / name).exists():
                (linkers / name).symlink_to(shutil.which("ld.lld-14"))
        self.linkers = linkers

    def compiler(self, arch, compiler):
        if compiler == "gcc":
            return [f"{TARGETS[arch]}-g++"]
        return ["clang++-14", f"--target={TARGETS[arch]}"]

    def tool(self, arch, name):
        return f"{TARGETS[arch]}-{name}"

    def link(self, arch, compiler, linker, objects, output, *flags):
        use = "-fuse-ld=lld" if linker == "lld" else "-fuse-ld=bfd"
        run(*self.compiler(arch, compiler), f"-B{self.linkers}", use, "-shared", "-nostdlib",
            "-Wl,--build-id=sha1", "-Wl,-O2", *flags, *objects, "-o", output)

    def compile(self, build, name):
        source = self.folder / f"{name}.cpp"
        source.write_text(library_source.source(build.shape))
        output = self.folder / f"{name}.o"
        protection = (BRANCH_PROTECTION if build.protected else NO_BRANCH_PROTECTION)[build.arch]
        run(*self.compiler(build.arch, build.compiler), "-c", "-g1", "-fPIC", "-std=c++17", "-fno-exceptions",
            "-fno-rtti", "-fvisibility=hidden", "-w", build.optimisation, protection, *build.flags, source, "-o", output)
        source.unlink()
        return output

    def library(self, build, compiled, name):
        """The unstripped library and what is true of it."""
        output = self.folder / f"{name}.full.so"
        self.link(build.arch, build.compiler, build.linker, [compiled], output,
                  *PACKINGS[build.linker][build.packing])
        return output

    def truth(self, build, library):
        symbols = {}
        for line in run(self.tool(build.arch, "nm"), "--defined-only", "-S", library).splitlines():
            fields = line.split()
            if len(fields) == 4:
                symbols[fields[3]] = (int(fields[0], 16), int(fields[1], 16))
        function = next((s for s in symbols if s.endswith(FUNCTION)), None)
        if function is None:
            return None
        found = self._calls(build, library, *symbols[function])
        if len(found) != 1:
            raise RuntimeError(f"{library}: the line table shows {len(found)} real calls: {build}")
        call, after = found[0]
        elf = Elf(library)
        return Expected(elf.offset(call), elf.offset(after), elf.offset(symbols[function][0]), False)

    def _calls(self, build, library, start, size):
        """Indirect calls that the line table attributes to the real call's line, and what follows each. A call
        that the compiler merged from several paths has line 0: it counts when no other does."""
        listing = run(self.tool(build.arch, "objdump"), "-d", "--no-show-raw-insn", f"--start-address={start}",
                      f"--stop-address={start + size}", library)
        instructions = [(int(at, 16), text) for at, text in re.findall(r"^\s+([0-9a-f]+):\s+(.*)", listing, re.M)]
        indirect = [(address, after) for (address, text), (after, _) in zip(instructions, instructions[1:])
                    if re.match(r"(notrack\s+)?(blr\s|call\s+\*)", text)]
        places = run("llvm-symbolizer-14", "--no-inlines", "-e", library, *(hex(address) for address, _ in indirect))
        lines = [int(line) for line in re.findall(r"^\S+:(\d+):\d+$", places, re.M)]
        by_line = {wanted: [call for call, line in zip(indirect, lines) if line == wanted]
                   for wanted in (library_source.CALL_LINE, 0)}
        # Where the wrapper was not inlined, its call counts.
        wrapped = [(address, after) for (address, text), (after, _) in zip(instructions, instructions[1:])
                   if re.match(rf"(bl|call)\s.*<{WRAPPER}(@plt)?>", text)]
        return by_line[library_source.CALL_LINE] or wrapped or by_line[0]

    def strip(self, build, full, stripping):
        """What a phone would have: a copy without what the platform's build removes."""
        output = full.with_name(full.name.replace(".full.so", f".{stripping}.so"))
        objcopy = self.tool(build.arch, "objcopy")
        run(objcopy, "--strip-all", full, output)
        if stripping == "mini-debug":
            names = self.folder / f"{full.name}.keep"
            mini = self.folder / f"{full.name}.mini"
            keep = [line.split()[-1] for line in run(self.tool(build.arch, "nm"), "--defined-only", full).splitlines()
                    if line.split()[-2] in "tT"]
            names.write_text("\n".join(keep) + "\n")
            run(objcopy, "--only-keep-debug", full, mini)
            run(objcopy, "-S", "--remove-section", ".comment", f"--keep-symbols={names}", mini)
            packed = pathlib.Path(f"{mini}.xz")
            packed.write_bytes(lzma.compress(mini.read_bytes(), check=lzma.CHECK_CRC32))
            run(objcopy, "--add-section", f".gnu_debugdata={packed}", output)
            for path in (names, mini, packed):
                path.unlink()
        elif stripping == "no-sections":
            data = bytearray(output.read_bytes())
            struct.pack_into("<Q", data, 40, 0)  # e_shoff
            struct.pack_into("<HHH", data, 58, 0, 0, 0)  # e_shentsize, e_shnum, e_shstrndx
            output.write_bytes(data)
        return output


SHAPES = [
    library_source.Shape(),
    library_source.Shape(seed=2, assert_returns=True, frame_info="inline"),
    library_source.Shape(seed=3, frame_info="virtual", log_before=True),
    library_source.Shape(seed=4, wrapper_inlined=False, local_array=True),
    library_source.Shape(seed=5, frame_info="inline", assert_returns=True, local_array=True, log_before=True),
]


def matrix():
    """Every way of building once; the source's shape goes round so that each way meets several."""
    shapes = itertools.cycle(SHAPES)
    for arch in TARGETS:
        for compiler, linker in TOOLCHAINS:
            for protected in (False, True):
                for optimisation in OPTIMISATIONS:
                    shape = next(shapes)
                    for packing in PACKINGS[linker]:
                        yield Build(arch, compiler, linker, optimisation, protected, packing, shape)
                next(shapes)


def random_build(rng):
    arch = rng.choice(list(TARGETS))
    compiler, linker = rng.choice(TOOLCHAINS)
    flags = [f for f in ("-fno-omit-frame-pointer", "-fstack-protector-all", "-ffunction-sections", "-fno-plt",
                         "-fno-optimize-sibling-calls", "-ftrivial-auto-var-init=pattern", "-fvisibility=default") if rng.random() < 0.25]
    if compiler == "gcc" and rng.random() < 0.3:
        flags.append(rng.choice(["-fno-schedule-insns2", "-fschedule-insns", "-fno-shrink-wrap", "-fPIE",
                                 "-fno-reorder-blocks", "-fira-region=all"]))
    if arch == "arm64" and rng.random() < 0.3:
        flags.append(rng.choice(["-mcpu=cortex-a53", "-mcpu=cortex-a76", "-march=armv8.2-a", "-mcpu=cortex-x1"]
                                if compiler == "clang" else
                                ["-mcpu=cortex-a53", "-mcpu=cortex-a76", "-march=armv8.2-a", "-mcpu=cortex-a57"]))
    shape = library_source.Shape(
        seed=rng.randrange(1 << 30), decoy_rows=rng.choice([0, 1, 50, 2000, 6000]),
        decoy_functions=rng.choice([4, 30, 200]), assert_returns=rng.random() < 0.5,
        frame_info=rng.choice(["call", "inline", "virtual"]), wrapper_inlined=rng.random() < 0.7,
        local_array=rng.random() < 0.3, log_before=rng.random() < 0.3)
    if not shape.wrapper_inlined and "-fno-plt" in flags:
        flags.remove("-fno-plt")  # the listing does not name what is called through the GOT
    return Build(arch, compiler, linker, rng.choice([*OPTIMISATIONS, "-Og", "-Oz" if compiler == "clang" else "-Os"]),
                 rng.random() < 0.5, rng.choice(list(PACKINGS[linker])), shape, tuple(flags))
