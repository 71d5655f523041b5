# SPDX-License-Identifier: Apache-2.0
"""Faults of what the service keeps on the disk."""

from __future__ import annotations

from .kinds import fault
from .rig import FOLDER, Fault, Rig

CONFIG = f"{FOLDER}/framegov.yaml"


@fault("disk full", 2, says="the limits cannot be saved, so none will be changed")
def disk_full(rig: Rig) -> None:
    rig.phone.run(f"mkdir -p {FOLDER}/state && mount -t tmpfs -o size=16k,mode=700 full {FOLDER}/state").check()
    try:
        rig.phone.run(f"echo 1 > {FOLDER}/state/lock; dd if=/dev/zero of={FOLDER}/state/rubbish bs=1k count=64; true")
        rig.framegov.start()
        rig.play()
        rig.until_said("the limits cannot be saved")
        if rig.limits() != rig.before:
            raise Fault("limits were changed that cannot be saved")
        rig.stop_app()
        rig.framegov.end()
    finally:
        rig.phone.run(f"umount {FOLDER}/state").check()


@fault("corrupt state file", 3, says="every cluster is set to its hardware limits")
def corrupt_state(rig: Rig) -> None:
    """Uncapped is what is promised then: the owner's own limits are lost with the file."""
    rig.govern()
    rig.framegov.kill()
    rig.stop_app()
    rig.phone.run(f"echo rubbish > {FOLDER}/state/saved_limits").check()
    rig.framegov.start()
    tops = [cluster.top.khz for cluster in rig.phone.layout.clusters]
    if [int(khz) for khz in rig.limits().split()[::2]] != tops:
        raise Fault(f"not uncapped: {rig.limits()}")
    rig.framegov.end()
    rig.put_before_back()


@fault("corrupt settings", 2)
def corrupt_settings(rig: Rig) -> None:
    good = rig.phone.get(CONFIG)
    try:
        for text in (b"service: [", b"\x00\xff" * 100, b"policy: magic\n"):
            rig.phone.put(text, CONFIG)
            done = rig.phone.run(f"framegovd --config {CONFIG}")
            if done.exit_code != 3 or len(done.stderr.splitlines()) != 1:
                raise Fault(f"{text[:20]!r}: exit code {done.exit_code}, {done.stderr[-300:]!r}")
    finally:
        rig.phone.put(good, CONFIG)


@fault("corrupt kept files", 4)
def corrupt_kept(rig: Rig) -> float:
    """All that it has learned or been told, however it is spoilt: it governs as on its first day."""
    rig.framegov.start()
    rig.framegov.end()
    for spoil in ("head -c 3000 /dev/urandom > $f", ": > $f", "echo '{' > $f", "echo 5 5 5 > $f; chmod 0666 $f"):
        rig.phone.run(
            f"cd {FOLDER}/state && touch switches history learned early_ends && "
            f"for f in switches history learned early_ends $(find sites -type f 2> /dev/null); do {spoil}; done"
        ).check()
        # What looks like five starts that did not last is that.
        rig.phone.run(f"framegovd --config {CONFIG} --enable").check()
        rig.govern()
        rig.end()
    rig.govern()
    rig.stop_app()
    return rig.until_restored()
