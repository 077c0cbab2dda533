"""The twins of Snake answer alike, bit for bit, for beginners' games and for long ones."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from tests.unit.games.snake.playing import careful, circling

import goldsplit.games  # noqa: F401 - registers the ids
from goldsplit.games.dice import Dice
from goldsplit.games.trajectory import played, played_rows

pytestmark = pytest.mark.needs_torch

PLAIN, FAST, BATCH = (f"goldsplit/Snake-{twin}-v0" for twin in ("plain", "fast", "batch"))
OPTIONS: list[dict[str, Any]] = [
    {},
    {"flood_fill": True},
    {"size": 5, "flood_fill": True, "hunger_limit": 9},
    {"size": 32, "flood_fill": True, "hunger_limit": 30},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_plain_and_fast_games_have_equal_hashes(options: dict[str, Any]) -> None:
    plain, fast = (played(gymnasium.make(twin, **options), seed=11, episodes=20) for twin in (PLAIN, FAST))
    assert (plain.episodes, plain.steps) == (fast.episodes, fast.steps)
    assert plain.digest() == fast.digest()


@pytest.mark.thousand
def test_a_thousand_games_have_equal_hashes() -> None:
    plain, fast = (
        played(gymnasium.make(twin, flood_fill=True), seed=12, episodes=1000) for twin in (PLAIN, FAST)
    )
    assert plain.episodes == 1000
    assert plain.digest() == fast.digest()


@pytest.mark.parametrize("options", OPTIONS[:3], ids=str)
def test_rows_of_the_batch_are_games_played_alone(options: dict[str, Any]) -> None:
    alone = [played(gymnasium.make(FAST, **options), seed=21 + row, episodes=20).digest() for row in range(5)]
    rows = played_rows(gymnasium.make_vec(BATCH, num_envs=5, **options), seed=21, episodes=20)
    assert [row.digest() for row in rows] == alone
    few = played_rows(gymnasium.make_vec(PLAIN, num_envs=2, **options), seed=21, episodes=4)
    assert [row.digest() for row in few] == [
        played(gymnasium.make(FAST, **options), seed=21 + row, episodes=4).digest() for row in range(2)
    ]


def equal_infos(first: dict[str, Any], second: dict[str, Any]) -> bool:
    return set(first) == set(second) and all(np.array_equal(first[key], second[key]) for key in first)


@pytest.mark.parametrize("options", OPTIONS[1:], ids=str)
def test_the_plain_world_and_the_batch_agree_on_long_snakes(options: dict[str, Any]) -> None:
    boards = 24
    plain, batch = (gymnasium.make_vec(twin, num_envs=boards, **options) for twin in (PLAIN, BATCH))
    observations, _ = plain.reset(seed=31)
    assert np.array_equal(observations, batch.reset(seed=31)[0])
    dice, longest, ends = Dice(31), 0, 0
    for _ in range(40 if options.get("size") == 32 else 120):
        actions = careful(observations, dice)
        slow, quick = plain.step(actions), batch.step(actions)
        for one, other in zip(slow[:4], quick[:4], strict=True):
            assert one.dtype == other.dtype
            assert np.array_equal(one, other)
        assert equal_infos(slow[4], quick[4])
        observations = slow[0]
        longest, ends = max(longest, slow[4]["length"].max()), ends + (slow[2] | slow[3]).sum()
    assert longest >= 6
    assert ends > 0


def test_the_twins_agree_up_to_a_full_board() -> None:
    """A snake that circles through all cells wins; the plain twin is given the same actions."""
    plain, fast = (gymnasium.make(twin, size=6, flood_fill=True).unwrapped for twin in (PLAIN, FAST))
    for seed in range(20):
        plain.reset(seed=seed)
        fast.reset(seed=seed)
        while True:
            action = circling(fast)
            quick, slow = fast.step(action), plain.step(action)
            assert np.array_equal(quick[0], slow[0])
            assert quick[1:] == slow[1:]
            if quick[2] or quick[3]:
                break
        if quick[4]["reason"] == "full":
            break
    assert quick[1:] == (1.0, True, False, {"length": 36, "steps": quick[4]["steps"], "reason": "full"})
    ahead, aside, length = quick[0][11], quick[0][12], quick[0][16]
    assert (ahead, aside, length) == (0, 0, 1)
