#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the docs to the programs: commands and options that pages show exist, and what can run here runs.

usage: commands.py FRAMEGOV FRAMEGOVD

A command of a page is run where NOT_RUN does not say why it cannot be. Where a page shows its output
(a line that begins with `$ `), each line shown is a line printed; `[...]` stands for what is left out.
"""
import functools
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

import prose

PROGRAMS = {}
DATA = pathlib.Path(os.environ.get("FRAMEGOV_DATA", prose.ROOT.parent / "shared/data"))
COMMAND = re.compile(r"^(?:\$ )?(?:\./|/data/adb/modules/framegov/bin/)?(framegovd|framegov|dev)(?: |$)")
OPTION = re.compile(r"(?<![\w-])--?[a-z][a-z-]*")

# Begins of what only looks like a command: texts of files, counters in a trace.
NO_COMMANDS = ("framegov saved limits", "framegov saved threads", "framegov saved engines", "framegov owner switches", "framegov slack_us",
               "framegov policyN", "framegov CAUSE")

NOT_RUN = (
    (r"^dev ", "builds or tests the tree; this test is one of its tests"),
    (r"^framegovd( |$)", "governs the machine that it runs on"),
    (r"^framegov (status|watch|explain|history|log|mode|app|pause|resume)\b", "asks a running service"),
    (r"^framegov (doctor|engine|record|locate|web|ab(?! .*--dry-run)|calibrate)\b", "needs a phone, root or a phone's library"),
    (r"^framegov profile (put|set|drop|add)\b", "writes into the phone's own folder"),
    (r"^framegov profile share\b", "prints what the reader's own files say"),
    (r"build/loop/", "reads what `./dev loop` leaves"),
    (r"^framegov framebench\b", "runs for a minute; integration.sweep runs it"),
    (r"^framegov tune\b", "runs for minutes; integration.tune runs it"),
    (r"^framegov sweep .*--(merge|slurm)\b", "needs the shards of a cluster; integration.sweep has some"),
    (r"recent-peak", "names the reader's own policy"),
    (r"\.pftrace\b", "reads what the reader has recorded"),
    (r"^framegov device import|my_phone", "reads a copy of the reader's phone"),
    (r"\b(FILE|TRACE|SCENE|LIB|DIR|NAME|PACKAGE|COMMAND|TIME|PLAN)\b", "a form to fill in"),
    (r"/sdcard/", "reads a file of the phone"),
    (r"^framegov( [a-z]+)?$|^framegov profile show$", "a name in running text, without what it works on"),
)

SAMPLES = {
    "plan.yaml": "inputs: synthetic:fling@120:2\ndevices: sm8250\npolicies: [schedutil-boost, pid]\n",
    "games.toml": '[game_list]\n"com.example.game" = [30, 60]\n',
    "my.yaml": ("profiles:\n  apps:\n    com.example.shooter:\n      ceilings: {big: fast}\n"
                "      target_fp: [60]\n"),
}


def cleaned(line, in_block):
    """The command itself, without prompt, comment and explanation."""
    line = re.sub(r"^\$ ", "", line)
    line = re.sub(r"\s+#.*$", "", line)
    if in_block:
        line = re.split(r"\s{2,}", line)[0]
    line = re.sub(r"^(\./|/data/adb/modules/framegov/bin/)", "", line)
    return line.strip()


def commands():
    """(where, command, lines shown below it) of all pages."""
    for page in prose.pages():
        name = str(page.relative_to(prose.ROOT))
        text = page.read_text()
        lines = prose.code_lines(text)
        for index, (number, line) in enumerate(lines):
            if COMMAND.match(line) and not line.startswith(NO_COMMANDS):
                shown = []
                for below, output in lines[index + 1:] if line.startswith("$ ") else ():
                    if below != number + len(shown) + 1 or output.startswith("$ "):
                        break
                    shown.append(output)
                yield f"{name}:{number}", cleaned(line, True), shown
        for begin, kind, block in prose.blocks(text):
            for inline in re.findall(r"`([^`]+)`", " ".join(block)) if kind != "code" else ():
                if COMMAND.match(inline) and not inline.startswith(NO_COMMANDS):
                    yield f"{name}:{begin}", cleaned(inline, False), []


@functools.lru_cache(maxsize=None)
def help_of(words):
    program = [str(prose.ROOT / "dev")] if words[0] == "dev" else [PROGRAMS[words[0]]]
    done = subprocess.run([*program, *words[1:], "--help"], capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else None


def subcommands(words):
    found = re.search(r"^Subcommands:\n((?:  .*\n)+)", help_of(words) or "", re.MULTILINE)
    return re.findall(r"^  ([a-z]+)", found.group(1), re.MULTILINE) if found else []


def unknown(command):
    """What the command says that its program does not know; None: nothing."""
    words = command.split("|")[0].split(">")[0].split()
    known = (words[0],)
    if words[0] == "dev":
        if len(words) > 1 and not re.search(rf"^  {words[1]}\b", help_of(known), re.MULTILINE):
            return f"./dev has no command {words[1]}"
        if words[1:2] == ["bench"] and len(words) > 2 and not (prose.ROOT / "bench" / words[2]).is_dir():
            return f"bench/ has no {words[2]}"
        if words[1:2] and words[1] in ("demo", "loop", "soak"):
            known += (words[1],)
    for word in words[1:]:
        if word in subcommands(known):
            known += (word,)
        elif subcommands(known) and not word.startswith(("-", "[")):
            return f"{' '.join(known)} has no subcommand {word}"
    texts = [help_of(known[:count]) or "" for count in range(1, len(known) + 1)]
    if words[0] == "dev" and len(words) > 2:  # what a bench or a kind of test takes stands in its source
        for source in (prose.ROOT / "bench" / words[2], prose.ROOT / "tests/vm" / words[2]):
            found = source.glob("*.cpp") if source.is_dir() else [source] if source.is_file() else []
            texts += [path.read_text() for path in found]
    for option in OPTION.findall(command.split("|")[0]):
        if not any(re.search(rf"(?<![\w-]){option}(?![\w-])", text) for text in texts):
            return f"{' '.join(known)} has no option {option}"
    return None


def reason_not_to_run(command):
    return next((why for pattern, why in NOT_RUN if re.search(pattern, command)), None)


def missing_from(output, shown):
    """The first line shown that was not printed."""
    printed = [" ".join(line.split()) for line in output.splitlines()]
    for line in shown:
        begin = " ".join(line.split("[...]")[0].split())
        whole = "[...]" not in line
        if begin and not any(each == begin if whole else each.startswith(begin) for each in printed):
            return line
    return None


class Commands(unittest.TestCase):
    def test_reading(self):
        self.assertEqual(cleaned("$ framegov status [--json]       what it governs", True), "framegov status [--json]")
        self.assertEqual(cleaned("./framegov watch    # live", True), "framegov watch")
        self.assertIsNone(missing_from("a  b\nc", ["a b", "[...]", "c"]))
        self.assertEqual(missing_from("a\nb", ["a", "d [...]"]), "d [...]")

    def test_a_wrong_option_is_found(self):
        self.assertEqual(unknown("framegov sim x.json --devices all"), "framegov sim has no option --devices")
        self.assertEqual(unknown("framegov simulate x.json"), "framegov has no subcommand simulate")
        self.assertEqual(unknown("dev tset"), "./dev has no command tset")

    def test_what_pages_show_exists(self):
        found = [f"{where}: {problem}: {command}" for where, command, _ in commands()
                 for problem in [unknown(command)] if problem]
        self.assertFalse(found, "\n" + "\n".join(found))

    def test_what_can_run_runs(self):
        ran, not_run = 0, {}
        with tempfile.TemporaryDirectory() as folder:
            for sample, text in SAMPLES.items():
                pathlib.Path(folder, sample).write_text(text)
            for recording in (*DATA.glob("workloads/wipe-v2/*.json"), *DATA.glob("traces/*")):
                os.symlink(recording.resolve(), pathlib.Path(folder, recording.name))
            for where, command, shown in commands():
                why = reason_not_to_run(command)
                words = shlex.split(command)
                absent = [word for word in words if re.search(r"\.(json|perfetto-trace)$", word)
                          and not pathlib.Path(folder, word).exists()]
                if not why and absent:
                    why = f"no recordings in {DATA} (FRAMEGOV_DATA names another folder)"
                if why:
                    not_run.setdefault(why, []).append(command)
                    continue
                with self.subTest(where=where, command=command):
                    ran += 1
                    words = shlex.split(command.split("|")[0].split(">")[0])
                    done = subprocess.run([PROGRAMS[words[0]], *words[1:]], cwd=folder, capture_output=True,
                                          text=True, timeout=120, check=False,
                                          env={**os.environ, "HOME": folder})
                    # A page that shows mistakes shows them from a file that has them.
                    wanted = 3 if "my.yaml" in command and shown else 0
                    self.assertEqual(done.returncode, wanted, done.stdout + done.stderr)
                    self.assertIsNone(missing_from(done.stdout + done.stderr, shown), done.stdout + done.stderr)
        for why, each in not_run.items():
            print(f"not run, {why}: {len(each)}", file=sys.stderr)
        print(f"run: {ran}", file=sys.stderr)
        self.assertGreater(ran, 5)


if __name__ == "__main__":
    if len(sys.argv) < 3 or not shutil.which(sys.argv[1]) or not shutil.which(sys.argv[2]):
        sys.exit(__doc__)
    PROGRAMS.update(framegov=sys.argv[1], framegovd=sys.argv[2])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
