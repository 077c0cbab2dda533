"""The learner code that projects use today: what ``fast_learner`` compares with."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3.common.buffers import RolloutBuffer
from torch.distributions import Categorical

import fast_kernels_usual as board
from goldsplit.fast import categorical
from goldsplit.fast.cache import PhaseCache
from goldsplit.fast.returns import gae

WEIGHTS = (0.2989, 0.5870, 0.1140)
GRAYSCALE_WEIGHTS = torch.tensor(WEIGHTS)
GRAYSCALE_NORM_WEIGHTS_4D = (GRAYSCALE_WEIGHTS / 255).view(1, 3, 1, 1)
SCOPES = {"sight": ["walls"], "targets": ["positions", "hit_points", "walls"]}
CLEARED_SCOPES = {"sight": ["walls", "positions"], "targets": ["positions", "hit_points", "walls"]}
Cell = tuple[int, int]


def gae_numpy(rewards: Any, values: Any, ends: Any, last: Any, gamma: float, lam: float) -> tuple[Any, Any]:
    """Deltas of all steps at once, then one vectorised line per step."""
    running = 1.0 - ends
    following = np.concatenate([values[1:], last[None]])
    deltas = rewards + np.float32(gamma) * following * running - values
    decay = np.float32(gamma * lam) * running
    advantages = np.empty_like(rewards)
    carry = np.zeros_like(last)
    for t in range(len(rewards) - 1, -1, -1):
        carry = deltas[t] + decay[t] * carry
        advantages[t] = carry
    return advantages, advantages + values


def sb3_buffer(rewards: Any, values: Any, ends: Any, gamma: float, lam: float) -> RolloutBuffer:
    """SB3's buffer with these rollouts in it."""
    steps, envs = rewards.shape
    box, discrete = gym.spaces.Box(-1, 1, (1,)), gym.spaces.Discrete(2)
    buffer = RolloutBuffer(steps, box, discrete, "cpu", gae_lambda=lam, gamma=gamma, n_envs=envs)
    buffer.rewards[:], buffer.values[:] = rewards, values
    buffer.episode_starts[0], buffer.episode_starts[1:] = 0, ends[:-1]
    return buffer


def stack_naive(recent: Iterable[NDArray[np.uint8]], crop: tuple[int, int, int, int]) -> torch.Tensor:
    """Seed 004 before: every frame to a float tensor, stacked, cropped, scaled, grayed."""
    top, left, height, width = crop
    frames = [torch.as_tensor(frame, dtype=torch.float32).permute(2, 0, 1) for frame in recent]
    stacked = torch.stack(frames)[:, :, top : top + height, left : left + width]
    return ((stacked / 255.0) * GRAYSCALE_WEIGHTS.view(1, -1, 1, 1)).sum(dim=1)


def stack_fixed(recent: Iterable[NDArray[np.uint8]], crop: tuple[int, int, int, int]) -> torch.Tensor:
    """Seed 004 after: one stack in NumPy, one conversion, one multiplication."""
    top, left, height, width = crop
    frames = torch.from_numpy(np.stack(list(recent))).permute(0, 3, 1, 2).contiguous().float()
    return (frames[:, :, top : top + height, left : left + width] * GRAYSCALE_NORM_WEIGHTS_4D).sum(dim=1)


def stack_cropped(recent: Iterable[NDArray[np.uint8]], crop: tuple[int, int, int, int]) -> torch.Tensor:
    """Careful: crop before converting."""
    top, left, height, width = crop
    frames = np.stack([frame[top : top + height, left : left + width] for frame in recent])
    return torch.from_numpy(frames.astype(np.float32) @ (np.array(WEIGHTS, np.float32) / 255))


def shooting_turns(cache: PhaseCache | None, turns: int = 12) -> list[list[Cell]]:
    """Target pools of twelve units, asked for before (mask) and after (observation) each unit's move."""
    rng = np.random.default_rng(5)
    walls = {
        (int(c), int(r)) for c, r in zip(rng.integers(25, size=50), rng.integers(21, size=50), strict=True)
    }
    units = [
        (int(c), int(r)) for c, r in zip(rng.integers(25, size=12), rng.integers(21, size=12), strict=True)
    ]
    hit_points = [3] * len(units)
    history = []

    def sees(a: Cell, b: Cell) -> bool:
        if cache is None:
            return board.has_line_of_sight(a, b, walls)
        return cache.get("sight", (a, b), lambda: board.has_line_of_sight(a, b, walls))

    def pool(unit: int) -> list[Cell]:
        enemies = range(unit % 2 == 0, len(units), 2)
        return [units[e] for e in enemies if hit_points[e] > 0 and sees(units[unit], units[e])]

    for _ in range(turns):
        for unit in range(len(units)):
            # The mask of every eligible unit before the action, and again for the observation after it.
            for other in range(unit % 2, len(units), 2):
                targets = (
                    pool(other) if cache is None else cache.get("targets", other, lambda o=other: pool(o))
                )
            step = int(rng.integers(-1, 2))
            units[unit] = (min(max(units[unit][0] + step, 0), 24), units[unit][1])
            if step and cache is not None:
                cache.bump("positions")
            for other in range(unit % 2, len(units), 2):
                targets = (
                    pool(other) if cache is None else cache.get("targets", other, lambda o=other: pool(o))
                )
                history.append(list(targets))
            if targets and rng.random() < 0.2:
                hit_points[units.index(targets[0])] -= 1
                if cache is not None:
                    cache.bump("hit_points")
    return history


def rollout(*, fast: bool, steps: int = 128, envs: int = 64) -> NDArray[Any]:
    """Act with a two-layer policy under masks, store, and compute advantages."""
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    body = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.Tanh(), torch.nn.Linear(64, 14))
    rewards, values = (np.zeros((steps, envs), np.float32) for _ in range(2))
    log_probs, flags = np.zeros((steps, envs), np.float32), np.zeros((steps, envs), bool)
    observations = torch.randn(envs, 32)
    masks = rng.random((steps, envs, 13)) < 0.6
    masks[..., 0] = True
    with torch.no_grad():
        for t in range(steps):
            out = body(observations)
            logits, values[t] = out[:, :13], out[:, 13].numpy()
            if fast:
                draw = categorical.sample(logits.numpy(), masks[t], rng=rng)
                actions, log_probs[t] = draw.actions, draw.log_probs
            else:
                policy = Categorical(logits=logits.masked_fill(~torch.from_numpy(masks[t]), -1e8))
                chosen = policy.sample()
                actions, log_probs[t] = chosen.numpy(), policy.log_prob(chosen).numpy()
            rewards[t] = actions == 3
            flags[t] = rng.random(envs) < 0.02
            observations = torch.roll(observations, 1, 1)
    last = np.zeros(envs, np.float32)
    if fast:
        return np.asarray(gae(rewards, values, flags, last, 0.99, 0.95).advantages)
    return np.asarray(gae_numpy(rewards, values, flags.astype(np.float32), last, 0.99, 0.95)[0])
