# SPDX-License-Identifier: Apache-2.0
"""Ranks for tests: as mpirun starts them, or as it would."""
import contextlib
import os
import pathlib
import shutil
import signal

# mpirun wants to be told that root, and more ranks than cores, are meant.
OPEN_MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_rmaps_base_oversubscribe": "1"}


def rank_of(number, count):
    """What Open MPI's mpirun says to a process that it starts."""
    return {"OMPI_COMM_WORLD_RANK": str(number), "OMPI_COMM_WORLD_SIZE": str(count),
            "OMPI_COMM_WORLD_LOCAL_SIZE": str(count), "OMPI_MCA_ess_base_jobid": "7"}


def mpirun(test, count, *options):
    """The words before a command that start it on so many ranks."""
    if not shutil.which("mpirun"):
        test.skipTest("no mpirun (Debian's openmpi-bin)")
    return ["mpirun", *options, "-n", str(count)]


def kill_a_rank(test, number, program, word):
    """kill -9 of the rank of that number of the mpirun that runs `program` with `word` among its arguments."""
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (process / "cmdline").read_bytes().split(b"\0")
            if (word.encode() in words and words[0] == program.encode() and
                    f"OMPI_COMM_WORLD_RANK={number}".encode() in (process / "environ").read_bytes().split(b"\0")):
                os.kill(int(process.name), signal.SIGKILL)
                return
    test.fail(f"rank {number} is not there")
