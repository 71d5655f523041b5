# SPDX-License-Identifier: Apache-2.0
"""A test case for a phone in which framegovd governs the demo app and the framegov tool tells how it goes."""

from __future__ import annotations

import json
import re
import time

from phonelib.testing import PhoneTestCase

from . import app
from .modes import Framegov

PATIENCE_S = 60


class GovernedTestCase(PhoneTestCase):
    """`before` are the limits that must stand again whenever nothing is governed."""

    before: str

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        app.install(cls.phone)
        app.install_tool(cls.phone)
        cls.before = cls.phone.limits()

    def status(self) -> dict:
        return json.loads(self.phone.run("framegov status --json", timeout=60).check().text)

    def until(self, what: str, framegov: Framegov, holds) -> dict:
        """Asks for the status until `holds` is true of it."""
        end = time.monotonic() + PATIENCE_S
        while not holds(status := self.status()):
            said = re.sub(r".* debug decision .*\n", "", framegov.log())
            self.assertLess(time.monotonic(), end, f"{what}: {status}; the log:\n{said}")
            time.sleep(0.2)
        return status

    def stop(self, framegov: Framegov) -> None:
        framegov.stop()
        self.assertEqual(self.phone.limits(), self.before)


def capped(status: dict) -> bool:
    return any(cluster["cap_khz"] for cluster in status["clusters"])
