"""Vector environments against Gymnasium and Stable-Baselines3: step cost x environments x infos.

    python benchmarks/fast/fast_vector.py [--steps-us 0 50 500] [--envs 8 16 64] [--infos full40 lean]
    python benchmarks/fast/fast_vector.py --ppo      # SB3's PPO, unmodified, with each of the three VecEnvs

An environment does a fixed amount of Python work per step (a fixed count, not a fixed time, so that a process
that loses its core still has to do it), returns 323 floats and a mask of 13 in its observation, and infos of
40 keys or of one. All variants of a cell live at the same time and are stepped in turn; figures are wall
time per vector step.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np
import psutil
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv

from fast_timing import Timing, interleave, print_table, ratio, summary, write_json
from goldsplit.fast.vector import SharedVectorEnv
from goldsplit.fast.vector.sb3 import SharedVecEnv

PEERS = ("gymnasium sync", "gymnasium async", "sb3 dummy", "sb3 subproc")
OVER_PROCESSES = ("gymnasium async", "sb3 subproc")
EPISODE_STEPS = 200
ROUND_SECONDS = 0.05


def work(count: int) -> int:
    """The step's own cost."""
    total = 0
    for at in range(count):
        total += at & 3
    return total


def count_for(step_us: float) -> int:
    """How much work takes that long on this machine, in CPU time."""
    if step_us == 0:
        return 0
    best = min(_cpu_ns_of(20_000) for _ in range(15)) / 20_000
    return int(step_us * 1000 / best)


def _cpu_ns_of(count: int) -> int:
    start = time.thread_time_ns()
    work(count)
    return time.thread_time_ns() - start


class BusyEnv(gym.Env[Any, Any]):
    """Fixed work, fixed sizes; nothing else."""

    action_space = gym.spaces.Discrete(13)

    def __init__(self, count: int, info_keys: int) -> None:
        self.observation_space = gym.spaces.Box(-np.inf, np.inf, (323 + 13,), np.float32)
        self._count, self._info_keys, self._steps = count, info_keys, 0
        self._observation = np.random.default_rng(0).random(336, np.float32)
        self._names = [f"metric_{at}" for at in range(info_keys - 1)]

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, Any]:
        super().reset(seed=seed)
        self._steps = 0
        return self._observation, {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self._steps += 1
        if self._count:
            work(self._count)
        steps = self._steps
        info: dict[str, Any] = dict.fromkeys(self._names, steps * 0.5)
        info["steps"] = steps
        return self._observation, 1.0, False, steps >= EPISODE_STEPS, info


def open_variants(count: int, info_keys: int, num_envs: int) -> dict[str, Any]:
    """Ours at its defaults, the peers at theirs (all forked, so that opening takes seconds, not minutes)."""
    env_fns = [lambda: BusyEnv(count, info_keys)] * num_envs
    return {
        "goldsplit": SharedVectorEnv(env_fns),
        "goldsplit, full infos": SharedVectorEnv(env_fns, info="full"),
        "goldsplit for sb3": SharedVecEnv(env_fns),
        "gymnasium sync": SyncVectorEnv(env_fns),
        "gymnasium async": AsyncVectorEnv(env_fns),
        "sb3 dummy": DummyVecEnv(env_fns),
        "sb3 subproc": SubprocVecEnv(env_fns, start_method="fork"),
    }


def stepper(envs: Any, actions: Any) -> Callable[[], object]:
    """One vector step."""
    return lambda: envs.step(actions)


def worker_cpu_us(envs: Any) -> float:
    """CPU time of a variant's worker processes so far."""
    inner = getattr(envs, "envs", envs)
    processes = getattr(envs, "processes", [])
    pids = list(getattr(inner, "worker_pids", ())) + [process.pid for process in processes]
    return sum(sum(psutil.Process(pid).cpu_times()[:2]) for pid in pids) * 1e6


def run_cell(
    step_us: float, num_envs: int, info_keys: int, rounds: int
) -> tuple[dict[str, Timing], dict[str, float], str]:
    """All variants of one cell: wall times, and CPU time per vector step over all processes."""
    actions = np.random.default_rng(1).integers(0, 13, num_envs)
    variants = open_variants(count_for(step_us), info_keys, num_envs)
    try:
        for envs in variants.values():
            envs.reset()
        slowest_us = max(200.0, num_envs * (step_us + 60.0))
        inner = max(2, round(ROUND_SECONDS * 1e6 / slowest_us))
        before = {name: worker_cpu_us(envs) for name, envs in variants.items()}
        timings = interleave(
            {name: stepper(envs, actions) for name, envs in variants.items()}, rounds=rounds, inner=inner
        )
        cpu_us = {
            name: statistics.fmean(timings[name].cpu_us)
            + (worker_cpu_us(envs) - before[name]) / (rounds * inner + 1)
            for name, envs in variants.items()
        }
        return timings, cpu_us, variants["goldsplit"].choice.backend
    finally:
        for envs in variants.values():
            envs.close()


def judge(timings: dict[str, Timing], cpu_us: dict[str, float]) -> dict[str, float]:
    """How many times ours the peers' wall time is, and their CPU time over all processes."""
    ours = timings["goldsplit"]
    found = {name: ratio(timings[name], ours).wall for name in PEERS}
    found["best peer"] = min(found.values())
    found["best peer, full infos"] = min(
        ratio(timings[name], timings["goldsplit, full infos"]).wall for name in PEERS
    )
    found["best of sb3, for sb3"] = min(
        ratio(timings[name], timings["goldsplit for sb3"]).wall for name in PEERS[2:]
    )
    for name in OVER_PROCESSES:
        found[f"{name}, cpu"] = cpu_us[name] / cpu_us["goldsplit"]
    return found


def run_ppo(num_envs: int, rounds: int) -> None:
    """A real loop: one rollout and update of PPO on CartPole per call, only the VecEnv differs."""
    import torch
    from stable_baselines3 import PPO
    from stable_baselines3.common.monitor import Monitor

    torch.set_num_threads(1)
    env_fns = [lambda: Monitor(gym.make("CartPole-v1"))] * num_envs
    vec_envs = {
        "goldsplit for sb3": SharedVecEnv(env_fns),
        "sb3 dummy": DummyVecEnv(env_fns),
        "sb3 subproc": SubprocVecEnv(env_fns, start_method="fork"),
    }
    models = {
        name: PPO("MlpPolicy", envs, n_steps=64, batch_size=256, n_epochs=4, seed=0, device="cpu")
        for name, envs in vec_envs.items()
    }
    steps = {
        name: (lambda model=model: model.learn(64 * num_envs, reset_num_timesteps=False))
        for name, model in models.items()
    }
    timings = interleave(steps, rounds=rounds, inner=1)
    print_table(f"PPO on CartPole, {num_envs} environments, rollout and update", timings, "goldsplit for sb3")
    write_json("fast_vector_ppo", {"ppo": summary(timings, "goldsplit for sb3")})
    for envs in vec_envs.values():
        envs.close()


def main() -> None:
    """Every cell, a line for each bar, and the raw figures as JSON."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--steps-us", type=float, nargs="+", default=[0, 50, 500])
    parser.add_argument("--envs", type=int, nargs="+", default=[8, 16, 64])
    parser.add_argument("--infos", nargs="+", default=["full40", "lean"], choices=["full40", "lean"])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--name", default="fast_vector")
    parser.add_argument("--ppo", action="store_true", help="measure PPO instead")
    args = parser.parse_args()
    if args.ppo:
        run_ppo(args.envs[0], args.rounds)
        return
    cells: dict[str, Any] = {}
    lines = []
    for step_us in args.steps_us:
        for info in args.infos:
            for num_envs in args.envs:
                timings, cpu_us, backend = run_cell(
                    step_us, num_envs, 40 if info == "full40" else 1, args.rounds
                )
                title = f"{step_us:g} us, {num_envs} environments, {info} infos"
                print_table(f"{title} (chose {backend})", timings, "goldsplit")
                found = judge(timings, cpu_us)
                cells[title] = {"chose": backend, "bars": found, **summary(timings, "goldsplit")}
                lines.append((title, backend, found))
    heads = ("best peer", "async", "subproc", "full/best", "sb3/best", "async cpu", "subproc cpu")
    print(f"\n{'cell':<40}{'chose':>10}" + "".join(f"{head:>12}" for head in heads))
    for title, backend, found in lines:
        figures = [found["best peer"], *(found[name] for name in OVER_PROCESSES)]
        figures += [found["best peer, full infos"], found["best of sb3, for sb3"]]
        figures += [found[f"{name}, cpu"] for name in OVER_PROCESSES]
        cells_text = "".join(f"{figure:>11.2f}x" for figure in figures)
        print(f"{title:<40}{backend:>10}{cells_text}")
    write_json(args.name, {"cells": cells})


if __name__ == "__main__":
    main()
