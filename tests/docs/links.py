#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Follows every link of the docs into the tree: the file is there, and has the name that the link shows."""
import re
import unittest

import prose

LINK = re.compile(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
NAME = re.compile(r"`([A-Za-z_][\w]*(?:::[A-Za-z_]\w*)*)`")


def links(page):
    """(line, text, target) of links into the tree, those of code blocks left out."""
    for begin, kind, lines in prose.blocks(page.read_text()):
        text = "\n".join(lines)
        for found in LINK.finditer(text) if kind != "code" else ():
            target = found.group(2).split("#")[0]
            if target and not re.match(r"[a-z]+:", target):
                yield begin + text[:found.start()].count("\n"), found.group(1), target


def problems(page):
    name = page.relative_to(prose.ROOT) if page.is_relative_to(prose.ROOT) else page
    for line, text, target in links(page):
        path = page.parent / target
        if not path.exists():
            yield f"{name}:{line}: {target} does not exist"
        elif path.suffix in (".h", ".cpp", ".c") and NAME.fullmatch(text):
            source = path.read_text()
            for part in NAME.fullmatch(text).group(1).split("::"):
                if not re.search(rf"\b{part}\b", source):
                    yield f"{name}:{line}: {target} has no {part}"


class Links(unittest.TestCase):
    def test_each_leads_to_what_it_names(self):
        found = [problem for page in prose.pages() for problem in problems(page)]
        self.assertFalse(found, "\n" + "\n".join(found))

    def test_lives_link_what_they_meet(self):
        for name in ("life-of-a-frame.md", "life-of-a-recording.md"):
            count = sum(1 for _ in links(prose.ROOT / "docs" / name))
            self.assertGreater(count, 40, f"{name} has too few links to follow anything")


if __name__ == "__main__":
    unittest.main()
