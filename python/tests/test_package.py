# SPDX-License-Identifier: Apache-2.0
"""What the package gives, held to the program and to its own documents. Debian's unittest is all that it takes."""
import contextlib
import gc
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import unittest

import numpy

import framegov

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("FRAMEGOV_PROGRAM", "")  # the `framegov` of the same sources
SCENE = framegov.generate("fling@120", seconds=5)


class Capped(framegov.Policy):
    """Caps each cluster at half of its highest frequency."""

    def __init__(self, device):
        super().__init__(device)
        self.caps = [int(cluster["khz"][-1]) // 2 for cluster in device.clusters]

    def step(self, input):
        return self.caps


class Idle(framegov.Policy):
    def step(self, input):
        return None


class Workloads(unittest.TestCase):
    def test_generated_scenes_repeat_with_their_seed(self):
        ready = [framegov.replay(framegov.generate("fling@120", seconds=2, seed=seed), "tensor_g1", "pid").arrays["ready_ns"]
                 for seed in (1, 1, 2)]
        self.assertTrue(numpy.array_equal(ready[0], ready[1]))
        self.assertFalse(numpy.array_equal(ready[0], ready[2]))

    def test_frames_of_ones_own_are_replayed(self):
        vsync = 1_000_000_000 + 16_666_667 * numpy.arange(200)
        mine = framegov.from_frames({"vsync_ns": vsync, "ui_work": numpy.full(200, 2e6), "render_work": numpy.full(200, 3e6)})
        self.assertTrue(numpy.array_equal(mine.frames()["vsync_ns"], vsync))
        self.assertEqual(framegov.replay(mine, "tensor_g1", "mpc", world="ideal").summary["frames"], 200)

    def test_a_folder_of_tables_is_read(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "frames.csv").write_text("vsync_ns,render_work\n1000000000,2000000\n1016666667,2000000\n")
            scene = framegov.load(folder)
            self.assertEqual(len(scene.frames()), 2)
            self.assertEqual(len(scene.sha256), 64)
            self.assertEqual(scene.apps, ["app"])

    def test_phones_have_tables(self):
        self.assertIn("tensor_g1", framegov.devices())
        phone = framegov.device("gs101")
        self.assertEqual(phone.name, "tensor_g1")
        for cluster in phone.clusters:
            self.assertTrue(numpy.all(numpy.diff(cluster["khz"]) > 0))
            self.assertEqual(cluster["khz"].shape, cluster["active_mw"].shape)
        self.assertEqual(max(cluster["capacity"][-1] for cluster in phone.clusters), 1024)


class Replays(unittest.TestCase):
    def test_frames_add_up_to_the_summary(self):
        result = framegov.replay(SCENE, "tensor_g1", "powersave")
        self.assertGreater(result.summary["missed_deadlines"], 0)
        for column, key in (("missed", "missed_deadlines"), ("late", "late_frames"), ("janky", "janky_frames"),
                            ("avoidable", "avoidable_misses"), ("feasible", "feasible_frames")):
            self.assertEqual(result.arrays[column].dtype, bool)
            self.assertEqual(int(result.arrays[column].sum()), result.summary[key], column)
        self.assertEqual(list(result.frames.columns), list(framegov.frame_columns()))
        self.assertEqual(result.frames.shape[0], result.summary["frames"])

    def test_clusters_add_up_to_the_energy(self):
        result = framegov.replay(SCENE, "tensor_g1", "schedutil")
        parts = result.summary["energy_parts_mj"]
        self.assertAlmostEqual(result.cluster_mj.sum() + parts["rail"] + parts["own"], result.summary["energy_mj"], places=6)
        self.assertEqual(int(result.clusters["changes"].sum()), len(result.frequencies))
        self.assertGreater(len(result.frequencies), 10)

    def test_what_is_not_known_is_missing(self):
        self.assertIsNone(framegov.replay(SCENE, "tensor_g1", "pid", late="drop").arrays["avoidable"])

    def test_worlds_and_parameters_change_the_run(self):
        energy = {text: framegov.replay(SCENE, "tensor_g1", "mpc", frames=False, **settings).summary["energy_mj"]
                  for text, settings in {"phone": {}, "ideal": {"world": "ideal"}, "noise": {"work_noise": 0.3},
                                         "eps": {"parameters": {"mpc": {"eps": 0.2}}}}.items()}
        self.assertEqual(len(set(energy.values())), 4, energy)

    def test_bounds_are_below_what_holds_its_deadlines(self):
        found = framegov.bounds(SCENE, "tensor_g1", world="ideal")
        result = framegov.replay(SCENE, "tensor_g1", "performance", world="ideal", frames=False)
        self.assertLess(0, found["buffered_mj"])
        self.assertLessEqual(found["buffered_mj"], found["strict_mj"] * 1.000001)
        self.assertLess(found["strict_mj"], result.summary["energy_mj"])

    @unittest.skipUnless(PROGRAM, "FRAMEGOV_PROGRAM names no framegov to compare with")
    def test_figures_are_the_program_s(self):
        told = json.loads(subprocess.run([PROGRAM, "sim", "synthetic:fling@120:5", "--policy", "mpc,pid", "--json", "-"],
                                         check=True, capture_output=True, text=True).stdout)
        mine = framegov.compare(SCENE, "tensor_g1", ["mpc", "pid"]).results
        self.assertEqual(mine["runs"], told["runs"])
        self.assertEqual(mine["meta"], told["meta"])


class Errors(unittest.TestCase):
    def test_say_what_the_program_says(self):
        for what, words in ((lambda: framegov.device("nokia"), "nokia"),
                            (lambda: framegov.replay(SCENE, "tensor_g1", "mpcc"), "did you mean 'mpc'"),
                            (lambda: framegov.load("/none"), "/none: No such file or directory"),
                            (lambda: framegov.generate("dance@60"), "dance"),
                            (lambda: framegov.replay(SCENE, "tensor_g1", "mpc", world="moon"), "moon"),
                            (lambda: framegov.replay(SCENE, "tensor_g1", "mpc", placment="pinned"), "placement"),
                            (lambda: framegov.replay(SCENE, "tensor_g1", "mpc", parameters={"mpc": {"epz": 1}}), "eps")):
            with self.assertRaisesRegex(framegov.Error, words):
                what()
        with self.assertRaisesRegex(ValueError, "eps is from"):
            framegov.replay(SCENE, "tensor_g1", "mpc", parameters={"mpc": {"eps": 7}})


class Policies(unittest.TestCase):
    def test_a_policy_of_ones_own_governs(self):
        free = framegov.replay(SCENE, "tensor_g1", Idle)
        capped = framegov.replay(SCENE, "tensor_g1", Capped)
        self.assertEqual(capped.summary["policy"], "Capped")
        self.assertLess(capped.summary["energy_mj"], free.summary["energy_mj"])
        for cluster in framegov.device("tensor_g1").clusters:
            highest = cluster["khz"][-1]
            index = [each["policy"] for each in framegov.device("tensor_g1").clusters].index(cluster["policy"])
            changes = capped.frequencies
            # The first cap needs its write to land.
            late = changes[(changes["cluster"] == index) & (changes["at_ns"] > changes["at_ns"].min() + 1e8)]
            self.assertTrue((late["khz"] <= highest / 2).all())

    def test_asking_for_nothing_is_the_native_schedutil(self):
        mine, native = (framegov.replay(SCENE, "tensor_g1", policy).summary for policy in (Idle, "schedutil"))
        self.assertEqual(mine["missed_deadlines"], native["missed_deadlines"])
        self.assertAlmostEqual(mine["energy_mj"] - mine["energy_parts_mj"]["own"],
                               native["energy_mj"] - native["energy_parts_mj"]["own"], places=6)

    def test_step_sees_every_event_with_its_frame(self):
        class Watcher(framegov.Policy):
            seen, lateness = [], []

            def step(self, input):
                self.seen.append(input.event)
                if input.event == framegov.Event.FRAME_END:
                    frame = input.frame
                    self.lateness.append(frame.late)
                    assert frame.slack_ns == frame.deadline_ns - frame.ready_ns
                    assert frame.generation_ns == frame.ready_ns - frame.vsync_ns
                    assert len(input.current_khz) == len(input.max_khz) == len(self.device.clusters)
                else:
                    assert input.frame is None
        result = framegov.replay(SCENE, "tensor_g1", Watcher)
        self.assertEqual(Watcher.seen.count(framegov.Event.FRAME_END), result.summary["frames"])
        self.assertEqual(Watcher.seen.count(framegov.Event.FRAME_START), result.summary["frames"])
        self.assertEqual(sum(Watcher.lateness), result.summary["late_frames"])

    def test_plans_have_steps_floors_and_timers(self):
        class Timed(framegov.Policy):
            timers = 0

            def step(self, input):
                Timed.timers += input.event == framegov.Event.TIMER
                plan = framegov.Plan(len(self.device.clusters))
                plan.floor(0, int(self.device.clusters[0]["khz"][-1]))
                plan.step(2_000_000, 0, cap_khz=int(self.device.clusters[0]["khz"][0]))
                plan.wake_at_ns = input.now_ns + 1_000_000
                return plan
        result = framegov.replay(SCENE, "tensor_g1", Timed)
        self.assertGreater(Timed.timers, 1000)
        self.assertIn(framegov.device("tensor_g1").clusters[0]["khz"][-1],
                      set(result.frequencies.query("cluster == 0")["khz"]))
        with self.assertRaisesRegex(ValueError, "ascend"):
            plan = framegov.Plan(3)
            plan.step(2, 0)
            plan.step(1, 0)
        with self.assertRaisesRegex(IndexError, "no cluster 3"):
            framegov.Plan(3).cap(3, 1)

    def test_what_step_raises_comes_out(self):
        class Broken(framegov.Policy):
            def step(self, input):
                raise KeyError("mine")
        with self.assertRaisesRegex(KeyError, "mine"):
            framegov.replay(SCENE, "tensor_g1", Broken)
        for answer, error in ((7, TypeError), ([1], ValueError), ([-1, 0, 0], ValueError), (framegov.Plan(1), ValueError)):
            policy = type("Wrong", (framegov.Policy,), {"step": lambda self, input, answer=answer: answer})
            with self.assertRaises(error):
                framegov.replay(SCENE, "tensor_g1", policy)

    def test_an_input_does_not_outlast_its_step(self):
        kept = []

        class Keeper(framegov.Policy):
            def step(self, input):
                kept.append((input, input.frame))
        framegov.replay(SCENE, "tensor_g1", Keeper)
        with self.assertRaisesRegex(RuntimeError, "valid only while"):
            _ = kept[-1][0].now_ns
        frame = next(frame for _, frame in kept if frame is not None)
        with self.assertRaisesRegex(RuntimeError, "valid only while"):
            _ = frame.ready_ns

    def test_mine_stands_among_all_others(self):
        scenes = [SCENE, framegov.generate("scroll@60", seconds=5)]
        found = framegov.compare(scenes, ["tensor_g1", "sm8250"], ["mpc", "schedutil", Capped], bounds=False)
        self.assertEqual(len(found.runs), 2 * 2 * 3)
        self.assertEqual(set(found.ranking["policy"]), {"mpc", "schedutil", "Capped"})
        self.assertTrue((found.runs["vs_stock"] > 0).all())
        self.assertTrue(found.runs["avoidable_misses"].notna().all())
        with self.assertRaisesRegex(ValueError, "two policies"):
            framegov.compare(SCENE, "tensor_g1", [Capped, Capped])

    def test_native_runs_let_other_threads_run(self):
        long = framegov.generate("fling@120", seconds=600)
        ticks, done = [], threading.Event()

        def count():
            while not done.is_set():
                ticks.append(time.monotonic())
                time.sleep(0.001)
        thread = threading.Thread(target=count)
        thread.start()
        begin = time.monotonic()
        framegov.replay(long, "tensor_g1", "mpc", frames=False)
        end = time.monotonic()
        done.set()
        thread.join()
        self.assertGreater(sum(begin < tick < end for tick in ticks), 3)


class Environments(unittest.TestCase):
    def test_an_episode_is_the_run(self):
        env = framegov.Env("fling@120", "tensor_g1", seconds=5)
        seen, info = env.reset(seed=1)
        self.assertIn(seen, env.observation_space)
        steps, reward_sum, over = 0, 0.0, False
        while not over:
            seen, reward, over, cut, info = env.step(numpy.ones(env.action_space.shape, numpy.float32))
            self.assertTrue(env.observation_space.contains(seen), seen)
            self.assertFalse(cut)
            reward_sum += reward
            steps += 1
        summary = framegov.replay(SCENE, "tensor_g1", Idle).summary
        self.assertEqual(info["frames"], summary["frames"])
        self.assertEqual(info["missed"], summary["missed_deadlines"])
        self.assertAlmostEqual(-reward_sum, info["energy_mj"] + 20 * info["missed"], places=3)
        own = summary["energy_parts_mj"]["own"]
        self.assertAlmostEqual(info["energy_mj"], summary["energy_mj"] - own, delta=0.05 * summary["energy_mj"])
        with self.assertRaisesRegex(RuntimeError, "reset"):
            env.step(env.action_space.sample())

    def test_caps_save_energy_and_the_lowest_miss(self):
        def play(part):
            env = framegov.Env("fling@120", "tensor_g1", seconds=5)
            env.reset(seed=3)
            over = False
            while not over:
                *_, over, _, info = env.step(numpy.full(env.action_space.shape, part, numpy.float32))
            return info
        low, middle, high = play(0.0), play(0.6), play(1.0)
        self.assertLess(middle["energy_mj"], high["energy_mj"])
        self.assertGreater(low["missed"], high["missed"])

    def test_seeds_repeat_and_differ(self):
        env = framegov.Env("scroll@60", seconds=2)
        seen = [env.reset(seed=seed) and [env.step(numpy.ones(3))[0] for _ in range(20)] for seed in (5, 5, 6)]
        self.assertTrue(numpy.array_equal(seen[0], seen[1]))
        self.assertFalse(numpy.array_equal(seen[0], seen[2]))

    def test_an_episode_may_be_left_at_any_time(self):
        for _ in range(50):
            env = framegov.Env("scroll@60", seconds=2)
            env.reset(seed=1)
            env.step(numpy.ones(3))
            env.close()
        gc.collect()
        with self.assertRaises(ValueError):
            env.reset()
            env.step(numpy.ones(2))

    def test_gymnasium_finds_nothing_to_complain_of(self):
        try:
            from gymnasium.utils.env_checker import check_env
        except ImportError:
            self.skipTest("the package gymnasium is not here (Debian 12 has none)")
        check_env(framegov.Env("scroll@60", seconds=2), skip_render_check=True)


class Benchmark(unittest.TestCase):
    def program(self, *words, check=True):
        """With this very Python as its `python3`."""
        path = os.pathsep.join((os.path.dirname(sys.executable), os.environ["PATH"]))
        return subprocess.run([PROGRAM, "framebench", *map(str, words)], capture_output=True, text=True, check=check,
                              env={**os.environ, "PATH": path})

    def test_a_name_that_is_taken_is_refused(self):
        class Mine(Idle):
            name = "mpc"
        with self.assertRaisesRegex(ValueError, "two policies are called mpc"):
            framegov.frame_bench([Mine])

    @unittest.skipUnless(PROGRAM, "FRAMEGOV_PROGRAM names no program")
    def test_the_program_hands_a_file_of_policies_over_and_gets_its_own_table_back(self):
        with tempfile.TemporaryDirectory() as folder:
            source, table = pathlib.Path(folder, "mine.py"), pathlib.Path(folder, "results.csv")
            source.write_text("import framegov\nclass Mine(framegov.Policy):\n    def step(self, input):\n        return None\n")
            done = self.program("--python", source, "--policy", "pid", "--csv", table)
            mine = framegov.FrameBench(table.read_text())
            self.assertEqual(done.stdout, mine.table)
            self.assertIn(mine.sha256, done.stdout)
            self.assertEqual(set(mine.scores["policy"]), {"schedutil-boost", "pid", "Mine"})
            self.assertIn("not checked: Mine", self.program("--check", table).stdout)

    @unittest.skipUnless(PROGRAM, "FRAMEGOV_PROGRAM names no program")
    def test_a_file_without_a_policy_is_told(self):
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder, "mine.py")
            source.write_text("x = 1\n")
            done = self.program("--python", source, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn("defines no policy", done.stderr)


class Documents(unittest.TestCase):
    def test_the_examples_of_the_page_run(self):
        try:
            import matplotlib
        except ImportError:
            self.skipTest("matplotlib is not here, and the page's first example draws")
        matplotlib.use("agg")
        blocks = re.findall(r"(?:^(?:    .*)?\n)+", (ROOT / "docs/python.md").read_text(), re.M)
        code = "\n".join(textwrap.dedent(block) for block in blocks if block.strip() and "./dev" not in block)
        self.assertGreater(len(code.splitlines()), 25)
        names = {}
        with contextlib.redirect_stdout(io.StringIO()) as told:
            exec(code, names)
        self.assertEqual(len(told.getvalue().split()), 2)
        self.assertEqual(names["result"].summary["frames"], len(names["result"].frames))
        self.assertEqual(names["info"]["frames"], 1)


class Speed(unittest.TestCase):
    """Figures are printed, of CPU time; ./dev python shows them."""

    def test_a_policy_in_python_and_a_native_one(self):
        class Headroom(framegov.Policy):
            """Caps all clusters by the last frame's part of its budget: a policy that does something."""

            def __init__(self, device):
                super().__init__(device)
                self.highest = [int(cluster["khz"][-1]) for cluster in device.clusters]
                self.part = 1.0

            def step(self, input):
                if input.event != framegov.Event.FRAME_END:
                    return None
                frame = input.frame
                self.part += 0.1 * (1.25 * frame.generation_ns / frame.budget_ns - self.part)
                return [int(min(self.part, 1.0) * khz) for khz in self.highest]
        scene = framegov.generate("fling@120", seconds=600)
        rates = {}
        for name, policy in (("mpc", "mpc"), ("Headroom", Headroom)):
            for world in ("ideal", "phone"):
                begin = time.process_time()
                frames = framegov.replay(scene, "tensor_g1", policy, world=world, frames=False).summary["frames"]
                rates[name, world] = frames / (time.process_time() - begin)
                print(f"{name} in the {world} world: {rates[name, world] / 1e3:.0f} k frames/s")
        env = framegov.Env(scene, "tensor_g1", world="ideal")
        env.reset(seed=1)
        action = numpy.full(env.action_space.shape, 0.7, numpy.float32)
        begin = time.process_time()
        for _ in range(5000):
            env.step(action)
        print(f"Env in the ideal world: {5 / (time.process_time() - begin):.0f} k steps/s")


if __name__ == "__main__":
    unittest.main()
