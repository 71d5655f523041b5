# SPDX-License-Identifier: Apache-2.0
"""What is replayed, and on which phone."""
import io

from framegov import _core


class Workload:
    """Frames to replay: a recording in memory or a generator's settings. Made by `load`, `generate` or `from_frames`.

    Attributes:
        name (str): as in results.
        sha256 (str): of the file, 64 hexadecimal digits; empty where it is generated.
        apps (list of str): names of the recorded apps, by a frame's `app_index`; empty where it is generated.
    """

    def __init__(self, core):
        self._core = core
        self.name, self.sha256, self.apps = core.name, core.sha256, core.apps

    def __repr__(self):
        return f"<framegov.Workload {self.name}>"

    def frames(self):
        """The frames of a recording as recorded (docs/workload-csv.md).

        Returns:
            pandas.DataFrame: a row for each frame; times in ns, work in reference cycles.
        Raises:
            Error: the workload is generated: its frames are in the result of a replay.
        """
        import pandas
        sections = _core.workload_csv(self._core).split("\n[")
        table = next(part for part in sections if part.startswith("frames]\n"))
        return pandas.read_csv(io.StringIO(table.partition("\n")[2]))


class Device:
    """A phone of the simulator (docs/devices.md). Made by `device`.

    Attributes:
        name (str), model (str): for programs and for people.
        sha256 (str): of its YAML file.
        clusters (list of dict): ascending by cpufreq policy, each with `policy` (int), `core` (str), `cpus` (list of
            int), and arrays of shape (OPPs,) in ascending frequency: `khz`, `capacity` (of 1024, the fastest core at
            its top), `active_mw`, `static_mw`, `idle_mw`.
    """

    def __init__(self, core):
        self._core = core
        self.name, self.model, self.sha256, self.clusters = core.name, core.model, core.sha256, core.clusters

    def __repr__(self):
        return f"<framegov.Device {self.name}>"


def load(path, *, app="", recorded_on="", partial=False):
    """Reads a recording of any format that `framegov import` reads, or a folder of `framegov import --csv`.

    Args:
        path (str or path): the file or folder.
        app (str): only the frames of this app; empty: all of them.
        recorded_on (str): SoC or device of a recording that does not tell its own, such as "sm8250".
        partial (bool): of a damaged recording take what comes before the damage.
    Returns:
        Workload
    Raises:
        Error: it cannot be read, has no frames, or their work is not known.
    """
    return Workload(_core.load(str(path), app, recorded_on, partial))


def generate(scene, *, seconds=60, seed=1):
    """A generated scene (docs/simulator/generator.md).

    Args:
        scene (str): "SCENE@HZ", such as "fling@120"; scenes are scroll, fling, still and mixed.
        seconds (float): its length, s.
        seed (int): of what is drawn.
    Returns:
        Workload
    Raises:
        Error: there is no such scene.
    """
    return Workload(_core.generate(f"synthetic:{scene}:{seconds:g}", seed))


def from_frames(frames, name="frames"):
    """A workload of your own frames.

    Args:
        frames (pandas.DataFrame or dict of arrays): columns as in docs/workload-csv.md, each of shape (frames,).
            `vsync_ns` (ns) and `ui_work`, `render_work` (cycles of the reference core) are the least.
        name (str): as in results.
    Returns:
        Workload
    Raises:
        Error: a column or value is not as docs/workload-csv.md says.
    """
    import pandas
    return Workload(_core.from_csv(pandas.DataFrame(frames).to_csv(index=False), name))


def devices(folder=""):
    """Names of the phones that can be simulated (list of str); `folder`: one of further device files."""
    return _core.devices(str(folder))


def device(name, folder=""):
    """The phone called `name` (or one of its aliases); `folder`: one of further device files.

    Returns:
        Device
    Raises:
        Error: there is none of that name; it lists all.
    """
    return Device(_core.device(name, str(folder)))


def frame_columns():
    """What each column of `Result.frames` means, with its unit in the name: dict of str to str (docs/results.md)."""
    return dict(_core.frame_columns())


def as_device(phone):
    """`phone` itself, or the shipped one of that name."""
    return phone if isinstance(phone, Device) else device(phone)
