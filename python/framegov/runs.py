# SPDX-License-Identifier: Apache-2.0
"""Replays, and what they come to."""
import functools
import json

from framegov import _core
from framegov.policies import for_core, name_of
from framegov.workloads import Workload, as_device


def make_settings(world="phone", seed=1, deadline="strict", late="queue", write_latency_us=100, rate_limit_us=500,
                  parameters=None, **factors):
    """Checked settings of a run; the arguments are `replay`'s."""
    return _core.Settings(world, factors, seed, deadline, late, write_latency_us, rate_limit_us, parameters or {})


class Result:
    """What became of one replay.

    Attributes:
        summary (dict): one object of `runs` in docs/results.schema.json; energies in mJ, times in ms. Its `vs_` ratios
            are None: `compare` has them.
        arrays (dict of str to numpy.ndarray): per-frame results, each of shape (frames,), in the order in which frames
            end; times int64 in ns, flags bool. `frame_columns()` says what each means. A column that is not known is
            None. Empty with `frames=False`.
        cluster_mj (numpy.ndarray): energy of each cluster, mJ, shape (clusters,).
        seconds (float): length of the run, s.
    """

    def __init__(self, found, device):
        self.summary = json.loads(found["summary"])
        self.arrays = found["frames"]
        self.cluster_mj = found["cluster_mj"]
        self.seconds = found["seconds"]
        self._frequencies = found["frequencies"]
        self._device = device

    def __repr__(self):
        return f"<framegov.Result {self.summary['policy']} on {self.summary['input']}, {self.summary['frames']} frames>"

    @functools.cached_property
    def frames(self):
        """pandas.DataFrame: `arrays` as a table, a row for each frame."""
        import pandas
        return pandas.DataFrame({name: pandas.NA if array is None else array for name, array in self.arrays.items()})

    @functools.cached_property
    def frequencies(self):
        """pandas.DataFrame: every change of frequency: `at_ns`, `cluster`, `khz`. Clusters begin at their lowest."""
        import pandas
        return pandas.DataFrame(self._frequencies)

    @functools.cached_property
    def clusters(self):
        """pandas.DataFrame: a row for each cluster: `cluster`, `policy`, `core`, `cpus`, `max_khz`, `energy_mj`,
        `mean_mw` (mW over the run), `changes` (of frequency; 0 with `frames=False`)."""
        import pandas
        rows = []
        for index, cluster in enumerate(self._device.clusters):
            rows.append({"cluster": index, "policy": cluster["policy"], "core": cluster["core"],
                         "cpus": len(cluster["cpus"]), "max_khz": int(cluster["khz"][-1]),
                         "energy_mj": self.cluster_mj[index],
                         "mean_mw": self.cluster_mj[index] / self.seconds if self.seconds else 0.0,
                         "changes": int((self._frequencies["cluster"] == index).sum())})
        return pandas.DataFrame(rows)


def replay(workload, device, policy, *, world="phone", seed=1, frames=True, **settings):
    """Replays `workload` on `device` under `policy`.

    Args:
        workload (Workload): what is replayed.
        device (Device or str): the phone, or its name.
        policy (str, class or object): a native policy's name, a class that is made for each run (`Policy`), or an
            object with `step`.
        world (str): "phone" or "ideal" (docs/simulator/worlds.md).
        seed (int): of what the world draws.
        frames (bool): per-frame results are kept; without them a run takes less time and memory.
        **settings: `deadline` ("strict", "buffered", "recorded"), `late` ("queue", "drop"), `write_latency_us` (100),
            `rate_limit_us` (500), `parameters` (dict of policy to dict of name to value), and single factors of the
            world: `placement`, `limits`, `power_knowledge`, `work_noise` (a part, or "ticks"), `event_latency_us`,
            `tail`, `split`.
    Returns:
        Result
    Raises:
        Error: there is no such phone, policy or setting. ValueError: a number is out of range. What `step` raises ends
        the run and comes out as it is.
    """
    phone = as_device(device)
    chosen = make_settings(world, seed, **settings)
    return Result(_core.run(workload._core, phone._core, for_core(policy, [phone]), chosen, frames), phone)


def bounds(workload, device, *, world="phone", seed=1, **settings):
    """The least energy that there could be (docs/simulator/bounds.md), with strict deadlines.

    Returns:
        dict of str to float, mJ: `strict_mj` (one OPP per stage), `buffered_mj` (one frame may wait), `frames_mj` (the
        frames' threads alone), `dp_mj` (switching paid for). It takes longer than a few replays, and 200 bytes a frame.
    """
    return _core.bounds(workload._core, as_device(device)._core, make_settings(world, seed, **settings))


class Comparison:
    """Policies side by side.

    Attributes:
        results (dict): docs/results.schema.json, with `ranking` beside it.
    """

    def __init__(self, results):
        self.results = results

    @functools.cached_property
    def runs(self):
        """pandas.DataFrame: a row for each run; columns are the keys of `runs` in docs/results.schema.json, nested
        ones joined by a dot ("generation_ms.p95")."""
        import pandas
        return pandas.json_normalize(self.results["runs"])

    @functools.cached_property
    def ranking(self):
        """pandas.DataFrame: a row for each policy, best first (docs/simulator.md). Energies are geometric means of
        ratios, weighted by frames; `avoidable_rate` is what decides who is on time; `energy_low` to `miss_high` are 95 %
        intervals over inputs. Empty where every input has fewer than 100 frames."""
        import pandas
        return pandas.DataFrame(self.results["ranking"])


def compare(workloads, devices, policies, *, world="phone", seed=1, bounds=True, jobs=0, **settings):
    """Every workload on every phone under every policy, with bounds and the ranking of `framegov sim`.

    Args:
        workloads (Workload or list), devices (Device, str or list): as `replay`'s; "all": every shipped phone.
        policies (list): as `replay`'s; "all" stands for every native one.
        bounds (bool): computes `vs_strict`, `vs_buffered` and `frames_vs_bound`.
        jobs (int): threads for native policies; 0: one for each CPU. Results do not depend on it.
        **settings: as `replay`'s.
    Returns:
        Comparison
    Raises:
        As `replay`. ValueError: two policies have the same name.
    """
    scenes = [workloads] if isinstance(workloads, Workload) else list(workloads)
    if devices == "all":
        devices = _core.devices("")
    phones = [as_device(each) for each in (devices if isinstance(devices, (list, tuple)) else [devices])]
    wanted = []
    for policy in policies if isinstance(policies, (list, tuple)) else [policies]:
        wanted += [name for name, *_ in _core.policies()] if policy == "all" else [policy]
    names = [name_of(policy) for policy in wanted]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"two policies are called {', '.join(twice)}: give one a `name` of its own")
    return Comparison(json.loads(_core.compare([each._core for each in scenes], [each._core for each in phones],
                                               [for_core(policy, phones) for policy in wanted],
                                               make_settings(world, seed, **settings), bounds, jobs)))
