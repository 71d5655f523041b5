# SPDX-License-Identifier: Apache-2.0
"""For tests in the phone: a test case that shares one booted phone, and skips that ctest sees."""

from __future__ import annotations

import sys
import unittest

from .errors import PhoneUnavailable
from .layouts import DEFAULT_LAYOUT, Layout
from .phone import Phone

# ctest's SKIP_RETURN_CODE (tests/vm/CMakeLists.txt).
SKIPPED = 77


class PhoneTestCase(unittest.TestCase):
    """Boots a phone once for all tests of the class. A subclass may set `layout`."""

    layout: Layout = DEFAULT_LAYOUT
    phone: Phone

    @classmethod
    def setUpClass(cls) -> None:
        cls.phone = cls.enterClassContext(Phone(cls.layout))


def main() -> None:
    """Runs the calling script's tests; exits with SKIPPED and the reason where no phone can run."""
    try:
        Phone()
    except PhoneUnavailable as error:
        print(f"SKIPPED: {error}")
        sys.exit(SKIPPED)
    unittest.main(verbosity=2)
