# SPDX-License-Identifier: Apache-2.0
"""The simulator as a reinforcement-learning environment, with Gymnasium's interface and without needing it."""
import bisect
import math

import numpy

from framegov import _core
from framegov.policies import Event
from framegov.runs import make_settings
from framegov.workloads import Workload, as_device, generate

try:
    import gymnasium
    _Base, _Box = gymnasium.Env, gymnasium.spaces.Box
except ImportError:
    gymnasium, _Base, _Box = None, object, None


class Box:
    """Arrays between two bounds: what of gymnasium.spaces.Box an agent asks for.

    Attributes:
        low, high (numpy.ndarray): bounds, each of shape `shape`.
        shape (tuple of int), dtype (numpy.dtype): of its arrays.
    """

    def __init__(self, low, high, shape, dtype=numpy.float32):
        self.shape, self.dtype = shape, numpy.dtype(dtype)
        self.low, self.high = numpy.full(shape, low, dtype), numpy.full(shape, high, dtype)
        self._random = numpy.random.default_rng()

    def seed(self, seed=None):
        """Begins what `sample` draws anew."""
        self._random = numpy.random.default_rng(seed)

    def sample(self):
        """An array drawn evenly between the bounds."""
        return self._random.uniform(self.low, self.high).astype(self.dtype)

    def contains(self, x):
        """Whether `x` is an array of this shape within the bounds."""
        x = numpy.asarray(x)
        return x.shape == self.shape and bool(numpy.all((x >= self.low) & (x <= self.high)))

    __contains__ = contains


class Env(_Base):
    """One workload on one phone; a step is a frame, and the episode ends with the workload.

    Where the package gymnasium is installed this is a `gymnasium.Env` with its spaces; else it has the same interface.

    An **action** has shape (clusters,), float32 in [0, 1]: each cluster's cap as a part of its highest frequency, the
    OPP at or above. 1 asks for no cap. It holds until the next frame has ended.

    An **observation** has shape (6 + clusters,), float32 in [0, 10], what the service would see of the frame that has
    ended, each clipped: generation time, CPU time of the UI thread and of RenderThread, time blocked on a buffer (all
    over the refresh interval), the frame's budget over it, 1 where the frame was late; then each cluster's frequency
    over its highest. All but frequencies are 0 after `reset`.

    The **reward** is -(mJ drawn since the step before + `miss_mj` for each missed deadline). It leaves out what the
    policy's own wakeups and writes take.

    Args:
        workload (Workload or str): what is replayed. A generator's text ("fling@120") is drawn anew with each seed.
        device (Device or str): the phone.
        seconds (float): length of a generated workload, s.
        miss_mj (float): what a missed deadline is worth, mJ.
        **settings: as `replay`'s.
    Raises:
        Error: as `replay`.
    """

    metadata = {"render_modes": []}
    render_mode = None

    def __init__(self, workload="fling@120", device="tensor_g1", *, seconds=20, miss_mj=20.0, **settings):
        self._workload, self._seconds, self._miss_mj = workload, seconds, float(miss_mj)
        self._device, self._settings = as_device(device), settings
        make_settings(**settings)  # what is wrong is said now
        self._seed = 1
        # A step's numbers are few: Python's own are faster than arrays of them.
        self._tables = [[int(khz) for khz in cluster["khz"]] for cluster in self._device.clusters]
        box = _Box or Box
        self.action_space = box(0.0, 1.0, (len(self._tables),), numpy.float32)
        self.observation_space = box(0.0, 10.0, (6 + len(self._tables),), numpy.float32)
        self._session = None

    def reset(self, *, seed=None, options=None):
        """Begins the episode.

        Args:
            seed (int): of a generated workload and of what the world draws; None: the one before plus one.
            options: not used.
        Returns:
            (observation, info): info has `energy_mj`, `missed` and `frames` so far.
        """
        if gymnasium is not None:
            super().reset(seed=seed)
        self._seed = self._seed + 1 if seed is None else int(seed)
        workload = self._workload
        if not isinstance(workload, Workload):
            workload = generate(workload, seconds=self._seconds, seed=self._seed)
        chosen = make_settings(**{**self._settings, "seed": self._seed})
        self._session = _core.Session(workload._core, self._device._core, chosen)
        self._running = self._session.advance(None)
        self._energy, self._missed = self._session.energy_mj, self._session.missed
        self._seen = [0.0] * self.observation_space.shape[0]
        self._look()
        return self._observation(), self._info()

    def step(self, action):
        """Takes the caps and runs to the end of the next frame.

        Returns:
            (observation, reward, terminated, truncated, info); `truncated` is always False.
        Raises:
            RuntimeError: the episode has not begun or is over. ValueError: the action has another shape.
        """
        if self._session is None or not self._running:
            raise RuntimeError("the episode is over or has not begun: call reset()")
        wanted = numpy.asarray(action, dtype=float)
        if wanted.shape != self.action_space.shape or not all(map(math.isfinite, parts := wanted.tolist())):
            raise ValueError(f"an action is {self.action_space.shape[0]} numbers from 0 to 1, one for each cluster")
        session, answer = self._session, self._caps(parts)
        while True:
            self._running = session.advance(answer)
            answer = None
            if not self._running or session.input.event == Event.FRAME_END:
                break
        self._look()
        energy, missed = session.energy_mj, session.missed
        reward = -(energy - self._energy + self._miss_mj * (missed - self._missed))
        self._energy, self._missed = energy, missed
        return self._observation(), float(reward), not self._running, False, self._info()

    def close(self):
        """Ends the episode."""
        self._session, self._running = None, False

    def render(self):
        """There is nothing to look at: None."""

    def _caps(self, parts):
        return [0 if part >= 1 else table[min(bisect.bisect_left(table, max(part, 0.0) * table[-1]), len(table) - 1)]
                for part, table in zip(parts, self._tables)]

    def _look(self):
        if not self._running:
            return  # the last frame's stays
        seen = self._session.input
        frame = seen.frame
        if frame is not None:
            interval = max(frame.interval_ns, 1)
            self._seen[:6] = (frame.generation_ns / interval, frame.ui_cpu_ns / interval,
                              frame.render_cpu_ns / interval, frame.blocked_ns / interval, frame.budget_ns / interval,
                              float(frame.late))
        self._seen[6:] = [khz / table[-1] for khz, table in zip(seen.current_khz, self._tables)]

    def _observation(self):
        return numpy.array([min(max(each, 0.0), 10.0) for each in self._seen], numpy.float32)

    def _info(self):
        return {"energy_mj": self._energy, "missed": self._missed, "frames": self._session.frames}
