# SPDX-License-Identifier: Apache-2.0
"""A virtual phone's layout as a device model of the simulator: the same numbers as in its device tree."""

from __future__ import annotations

from phonelib.layouts import Layout

# Clusters sleep at once in the phone: its meter charges an idle CPU the same at every frequency.
_IDLE_STATE = "{entry_us: 1, exit_us: 1, min_residency_us: 1}"


def name_of(layout: Layout) -> str:
    return f"virtual_{layout.name}"


def yaml(layout: Layout) -> str:
    lines = [f"name: {name_of(layout)}", f"model: virtual phone, layout {layout.name}", "clusters:"]
    for index, cluster in enumerate(layout.clusters):
        lines += [
            f"  - policy: {layout.first_cpu(index)}",
            f"    cpus: {list(layout.cpus(index))}",
            "    core: emulated",
            # Of any size: work is not moved to another phone.
            f"    coremark_per_mhz: {10 * cluster.capacity / cluster.top.mhz:.4f}",
            f"    transition_latency_us: {cluster.latency_us}",
            f"    idle_state: {_IDLE_STATE}",
            "    opps:",
        ]
        for opp in cluster.opps:
            capacity = cluster.capacity * opp.mhz / cluster.top.mhz
            lines.append(f"      - [{opp.khz}, {capacity:.2f}, {cluster.busy_mw(opp.khz):.3f}, 0, {cluster.idle_mw}]")
    return "\n".join(lines) + "\n"
