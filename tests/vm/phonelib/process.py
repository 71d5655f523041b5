# SPDX-License-Identifier: Apache-2.0
"""Commands that run in the phone."""

from __future__ import annotations

import dataclasses
import signal
import struct
import threading
import time
from collections.abc import Callable, Iterator

from .errors import CommandFailed, CommandTimeout
from .link import Link, Message

_INPUT_CHUNK = 1 << 20


@dataclasses.dataclass(frozen=True)
class Completed:
    """How a command ended. exit_code is 128 + signal number when a signal ended it."""

    command: str
    exit_code: int
    stdout: bytes
    stderr: bytes

    @property
    def text(self) -> str:
        return self.stdout.decode(errors="replace")

    def check(self) -> Completed:
        if self.exit_code != 0:
            said = (self.stderr or self.stdout).decode(errors="replace").strip()
            raise CommandFailed(f"'{self.command}' ended with {self.exit_code}: {said}")
        return self


class Process:
    """A command in the phone, running until it ends or is signalled. Made by Phone.start()."""

    def __init__(self, link: Link, command: str, lost: Callable[[str], Exception]):
        self.command = command
        self.exit_code: int | None = None
        self._link = link
        self._lost = lost
        self._changed = threading.Condition()
        self._stdout = bytearray()
        self._stderr = bytearray()
        self._id = link.register(self._receive)
        self._send(Message.START, command.encode())

    def write(self, data: bytes) -> None:
        for at in range(0, len(data), _INPUT_CHUNK):
            self._send(Message.INPUT, data[at : at + _INPUT_CHUNK])

    def close_input(self) -> None:
        self._send(Message.INPUT_END)

    def signal(self, number: int = signal.SIGTERM) -> None:
        """Signals the command and all its children. Does nothing when it has ended."""
        if self.exit_code is None:
            self._send(Message.SIGNAL, struct.pack("<i", number))

    def wait(self, timeout: float) -> Completed:
        """Waits for the end. On CommandTimeout the command has been killed."""
        if not self._wait_until(lambda: self.exit_code is not None, timeout):
            self.signal(signal.SIGKILL)
            if not self._wait_until(lambda: self.exit_code is not None, 10):
                raise self._lost("the phone does not answer")
            raise CommandTimeout(f"'{self.command}' did not end in {timeout:g} s")
        return Completed(self.command, self.exit_code, bytes(self._stdout), bytes(self._stderr))

    def stop(self, timeout: float = 30) -> Completed:
        self.signal(signal.SIGTERM)
        return self.wait(timeout)

    def lines(self, timeout: float) -> Iterator[str]:
        """Lines of standard output as they come, until the command ends or `timeout` is over."""
        end = time.monotonic() + timeout
        position = 0
        while True:
            newline = self._stdout.find(b"\n", position)
            if newline >= 0:
                yield self._stdout[position:newline].decode(errors="replace")
                position = newline + 1
                continue
            if self.exit_code is not None:
                if position < len(self._stdout):
                    yield self._stdout[position:].decode(errors="replace")
                return
            left = end - time.monotonic()
            if left <= 0 or not self._wait_until(lambda: self._has_line(position), left):
                return

    def _has_line(self, position: int) -> bool:
        return self.exit_code is not None or self._stdout.find(b"\n", position) >= 0

    def _wait_until(self, done: Callable[[], bool], timeout: float) -> bool:
        end = time.monotonic() + timeout
        with self._changed:
            while not done():
                left = end - time.monotonic()
                if left <= 0:
                    return False
                self._changed.wait(min(left, 0.5))
                if self._link.closed.is_set() and not done():
                    raise self._lost("the phone stopped")
        return True

    def _receive(self, message: Message, payload: bytes) -> None:
        with self._changed:
            if message == Message.OUTPUT:
                self._stdout += payload
            elif message == Message.ERROR_OUTPUT:
                self._stderr += payload
            elif message == Message.EXIT:
                self.exit_code = struct.unpack("<i", payload)[0]
                self._link.forget(self._id)
            self._changed.notify_all()

    def _send(self, message: Message, payload: bytes = b"") -> None:
        try:
            self._link.send(self._id, message, payload)
        except OSError:
            raise self._lost("the phone stopped") from None
