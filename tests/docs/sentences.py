#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds every page to short sentences: at most 35 words each, fewer than 20 on average.

Without arguments it is a test; `sentences.py PAGE...` or `sentences.py --all` prints what to mend.
"""
import pathlib
import sys
import tempfile
import unittest

import prose

LONGEST = 35
AVERAGE = 20


def too_long(pages):
    """What to mend, as "page:line: N words: sentence", and the mean length of all sentences."""
    findings, lengths = [], []
    for page in pages:
        for line, sentence in prose.sentences(page.read_text()):
            count = len(prose.words(sentence))
            # A heading or a figure in a table is no sentence: it would only lower the average.
            if sentence.rstrip("*_)\"'")[-1:] in (".", "!", "?"):
                lengths.append(count)
            if count > LONGEST:
                name = page.relative_to(prose.ROOT) if page.is_relative_to(prose.ROOT) else page
                findings.append(f"{name}:{line}: {count} words: {sentence}")
    return findings, sum(lengths) / max(1, len(lengths))


class Reading(unittest.TestCase):
    """The reader of Markdown counts what a person would."""

    def test_paragraphs_lists_tables_and_code_are_told_apart(self):
        text = ("# A title\n\nOne here. Two\nhere `a. B` too.\n\n- first item\n- second\n  item\n\n"
                "| a | b c |\n|---|---|\n| d e | f |\n\n    code here. And there.\n\n```\nmore code\n```\n")
        self.assertEqual(prose.sentences(text), [
            (1, "A title"), (3, "One here."), (3, "Two here CODE too."), (6, "first item"), (7, "second item"),
            (10, "a"), (10, "b c"), (12, "d e"), (12, "f")])
        self.assertEqual(prose.code_lines(text), [(14, "code here. And there."), (17, "more code")])

    def test_links_count_as_their_words(self):
        self.assertEqual(prose.sentences("See [the page](a/b.md) for 0.5 ms. Next"),
                         [(1, "See the page for 0.5 ms."), (1, "Next")])

    def test_a_long_sentence_is_found_with_its_line(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "page.md"
            page.write_text("Short one.\n\n" + "word " * LONGEST + "end.\n")
            findings, average = too_long([page])
            self.assertEqual(len(findings), 1)
            self.assertIn(f"page.md:3: {LONGEST + 1} words: word", findings[0])
            self.assertEqual(average, (2 + LONGEST + 1) / 2)


class Pages(unittest.TestCase):
    def test_no_sentence_is_too_long(self):
        findings, average = too_long(prose.pages())
        self.assertFalse(findings, "\n" + "\n".join(findings))
        self.assertLess(average, AVERAGE)


if __name__ == "__main__":
    arguments = [argument for argument in sys.argv[1:] if not argument.startswith("-")]
    if arguments or "--all" in sys.argv:
        found, mean = too_long([pathlib.Path(name).resolve() for name in arguments] or prose.pages())
        print("\n".join([*found, f"{len(found)} sentences over {LONGEST} words; average {mean:.1f}"]))
        sys.exit(bool(found))
    unittest.main()
