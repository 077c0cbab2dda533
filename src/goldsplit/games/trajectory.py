"""What a game answered, as one hash: two twins are equal if their hashes are.

Everything that a player can see goes in, in order: observations and masks bit for bit, rewards as float64,
ends, and the information of each step with its keys sorted. `played` makes the hash of whole games played
by random valid actions, and `played_rows` those of each game of a batch, which are the same as if each were
played alone.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np

from goldsplit.games.dice import Dice


class Trajectory:
    """A hash that grows with each answer of one game."""

    def __init__(self) -> None:
        self._hash = hashlib.blake2b(digest_size=16)
        self.steps = 0
        self.episodes = 0

    def began(self, observation: Any, mask: Any, info: Mapping[str, Any]) -> None:
        """The answer of `reset`, and the mask after it."""
        self.episodes += 1
        self._put("reset", observation, mask, info)

    def stepped(self, answer: tuple[Any, float, bool, bool, Mapping[str, Any]], mask: Any) -> None:
        """The answer of `step`, and the mask after it."""
        observation, reward, terminated, truncated, info = answer
        self.steps += 1
        self._hash.update(struct.pack("<d??", float(reward), bool(terminated), bool(truncated)))
        self._put("step", observation, mask, info)

    def digest(self) -> str:
        return self._hash.hexdigest()

    def _put(self, *values: Any) -> None:
        for value in values:
            self._hash.update(_bytes(value))


def played(env: Any, seed: int, episodes: int, most_steps: int = 1_000_000) -> Trajectory:
    """Play whole games with random valid actions; only the first `reset` is given the seed."""
    game = env.unwrapped
    trajectory, dice = Trajectory(), Dice(seed)
    observation, info = env.reset(seed=seed)
    mask = game.action_masks()
    trajectory.began(observation, mask, info)
    while trajectory.steps < most_steps:
        answer = env.step(_valid(mask, dice))
        mask = game.action_masks()
        trajectory.stepped(answer, mask)
        if answer[2] or answer[3]:
            if trajectory.episodes == episodes:
                break
            observation, info = env.reset()
            mask = game.action_masks()
            trajectory.began(observation, mask, info)
    return trajectory


def played_rows(env: Any, seed: int, episodes: int, most_turns: int = 1_000_000) -> list[Trajectory]:
    """As `played` for each game of a batch that begins its games anew in the step after their end.

    Row i of a batch and `played` with `seed + i` give equal hashes. It stops when all rows have played them.
    """
    rows = range(env.num_envs)
    trajectories, dice = [Trajectory() for _ in rows], [Dice(seed + row) for row in rows]
    observations, infos = env.reset(seed=seed)
    masks = env.unwrapped.action_masks()
    for row in rows:
        trajectories[row].began(observations[row], masks[row], row_info(infos, row))
    ended, over = np.zeros(len(rows), bool), np.zeros(len(rows), bool)
    for _ in range(most_turns):
        if over.all():
            break
        actions = [0 if ended[row] else _valid(masks[row], dice[row]) for row in rows]
        observations, rewards, terminated, truncated, infos = env.step(np.array(actions))
        masks = env.unwrapped.action_masks()
        for row in rows:
            info = row_info(infos, row)
            if over[row]:
                continue
            if ended[row]:
                trajectories[row].began(observations[row], masks[row], info)
                continue
            answer = (observations[row], rewards[row], terminated[row], truncated[row], info)
            trajectories[row].stepped(answer, masks[row])
        ended = np.logical_or(terminated, truncated)
        over |= ended & np.array([trajectory.episodes == episodes for trajectory in trajectories])
    return trajectories


def row_info(infos: Mapping[str, Any], row: int) -> dict[str, Any]:
    """The information of one game out of that of a batch, in which `_key` says where `key` counts."""
    return {key: infos[key][row] for key in infos if f"_{key}" in infos and infos[f"_{key}"][row]}


def _valid(mask: Any, dice: Dice) -> int:
    """One of the valid actions."""
    valid = np.flatnonzero(mask)
    return int(valid[dice.below(len(valid))])


def _bytes(value: Any) -> bytes:
    """A value as bytes that are equal where the values are: kinds of numbers of one size are told apart."""
    if isinstance(value, Mapping):
        return b"{" + b"".join(_bytes(str(key)) + _bytes(value[key]) for key in sorted(value, key=str)) + b"}"
    if isinstance(value, np.ndarray):
        if value.dtype.hasobject:  # its bytes would be addresses
            return _bytes(value.tolist())
        return f"{value.dtype.str}{value.shape}".encode() + np.ascontiguousarray(value).tobytes()
    if isinstance(value, bool | np.bool_):
        return b"T" if value else b"F"
    if isinstance(value, int | np.integer):
        return b"i%d;" % int(value)
    if isinstance(value, float | np.floating):
        return b"f" + struct.pack("<d", float(value))
    if value is None:
        return b"N"
    if isinstance(value, list | tuple):
        return b"[" + b"".join(_bytes(item) for item in value) + b"]"
    if isinstance(value, str):
        text = value.encode()
        return b"s%d:" % len(text) + text
    raise TypeError(
        f"a trajectory cannot hold a {type(value).__name__}\n"
        "hint: games answer with numbers, texts, arrays, and lists or dictionaries of these"
    )
