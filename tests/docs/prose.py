# SPDX-License-Identifier: Apache-2.0
"""Reads Markdown as a reader does: sentences with their lines, blocks of code, links."""
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]

FENCE = re.compile(r"\s*(```|~~~)")
LIST_ITEM = re.compile(r"\s*(?:[-*+]|\d+\.)\s+")
TABLE_RULE = re.compile(r"^\s*\|?[\s:|-]+\|[\s:|-]*$")
# Names that keep their small letter at the beginning of a sentence.
NAMES = "mpc|pid|framegovd?|schedutil|log|freqbench|trace_processor|init"
SENTENCE_END = re.compile(rf"[.!?][*_)\"']*(?=\s+(?:[\"'(*_`A-Z0-9]|(?:{NAMES})\b)|\s*$)")
LINK = re.compile(r"!?\[([^\]]*)\]\(([^)]*)\)")


def pages():
    """Every page that belongs to the tree, README and CONTRIBUTING included."""
    tracked = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.md"], cwd=ROOT, check=True,
                             capture_output=True, text=True).stdout.split()
    return [ROOT / name for name in sorted(tracked) if (ROOT / name).exists()]


def blocks(text):
    """(line, kind, [lines]) of paragraphs, table cells, list items, headings and code."""
    lines = text.split("\n")
    found, paragraph, begin = [], [], 0

    def close():
        if paragraph:
            found.append((begin, "text", list(paragraph)))
            paragraph.clear()

    index, in_list = 0, False
    while index < len(lines):
        line = lines[index]
        number = index + 1
        if FENCE.match(line):
            close()
            mark, code = FENCE.match(line).group(1), []
            index += 1
            while index < len(lines) and not lines[index].strip().startswith(mark):
                code.append(lines[index])
                index += 1
            found.append((number + 1, "code", code))
        elif not line.strip():
            close()
        elif not paragraph and line.startswith("      " if in_list else "    ") and not (in_list and LIST_ITEM.match(line)):
            found.append((number, "code", [line.strip()]))
        elif line.startswith("#"):
            close()
            found.append((number, "text", [line.lstrip("# ")]))
            in_list = False
        elif line.lstrip().startswith("|"):
            close()
            in_list = False
            if not TABLE_RULE.match(line):
                cells = re.split(r"(?<!\\)\|", line.strip().strip("|"))
                found.extend((number, "text", [cell.strip()]) for cell in cells if cell.strip())
        else:
            item = LIST_ITEM.match(line)
            if item or (in_list and not paragraph and not line.startswith(" ")):
                close()
                in_list = bool(item)
            if not paragraph:
                begin = number
            paragraph.append(line[item.end():] if item else line.strip())
        index += 1
    close()
    return found


def plain(text):
    """What is read aloud: a link's words, and one word for code."""
    text = re.sub(r"`[^`]*`", "CODE", text)
    return LINK.sub(r"\1", text)


def words(sentence):
    return [word for word in sentence.split() if re.search(r"\w", word)]


def sentences(text):
    """(line, sentence) of everything but code."""
    found = []
    for begin, kind, lines in blocks(text):
        if kind == "code":
            continue
        # Code may hold full stops and spaces, so it is taken out before the text is cut.
        whole = plain("\n".join(lines))
        start = 0
        for end in [match.end() for match in SENTENCE_END.finditer(whole)] + [len(whole)]:
            piece = whole[start:end]
            if words(piece):
                lead = len(piece) - len(piece.lstrip())
                line = begin + whole[:start + lead].count("\n")
                found.append((line, " ".join(piece.split())))
            start = end
    return found


def code_lines(text):
    """(line, command line) of every block of code."""
    return [(begin + offset, line.strip()) for begin, kind, lines in blocks(text) if kind == "code"
            for offset, line in enumerate(lines) if line.strip()]
