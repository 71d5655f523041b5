#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The framegov tool in the phone: it asks the running service, and changes what the owner may."""

from __future__ import annotations

import itertools
import json
import signal
import time

from demolib import app
from demolib.modes import Framegov
from demolib.scenes import Scene
from phonelib.testing import PhoneTestCase, main


class Control(PhoneTestCase):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        app.install(cls.phone)
        app.install_tool(cls.phone)
        cls.framegov = Framegov(cls.phone)

    def tell(self, command: str):
        return self.phone.run(f"framegov {command}", timeout=60).check().text

    def status(self) -> dict:
        return json.loads(self.tell("status --json"))

    def await_status(self, what: str, holds) -> dict:
        end = time.monotonic() + 60
        while not holds(status := self.status()):
            self.assertLess(time.monotonic(), end, f"{what}: {status}")
            time.sleep(0.2)
        return status

    def test_without_a_service_there_is_one_error_and_the_next_step(self):
        asked = self.phone.run("framegov status")
        self.assertEqual(asked.exit_code, 1)
        self.assertIn("framegovd is not running", asked.stderr.decode())
        self.assertIn("framegov doctor", asked.stderr.decode())

    def test_the_tool_answers_while_a_scene_runs(self):
        self.framegov.start()
        self.addCleanup(self.framegov.stop)
        playing = app.start(self.phone, Scene("scroll", 60), 120, 1, "/tmp/events")
        self.addCleanup(playing.signal, signal.SIGKILL)
        status = self.await_status("no frames", lambda status: status["frames"]["count"] > 30)
        self.assertEqual(status["source"], self.phone.best_source())
        self.assertEqual(len(status["clusters"]), len(self.phone.layout.clusters))
        self.assertIn("demo-app", status["app"])
        self.assertEqual(status["frame_kind"], "views")
        print(self.tell("status"))

        for columns, rows in ((80, 24), (200, 50)):
            view = self.phone.run(f"COLUMNS={columns} LINES={rows} framegov watch --once", timeout=60).check().text
            print(view)
            lines = view.splitlines()
            self.assertLessEqual(len(lines), rows)
            self.assertTrue(all(len(line) <= columns for line in lines))
            self.assertIn("deadline", view)
            self.assertIn("policy0", view)
            self.assertNotIn("\x1b", view)

        # One decision may have come from a still moment of the scene; of many some say a frame's time.
        explained = self.tell("explain --last 100")
        print("\n".join(explained.splitlines()[-3:]))
        self.assertRegex(explained, r"The frame took [\d.]+ ms of [\d.]+ ms")

        started = self.phone.start("exec framegov watch --hz 10")
        views = (line for line in started.lines(60) if "framegov " in line)
        self.assertEqual(len(list(itertools.islice(views, 6))), 6)
        started.stop()

    def test_the_mode_changes_and_comes_back(self):
        self.framegov.start()
        self.addCleanup(self.framegov.stop)
        playing = app.start(self.phone, Scene("scroll", 60), 60, 1, "/tmp/events")
        self.addCleanup(playing.signal, signal.SIGKILL)
        before = self.status()["mode"]
        self.assertNotEqual(before, "powersave")
        self.tell("mode powersave")
        self.await_status("mode", lambda status: status["mode"] == "powersave")
        refused = self.phone.run("framegov mode turbo")
        self.assertEqual(refused.exit_code, 3)
        self.assertIn("turbo", refused.stderr.decode())
        self.tell("mode auto")
        self.await_status("mode", lambda status: status["mode"] == before)

    def test_an_app_that_is_switched_off_is_left_uncapped(self):
        self.framegov.start()
        self.addCleanup(self.framegov.stop)
        playing = app.start(self.phone, Scene("scroll", 60), 60, 1, "/tmp/events")
        self.addCleanup(playing.signal, signal.SIGKILL)
        caps = lambda status: [cluster["cap_khz"] for cluster in status["clusters"]]
        status = self.await_status("no caps", lambda status: any(caps(status)))
        package = status["app"]
        self.tell(f"app {package} off")
        self.addCleanup(lambda: self.tell(f"app {package} auto"))
        self.await_status(
            "still capped", lambda status: status["frames"]["count"] > 5 and not any(caps(status))
        )
        self.assertIn("switched off", self.tell(f"explain {package} --last 3"))
        self.tell(f"app {package} auto")
        self.await_status("not capped again", lambda status: any(caps(status)))


if __name__ == "__main__":
    main()
