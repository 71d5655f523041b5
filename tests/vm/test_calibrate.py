#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""framegov calibrate in the phone, on a simulated fuel gauge: real limits are held and real loops run, the battery is made up.

The gauge looks at what the phone's CPUs do, once a second, and tells what a battery would give: in steps of 10 mA, with
noise. So it is known what the measurement has to find. It is killed on the way, as phones are."""

from __future__ import annotations

import dataclasses
import json
import time

from demolib import app
from demolib.modes import Framegov
from phonelib import Cluster, Layout
from phonelib.layouts import opps
from phonelib.testing import PhoneTestCase, main

SUPPLY = "/tmp/power_supply"
BATTERY = f"{SUPPLY}/battery"
BASE_MW = 800
NOISE_MA = 8  # uniform, each way
STATIC_MW = 60  # of a cluster while one of its CPUs is busy, at 1 V
LITTLE = Cluster(2, 450, opps([600, 1800], 600, 950), 260, 0.0)
BIG = Cluster(2, 1024, opps([800, 1800, 2800], 620, 1100), 520, 0.0)

# Mean power of the last second, by what /proc/stat and cpufreq tell of it.
GAUGE = """
function busy_of(cpu) { return total[cpu] > 0 ? used[cpu] / total[cpu] : 0 }
BEGIN {
  srand(7)
  while ((getline < "/etc/gauge-table") > 0) { mw[$1, $2] = $3; fixed[$1, $2] = $4; first[$1] = $5; last[$1] = $6 }
  while (1) {
    while ((getline < "/proc/stat") > 0) if ($1 ~ /^cpu[0-9]/) {
      now = $2 + $3 + $4 + $7 + $8; all = now + $5 + $6
      used[$1] = now - before[$1]; total[$1] = all - before_all[$1]; before[$1] = now; before_all[$1] = all
    }
    close("/proc/stat")
    power = BASE
    for (policy in first) {
      node = "/sys/devices/system/cpu/cpufreq/policy" policy "/scaling_cur_freq"
      getline khz < node; close(node)
      most = 0
      for (cpu = first[policy]; cpu <= last[policy]; cpu++) {
        busy = busy_of("cpu" cpu); power += busy * mw[policy, khz]; if (busy > most) most = busy
      }
      power += most * fixed[policy, khz]
    }
    ma = power / 3.9 + NOISE * (2 * rand() - 1)
    print -10000 * int(ma / 10 + 0.5) > (BATTERY "/new")
    close(BATTERY "/new")
    system("mv " BATTERY "/new " BATTERY "/current_now; sleep 1")
  }
}
"""


@dataclasses.dataclass(frozen=True)
class Truth:
    """What one CPU takes at an operating point, and what its cluster takes besides while any is busy."""

    active_mw: float
    static_mw: float


def truths(layout: Layout) -> dict[tuple[int, int], Truth]:
    """By policy and kHz."""
    return {
        (first, opp.khz): Truth(cluster.busy_mw(opp.khz), STATIC_MW * opp.microvolt / 1e6)
        for cluster, first in zip(layout.clusters, layout.policies)
        for opp in cluster.opps
    }


class Calibrate(PhoneTestCase):
    layout = Layout("calibrated", (LITTLE, BIG))

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        app.install(cls.phone, everywhere=True)
        app.install_tool(cls.phone)
        cls.framegov = Framegov(cls.phone)
        cls.truths = truths(cls.layout)
        rows = []
        for index, first in enumerate(cls.layout.policies):
            cpus = cls.layout.cpus(index)
            rows += [f"{policy} {khz} {truth.active_mw} {truth.static_mw} {cpus[0]} {cpus[-1]}" for (policy, khz), truth in cls.truths.items() if policy == first]
        cls.phone.put("\n".join([*rows, ""]).encode(), "/etc/gauge-table")
        cls.phone.put(GAUGE.encode(), "/etc/gauge.awk")
        cls.phone.run(
            f"mkdir -p {BATTERY} && cd {BATTERY} && echo Battery > type && echo Discharging > status && echo 3900000 > voltage_now && "
            "echo 80 > capacity && echo 300 > temp && echo -200000 > current_now"
        ).check()
        cls.phone.start(f"exec awk -v BASE={BASE_MW} -v NOISE={NOISE_MA} -v BATTERY={BATTERY} -f /etc/gauge.awk")
        # Its folder and its configuration, as a service leaves them.
        cls.framegov.start()
        cls.framegov.stop()
        cls.before = cls.phone.limits()

    def calibrate(self, under: str = "") -> str:
        # The phone's agent may not use all CPUs; a terminal on top may.
        return f"echo $$ > {app.TOP_APP}/tasks; exec {under} framegov calibrate --power-supply {SUPPLY} --config {Framegov._FOLDER}/framegov.yaml --json"

    def test_finds_the_table_after_a_kill(self):
        started = time.monotonic()
        self.phone.run(self.calibrate("timeout -s KILL 90"), timeout=120)
        self.phone.run("killall -9 framegov")
        done = self.phone.run(self.calibrate(), timeout=2400)
        self.assertEqual(done.exit_code, 0, done.stderr.decode()[-2000:])
        self.assertEqual(self.phone.limits(), self.before)
        result = json.loads(done.stdout)
        print(f"{time.monotonic() - started:.0f} s; noise of a reading {result['reading_noise_mw']:.0f} mW")
        print("policy      MHz  true mW  found mW  95 %            off")
        worst = 0.0
        for cluster in result["clusters"]:
            for opp in cluster["opps"]:
                truth = self.truths[cluster["policy"], opp["khz"]]
                true_mw = truth.active_mw + truth.static_mw
                off = opp["busy_mw"] / true_mw - 1
                worst = max(worst, abs(off))
                print(f"{cluster['policy']:6} {opp['khz'] / 1000:8.0f} {true_mw:8.0f} {opp['busy_mw']:9.0f}  {opp['low_mw']:6.0f} to {opp['high_mw']:6.0f} {100 * off:+6.1f} %")
        self.assertLess(worst, 0.10)
        self.is_used()

    def is_used(self) -> None:
        """By a service that starts now."""
        self.framegov.start()
        self.addCleanup(self.framegov.stop)
        status = json.loads(self.phone.run("framegov status --json").check().text)
        self.assertEqual(status["power"]["model"], "calibrated")


if __name__ == "__main__":
    main()
