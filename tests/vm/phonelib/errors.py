# SPDX-License-Identifier: Apache-2.0
"""What can go wrong with a virtual phone."""

from __future__ import annotations


class PhoneError(Exception):
    """The phone did not do what was asked: it crashed, hung, or a command failed."""


class PhoneUnavailable(PhoneError):
    """A phone cannot be started on this machine; `hint` says what to do about it."""

    def __init__(self, message: str, hint: str):
        super().__init__(message)
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.args[0]} ({self.hint})"


class CommandFailed(PhoneError):
    """A checked command ended with another exit code than 0."""


class CommandTimeout(PhoneError):
    """A command did not end in its time; it has been killed."""
