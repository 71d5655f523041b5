# SPDX-License-Identifier: Apache-2.0
"""Faults that framegovd must survive without leaving a limit behind."""

from . import faults, files, floods, tasks  # noqa: F401 (they fill the list)
from .kinds import KINDS, Kind
from .rig import MOST_GROWN_KIB, Fault, Rig

__all__ = ["KINDS", "MOST_GROWN_KIB", "Kind", "Fault", "Rig"]
