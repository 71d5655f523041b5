#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""framegov ab in the phone, on a simulated fuel gauge: a real service is switched, the battery is made up.

The gauge asks the service whether it governs the app, which a battery would feel, and adds noise and a drift. So it is known what the experiment has to find."""

from __future__ import annotations

import json
import signal
import time

from demolib import app
from demolib.modes import Framegov
from demolib.scenes import Scene
from phonelib.testing import PhoneTestCase, main

BATTERY = "/tmp/power_supply/battery"
# Currents in uA; $1 is what framegov saves. awk's generator is enough noise for a gauge.
GAUGE = f"""#!/bin/sh
mkdir -p {BATTERY}
echo Battery > {BATTERY}/type; echo Discharging > {BATTERY}/status; echo 3900000 > {BATTERY}/voltage_now
second=0
while :; do
  saved=$1; framegov status --json | tr -d ' ' | grep -q '"policy":"off"' && saved=0
  awk -v s=$second -v saved=$saved 'BEGIN {{ srand(s); print int(-300000 - s * 20 + saved + 6000 * (rand() - 0.5)) }}' > {BATTERY}/new
  mv {BATTERY}/new {BATTERY}/current_now
  second=$((second + 1)); sleep 0.5
done
"""
APP = "org.example.feed"
PAIRS = 7
WINDOW_S = 6


class Ab(PhoneTestCase):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        app.install(cls.phone)
        app.install_tool(cls.phone)
        cls.phone.put(GAUGE.encode(), "/bin/gauge", 0o755)
        cls.framegov = Framegov(cls.phone)

    def compare(self, saved_ua: int) -> dict:
        gauge = self.phone.start(f"exec gauge {saved_ua}")
        self.addCleanup(gauge.signal, signal.SIGKILL)
        self.framegov.start()
        self.addCleanup(self.framegov.stop)
        playing = app.start(self.phone, Scene("scroll", 60), 150, 1, "/tmp/events", APP)
        self.addCleanup(playing.signal, signal.SIGKILL)
        self.until_on_top()
        command = (
            f"framegov ab --app {APP} --minutes {PAIRS * 2 * WINDOW_S / 60 + 0.01} --window {WINDOW_S} --settle 1"
            f" --seed 3 --power-supply {BATTERY}/.. --config {Framegov._FOLDER}/framegov.yaml --json --html /tmp/ab.html"
        )
        done = self.phone.run(command, timeout=200)
        self.assertEqual(done.exit_code, 0, done.text + done.stderr.decode())
        switches = self.phone.run(f"cat {Framegov._FOLDER}/state/switches").text
        self.assertNotIn(APP, switches, "what is held for the experiment is saved")
        result = json.loads(done.stdout)
        print("\n".join(result["sentences"]))
        return result

    def until_on_top(self) -> None:
        end = time.monotonic() + 30
        while True:
            asked = self.phone.run("framegov status --json")
            if asked.exit_code == 0 and json.loads(asked.stdout)["app"] == APP:
                return
            self.assertLess(time.monotonic(), end, f"{APP} is not seen")
            time.sleep(0.3)

    def test_finds_a_difference_that_is_there(self):
        result = self.compare(30000)
        power = result["power_mw"]
        self.assertEqual(power["verdict"], "less")
        self.assertAlmostEqual(power["percent"], -10, delta=3)
        self.assertGreaterEqual(power["pairs"], PAIRS - 1)
        self.assertIn("data-ready", self.phone.get("/tmp/ab.html").decode().replace("dataset.ready", "data-ready"))

    def test_claims_none_that_is_not_there(self):
        result = self.compare(0)
        # The gauge's noise is seeded: this run is no gamble.
        self.assertEqual(result["power_mw"]["verdict"], "cannot-tell")
        self.assertLess(abs(result["power_mw"]["percent"]), 2)

    def test_refuses_a_phone_on_the_charger(self):
        self.phone.run(f"mkdir -p /tmp/charging/battery && cd /tmp/charging/battery && echo Battery > type && "
                       "echo Charging > status && echo 4000000 > voltage_now && echo 500000 > current_now").check()
        self.framegov.start()
        self.addCleanup(self.framegov.stop)
        done = self.phone.run(f"framegov ab --app {APP} --power-supply /tmp/charging --config {Framegov._FOLDER}/framegov.yaml")
        self.assertEqual(done.exit_code, 5)
        self.assertIn("charging", done.stderr.decode())


if __name__ == "__main__":
    main()
