#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sweeps as they are typed: any number of threads, ranks and shards gives the same bytes, and no kill loses a result.

usage: test_sweep.py FRAMEGOV [TEST...]
"""
import contextlib
import hashlib
import json
import os
import pathlib
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from ranks import OPEN_MPI, kill_a_rank, mpirun, rank_of

FRAMEGOV = ""
PLAN = """
inputs: [synthetic:fling@120:{seconds}, synthetic:scroll@60:{seconds}, synthetic:mixed@90:{seconds}]
devices: [sm8250, tensor_g1]
policies: [schedutil-boost, pid, mpc: {{eps: [0.001, 0.01]}}]
worlds: [phone, ideal]
seeds: 1..4
"""
RUNS = 3 * 2 * 4 * 2 * 4
SLURM = """
ClusterName=here
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmctldPort={controller}
SlurmdPort={daemon}
AuthType=auth/none
CredType=cred/none
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/ctld.pid
SlurmdPidFile={folder}/d.pid
SlurmctldLogFile={folder}/ctld.log
SlurmdLogFile={folder}/d.log
MpiDefault=none
NodeName={host} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def sha256(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


class SweepTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.shared = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.shared.cleanup)
        plan = pathlib.Path(cls.shared.name, "plan.yaml")
        plan.write_text(PLAN.format(seconds=40))
        subprocess.run([FRAMEGOV, "sweep", plan, "--jobs", "1", "--csv", plan.with_suffix(".csv")], check=True,
                       capture_output=True)
        cls.plain = plan.with_suffix(".csv").read_text()

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.plan = self.folder / "plan.yaml"
        self.plan.write_text(PLAN.format(seconds=40))
        self.store = self.folder / "plan.sqlite"

    def sweep(self, *words, before=(), check=True, env=None):
        done = subprocess.run([*before, FRAMEGOV, "sweep", str(self.plan), *map(str, words)], text=True,
                              capture_output=True, check=False, timeout=300, env={**os.environ, **OPEN_MPI, **(env or {})})
        if check:
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done

    def start(self, *words, before=(), env=None):
        process = subprocess.Popen([*before, FRAMEGOV, "sweep", str(self.plan), *map(str, words)],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                   env={**os.environ, **OPEN_MPI, **(env or {})})
        self.addCleanup(lambda: (process.kill(), process.wait(), process.stderr.close()))
        return process

    def results(self, store=None):
        """All that a store holds, though a killed sweep has left it; a copy is read, so that nothing is put in order."""
        with tempfile.TemporaryDirectory() as folder:
            for end in ("", "-wal"):
                with contextlib.suppress(FileNotFoundError):
                    shutil.copy(f"{store or self.store}{end}", f"{folder}/copy{end}")
            with contextlib.closing(sqlite3.connect(f"{folder}/copy")) as database:
                try:
                    return dict(database.execute("SELECT key, figures FROM results"))
                except sqlite3.Error:
                    return {}

    def wait_for_results(self, some):
        until = time.monotonic() + 120
        while len(self.results()) < some:
            self.assertLess(time.monotonic(), until, "no results come")
            time.sleep(0.02)

    def expect_the_same_table(self):
        """What is done stays as it is, the rest is done, and the table is that of a sweep never disturbed."""
        before = self.results()
        self.sweep("--csv", self.folder / "r.csv")
        after = self.results()
        self.assertEqual(len(after), RUNS)
        self.assertEqual(before, {key: after[key] for key in before})
        self.assertEqual((self.folder / "r.csv").read_text(), self.plain)

    def test_a_plan_is_counted_without_running(self):
        self.assertIn(f"{RUNS} runs", self.sweep("--dry-run").stdout)
        self.assertFalse(self.store.exists())

    def test_threads_do_not_change_a_byte(self):
        self.assertEqual(self.sweep("--jobs", 3, "--csv", "-").stdout, self.plain)
        self.assertEqual(len(self.plain.splitlines()), 1 + RUNS)

    def test_json_has_the_same_rows(self):
        runs = json.loads(self.sweep("--json", "-").stdout)
        self.assertEqual(runs["meta"]["missing"], 0)
        self.assertEqual(len(runs["runs"]), RUNS)

    def test_a_kill_loses_nothing_and_nothing_is_done_twice(self):
        for some in (1, RUNS // 3):
            process = self.start("--jobs", 2)
            self.wait_for_results(some)
            process.kill()
            process.wait()
        self.assertLess(len(self.results()), RUNS, "it was over before the kill")
        self.expect_the_same_table()

    def test_a_longer_plan_runs_what_is_new(self):
        self.sweep()
        before = self.results()
        self.plan.write_text(self.plan.read_text().replace("policies: [", "policies: [schedutil, "))
        self.sweep()
        after = self.results()
        self.assertEqual(len(after), RUNS * 5 // 4)
        self.assertEqual(before, {key: after[key] for key in before})

    def test_a_recording_that_holds_nothing_is_a_row_and_a_changed_one_is_read_again(self):
        trace = self.folder / "a.json"
        trace.write_text("{}")
        self.plan.write_text("inputs: '*.json'\ndevices: sm8250\npolicies: [pid, mpc]\n")
        first = self.sweep("--csv", "-").stdout
        self.assertEqual(first.count("a.json"), 4, first)  # the names and the errors
        self.assertNotIn(str(self.folder), first, "a path of this machine")
        trace.write_text("{ }")
        self.sweep()
        self.assertEqual(len(self.results()), 4, "other content, other results")

    def test_stores_are_told_apart(self):
        self.store.write_text("no database, but long enough to be taken for one" * 20)
        self.assertIn("name another --store", self.sweep(check=False).stderr)
        self.store.unlink()
        with contextlib.closing(sqlite3.connect(self.store)) as other:
            other.execute("CREATE TABLE mine(x)")
            other.commit()
        done = self.sweep(check=False)
        self.assertEqual(done.returncode, 3)
        self.assertIn("something else", done.stderr)
        self.store.unlink()
        self.start("--jobs", 1)
        self.wait_for_results(1)
        self.assertIn("in use by another sweep", self.sweep(check=False).stderr)

    def test_shards_come_to_the_same(self):
        for number in (3, 1, 2):
            self.sweep("--shard", f"{number}/3", "--store", f"{self.store}.{number}")
        self.assertEqual(sum(len(self.results(f"{self.store}.{n}")) for n in (1, 2, 3)), RUNS)
        missing = self.sweep("--merge", f"{self.store}.2", check=False)
        self.assertEqual(missing.returncode, 1)
        self.assertIn("runs are missing", missing.stderr)
        done = self.sweep("--merge", *(f"{self.store}.{n}" for n in (1, 2, 3)), "--csv", "-")
        self.assertEqual(done.stdout, self.plain)

    def test_the_slurm_script_runs_a_shard_each(self):
        script = self.folder / "sweep.sh"
        self.sweep("--slurm", script, "--shards", 2)
        self.assertIn("#SBATCH --array=1-2\n", script.read_text())
        for task in ("1", "2"):
            subprocess.run(["bash", script], check=True, capture_output=True,
                           env={**os.environ, "SLURM_ARRAY_TASK_ID": task, "SLURM_CPUS_PER_TASK": "2"})
        done = self.sweep("--merge", *sorted(self.folder.glob("plan.sqlite.shard-*")), "--csv", "-")
        self.assertEqual(done.stdout, self.plain)

    @contextlib.contextmanager
    def slurm(self):
        """A Slurm of this machine alone, without its authentication; yields the environment that finds it."""
        absent = [name for name in ("slurmctld", "slurmd", "sbatch", "sinfo") if not shutil.which(name)]
        if absent or os.geteuid() != 0:
            self.skipTest(f"no {', '.join(absent)} (Debian's slurmctld, slurmd, slurm-client)" if absent else "needs root")
        folder = self.folder / "slurm"
        for each in (folder, folder / "state", folder / "spool"):
            each.mkdir()
        host = socket.gethostname().split(".")[0]
        conf = folder / "slurm.conf"
        conf.write_text(SLURM.format(host=host, folder=folder, controller=free_port(), daemon=free_port()))
        env = {"SLURM_CONF": str(conf)}
        with contextlib.ExitStack() as running:
            for program in ("slurmctld", "slurmd"):
                process = subprocess.Popen([shutil.which(program), "-D"], stdout=subprocess.DEVNULL,
                                           stderr=subprocess.DEVNULL, env={**os.environ, **env})
                running.callback(process.wait)
                running.callback(process.terminate)
            until = time.monotonic() + 60
            while "idle" not in subprocess.run(["sinfo", "-h"], capture_output=True, text=True, check=False,
                                               env={**os.environ, **env}).stdout:
                if time.monotonic() > until:
                    self.skipTest("Slurm did not start here: " + (folder / "ctld.log").read_text()[-300:])
                time.sleep(0.2)
            yield env

    def test_a_real_slurm_runs_the_job_array(self):
        script = self.folder / "sweep.sh"
        self.sweep("--slurm", script, "--shards", 3)
        with self.slurm() as env:
            done = subprocess.run(["sbatch", "--wait", f"--output={self.folder}/job.%a", script], capture_output=True,
                                  text=True, check=False, timeout=300, cwd=self.folder, env={**os.environ, **env})
        self.assertEqual(done.returncode, 0, done.stderr + "".join(log.read_text() for log in self.folder.glob("job.*")))
        merged = self.sweep("--merge", *self.folder.glob("plan.sqlite.shard-*"), "--csv", "-")
        self.assertEqual(merged.stdout, self.plain)

    # Ranks as mpirun would start them, so that this is tested where there is none.

    def test_a_lost_rank_costs_nothing(self):
        ranks = [self.start("--csv", self.folder / "r.csv", env=rank_of(0, 3)),
                 *(self.start(env=rank_of(n, 3)) for n in (1, 2))]
        self.wait_for_results(5)
        ranks[1].kill()
        self.assertEqual(ranks[0].wait(120), 0, ranks[0].stderr.read())
        self.assertEqual(ranks[2].wait(30), 0, ranks[2].stderr.read())
        self.assertEqual((self.folder / "r.csv").read_text(), self.plain)
        self.assertFalse(pathlib.Path(f"{self.store}.ranks").exists())

    def test_a_lost_rank_0_ends_the_others_and_the_next_start_goes_on(self):
        ranks = [self.start(env=rank_of(n, 2)) for n in (0, 1)]
        self.wait_for_results(5)
        ranks[0].kill()
        self.assertEqual(ranks[1].wait(60), 1)
        self.assertIn("rank 0 went away", ranks[1].stderr.read())
        self.expect_the_same_table()

    def test_with_nothing_left_all_ranks_end(self):
        self.sweep()
        ranks = [self.start(env=rank_of(n, 2)) for n in (1, 0)]
        for rank in ranks:
            self.assertEqual(rank.wait(30), 0, rank.stderr.read())

    def test_a_rank_with_another_plan_is_sent_away(self):
        rank_0 = self.start(env=rank_of(0, 2))
        self.wait_for_results(1)
        self.plan.write_text(PLAN.format(seconds=41))
        other = self.start(env=rank_of(1, 2))
        self.assertEqual(other.wait(60), 3)
        self.assertIn("another plan", other.stderr.read())
        self.assertEqual(rank_0.wait(120), 0, rank_0.stderr.read())

    def test_a_stranger_gets_nothing(self):
        rank_0 = self.start(env=rank_of(0, 2))
        self.wait_for_results(1)
        meeting = pathlib.Path(f"{self.store}.ranks")
        self.assertEqual(meeting.stat().st_mode & 0o777, 0o600)
        with socket.create_connection(("127.0.0.1", json.loads(meeting.read_text())["port"]), 10) as line:
            line.sendall(b'{"secret":"guessed","rank":1,"work":""}\n{"next":true}\n')
            self.assertEqual(line.recv(100), b"")
        self.assertEqual(rank_0.wait(120), 0, rank_0.stderr.read())

    def test_strangers_who_say_nothing_or_too_much_keep_no_rank_out(self):
        rank_0 = self.start("--csv", self.folder / "r.csv", before=("prlimit", "--nofile=64"), env=rank_of(0, 2))
        self.wait_for_results(1)
        port = json.loads(pathlib.Path(f"{self.store}.ranks").read_text())["port"]
        with contextlib.ExitStack() as strangers:
            lines = [strangers.enter_context(socket.create_connection(("127.0.0.1", port), 10)) for _ in range(80)]
            with contextlib.suppress(OSError):  # it is sent away meanwhile
                lines[-1].settimeout(10)
                lines[-1].sendall(b"\n" * 10_000_000)
            rank_1 = self.start(env=rank_of(1, 2))
            self.assertEqual(rank_1.wait(60), 0, rank_1.stderr.read())
            self.assertEqual(rank_0.wait(120), 0, rank_0.stderr.read())
        self.assertEqual((self.folder / "r.csv").read_text(), self.plain)

    def test_mpirun_gives_the_same_on_any_number_of_ranks(self):
        for count in (2, 4):
            with self.subTest(ranks=count):
                done = self.sweep("--store", self.folder / f"{count}.sqlite", "--csv", "-",
                                  before=mpirun(self, count))
                self.assertEqual(done.stdout, self.plain)

    def test_mpirun_with_recovery_survives_a_lost_rank(self):
        job = self.start("--csv", self.folder / "r.csv", before=mpirun(self, 3, "--enable-recovery"))
        self.wait_for_results(5)
        kill_a_rank(self, 1, FRAMEGOV, str(self.plan))
        self.assertEqual(job.wait(120), 0, job.stderr.read())
        self.assertEqual((self.folder / "r.csv").read_text(), self.plain)

    def test_plain_mpirun_ends_with_a_lost_rank_and_the_next_goes_on(self):
        # Open MPI leaves the others a second before it ends them, in which a fast machine does the rest of the plan.
        job = self.start(before=mpirun(self, 3, "--mca", "odls_base_sigkill_timeout", "0"))
        self.wait_for_results(5)
        kill_a_rank(self, 1, FRAMEGOV, str(self.plan))
        self.assertNotEqual(job.wait(120), 0)
        self.assertLess(len(self.results()), RUNS)
        self.expect_the_same_table()


class FrameBenchTest(unittest.TestCase):
    def test_a_table_is_rechecked(self):
        with tempfile.TemporaryDirectory() as folder:
            table = pathlib.Path(folder, "results.csv")

            def bench(*words):
                return subprocess.run([FRAMEGOV, "framebench", *map(str, words)], capture_output=True, text=True,
                                      check=False, timeout=600)
            done = bench("--policy", "schedutil", "--csv", table)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(f"results    {sha256(table)}", done.stdout)
            checked = bench("--check", table)
            self.assertEqual(checked.returncode, 0, checked.stderr)
            self.assertTrue(checked.stdout.startswith(done.stdout))
            self.assertIn("checked: all", checked.stdout)
            lines = table.read_text().splitlines(keepends=True)
            better = lines[-1].split(",")
            column = lines[0].strip().split(",").index("energy_mj")
            better[column] = str(float(better[column]) * 0.9)
            table.write_text("".join([*lines[:-1], ",".join(better)]))
            forged = bench("--check", table)
            self.assertEqual(forged.returncode, 1)
            self.assertIn("1 of ", forged.stderr)


if __name__ == "__main__":
    if len(sys.argv) < 2 or not shutil.which(sys.argv[1]):
        sys.exit(__doc__)
    FRAMEGOV = sys.argv[1]
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
