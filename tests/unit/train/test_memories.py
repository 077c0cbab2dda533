"""The replay memories of both surroundings: the same rows, chances and weights for the same games."""

from __future__ import annotations

import pickle
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from goldsplit.train.memories import FIELDS, FastMemory, PlainMemory
from goldsplit.train.options import DqnOptions
from goldsplit.train.worlds import Turn

ENVS, ACTIONS = 5, 3
WORLD: Any = SimpleNamespace(envs=ENVS, actions=ACTIONS, shape=(2,), dtype=np.float32)
OPTIONS = DqnOptions(n_steps=3, gamma=0.9, capacity=400, alpha=0.7, beta_start=0.5)
Step = tuple[NDArray[Any], NDArray[Any], Turn]


def memories(options: DqnOptions = OPTIONS) -> list[Any]:
    return [PlainMemory(options, WORLD), FastMemory(options, WORLD), FastMemory(options, WORLD, "cpu")]


def games(steps: int, seed: int = 0) -> list[Step]:
    """Made-up games of five rows; a row that ended makes a step that is no transition."""
    rng = np.random.default_rng(seed)
    over = np.zeros(ENVS, np.bool_)
    obs = rng.standard_normal((ENVS, 2)).astype(np.float32)
    made = []
    for _ in range(steps):
        ends = (rng.random(ENVS) < 0.25) & ~over
        terminated = ends & (rng.random(ENVS) < 0.5)
        masks = rng.random((ENVS, ACTIONS)) < 0.6
        masks[:, 0] = True
        after = rng.standard_normal((ENVS, 2)).astype(np.float32)
        rewards = np.where(over, 0.0, rng.standard_normal(ENVS)).astype(np.float32)
        turn = Turn(after, masks, rewards, terminated, ends & ~terminated, ~over, [])
        made.append((obs, rng.integers(0, ACTIONS, ENVS), turn))
        obs, over = after, ends
    return made


def by_hand(steps: list[Step], n: int, gamma: float) -> list[tuple[Any, ...]]:
    """Every transition over up to n rewards, game by game and step by step."""
    rows = []
    for env in range(ENVS):
        for first in range(len(steps)):
            if not steps[first][2].played[env]:
                continue
            reward, discount = 0.0, 1.0
            for last in range(first, min(first + n, len(steps))):
                turn = steps[last][2]
                reward += discount * float(turn.rewards[env])
                discount *= gamma
                if turn.ends[env] or last == first + n - 1:
                    start = steps[first]
                    rows.append(
                        (
                            *start[0][env].tolist(),
                            int(start[1][env]),
                            round(reward, 4),
                            round(discount, 4),
                            bool(turn.terminated[env]),
                            *turn.obs[env].tolist(),
                            *turn.masks[env].tolist(),
                        )
                    )
                    break
    return rows


def stored(memory: Any) -> list[tuple[Any, ...]]:
    columns: list[Any]
    if isinstance(memory, PlainMemory):
        columns = [np.array([row[at] for row in memory.rows]) for at in range(len(FIELDS))]
    else:
        columns = [np.asarray(memory.store[name]) for name in FIELDS]
    rows = []
    for row in zip(*columns, strict=True):
        flat = [value for part in row for value in np.atleast_1d(part).tolist()]
        flat[3], flat[4] = round(flat[3], 4), round(flat[4], 4)
        rows.append(tuple(flat))
    return rows


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_all_memories_hold_the_transitions_that_were_played(n: int) -> None:
    """Across ends: no window spans two games, a game's last ones are shorter, resets are no rows."""
    steps = games(25)
    expected = sorted(by_hand(steps, n, 0.9))
    assert len(expected) > 60
    for memory in memories(DqnOptions(n_steps=n, gamma=0.9, capacity=400)):
        for step in steps:
            memory.push(*step)
        assert sorted(stored(memory)) == expected
        assert len(memory) == len(expected)


def test_the_oldest_rows_are_overwritten() -> None:
    steps = games(60)
    for memory in memories(DqnOptions(n_steps=1, capacity=50)):
        for step in steps:
            memory.push(*step)
        in_order = [row for step in steps for row in by_hand([step], 1, 0.99)]
        assert len(in_order) > 150
        assert sorted(stored(memory)) == sorted(in_order[-50:])


def rewards_of(memory: Any) -> NDArray[Any]:
    if isinstance(memory, PlainMemory):
        return np.array([row[2] for row in memory.rows], np.float32)
    return np.asarray(memory.store["reward"])


def test_chances_and_weights_follow_the_same_law() -> None:
    """Each row is drawn by priority ** alpha, and weighs by (chance / least chance) ** -beta."""
    for memory in memories():
        for step in games(10):
            memory.push(*step)
        rewards = rewards_of(memory)
        priorities = np.abs(rewards) + 0.1
        memory.update_priorities(np.arange(len(memory)), priorities)
        memory.beta = 0.6
        chances = priorities**0.7 / (priorities**0.7).sum()
        counts = np.zeros(len(memory))
        for _ in range(300):
            batch = memory.sample(64)
            indices = np.asarray(batch.indices)
            np.add.at(counts, indices, 1)
            expected = (chances[indices] / chances.min()) ** -0.6
            np.testing.assert_allclose(np.asarray(batch.weights), expected, rtol=1e-4)
            np.testing.assert_array_equal(np.asarray(batch.reward), rewards[indices])
        np.testing.assert_allclose(counts / counts.sum(), chances, atol=0.006)


def test_new_rows_get_the_largest_priority_so_far() -> None:
    for memory in memories(DqnOptions(n_steps=1, alpha=1.0, capacity=400)):
        steps = games(4)
        memory.push(*steps[0])
        memory.update_priorities(np.arange(5), np.array([8.0, 1.0, 1.0, 1.0, 1.0]))
        memory.push(*steps[1])
        counts = np.zeros(len(memory))
        for _ in range(400):
            np.add.at(counts, np.asarray(memory.sample(16).indices), 1)
        new = counts[5:] / counts[1:5].mean()
        assert ((new > 6.0) & (new < 10.5)).all()


@pytest.mark.parametrize("kind", [0, 1, 2], ids=["plain", "fast", "device"])
def test_a_pickled_memory_goes_on_batch_for_batch(kind: int) -> None:
    """With half-open windows, priorities and random numbers."""
    first = memories()[kind]
    steps = games(30)
    for step in steps[:20]:
        first.push(*step)
    first.update_priorities(np.arange(20), np.linspace(0.1, 3.0, 20))
    first.beta = 0.8
    again = pickle.loads(pickle.dumps(first))
    for step in steps[20:]:
        first.push(*step)
        again.push(*step)
        for one, other in zip(first.sample(16), again.sample(16), strict=True):
            np.testing.assert_array_equal(np.asarray(one), np.asarray(other))
    assert len(first) == len(again) > 60
    assert again.beta == 0.8


def test_dropped_windows_leave_no_row() -> None:
    steps = games(10)
    for memory in memories():
        memory.push(*steps[0])
        memory.drop_open_windows()
        for step in steps[1:]:
            memory.push(*step)
        at_once = by_hand(steps[:1], 3, 0.9)  # games that ended with their first step
        assert sorted(stored(memory)) == sorted(at_once + by_hand(steps[1:], 3, 0.9))
