# SPDX-License-Identifier: Apache-2.0
"""The demo app (tests/app) in the phone."""

from __future__ import annotations

import pathlib

from phonelib import Phone, PhoneUnavailable, Process

from .frames import Frames
from .scenes import Scene

RECORD = "/tmp/frames.csv"
TOP_APP = "/dev/cpuset/top-app"
BACKGROUND = "/dev/cpuset/background"


def install(phone: Phone, everywhere: bool = False) -> None:
    """Puts the app with its libraries into the phone and gives it the bigger clusters, or all CPUs;
    all else in the phone gets the little one.

    Phones keep the top app off the little cores by uclamp.min or by cpusets (this kernel has no
    uclamp) and services in the background on them."""
    listing = phone.parts.binaries / "tests/app/ramdisk.list"
    if not listing.exists():
        raise PhoneUnavailable(f"{listing} is missing", "run ./dev build aarch64")
    for line in listing.read_text().splitlines():
        source, path = line.split()
        phone.put(pathlib.Path(source), path, 0o755)
    if len(phone.layout.clusters) > 1:
        big = phone.layout.first_cpu(1)
        phone.write(f"{TOP_APP}/cpus", f"{0 if everywhere else big}-{phone.layout.cpu_count - 1}")
        phone.write(f"{BACKGROUND}/cpus", f"0-{big - 1}")
        # The agent, and with it all that it starts.
        phone.write(f"{BACKGROUND}/tasks", 1)


def install_tool(phone: Phone) -> None:
    """Puts the framegov tool into the phone."""
    tool = phone.parts.binaries / "cli/framegov"
    if not tool.exists():
        raise PhoneUnavailable(f"{tool} is missing", "run ./dev build aarch64")
    phone.put(tool, "/bin/framegov", 0o755)


# From the app's launch to its first vsync. A launch is work without frames, and on whichever cluster
# the kernel puts it: it would only blur what the frames cost.
LEAD_SECONDS = 1.5


def start(phone: Phone, scene: Scene, seconds: float, seed: int, events: str, name: str = "/app/demo-app",
          group: str = TOP_APP, record: str = RECORD, more: str = "") -> Process:  # fmt: skip
    """`name` is its package, as its command line tells it; `more` are further options."""
    return phone.start(
        f"echo $$ > {group}/tasks; exec -a {name} /app/demo-app --scene {scene.kind} --hz {scene.hz} "
        f"--seconds {seconds} --lead {LEAD_SECONDS} --seed {seed} --live --record {record} --events {events} {more}"
    )


def frames(phone: Phone, record: str = RECORD) -> Frames:
    return Frames.from_csv(phone.get(record).decode())
