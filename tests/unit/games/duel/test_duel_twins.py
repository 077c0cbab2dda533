"""The twins of Duel answer alike, bit for bit: the hashes of whole battles are equal."""

from __future__ import annotations

import contextlib

import gymnasium
import pytest

import goldsplit.games  # noqa: F401 - registers the ids
from goldsplit.games.trajectory import Trajectory, played, played_rows

PLAIN, FAST, BATCH = (f"goldsplit/Duel-{twin}-v0" for twin in ("plain", "fast", "batch"))


def played_alone(twin: str, seed: int, episodes: int) -> Trajectory:
    with contextlib.closing(gymnasium.make(twin)) as env:
        return played(env, seed, episodes)


def test_plain_and_fast_battles_have_equal_hashes() -> None:
    plain, fast = (played_alone(twin, seed=11, episodes=20) for twin in (PLAIN, FAST))
    assert (plain.episodes, plain.steps) == (fast.episodes, fast.steps)
    assert plain.episodes == 20
    assert plain.digest() == fast.digest()


def test_rows_of_the_batch_are_battles_played_alone() -> None:
    with contextlib.closing(gymnasium.make_vec(BATCH, num_envs=5)) as env:
        rows = [row.digest() for row in played_rows(env, seed=21, episodes=20)]
    assert rows == [played_alone(FAST, 21 + row, episodes=20).digest() for row in range(5)]
    assert len(set(rows)) == 5


@pytest.mark.thousand
def test_a_thousand_battles_have_equal_hashes() -> None:
    plain, fast = (played_alone(twin, seed=12, episodes=1000) for twin in (PLAIN, FAST))
    assert plain.episodes == 1000
    assert plain.digest() == fast.digest()
    with contextlib.closing(gymnasium.make_vec(BATCH, num_envs=2)) as env:
        rows = played_rows(env, seed=12, episodes=1000)
    assert rows[0].digest() == fast.digest()
