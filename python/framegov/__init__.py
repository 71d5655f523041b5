# SPDX-License-Identifier: Apache-2.0
"""framegov's simulator in Python: workloads, phones, policies, results as numpy and pandas.

    import framegov
    scene = framegov.generate("fling@120", seconds=20)
    result = framegov.replay(scene, "tensor_g1", "mpc")
    print(result.summary["miss_rate"], result.summary["energy_mj"])
    result.frames.plot(x="vsync_ns", y="generation_ns")

It is the simulator of `framegov sim`, the same code: equal inputs, settings and seeds give equal
figures. Errors are `Error` (a ValueError) with the words that the program prints. Native policies
run with the GIL released.
"""
from framegov._core import Error, Frame, Input, Plan, __version__
from framegov.environment import Box, Env
from framegov.framebench import FrameBench, frame_bench
from framegov.policies import Event, Policy, policies
from framegov.runs import Comparison, Result, bounds, compare, replay
from framegov.workloads import Device, Workload, device, devices, frame_columns, from_frames, generate, load

__all__ = ["Box", "Comparison", "Device", "Env", "Error", "Event", "Frame", "FrameBench", "Input", "Plan", "Policy",
           "Result", "Workload", "bounds", "compare", "device", "devices", "frame_bench", "frame_columns", "from_frames",
           "generate", "load", "policies", "replay", "__version__"]
