"""Epsilon-greedy play: the law of both surroundings, and never a masked action."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import nn

from goldsplit.train.errors import TrainError
from goldsplit.train.exploration import Explorer, FastExplorer, GraphedExplorer, PlainExplorer
from goldsplit.train.networks import QNetwork

CPU = torch.device("cpu")
ROWS, ACTIONS = 400, 4


class Games:
    """Answers one game's wish for a random action, as a world does."""

    def __init__(self, masks: NDArray[np.bool_]) -> None:
        self.masks, self.asked = masks, 0
        self.rng = np.random.default_rng(0)

    def sample_actions(self, rows: list[int]) -> NDArray[np.int64]:
        self.asked += len(rows)
        return np.array([self.rng.choice(np.flatnonzero(self.masks[row])) for row in rows])


def setting() -> tuple[NDArray[np.float32], NDArray[np.bool_], NDArray[np.float32]]:
    rng = np.random.default_rng(1)
    masks = rng.random((ROWS, ACTIONS)) < 0.5
    masks[np.arange(ROWS), rng.integers(0, ACTIONS, ROWS)] = True
    obs = rng.standard_normal((ROWS, ACTIONS)).astype(np.float32)
    return obs, masks, obs  # the network gives its input back


def explorers(masks: NDArray[np.bool_]) -> list[Any]:
    network = nn.Identity()
    world: Any = Games(masks)
    return [
        PlainExplorer(network, CPU, world, 0),
        FastExplorer(network, CPU, 0),
        GraphedExplorer(network, CPU),
    ]


def test_without_exploration_it_is_the_best_valid_action() -> None:
    obs, masks, values = setting()
    best = np.where(masks, values, -np.inf).argmax(axis=1)
    for explorer in explorers(masks):
        assert explorer.act(obs, masks, 0.0).tolist() == best.tolist()


@pytest.mark.parametrize("epsilon", [0.3, 1.0])
def test_masked_actions_are_never_chosen_and_the_others_by_their_law(epsilon: float) -> None:
    obs, masks, values = setting()
    rows = np.arange(ROWS)
    best = np.where(masks, values, -np.inf).argmax(axis=1)
    expected = epsilon * masks / masks.sum(axis=1, keepdims=True)
    expected[rows, best] += 1 - epsilon
    torch.manual_seed(0)
    for explorer in explorers(masks):
        counts = np.zeros((ROWS, ACTIONS))
        for _ in range(60):
            actions = explorer.act(obs, masks, epsilon)
            assert masks[rows, actions].all()
            counts[rows, actions] += 1
        found = counts / 60
        for size in (2, 3, 4):
            alike = masks.sum(axis=1) == size
            others = masks[alike] & ~np.eye(ACTIONS, dtype=bool)[best[alike]]
            assert found[alike][others].mean() == pytest.approx(epsilon / size, abs=0.03)
        assert found[rows, best].mean() == pytest.approx(expected[rows, best].mean(), abs=0.03)


def test_the_plain_way_asks_each_game_that_explores() -> None:
    obs, masks, _ = setting()
    world: Any = Games(masks)
    PlainExplorer(nn.Identity(), CPU, world, 0).act(obs, masks, 0.25)
    assert 0.15 * ROWS < world.asked < 0.35 * ROWS


def test_random_numbers_go_on_where_a_state_was_taken() -> None:
    obs, masks, _ = setting()
    for at in (0, 1):
        first: Explorer = explorers(masks)[at]
        first.act(obs, masks, 0.5)
        again: Explorer = explorers(masks)[at]
        again.restore(first.state())
        if isinstance(first, PlainExplorer):  # the games have dice of their own
            first._world.rng, again._world.rng = (np.random.default_rng(3) for _ in range(2))  # type: ignore[attr-defined]
        assert first.act(obs, masks, 0.5).tolist() == again.act(obs, masks, 0.5).tolist()


def test_a_game_without_a_valid_action_is_named() -> None:
    obs, masks, _ = setting()
    masks[7] = False
    for explorer in explorers(masks):
        with pytest.raises(TrainError, match="game 7 allows no action\nhint: "):
            explorer.act(obs, masks, 0.0)


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 0.9, 1.0])
def test_fast_acting_is_that_of_the_whole_network(epsilon: float) -> None:
    """Games that explore are not valued; what is chosen is what their own draws and all values say."""
    network, rows = QNetwork((5,), 4, (16, 8)), 64
    explorer = FastExplorer(network, torch.device("cpu"), seed=3)
    draws = np.random.default_rng(3)
    rng = np.random.default_rng(0)
    for _ in range(20):
        obs = rng.standard_normal((rows, 5)).astype(np.float32)
        masks = rng.random((rows, 4)) < 0.6
        masks[:, 1] = True
        uniforms = draws.random((2, rows))
        with torch.no_grad():
            values = np.where(masks, network(torch.from_numpy(obs)).numpy(), -np.inf)
        expected = [
            np.flatnonzero(masks[row])[int(uniforms[1, row] * masks[row].sum())]
            if uniforms[0, row] < epsilon
            else values[row].argmax()
            for row in range(rows)
        ]
        assert explorer.act(obs, masks, epsilon).tolist() == expected
