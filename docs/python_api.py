#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/python-api.md from the package's docstrings; with --check fails where it is not current.

The package has to be built, and found by Python: `./dev python` does both.
"""
import enum
import inspect
import pathlib
import sys

import framegov

PAGE = pathlib.Path(__file__).resolve().with_name("python-api.md")
HEAD = """# Python reference

Made from the docstrings by `docs/python_api.py`. [python.md](python.md) is where to begin. Every name is one of
the module `framegov`.
"""


def text_of(thing):
    """Its docstring, as an indented block: what stands in columns there stays in columns."""
    text = inspect.getdoc(thing)
    if not text:
        raise SystemExit(f"{thing!r} has no docstring")
    return "".join(f"    {line}".rstrip() + "\n" for line in text.splitlines())


def signature(thing):
    try:
        return str(inspect.signature(thing))
    except (ValueError, TypeError):
        return ""  # pybind11's say it in the docstring


def members(kind):
    """Public methods and properties that the class itself has, with their docstrings."""
    for name, member in sorted(vars(kind).items()):
        if name.startswith("_") or not (callable(member) or isinstance(member, property) or hasattr(member, "func")):
            continue
        yield name, member


def section(name, thing):
    title = f"## {name}"
    if inspect.isclass(thing):
        parts = [f"{title}\n\n{text_of(thing)}"]
        if issubclass(thing, enum.Enum):
            rows = "\n".join(f"| `{each.name}` | {each.value} |" for each in thing)
            return parts[0] + f"\n| name | value |\n|---|---|\n{rows}\n"
        for key, member in () if issubclass(thing, Exception) else members(thing):
            sign = signature(member) if inspect.isfunction(member) else ""
            parts.append(f"### {name}.{key}\n\n" + (f"    {key}{sign}\n\n" if sign else "") + text_of(member))
        return "\n".join(parts)
    return f"{title}\n\n    {name}{signature(thing)}\n\n{text_of(thing)}"


def page():
    names = [name for name in framegov.__all__ if not name.startswith("__")]
    functions = [name for name in names if not inspect.isclass(getattr(framegov, name))]
    classes = [name for name in names if name not in functions]
    return HEAD + "\n" + "\n".join(section(name, getattr(framegov, name)) for name in functions + classes)


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        if PAGE.read_text() != page():
            raise SystemExit(f"{PAGE.name} is not what the docstrings say: run docs/python_api.py and commit it")
    else:
        PAGE.write_text(page())
