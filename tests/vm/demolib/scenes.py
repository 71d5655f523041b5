# SPDX-License-Identifier: Apache-2.0
"""The scenes that the demo plays."""

from __future__ import annotations

import dataclasses
import re

KINDS = ("still", "scroll", "fling", "game", "jank")


@dataclasses.dataclass(frozen=True)
class Scene:
    kind: str
    hz: int

    @property
    def name(self) -> str:
        return f"{self.kind}@{self.hz}"

    @property
    def interval_ms(self) -> float:
        return 1000 / self.hz

    @staticmethod
    def parse(text: str) -> Scene:
        """'scroll@60'. Raises ValueError."""
        match = re.fullmatch(r"([a-z]+)@(\d+)", text)
        if not match or match[1] not in KINDS or not 10 <= int(match[2]) <= 240:
            raise ValueError(f"'{text}' is not a scene: KIND@HZ, KIND one of {', '.join(KINDS)}, HZ 10 to 240")
        return Scene(match[1], int(match[2]))


DEFAULT_SCENES = "scroll@90,fling@90"
