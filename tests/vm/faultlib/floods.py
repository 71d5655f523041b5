# SPDX-License-Identifier: Apache-2.0
"""Faults of too much at once."""

from __future__ import annotations

import time

from demolib.scenes import Scene

from .kinds import fault
from .rig import Fault, Rig
from .tasks import freeze, thaw

# Each frame of an ordinary app leaves several records, the largest there are.
_MOST_RECORDS = Scene("scroll", 5000)
# How fast a phone on a busy machine fills the ring is not known: so many times 8 s, at most.
_FREEZES = 4


@fault("5000 frames/s", 3)
def many_frames(rig: Rig) -> float:
    rig.framegov.start()
    rig.play(Scene("game", 5000), "--fps 5000")
    rig.until("no frame of the flood is seen", lambda: rig.says("cause=frame"))
    time.sleep(3)
    rig.kill_app()
    return rig.until_restored()


@fault("ring buffer full", 3, says="frame events were lost")
def ring_full(rig: Rig) -> float:
    """The service gets no time while frames come, then all of it: the caps that rest on what was lost
    are lifted, and it governs again once frames are whole."""
    rig.framegov.start()
    rig.play(_MOST_RECORDS)
    rig.until("the flood does not come", lambda: rig.says("cause=frame"))
    for _ in range(_FREEZES):
        _freeze_the_service(rig, 8)
        if rig.within(5, lambda: rig.says("frame events were lost")):
            break
    else:
        raise Fault(f"no loss is told; the log ends:\n{rig.log_tail()}")
    rig.play()
    rig.until_governed()
    if rig.framegov.ended():
        raise Fault(f"the service has ended; the log ends:\n{rig.log_tail()}")
    rig.stop_app()
    return rig.until_restored()


def _freeze_the_service(rig: Rig, seconds: float) -> None:
    freeze(rig, rig.framegov.service_pid())
    time.sleep(seconds)
    thaw(rig)
