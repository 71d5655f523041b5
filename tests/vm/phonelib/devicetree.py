# SPDX-License-Identifier: Apache-2.0
"""The phone's device tree: QEMU's own for the machine, with clusters and operating points added."""

from __future__ import annotations

import pathlib
import subprocess

from .errors import PhoneUnavailable
from .layouts import Cluster, Layout


def build(layout: Layout, machine: list[str], qemu: str, folder: pathlib.Path) -> pathlib.Path:
    """Writes phone.dtb into `folder`. `machine` are the QEMU arguments that shape the hardware."""
    dumped, source, result = (folder / name for name in ("virt.dtb", "phone.dts", "phone.dtb"))
    shape = [f"{part},dumpdtb={dumped}" if part.startswith("virt") else part for part in machine]
    _run([qemu, *shape])
    _run(["dtc", "-q", "-I", "dtb", "-O", "dts", "-o", source, dumped])
    # A device tree source may open a node again: what is added stands after what QEMU made.
    with source.open("a", encoding="ascii") as out:
        out.write(additions(layout))
    _run(["dtc", "-q", "-I", "dts", "-O", "dtb", "-o", result, source])
    return result


def additions(layout: Layout) -> str:
    """Device tree source that turns a symmetric machine into the layout's."""
    top_mhz = max(cluster.top.mhz for cluster in layout.clusters)
    indices = range(len(layout.clusters))
    cpu_map = "\n".join(_map_cluster(layout, index) for index in indices)
    cpus = "\n".join(_cpu(layout, index, cpu, top_mhz) for index in indices for cpu in layout.cpus(index))
    tables = "\n".join(_table(index, cluster) for index, cluster in enumerate(layout.clusters))
    return f"/ {{\ncpus {{\n/delete-node/ cpu-map;\ncpu-map {{\n{cpu_map}\n}};\n{cpus}\n}};\n{tables}\n}};\n"


def _map_cluster(layout: Layout, index: int) -> str:
    cores = " ".join(f"core{n} {{ cpu = <&cpu{cpu}>; }};" for n, cpu in enumerate(layout.cpus(index)))
    return f"cluster{index} {{ {cores} }};"


def _cpu(layout: Layout, index: int, cpu: int, top_mhz: int) -> str:
    cluster = layout.clusters[index]
    # The kernel multiplies capacity-dmips-mhz by the CPU's top frequency and normalises to 1024.
    dmips_mhz = round(cluster.capacity * top_mhz / cluster.top.mhz)
    return (
        f"cpu{cpu}: cpu@{cpu:x} {{ clocks = <&clock{index}>; operating-points-v2 = <&opps{index}>; "
        f"capacity-dmips-mhz = <{dmips_mhz}>; dynamic-power-coefficient = <{cluster.dynamic_power}>; #cooling-cells = <2>; }};"
    )


def _table(index: int, cluster: Cluster) -> str:
    points = "\n".join(
        f"opp-{opp.mhz}000000 {{ opp-hz = /bits/ 64 <{opp.mhz}000000>; opp-microvolt = <{opp.microvolt}>; "
        f"clock-latency-ns = <{cluster.latency_us * 1000}>; }};"
        for opp in cluster.opps
    )
    return (
        f'clock{index}: clock-cluster{index} {{ compatible = "fixed-clock"; #clock-cells = <0>; '
        f"clock-frequency = <{cluster.top.mhz}000000>; }};\n"
        f'opps{index}: opp-table-{index} {{ compatible = "operating-points-v2"; opp-shared;\n{points}\n}};'
    )


def _run(command: list) -> None:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise PhoneUnavailable(f"{command[0]} failed: {done.stderr.strip() or done.returncode}", "run ./dev deps")
