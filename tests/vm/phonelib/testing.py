# SPDX-License-Identifier: Apache-2.0
"""For tests in the phone: a test case that shares one booted phone, and skips that ctest sees."""

from __future__ import annotations

import sys
import time
import unittest

from .errors import PhoneUnavailable
from .layouts import DEFAULT_LAYOUT, Layout
from .phone import Phone

# Of the time that a test took: when the phone waited longer than that for a CPU of this machine, what
# the test saw may have been the machine and not the phone.
STARVED = 0.1

# ctest's SKIP_RETURN_CODE (tests/vm/CMakeLists.txt).
SKIPPED = 77


class PhoneTestCase(unittest.TestCase):
    """Boots a phone once for all tests of the class. A subclass may set `layout`, and `own_kernel`."""

    layout: Layout = DEFAULT_LAYOUT
    own_kernel: str = ""
    phone: Phone

    @classmethod
    def setUpClass(cls) -> None:
        cls.phone = cls.enterClassContext(Phone(cls.layout, own_kernel=cls.own_kernel))

    def run(self, result: unittest.TestResult | None = None) -> unittest.TestResult | None:
        """Runs the test. One that fails while this machine keeps the phone waiting is run once more; both are told."""
        if result is None:
            return super().run()
        failures, errors = len(result.failures), len(result.errors)
        waited, started = self.phone.waited_s(), time.monotonic()
        super().run(result)
        share = (self.phone.waited_s() - waited) / (time.monotonic() - started)
        failed = [*result.failures[failures:], *result.errors[errors:]]
        if failed and share > STARVED:
            print("\n".join(text for _, text in failed))
            print(f"this machine is busy: the phone waited for a CPU {100 * share:.0f} % of the time. Once more:", flush=True)
            del result.failures[failures:], result.errors[errors:]
            super().run(result)
        return result


def main(own_kernel: str = "") -> None:
    """Runs the calling script's tests; exits with SKIPPED and the reason where no phone can run, or none with the
    kernel that they need."""
    try:
        Phone(own_kernel=own_kernel)
    except PhoneUnavailable as error:
        print(f"SKIPPED: {error}")
        sys.exit(SKIPPED)
    unittest.main(verbosity=2)
