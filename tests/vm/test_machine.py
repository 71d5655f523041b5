#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The virtual phone itself: its clusters, its cpufreq, what the probes need, and how it fails."""

from __future__ import annotations

import time
import unittest

from phonelib import LAYOUTS, CommandFailed, CommandTimeout, Phone, PhoneError
from phonelib.testing import PhoneTestCase, main


class Clusters(PhoneTestCase):
    def test_has_the_layout_s_policies_and_operating_points(self):
        for index, cluster in enumerate(self.layout.clusters):
            cpus = self.phone.read(self.phone.policy(index, "related_cpus")).split()
            frequencies = self.phone.read(self.phone.policy(index, "scaling_available_frequencies")).split()
            self.assertEqual([int(cpu) for cpu in cpus], list(self.layout.cpus(index)))
            self.assertEqual([int(khz) for khz in frequencies], [opp.khz for opp in cluster.opps])

    def test_capacities_are_normalised_to_the_biggest_cpu(self):
        for index, cluster in enumerate(self.layout.clusters):
            cpu = self.layout.first_cpu(index)
            capacity = int(self.phone.read(f"/sys/devices/system/cpu/cpu{cpu}/cpu_capacity"))
            self.assertAlmostEqual(capacity, cluster.capacity, delta=3)

    def test_the_energy_model_is_the_device_tree_s(self):
        for index, cluster in enumerate(self.layout.clusters):
            folder = f"/sys/kernel/debug/energy_model/cpu{self.layout.first_cpu(index)}"
            for opp in cluster.opps:
                microwatt = int(self.phone.read(f"{folder}/ps:{opp.khz}/power"))
                self.assertAlmostEqual(microwatt / 1e3, cluster.busy_mw(opp.khz), delta=0.01 * microwatt / 1e3)

    def test_a_cap_is_rounded_down_to_an_operating_point_and_followed(self):
        maximum, current = (self.phone.policy(0, node) for node in ("scaling_max_freq", "scaling_cur_freq"))
        before = self.phone.read(maximum)
        self.addCleanup(self.phone.write, maximum, before)
        burner = self.phone.start("taskset 1 sh -c 'while :; do :; done'")
        self.addCleanup(burner.stop)
        self.phone.write(maximum, 1_000_000)
        self.assertEqual(self.phone.read(maximum), "900000")
        self.assertTrue(self.becomes(current, lambda khz: khz == 900_000))

    def test_a_minimum_above_the_maximum_is_the_maximum(self):
        # What the service relies on to move a pinned cluster with one write.
        cluster = self.layout.clusters[0]
        least, most, current = (
            self.phone.policy(0, node) for node in ("scaling_min_freq", "scaling_max_freq", "scaling_cur_freq")
        )
        for node in (least, most):
            self.addCleanup(self.phone.write, node, self.phone.read(node))
        self.phone.write(least, cluster.opps[-1].khz)
        for khz in (cluster.opps[0].khz, cluster.opps[-2].khz, cluster.opps[1].khz):
            self.phone.write(most, khz)
            time.sleep(0.2)
            self.assertEqual([int(self.phone.read(node)) for node in (least, most, current)], [khz] * 3)

    def test_schedutil_follows_the_load(self):
        big = len(self.layout.clusters) - 1
        cluster, current = self.layout.clusters[big], self.phone.policy(big, "scaling_cur_freq")
        self.assertEqual(self.phone.read(self.phone.policy(big, "scaling_governor")), "schedutil")
        self.assertTrue(self.becomes(current, lambda khz: khz < cluster.top.khz / 2), "idle, but not slow")
        burner = self.phone.start(f"taskset -c {self.layout.first_cpu(big)} sh -c 'while :; do :; done'")
        self.addCleanup(burner.stop)
        self.assertTrue(self.becomes(current, lambda khz: khz == cluster.top.khz), "busy, but not at the top")

    def becomes(self, node: str, wanted, seconds: float = 10) -> bool:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if wanted(int(self.phone.read(node))):
                return True
            time.sleep(0.1)
        return False


class Kernel(PhoneTestCase):
    def test_is_an_arm64_kernel_with_uprobes_bpf_and_btf(self):
        self.assertEqual(self.phone.run("uname -m").text.strip(), "aarch64")
        self.phone.read("/sys/bus/event_source/devices/uprobe/type")
        self.phone.read("/sys/kernel/tracing/uprobe_events")
        self.phone.run("test -s /sys/kernel/btf/vmlinux && test -d /sys/fs/bpf").check()

    def test_has_android_s_top_app_cpuset(self):
        self.assertEqual(self.phone.read("/dev/cpuset/top-app/cpus"), f"0-{self.layout.cpu_count - 1}")
        self.phone.run("echo $$ > /dev/cpuset/top-app/tasks").check()


class Commands(PhoneTestCase):
    def test_bring_back_code_output_and_errors(self):
        done = self.phone.run("echo out; echo err >&2; exit 3")
        self.assertEqual((done.exit_code, done.stdout, done.stderr), (3, b"out\n", b"err\n"))
        with self.assertRaisesRegex(CommandFailed, "ended with 3: err"):
            done.check()

    def test_take_input_and_files_of_any_bytes(self):
        data = bytes(range(256)) * 20_000
        self.assertEqual(self.phone.run("cat", stdin=data).stdout, data)
        self.phone.put(data, "/data/local/tmp/new/file", 0o600)
        self.assertEqual(self.phone.get("/data/local/tmp/new/file"), data)

    def test_that_run_long_are_killed_with_their_children(self):
        with self.assertRaises(CommandTimeout):
            self.phone.run("sleep 54321 & sleep 54321", timeout=1)
        self.assertEqual(self.phone.run("pidof sleep").text, "")

    def test_in_the_background_give_their_lines_at_once(self):
        process = self.phone.start("for n in 1 2 3; do echo $n; done; sleep 60")
        lines = process.lines(timeout=20)
        self.assertEqual([next(lines) for _ in range(3)], ["1", "2", "3"])
        self.assertEqual(process.stop().exit_code, 128 + 15)


class Failures(unittest.TestCase):
    def test_a_panic_is_told_with_the_console(self):
        with Phone(LAYOUTS["one"]) as phone:
            with self.assertRaisesRegex(PhoneError, "Kernel panic"):
                phone.run("echo c > /proc/sysrq-trigger; sleep 60")

    def test_every_layout_boots(self):
        for name in ("two", "four"):
            with self.subTest(layout=name), Phone(LAYOUTS[name]) as phone:
                policies = phone.run("cd /sys/devices/system/cpu/cpufreq && ls -d policy*").text.split()
                self.assertEqual(policies, [f"policy{number}" for number in LAYOUTS[name].policies])


if __name__ == "__main__":
    main()
