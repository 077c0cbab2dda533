"""The plain world of Snake boards: it has its seed's faults, and refuses what it cannot play."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
import torch

from goldsplit.games.snake.plain import SnakePlainVector
from goldsplit.games.snake.snake_rules import SnakeOptionError
from goldsplit.games.snake.vectorized_snake import VectorizedSnakeEnv

BOARDS, STEPS = 16, 4


def counted_steps(monkeypatch: pytest.MonkeyPatch, **options: Any) -> Counter[str]:
    """Calls of the costly parts while some boards make some steps."""
    seen: Counter[str] = Counter()
    world = VectorizedSnakeEnv(BOARDS, **options)
    world.reset()

    def count(owner: Any, name: str) -> None:
        original = getattr(owner, name)

        def counted(*args: Any, **given: Any) -> Any:
            seen[name] += 1
            return original(*args, **given)

        monkeypatch.setattr(owner, name, counted)

    for name in ("_compute_danger", "_compute_room", "_compute_flood_fill", "_is_collision"):
        count(VectorizedSnakeEnv, name)
    count(torch.Tensor, "item")
    for _ in range(STEPS):
        world.step(torch.zeros(BOARDS, dtype=torch.long))
    return seen


def test_each_feature_loops_over_all_boards_once_for_each_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = counted_steps(monkeypatch, use_flood_fill=True)
    names = ("_compute_danger", "_compute_room", "_compute_flood_fill")
    assert [seen[name] for name in names] == [3 * STEPS] * 3
    assert seen["_is_collision"] >= 3 * 3 * STEPS * BOARDS


def test_numbers_are_read_from_tensors_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = counted_steps(monkeypatch)
    assert seen["_compute_flood_fill"] == 0
    assert seen["item"] > 10 * STEPS * BOARDS


def test_a_world_that_has_not_begun_and_a_world_of_nothing_are_refused() -> None:
    with pytest.raises(SnakeOptionError, match="hint: call reset"):
        SnakePlainVector(2).step(np.zeros(2, np.int64))
    with pytest.raises(SnakeOptionError, match="hint: choose num_envs of 1 or more"):
        SnakePlainVector(0)
