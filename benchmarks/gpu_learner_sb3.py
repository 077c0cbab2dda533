"""SB3's DQN and PPO on CartPole, plain against graphed: end to end, and whether they learn the same.

Speed: whole `learn()` calls of both in turn, nothing else on the machine. Learning: five seeds a side, each
in a process of its own, a few at once; the mean return of the last fifth of the steps of each seed, and the
difference of the two sides' means with its 95 % interval (Welch). They overlap if that interval holds 0.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

SEEDS = 5
LONGEST_SECONDS = 400
#: A device is given to its processes in turns: with all seeds at once each waits for all others.
AT_ONCE = 4
ARCH = {"net_arch": [256, 256]}
# Timed with SB3's own settings; for the curves those that learn CartPole within the steps.
TIMED_STEPS = {"DQN": 6_000, "PPO": 6_144}
LEARNT_STEPS = {"DQN": 20_000, "PPO": 24_576}
LEARNING = {
    "DQN": {
        "learning_rate": 1e-3,
        "buffer_size": 50_000,
        "learning_starts": 1000,
        "batch_size": 64,
        "target_update_interval": 200,
        "exploration_fraction": 0.2,
    },
    "PPO": {},
}


def made(name: str, graphed: bool, device: str, seed: int, **settings: Any) -> Any:
    import stable_baselines3

    from goldsplit.fast.learner import sb3

    kind = getattr(sb3, f"Graphed{name}") if graphed else getattr(stable_baselines3, name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # SB3 advises against a GPU for PPO
        return kind("MlpPolicy", "CartPole-v1", policy_kwargs=ARCH, device=device, seed=seed, **settings)


def timed(name: str, graphed: bool, device: str, steps: int, seed: int) -> tuple[float, Any]:
    """Seconds of `learn()` after a first short one, which captures."""
    model = made(name, graphed, device, seed, **({"buffer_size": 50_000} if name == "DQN" else {}))
    model.learn(2_048 if name == "PPO" else 400)
    start = time.perf_counter()
    model.learn(steps, reset_num_timesteps=False)
    return time.perf_counter() - start, model


def speed(name: str, device: str, quick: bool) -> list[tuple[str, str, str, str, str]]:
    steps = 600 if quick and name == "DQN" else TIMED_STEPS[name] // (3 if quick else 1)
    rounds = 1 if quick else 3
    seconds: dict[bool, list[float]] = {False: [], True: []}
    model = None
    for turn in range(rounds):
        for graphed in (False, True) if turn % 2 else (True, False):
            taken, last = timed(name, graphed, device, steps, turn)
            seconds[graphed].append(taken)
            model = last if graphed else model
    print("  ", name, model.graphs())
    ratios = sorted(a / b for a, b in zip(seconds[False], seconds[True], strict=True))
    median = ratios[len(ratios) // 2]
    plain, fast = (float(np.median(seconds[side])) / steps * 1e6 for side in (False, True))
    title = f"SB3 {name}, CartPole"
    judged = "" if device == "cpu" else f"2x: {'met' if median >= 2 else 'MISSED'}"
    return [
        (title, "plain", f"{plain:.0f} us", "1.00x", ""),
        (title, "graphed", f"{fast:.0f} us", f"{median:.2f}x [{ratios[0]:.2f}-{ratios[-1]:.2f}]", judged),
    ]


def learn_alone(name: str, graphed: bool, device: str, seed: int, steps: int) -> None:
    """One seed, in a process of its own: prints the returns of its last fifth."""
    import torch
    from stable_baselines3.common.callbacks import BaseCallback

    torch.set_num_threads(1)
    returns: list[tuple[int, float]] = []

    class Watch(BaseCallback):
        def _on_step(self) -> bool:
            ended = [info["episode"]["r"] for info in self.locals["infos"] if "episode" in info]
            returns.extend((self.num_timesteps, float(total)) for total in ended)
            return True

    made(name, graphed, device, seed, **LEARNING[name]).learn(steps, callback=Watch())
    parts = [[r for at, r in returns if low <= at / steps * 5 < low + 1] for low in range(5)]
    print(json.dumps([float(np.mean(part)) if part else None for part in parts]))


def _curve(name: str, graphed: bool, seed: int, device: str, quick: bool) -> list[float | None]:
    """The mean returns of one seed, by fifths of its steps."""
    steps = 3_000 if quick else LEARNT_STEPS[name]
    done = subprocess.run(
        [sys.executable, __file__, name, str(int(graphed)), device, str(seed), str(steps)],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=LONGEST_SECONDS,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    curve: list[float | None] = json.loads(done.stdout.splitlines()[-1])
    return curve


def learning(device: str, quick: bool) -> list[tuple[str, str, str, str, str]]:
    seeds = 2 if quick else SEEDS
    alone = [
        (name, graphed, seed) for seed in range(seeds) for name in ("PPO", "DQN") for graphed in (False, True)
    ]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        found = dict(zip(alone, pool.map(lambda one: _curve(*one, device, quick), alone), strict=True))
    curves = {
        (name, graphed): [found[name, graphed, seed] for seed in range(seeds)]
        for name in ("DQN", "PPO")
        for graphed in (False, True)
    }
    rows = []
    for name in ("DQN", "PPO"):
        plain, fast = (np.array([curve[-1] for curve in curves[name, side]], float) for side in (False, True))
        for side in (False, True):
            means = np.nanmean(np.array(curves[name, side], float), axis=0)
            print(
                f"   {name} {'graphed' if side else 'plain'}: mean return by fifth",
                np.round(means, 1).tolist(),
            )
        low, high = interval(plain, fast)
        overlap = "overlap" if low <= 0 <= high else "DIFFER"
        text = f"{fast.mean() - plain.mean():+.0f} [{low:+.0f}, {high:+.0f}]"
        rows.append(
            (
                f"SB3 {name}, {seeds} seeds a side",
                "graphed - plain",
                f"{plain.mean():.0f} / {fast.mean():.0f}",
                text,
                overlap,
            )
        )
    return rows


def interval(a: Any, b: Any) -> tuple[float, float]:
    """The 95 % interval of mean(b) - mean(a), after Welch."""
    from scipy import stats

    va, vb = a.var(ddof=1) / len(a), b.var(ddof=1) / len(b)
    if va + vb == 0:
        return 0.0, 0.0
    freedom = (va + vb) ** 2 / (va**2 / (len(a) - 1) + vb**2 / (len(b) - 1))
    half = float(stats.t.ppf(0.975, freedom)) * math.sqrt(va + vb)
    middle = float(b.mean() - a.mean())
    return middle - half, middle + half


def end_to_end(device: str, quick: bool) -> list[tuple[str, str, str, str, str]]:
    return [row for name in ("DQN", "PPO") for row in speed(name, device, quick)]


if __name__ == "__main__":
    learn_alone(sys.argv[1], sys.argv[2] == "1", sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
