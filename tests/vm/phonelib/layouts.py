# SPDX-License-Identifier: Apache-2.0
"""Descriptions of virtual phones: clusters, their operating points and what they draw."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class Opp:
    """One operating point of a cluster."""

    mhz: int
    microvolt: int

    @property
    def khz(self) -> int:
        return self.mhz * 1000


@dataclasses.dataclass(frozen=True)
class Cluster:
    """CPUs that share a frequency: one cpufreq policy.

    capacity: of 1024, at the top operating point, as arch_topology will normalise it.
    dynamic_power: uW per MHz and V^2 (the device tree's dynamic-power-coefficient).
    idle_mw: what a CPU of this cluster draws while idle; used for energy estimates only.
    """

    cpus: int
    capacity: int
    opps: tuple[Opp, ...]
    dynamic_power: int
    idle_mw: float
    latency_us: int = 300

    @property
    def top(self) -> Opp:
        return self.opps[-1]

    def busy_mw(self, khz: int) -> float:
        """Power of one busy CPU at `khz`, C f V^2 with the voltage of the lowest OPP that reaches it."""
        opp = next((opp for opp in self.opps if opp.khz >= khz), self.top)
        return self.dynamic_power * opp.mhz * (opp.microvolt / 1e6) ** 2 / 1e3


@dataclasses.dataclass(frozen=True)
class Layout:
    """A whole phone. rate_limit_us is schedutil's, 2 ms as phones that tune it set it.

    pmu: QEMU's counts 1000 cycles a microsecond at any operating point, while the demo's apps work as fast as
    the operating point says. Only a test of the counting itself has use for that.
    """

    name: str
    clusters: tuple[Cluster, ...]
    rate_limit_us: int = 2000
    memory_mib: int = 512
    pmu: bool = False

    @property
    def cpu_count(self) -> int:
        return sum(cluster.cpus for cluster in self.clusters)

    def first_cpu(self, index: int) -> int:
        """The cluster's first CPU, which is also the number of its cpufreq policy."""
        return sum(cluster.cpus for cluster in self.clusters[:index])

    def cpus(self, index: int) -> range:
        return range(self.first_cpu(index), self.first_cpu(index) + self.clusters[index].cpus)

    @property
    def policies(self) -> list[int]:
        return [self.first_cpu(index) for index in range(len(self.clusters))]


def opps(mhz: list[int], low_mv: int, high_mv: int) -> tuple[Opp, ...]:
    """Operating points whose voltage rises as phones' do: slowly at first, then as f squared."""
    bottom, top = mhz[0], mhz[-1]

    def microvolt(f: int) -> int:
        x = (f - bottom) / (top - bottom) if top > bottom else 1.0
        return round((low_mv + (high_mv - low_mv) * (0.45 * x + 0.55 * x * x)) * 1000)

    return tuple(Opp(f, microvolt(f)) for f in mhz)


LITTLE = Cluster(2, 280, opps([300, 600, 900, 1200, 1500, 1800], 550, 950), 90, 2.0)
MID = Cluster(2, 620, opps([400, 700, 1000, 1300, 1600, 1900, 2250], 550, 1000), 290, 3.5)
BIG = Cluster(2, 1024, opps([500, 800, 1100, 1400, 1700, 2000, 2250, 2500, 2800], 570, 1100), 640, 6.0)
PRIME = dataclasses.replace(BIG, cpus=1)
UPPER = Cluster(2, 840, opps([600, 1000, 1400, 1800, 2200, 2500], 560, 1020), 420, 4.5)

LAYOUTS = {
    layout.name: layout
    for layout in (
        Layout("one", (dataclasses.replace(BIG, cpus=4),)),
        Layout("two", (dataclasses.replace(LITTLE, cpus=4), BIG)),
        Layout("three", (LITTLE, MID, BIG)),
        Layout("four", (LITTLE, MID, UPPER, PRIME)),
    )
}
DEFAULT_LAYOUT = LAYOUTS["three"]
