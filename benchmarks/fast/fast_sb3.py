"""Stable-Baselines3 end to end, with and without our parts: DQN, SAC and MaskablePPO, paired and interleaved.

    python benchmarks/fast/fast_sb3.py                          # all cells
    python benchmarks/fast/fast_sb3.py --only sac --pairs 20    # cells by the beginning of their name

Both sides of a cell are whole trainings that live at the same time; each round lets either go on for the same
number of steps, in a shuffled order. "Our parts" is what a user would write: `replay_buffer_class=`, for SAC
also `skip_unused_gradients(model)`, for MaskablePPO `SharedVecEnv` in the place of `SubprocVecEnv`. DQN and
SAC must end with equal weights on both sides, number for number. CPU time is that of all processes. One torch
thread.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gymnasium as gym
import numpy as np
import psutil
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3 import DQN, SAC
from stable_baselines3.common.buffers import NStepReplayBuffer, ReplayBuffer
from stable_baselines3.common.vec_env import SubprocVecEnv

from fast_timing import Timing, interleave, median_interval, print_table, summary, write_json
from goldsplit.fast.lean_critic import skip_unused_gradients
from goldsplit.fast.replay.sb3 import GoldsplitReplayBuffer
from goldsplit.fast.vector.sb3 import SharedVecEnv

USUAL, OURS, FUSED = "sb3 alone", "with our parts", "and torch's fused Adam"
CAPACITY, WARM_UP = 100_000, 1_000
NARROW, WIDE = 4, 323


class Course(gym.Env[Any, Any]):
    """Cheap steps, observations of a given width, episodes of 200 steps, a third of the actions illegal."""

    def __init__(self, width: int, continuous: bool = False) -> None:
        self.observation_space = gym.spaces.Box(-1, 1, (width,), np.float32)
        self.action_space = gym.spaces.Box(-1, 1, (2,), np.float32) if continuous else gym.spaces.Discrete(13)
        self.steps = 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, Any]:
        super().reset(seed=seed)
        self.steps = 0
        return self.view(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.steps += 1
        return self.view(), float(self.steps % 3), False, self.steps >= 200, {}

    def view(self) -> Any:
        return self.np_random.random(self.observation_space.shape, np.float32)

    def action_masks(self) -> Any:
        return np.arange(13) % 3 != self.steps % 3


@dataclass(frozen=True, slots=True)
class Cell:
    """One comparison: a function that makes the training of a side, and what is asked of it."""

    name: str
    make: Callable[[str], Any]
    steps: int
    bar: float
    sides: tuple[str, ...] = (USUAL, OURS)
    equal: bool = True  # both sides end with the same weights


def dqn(width: int, batch_size: int, n_steps: int = 1) -> Callable[[str], Any]:
    def make(side: str) -> Any:
        options: dict[str, Any] = {"n_steps": n_steps} if n_steps > 1 else {}
        if side == OURS:
            options = {"replay_buffer_class": GoldsplitReplayBuffer, "replay_buffer_kwargs": options}
        return DQN(
            "MlpPolicy", Course(width), batch_size=batch_size, buffer_size=CAPACITY,
            learning_starts=100, seed=0, device="cpu", **options,
        )  # fmt: skip

    return make


def sac(width: int) -> Callable[[str], Any]:
    def make(side: str) -> Any:
        options: dict[str, Any] = {} if side == USUAL else {"replay_buffer_class": GoldsplitReplayBuffer}
        if side == FUSED:
            options["policy_kwargs"] = {"optimizer_kwargs": {"fused": True}}
        model = SAC(
            "MlpPolicy", Course(width, continuous=True), batch_size=256, buffer_size=CAPACITY,
            learning_starts=100, seed=0, device="cpu", **options,
        )  # fmt: skip
        return model if side == USUAL else skip_unused_gradients(model)

    return make


def maskable(side: str) -> Any:
    makers = [lambda: Course(WIDE)] * 8
    envs = SharedVecEnv(makers, mask="action_masks") if side == OURS else SubprocVecEnv(makers)
    return MaskablePPO("MlpPolicy", envs, n_steps=64, batch_size=256, n_epochs=4, seed=0, device="cpu")


class BufferTurns:
    """The buffer alone, in the place of a model: `learn(n)` is n turns of four steps and one batch."""

    def __init__(self, side: str, batch_size: int, n_steps: int) -> None:
        windows: dict[str, Any] = {"n_steps": n_steps} if n_steps > 1 else {}
        usual: Any = NStepReplayBuffer if n_steps > 1 else ReplayBuffer
        course = Course(WIDE)
        spaces = (course.observation_space, course.action_space)
        kind = usual if side == USUAL else GoldsplitReplayBuffer
        self.buffer = kind(CAPACITY, *spaces, device="cpu", **windows)
        self.batch_size = batch_size
        rows = np.random.default_rng(0).random((CAPACITY, 1, WIDE), np.float32)
        self.buffer.observations[:], self.buffer.next_observations[:] = rows, np.roll(rows, -1, 0)
        self.buffer.full = True
        self.rows = rows

    def learn(self, turns: int, reset_num_timesteps: bool = False) -> None:
        action, reward, done, infos = np.array([3]), np.ones(1, np.float32), np.zeros(1, np.bool_), [{}]
        for _ in range(turns):
            for _ in range(4):
                at = self.buffer.pos
                following = self.rows[(at + 1) % CAPACITY]
                self.buffer.add(self.rows[at], following, action, reward, done, infos)
            self.buffer.sample(self.batch_size)


def buffer_alone(batch_size: int, n_steps: int = 1) -> Callable[[str], Any]:
    return lambda side: BufferTurns(side, batch_size, n_steps)


CELLS = [
    Cell(f"buffer-32, obs {WIDE}", buffer_alone(32), 1000, 1.0, equal=False),
    Cell(f"buffer-256, obs {WIDE}", buffer_alone(256), 500, 1.3, equal=False),
    Cell(f"buffer-3-steps, obs {WIDE}", buffer_alone(32, 3), 1000, 1.0, equal=False),
    *(Cell(f"dqn-32, obs {width}", dqn(width, 32), 1500, 0.98) for width in (NARROW, WIDE)),
    *(Cell(f"dqn-256, obs {width}", dqn(width, 256), 1000, 0.98) for width in (NARROW, WIDE)),
    *(Cell(f"dqn-3-steps, obs {width}", dqn(width, 32, 3), 1500, 0.98) for width in (NARROW, WIDE)),
    Cell(f"sac-256, obs {NARROW}", sac(NARROW), 120, 1.1, (USUAL, OURS, FUSED)),
    Cell(f"sac-256, obs {WIDE}", sac(WIDE), 120, 1.1, (USUAL, OURS, FUSED)),
    Cell("maskable-ppo, 8 envs", maskable, 1024, 0.98, equal=False),
]


def cpu_of_all_ns() -> int:
    """CPU time of this process and its children; those of the side that waits add nothing."""
    children = psutil.Process().children(recursive=True)
    seconds = sum(sum(child.cpu_times()[:2]) for child in children)
    return time.process_time_ns() + round(seconds * 1e9)


def going_on(model: Any, steps: int) -> Callable[[], object]:
    """Each side has random numbers of its own, or the sides would take them from each other."""
    kept = [np.random.get_state(), torch.get_rng_state()]

    def go_on() -> None:
        np.random.set_state(kept[0])
        torch.set_rng_state(kept[1])
        model.learn(steps, reset_num_timesteps=False)
        kept[:] = [np.random.get_state(), torch.get_rng_state()]

    return go_on


def run(cell: Cell, pairs: int) -> dict[str, Any]:
    models, calls = {}, {}
    for side in cell.sides:
        models[side] = cell.make(side)
        models[side].learn(WARM_UP if cell.name.startswith("dqn") else 200)
        calls[side] = going_on(models[side], cell.steps)
    try:
        timings = interleave(calls, pairs, 1, cpu_clock_ns=cpu_of_all_ns)
        print_table(cell.name, timings, baseline=OURS)
        verdicts = {side: judge(cell, timings, side) for side in cell.sides[1:]}
        if cell.equal:
            equal = same_weights(models[USUAL], models[OURS])
            print(f"  equal weights: {'yes' if equal else 'NO'}")
            verdicts[OURS]["met"] = verdicts[OURS]["met"] and equal
        return {**summary(timings, OURS), "bars": verdicts}
    finally:
        for model in models.values():
            if not isinstance(model, BufferTurns):
                model.get_env().close()


def judge(cell: Cell, timings: dict[str, Timing], side: str) -> dict[str, Any]:
    """How many times as fast as SB3 alone, by CPU and by wall; the bar is asked of the median of either."""
    found: dict[str, Any] = {"bar": cell.bar}
    for clock in ("cpu_us", "wall_us"):
        pairs = zip(getattr(timings[USUAL], clock), getattr(timings[side], clock), strict=True)
        found[clock.removesuffix("_us")] = median_interval([usual / ours for usual, ours in pairs])
    found["met"] = all(found[clock][0] >= cell.bar for clock in ("cpu", "wall"))
    parts = [
        f"{clock} {found[clock][0]:.3f}x ({found[clock][1]:.3f}-{found[clock][2]:.3f})"
        for clock in ("cpu", "wall")
    ]
    outcome = "met  " if found["met"] else "SHORT"
    print(f"  bar {cell.bar:.2f}x {outcome} {side}: {', '.join(parts)}", flush=True)
    return found


def same_weights(one: Any, other: Any) -> bool:
    left, right = one.policy.state_dict(), other.policy.state_dict()
    return all(torch.equal(left[key], right[key]) for key in left)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", action="append", default=[], help="cells by the beginning of their name")
    parser.add_argument("--pairs", type=int, default=12)
    options = parser.parse_args()
    torch.set_num_threads(1)
    chosen = [cell for cell in CELLS if not options.only or cell.name.startswith(tuple(options.only))]
    if not chosen:
        parser.error(f"no cell begins so; cells: {', '.join(cell.name for cell in CELLS)}")
    results = {cell.name: run(cell, options.pairs) for cell in chosen}
    write_json("fast_sb3", results)
    missed = [name for name, result in results.items() if not result["bars"][OURS]["met"]]
    print("all bars met" if not missed else f"missed: {'; '.join(missed)}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
