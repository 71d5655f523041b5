# SPDX-License-Identifier: Apache-2.0
"""The list of faults, which the modules beside fill."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from .rig import Rig


@dataclasses.dataclass(frozen=True)
class Kind:
    name: str
    times: int
    quick: int  # times in a short run; 0: left out of it
    does: Callable[[Rig], float | None]
    says: str  # in the log, at least once


KINDS: list[Kind] = []


def fault(name: str, times: int, quick: int = 1, says: str = ""):
    def register(does):
        KINDS.append(Kind(name, times, quick, does, says))
        return does

    return register
