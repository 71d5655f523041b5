# SPDX-License-Identifier: Apache-2.0
"""The host's end of the line to the guest's agent (tests/vm/guest/agent.cpp): framed messages."""

from __future__ import annotations

import enum
import itertools
import socket
import struct
import threading
from collections.abc import Callable

PORT_NAME = "org.framegov.agent"
_HEADER = struct.Struct("<III")


class Message(enum.IntEnum):
    START = 1
    INPUT = 2
    INPUT_END = 3
    SIGNAL = 4
    HELLO = 10
    OUTPUT = 11
    ERROR_OUTPUT = 12
    EXIT = 13


class Link:
    """Sends messages and hands those that come to the handler of their id, on a thread of its own."""

    def __init__(self, stream: socket.socket):
        self.hello = threading.Event()
        self.closed = threading.Event()
        self._stream = stream
        self._ids = itertools.count(1)
        self._handlers: dict[int, Callable[[Message, bytes], None]] = {}
        self._lock = threading.Lock()
        threading.Thread(target=self._receive, name="phone-link", daemon=True).start()

    def register(self, handler: Callable[[Message, bytes], None]) -> int:
        number = next(self._ids)
        self._handlers[number] = handler
        return number

    def forget(self, number: int) -> None:
        self._handlers.pop(number, None)

    def send(self, number: int, message: Message, payload: bytes = b"") -> None:
        """Raises OSError when the guest is gone."""
        with self._lock:
            self._stream.sendall(_HEADER.pack(len(payload), number, message) + payload)

    def _receive(self) -> None:
        try:
            with self._stream.makefile("rb") as stream:
                while header := stream.read(_HEADER.size):
                    length, number, message = _HEADER.unpack(header)
                    payload = stream.read(length)
                    if message == Message.HELLO:
                        self.hello.set()
                    elif handler := self._handlers.get(number):
                        handler(Message(message), payload)
        except (OSError, struct.error, ValueError):
            pass  # the guest went away in mid-message
        self.closed.set()
