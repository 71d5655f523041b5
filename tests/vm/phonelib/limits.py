# SPDX-License-Identifier: Apache-2.0
"""The limits that stand, looked at often."""

from __future__ import annotations

from .phone import Phone

_GONE = "gone"


class LimitsWatch:
    """Every policy's limits on demand, by a shell that stays and starts nothing: some milliseconds a
    look, and nothing of it among what the phone does."""

    def __init__(self, phone: Phone):
        nodes = [phone.policy(i, node) for i in range(len(phone.layout.clusters))
                 for node in ("scaling_max_freq", "scaling_min_freq")]  # fmt: skip
        reads = "".join(f'v={_GONE}; read v < {node} 2> /dev/null; line="$line $v"; ' for node in nodes)
        self._process = phone.start(f'while read _; do line=; {reads}read up _ < /proc/uptime; echo "$up$line"; done')
        self._lines = self._process.lines(timeout=36000)

    def look(self) -> tuple[float, str]:
        """The phone's clock just after the look, in seconds since its boot to 10 ms, and the limits."""
        self._process.write(b"\n")
        clock, limits = next(self._lines).split(" ", 1)
        return float(clock), limits

    def read(self) -> str:
        """Maximum and minimum of each policy in turn, kHz; "gone" for a node that is not there."""
        return self.look()[1]

    def mhz(self) -> tuple[list[int], list[int]]:
        """Caps and floors in MHz. Raises ValueError when one is not there."""
        values = [int(khz) // 1000 for khz in self.read().split()]
        return values[::2], values[1::2]
