#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The meter: what it adds up from a trace, and from a phone that does a known amount of work."""

from __future__ import annotations

import unittest

from phonelib import Cluster, Layout, Opp, PhoneError
from phonelib.meter import Meter, PolicyState, account
from phonelib.testing import PhoneTestCase, main

SLOW, FAST = Opp(500, 500_000), Opp(1000, 1_000_000)
CLUSTER = Cluster(cpus=2, capacity=1024, opps=(SLOW, FAST), dynamic_power=100, idle_mw=1)
LAYOUT = Layout("test", (CLUSTER,))
IDLE, THREAD = 0, 77


def trace(*events: tuple, written: int | None = None) -> str:
    """A trace of events (time, text[, CPU]); the CPU is 0 where none is given."""
    lines = [f"# entries-in-buffer/entries-written: {len(events)}/{written or len(events)}   #P:2"]
    for time, text, *cpu in events:
        lines.append(f"   <idle>-0   [{cpu[0] if cpu else 0:03}] d..1. {time:.6f}: {text}")
    return "\n".join(lines)


def switch(time: float, cpu: int, before: int, after: int) -> tuple[float, str, int]:
    left = f"prev_comm=a prev_pid={before} prev_prio=120 prev_state=S"
    return (time, f"sched_switch: {left} ==> next_comm=b next_pid={after} next_prio=120", cpu)


def frequency(khz: int) -> str:
    return f"cpu_frequency: state={khz} cpu_id=0"


BEGIN, END = "tracing_mark_write: begin", "tracing_mark_write: end"


class Accounting(unittest.TestCase):
    before = {0: PolicyState(khz=500_000, cap=1_000_000, floor=500_000)}

    def test_books_busy_time_at_the_frequency_it_was_spent_at(self):
        text = trace(
            (1.0, BEGIN), switch(1.5, 0, IDLE, THREAD), (2.0, frequency(1_000_000)), switch(2.25, 0, THREAD, IDLE), (3.0, END)
        )  # fmt: skip
        (use,) = account(text, LAYOUT, self.before)
        self.assertAlmostEqual(use.seconds, 2)
        self.assertAlmostEqual(use.busy_s[500_000], 0.5)
        self.assertAlmostEqual(use.busy_s[1_000_000], 0.25)
        self.assertAlmostEqual(use.busy_share, 0.75 / 4)
        self.assertAlmostEqual(use.mean_mhz, (500 + 1000) / 2)
        # C f V^2: 100 x 500 x 0.25 / 1000 and 100 x 1000 x 1 / 1000 mW; 3.25 CPU seconds idle.
        self.assertAlmostEqual(use.energy_mj, 0.5 * 12.5 + 0.25 * 100 + 3.25)

    def test_a_cpu_that_first_falls_idle_was_busy_before(self):
        (use,) = account(trace((1.0, BEGIN), switch(2.0, 1, THREAD, IDLE), (3.0, END)), LAYOUT, self.before)
        self.assertAlmostEqual(use.busy_s[500_000], 1)

    def test_means_of_caps_and_floors_are_over_time(self):
        limits = "cpu_frequency_limits: min=500000 max=500000 cpu_id=0"
        (use,) = account(trace((1.0, BEGIN), (2.5, limits), (3.0, END)), LAYOUT, self.before)
        self.assertAlmostEqual(use.mean_cap_mhz, 0.75 * 1000 + 0.25 * 500)
        self.assertAlmostEqual(use.mean_floor_mhz, 500)

    def test_refuses_a_trace_with_losses(self):
        with self.assertRaisesRegex(PhoneError, "lost"):
            account(trace((1.0, BEGIN), (3.0, END), written=5), LAYOUT, self.before)


class InThePhone(PhoneTestCase):
    def test_finds_a_known_load_at_a_capped_frequency(self):
        big = len(self.layout.clusters) - 1
        cap = self.layout.clusters[big].opps[2]
        self.phone.write(self.phone.policy(big, "scaling_min_freq"), cap.khz)
        self.phone.write(self.phone.policy(big, "scaling_max_freq"), cap.khz)
        meter = Meter(self.phone)
        meter.start()
        cpu = self.layout.first_cpu(big)
        load = self.phone.run(f"timeout 2 taskset -c {cpu} sh -c 'while :; do :; done'")
        use = meter.stop()[big]
        self.assertGreater(use.seconds, 1.9, f"the load has ended early: {load}")
        self.assertGreater(use.busy_s[cap.khz], 1.8)
        self.assertLess(use.busy_s[cap.khz], use.seconds * 2)
        self.assertAlmostEqual(use.mean_cap_mhz, cap.mhz)
        self.assertAlmostEqual(use.mean_mhz, cap.mhz)
        self.assertGreater(use.energy_mj, 1.8 * use.cluster.busy_mw(cap.khz))


if __name__ == "__main__":
    main()
