#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds results to their documents: the JSON to docs/results.schema.json, the frames CSV to docs/results.md.

usage: results.py FRAMEGOV
"""
import csv
import hashlib
import io
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import prose

PROGRAM = sys.argv.pop(1) if len(sys.argv) > 1 else ""
SCHEMA = json.loads((prose.ROOT / "docs/results.schema.json").read_text())
TYPES = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "null": type(None)}
KNOWN = {"$schema", "title", "description", "definitions", "$ref", "allOf", "type", "properties", "required",
         "additionalProperties", "items", "enum", "minimum", "maximum", "pattern"}


def problems(value, schema, where="results"):
    """What of `value` is not as `schema` says. Knows the keywords that our schemas use, and refuses others."""
    assert schema.keys() <= KNOWN, schema.keys() - KNOWN
    if "$ref" in schema:
        return problems(value, SCHEMA["definitions"][schema["$ref"].removeprefix("#/definitions/")], where)
    found = [each for part in schema.get("allOf", []) for each in problems(value, part, where)]
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and (isinstance(value, bool) or not isinstance(value, tuple(TYPES[name] if isinstance(TYPES[name], type)
                                                                         else float for name in types))):
        whole = isinstance(value, int) and not isinstance(value, bool) and "number" in types
        if not whole:
            return found + [f"{where}: {value!r} is no {' or '.join(types)}"]
    if "enum" in schema and value not in schema["enum"]:
        found.append(f"{where}: {value!r} is none of {schema['enum']}")
    if isinstance(value, str) and "pattern" in schema and not re.search(schema["pattern"], value):
        found.append(f"{where}: {value!r} does not match {schema['pattern']}")
    if isinstance(value, (int, float)):
        if value < schema.get("minimum", value) or value > schema.get("maximum", value):
            found.append(f"{where}: {value} is out of range")
    if isinstance(value, list):
        for index, item in enumerate(value):
            found += problems(item, schema.get("items", {}), f"{where}[{index}]")
    if isinstance(value, dict):
        known, others = schema.get("properties", {}), schema.get("additionalProperties", {})
        found += [f"{where}: no {key}" for key in schema.get("required", []) if key not in value]
        for key, item in value.items():
            if key in known or others is not False:
                found += problems(item, known.get(key, others), f"{where}.{key}")
            else:
                found.append(f"{where}: {key} is not in the schema")
    return found


def framegov(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=True).stdout


class Checker(unittest.TestCase):
    def test_what_is_wrong_is_found(self):
        schema = {"type": "object", "properties": {"a": {"type": "integer", "minimum": 0}}, "required": ["a"],
                  "additionalProperties": False}
        self.assertEqual(problems({"a": 1}, schema), [])
        for wrong in ({}, {"a": -1}, {"a": "1"}, {"a": 1.5}, {"a": True}, {"a": 1, "b": 2}):
            self.assertEqual(len(problems(wrong, schema)), 1, wrong)


class Results(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.scene = pathlib.Path(cls.folder.name) / "scene.csv"
        cls.scene.write_text("vsync_ns,deadline_ns,app,render_work\n" + "".join(
            f"{1_000_000_000 + 16_666_667 * i},,\"my app\",{(30 if i % 10 else 60) * 1_000_000}\n" for i in range(120)))
        cls.file = pathlib.Path(cls.folder.name) / "frames.csv"
        cls.arguments = ("sim", cls.scene, "synthetic:fling@120:3", "--policy", "mpc,schedutil", "--seed", 7,
                         "--sweep-eps", "0.1", "--frames-csv", cls.file, "--json", "-")
        cls.results = json.loads(framegov(*cls.arguments))
        cls.rows = list(csv.DictReader(cls.file.read_text().splitlines()))

    def test_the_json_is_as_the_schema_says(self):
        self.assertEqual(problems(self.results, SCHEMA), [])
        for more in (("--no-bounds",), ("--late", "drop"), ("--world", "ideal", "--deadline", "buffered")):
            self.assertEqual(problems(json.loads(framegov("sim", "synthetic:still@60:2", "--json", "-", *more)), SCHEMA),
                             [], more)

    def test_the_schema_asks_for_every_key(self):
        self.assertEqual(set(self.results["runs"][0]), set(SCHEMA["definitions"]["run"]["required"]))
        self.assertEqual(set(self.results["meta"]), set(SCHEMA["properties"]["meta"]["required"]))

    def test_meta_says_what_was_replayed(self):
        meta = self.results["meta"]
        self.assertEqual(meta["seed"], 7)
        self.assertEqual(meta["world"], self.results["world"])
        self.assertEqual(meta["version"], framegov("--version").split()[-1])
        sha256 = hashlib.sha256(self.scene.read_bytes()).hexdigest()
        self.assertEqual(meta["inputs"], [{"name": "scene.csv", "sha256": sha256},
                                          {"name": "synthetic:fling@120:3", "sha256": None}])
        phone = (prose.ROOT / "sim/devices/tensor_g1.yaml").read_bytes()
        self.assertEqual(meta["devices"], [{"name": "tensor_g1", "sha256": hashlib.sha256(phone).hexdigest()}])
        policies = {policy["name"]: policy["parameters"] for policy in meta["policies"]}
        self.assertEqual(set(policies), {"mpc", "schedutil"})
        self.assertIn("eps", policies["mpc"])

    def test_the_frames_add_up_to_the_runs(self):
        sums = {"missed_deadlines": "missed", "avoidable_misses": "avoidable", "late_frames": "late",
                "stuffed_frames": "stuffed", "janky_frames": "janky", "feasible_frames": "feasible"}
        self.assertGreater(sum(run["missed_deadlines"] for run in self.results["runs"]), 0)
        for run in self.results["runs"]:
            rows = [row for row in self.rows if (row["input"], row["policy"]) == (run["input"], run["policy"])]
            self.assertEqual(len(rows), run["frames"])
            for key, column in sums.items():
                self.assertEqual(sum(int(row[column]) for row in rows), run[key], (run["policy"], column))

    def test_the_columns_are_those_of_the_page(self):
        page = (prose.ROOT / "docs/results.md").read_text()
        named = re.findall(r"^\| `(\w+)` \|", page, re.M)
        self.assertEqual(list(self.rows[0]), ["input", "device", "policy", "world", "deadline", "app", *named])

    def test_a_row_says_of_which_run_it_is_and_holds_its_times(self):
        first = self.rows[0]
        self.assertEqual([first[name] for name in ("input", "device", "deadline")], ["scene.csv", "tensor_g1", "strict"])
        self.assertIn("my app", first["app"])
        for row in self.rows:
            times = [int(row[name]) for name in ("vsync_ns", "start_ns", "ui_done_ns", "handover_ns", "draw_start_ns",
                                                 "render_done_ns", "ready_ns", "latch_ns")]
            self.assertEqual(times[1:], sorted(times[1:]), row)
            self.assertLessEqual(abs(int(row["generation_ns"]) - (times[6] - times[0])), 1)
            self.assertEqual(row["late"] == "1", int(row["ready_ns"]) > int(row["deadline_ns"]), row)

    def test_the_frames_go_to_stdout_alone(self):
        told = framegov("sim", "synthetic:fling@120:3", "--policy", "pid", "--no-bounds", "--frames-csv", "-")
        rows = list(csv.DictReader(io.StringIO(told)))
        self.assertGreater(len(rows), 50)
        self.assertEqual({row["policy"] for row in rows}, {"pid"})


class Tables(unittest.TestCase):
    """`import --csv` and what it reads back."""

    def test_a_workload_comes_back_from_its_tables(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            source = prose.ROOT / "tests/fuzz/corpus/import/workload.csv"
            framegov("import", "--csv", folder / "tables", source)
            page = (prose.ROOT / "docs/workload-csv.md").read_text()
            for file in (folder / "tables").iterdir():
                rows = list(csv.reader(file.read_text().splitlines()))
                self.assertIn(f"`{file.name}`", page)
                self.assertEqual({len(row) for row in rows}, {len(rows[0])}, file)
            self.assertEqual(framegov("import", "--workload", "-", folder / "tables"),
                             framegov("import", "--workload", "-", source))
            meta = json.loads(framegov("sim", folder / "tables", "--no-bounds", "--policy", "pid", "--json", "-"))["meta"]
            files = sorted((folder / "tables").iterdir())
            sums = "".join(f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files)
            self.assertEqual(meta["inputs"][0]["sha256"], hashlib.sha256(sums.encode()).hexdigest())

    def test_a_wrong_table_is_named_with_its_line(self):
        with tempfile.TemporaryDirectory() as folder:
            frames = pathlib.Path(folder) / "frames.csv"
            done = subprocess.run([PROGRAM, "import", folder], capture_output=True, text=True)
            self.assertEqual(done.returncode, 3)
            self.assertIn(f"{frames}: No such file", done.stderr)
            frames.write_text("vsync_ns,render_work\n1000000000,many\n")
            done = subprocess.run([PROGRAM, "import", folder], capture_output=True, text=True)
            self.assertEqual(done.returncode, 3)
            self.assertIn(f"{frames}: line 2: render_work 'many'", done.stderr)
            frames.write_text("vsync_ns,render_work\n1000000000,2000000\n")
            (pathlib.Path(folder) / "clusters.csv").write_text("cpus_mask,policy,max_khz,relative_per_mhz\n")
            done = subprocess.run([PROGRAM, "import", folder], capture_output=True, text=True)
            self.assertIn("clusters.csv: line 1: the header is not", done.stderr)


if __name__ == "__main__":
    unittest.main()
