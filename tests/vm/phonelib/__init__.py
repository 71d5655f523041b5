# SPDX-License-Identifier: Apache-2.0
"""The arm64 virtual phone as a library. See docs/virtual-phone.md."""

from .errors import CommandFailed, CommandTimeout, PhoneError, PhoneUnavailable
from .layouts import DEFAULT_LAYOUT, LAYOUTS, Cluster, Layout, Opp
from .phone import CPUFREQ, Phone
from .process import Completed, Process

__all__ = [
    "CPUFREQ", "DEFAULT_LAYOUT", "LAYOUTS", "Cluster", "CommandFailed", "CommandTimeout", "Completed",
    "Layout", "Opp", "Phone", "PhoneError", "PhoneUnavailable", "Process",
]  # fmt: skip
