"""The hash of a trajectory: equal for equal answers, another one for what a player could tell apart."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from goldsplit.games.trajectory import Trajectory, played, played_rows, row_info

MASK = np.array([True, False])


def digest(**changes: Any) -> str:
    """One reset and one step, with something about the step changed."""
    step: dict[str, Any] = {
        "observation": np.array([0.5, 1.0], np.float32),
        "reward": 0.25,
        "terminated": False,
        "truncated": False,
        "info": {"winner": "none", "turn": 3},
        "mask": MASK,
    }
    step |= changes
    mask = step.pop("mask")
    trajectory = Trajectory()
    trajectory.began(np.zeros(2, np.float32), MASK, {})
    trajectory.stepped(tuple(step.values()), mask)
    return trajectory.digest()


@pytest.mark.parametrize(
    "changes",
    [
        {"observation": np.array([0.5, np.nextafter(np.float32(1), np.float32(2))], np.float32)},
        {"observation": np.array([0.5, 1.0], np.float64)},
        {"observation": np.array([[0.5, 1.0]], np.float32)},
        {"reward": np.nextafter(0.25, 1)},
        {"terminated": True},
        {"truncated": True},
        {"mask": ~MASK},
        {"info": {"winner": "none", "turn": 4}},
        {"info": {"winner": "none", "turn": 3.0}},
        {"info": {"winner": None, "turn": 3}},
        {"info": {"winner": "none"}},
        {"info": {"winner": "none", "turn": 3, "more": []}},
        {"info": {"winner": "none", "turn": [3]}},
    ],
    ids=str,
)
def test_what_a_player_can_tell_apart_changes_the_hash(changes: dict[str, Any]) -> None:
    assert digest(**changes) != digest()


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"info": {"turn": 3, "winner": "none"}},
        {"info": {"turn": np.int32(3), "winner": np.str_("none")}},
        {"reward": np.float64(0.25), "terminated": np.False_},
        {"observation": np.array([0.5, 9.0, 1.0], np.float32)[::2]},
    ],
    ids=str,
)
def test_what_means_the_same_does_not(changes: dict[str, Any]) -> None:
    assert digest(**changes) == digest()


def test_texts_in_a_list_cannot_run_together() -> None:
    assert digest(info={"names": ["a;sb", "c"]}) != digest(info={"names": ["a", "b;sc"]})
    assert digest(info={"names": ["ab", "c"]}) != digest(info={"names": ["a", "bc"]})


def test_an_array_of_objects_counts_by_its_values() -> None:
    def objects(reason: str) -> np.ndarray[Any, Any]:
        return np.array(["".join(reason), None], dtype=object)

    assert digest(info={"reason": objects("wall")}) == digest(info={"reason": objects("wall")})
    assert digest(info={"reason": objects("wall")}) != digest(info={"reason": objects("body")})


def test_what_has_no_lasting_value_is_refused() -> None:
    with pytest.raises(TypeError, match=r"cannot hold a object\nhint: "):
        digest(info={"board": object()})


class CountDown:
    """A game of as many steps as its seed says, then one step more each time; its mask moves on."""

    def __init__(self) -> None:
        self.length = 0
        self.left = 0

    @property
    def unwrapped(self) -> CountDown:
        return self

    def reset(self, seed: int | None = None) -> tuple[Any, dict[str, Any]]:
        self.length = self.length + 1 if seed is None else seed
        self.left = self.length
        return np.array([self.left], np.float32), {"left": self.left}

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        assert self.action_masks()[action]
        self.left -= 1
        info = {"left": self.left, "action": action} if action else {"left": self.left}
        return np.array([self.left], np.float32), float(action), self.left == 0, False, info

    def action_masks(self) -> Any:
        return np.arange(3) != self.left % 3


class CountDowns:
    """Several of them at once, in Gymnasium's manner with a reset in the step after an end."""

    num_envs = 3

    def __init__(self) -> None:
        self.games = [CountDown() for _ in range(3)]
        self.ended = [False] * 3

    @property
    def unwrapped(self) -> CountDowns:
        return self

    def reset(self, seed: int) -> tuple[Any, dict[str, Any]]:
        answers = [game.reset(seed + row) for row, game in enumerate(self.games)]
        return np.array([observation for observation, _ in answers]), together([info for _, info in answers])

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        answers = []
        for row, game in enumerate(self.games):
            if self.ended[row]:
                observation, info = game.reset()
                answers.append((observation, 0.0, False, False, info))
            else:
                answers.append(game.step(int(actions[row])))
        self.ended = [answer[2] for answer in answers]
        parts = [np.array([answer[k] for answer in answers]) for k in range(4)]
        return parts[0], parts[1], parts[2], parts[3], together([answer[4] for answer in answers])

    def action_masks(self) -> Any:
        return np.array([game.action_masks() for game in self.games])


def together(infos: list[dict[str, Any]]) -> dict[str, Any]:
    keys = {key for info in infos for key in info}
    arrays = {key: np.array([info.get(key, 0) for info in infos]) for key in keys}
    return arrays | {f"_{key}": np.array([key in info for info in infos]) for key in keys}


def test_played_plays_the_episodes_it_was_asked_for() -> None:
    trajectory = played(CountDown(), seed=2, episodes=3)
    assert (trajectory.episodes, trajectory.steps) == (3, 2 + 3 + 4)


def test_played_stops_after_the_most_steps() -> None:
    assert played(CountDown(), seed=2, episodes=3, most_steps=4).steps == 4


def test_each_row_of_a_batch_is_a_game_played_alone() -> None:
    rows = played_rows(CountDowns(), seed=2, episodes=3)
    alone = [played(CountDown(), seed=seed, episodes=3) for seed in (2, 3, 4)]
    assert [row.steps for row in rows] == [game.steps for game in alone]
    assert [row.digest() for row in rows] == [game.digest() for game in alone]
    assert len({row.digest() for row in rows}) == 3


def test_the_information_of_one_row() -> None:
    infos = together([{"length": 3}, {"length": 4, "reason": 1}])
    assert row_info(infos, 0) == {"length": 3}
    assert row_info(infos, 1) == {"length": 4, "reason": 1}
