# SPDX-License-Identifier: Apache-2.0
"""FrameBench 1, with policies of your own: `framegov framebench --python FILE` runs main()."""
import argparse
import functools
import hashlib
import json
import pathlib
import runpy
import sys

from framegov import _core
from framegov.policies import for_core, name_of
from framegov.workloads import as_device


class FrameBench:
    """What a run of FrameBench 1 came to.

    Attributes:
        csv (str): the results, a row for each run, which the table is made of and signed by (docs/framebench.md).
        sha256 (str): of `csv`, as `sha256sum` prints it.
        table (str): the table for people, as `framegov framebench` prints it.
    """

    def __init__(self, csv):
        self.csv = csv
        self.sha256 = hashlib.sha256(csv.encode()).hexdigest()
        self.table, self._json = _core.framebench_table(csv)

    def __repr__(self):
        return f"<framegov.FrameBench {self.sha256}>"

    @functools.cached_property
    def scores(self):
        """pandas.DataFrame: a row for each policy in each world, best first: `world`, `policy`, `verdict`,
        `avoidable_rate`, `miss_rate`, `vs_stock`, `others_vs_stock`, and 95 % intervals `miss_low`, `miss_high`,
        `energy_low`, `energy_high`."""
        import pandas
        return pandas.DataFrame(json.loads(self._json)["scores"])


def frame_bench(policies, jobs=0):
    """Runs FrameBench 1.

    Args:
        policies (list): as `replay`'s; "all" stands for every native one. The stock governor always runs beside them.
        jobs (int): threads for native policies; 0: one for each CPU. Results do not depend on it.
    Returns:
        FrameBench
    Raises:
        As `replay`. ValueError: two policies have the same name.
    """
    natives = [name for name, *_ in _core.policies()]
    wanted = []
    for policy in policies if isinstance(policies, (list, tuple)) else [policies]:
        wanted += natives if policy == "all" else [policy]
    names = [name_of(policy) for policy in wanted]
    for policy, name in zip(wanted, names):
        if names.count(name) > 1 or (not isinstance(policy, str) and name in natives):
            raise ValueError(f"two policies are called {name}: give one a `name` of its own")
    phones = [as_device(name) for name in _core.devices("")]
    return FrameBench(_core.framebench_csv([for_core(policy, phones) for policy in wanted], jobs))


def _policies_in(path):
    """The classes with a step() that a file defines itself."""
    found = runpy.run_path(path)
    return [value for value in found.values()
            if isinstance(value, type) and value.__module__ == "<run_path>" and hasattr(value, "step")]


def main(arguments):
    """The command line behind `framegov framebench --python`."""
    parser = argparse.ArgumentParser(prog="framegov framebench --python")
    parser.add_argument("file")
    parser.add_argument("--policy", action="append", default=[])
    parser.add_argument("--csv")
    parser.add_argument("--json")
    parser.add_argument("--jobs", type=int, default=0)
    chosen = parser.parse_args(arguments)
    try:
        own = _policies_in(chosen.file)
        if not own:
            sys.exit(f"framegov: {chosen.file} defines no policy\n  write a class with step(): docs/python.md")
        result = frame_bench([*chosen.policy, *own], chosen.jobs)
    except (OSError, ValueError) as error:
        sys.exit(f"framegov: {error}")
    for path, text in ((chosen.csv, result.csv), (chosen.json, result._json + "\n")):
        if path == "-":
            sys.stdout.write(text)
        elif path:
            pathlib.Path(path).write_text(text)
    if "-" not in (chosen.csv, chosen.json):
        sys.stdout.write(result.table)
