# SPDX-License-Identifier: Apache-2.0
"""Control laws: the native ones by name, and your own."""
import enum

from framegov import _core


class Event(enum.IntEnum):
    """What has happened when `step()` is called (policy/policy.h)."""
    FRAME_START = 0
    FRAME_END = 1
    TIMER = 2
    TOUCH = 3
    APP_CHANGED = 4


class Policy:
    """Base of a policy in Python: frames in, plans out. A subclass overrides `step`.

    A run makes an object of its own, so what it learns does not leak into the next. Any object with a `step` will do
    in place of a subclass; then all runs share that object.

    Attributes:
        device (Device): the phone that it is to govern.
    """

    def __init__(self, device):
        self.device = device

    def step(self, input):
        """One decision, at each event: frame starts and ends, touches, timers that were asked for.

        Args:
            input (Input): valid during the call only. `input.frame` is set with `Event.FRAME_END`.
        Returns:
            Plan, None (the plan before stays) or a sequence of caps in kHz, one for each cluster (0: no cap).
        """
        raise NotImplementedError(f"{type(self).__name__} has no step()")


def policies():
    """All native policies.

    Returns:
        pandas.DataFrame: `policy`, `summary`, and `parameters`: a dict of name to (default, least, most); durations in
        ms. `replay(..., parameters={"mpc": {"eps": 0.01}})` sets them.
    """
    import pandas
    return pandas.DataFrame(_core.policies(), columns=["policy", "summary", "parameters"])


def name_of(policy):
    """As in results: its own `name`, else its class's."""
    if isinstance(policy, str):
        return policy
    return getattr(policy, "name", None) or getattr(policy, "__name__", type(policy).__name__)


def for_core(policy, devices):
    """What the compiled part takes: a name, or a name and what makes the object for a run on the phone of that name."""
    if isinstance(policy, str):
        return policy
    is_object = not isinstance(policy, type) and hasattr(policy, "step")
    if not is_object and not callable(policy):
        raise TypeError(f"{policy!r} is no policy: name one, or give a class or an object with step()")
    by_name = {device.name: device for device in devices}
    return name_of(policy), (lambda phone: policy) if is_object else (lambda phone: policy(by_name[phone]))
