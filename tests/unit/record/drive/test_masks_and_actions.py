"""Where masks are found, and that only valid actions are chosen."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.spaces import Box, Dict, Discrete, MultiBinary, MultiDiscrete

from goldsplit.record.drive.action_groups import Agents, Batch, batch_size, find_agent_masks, find_batch_mask
from goldsplit.record.drive.actions import Listed, Sampled, find_actions, zero_of
from goldsplit.record.drive.masks import MaskSource, find_mask, settle, valid_actions, valid_places
from goldsplit.record.drive.problem import DriveError


class Bare:
    """A plain class, given whatever attributes a test needs."""

    def __init__(self, **attributes: Any) -> None:
        vars(self).update(attributes)


class Masked(gymnasium.Env[Any, Any]):
    action_space = Discrete(4)
    observation_space = Box(0, 1, (1,))

    def reset(self, **_: Any) -> tuple[Any, dict[str, Any]]:
        return np.zeros(1), {}

    def action_masks(self) -> Any:
        return np.array([False, True, True, False])


def valid(
    env: Any, observation: Any = None, info: Any = None, hook: Any = None, size: int | None = None
) -> Any:
    source = find_mask(env, observation, info or {}, hook)
    assert source is not None
    given = source.read(observation, info or {})
    return valid_actions(given, settle(source, given, size))


@pytest.mark.parametrize(
    ("env", "expected"),
    [
        (Bare(action_masks=lambda: np.array([0, 1, 1], np.int8)), [1, 2]),
        (Bare(action_mask=lambda: [True, False]), [0]),
        (Bare(action_mask=[1, 0, 1]), [0, 2]),
        (Bare(valid_actions=lambda: [3, 0]), [0, 3]),
        (Bare(legal_actions=lambda: np.array([2, 1])), [1, 2]),
        (Bare(legal_actions=lambda: np.array([False, True])), [1]),
        (Bare(valid_actions=lambda: [True, False, True]), [0, 2]),
        (Bare(legal_moves=lambda: {"e4", "d4"}), ["d4", "e4"]),
        (Bare(get_legal_actions=lambda: [("b", 1), ("a", 2)]), [("a", 2), ("b", 1)]),
        (gymnasium.wrappers.TimeLimit(Masked(), 5), [1, 2]),
    ],
)
def test_a_method_says_what_is_valid(env: Any, expected: list[Any]) -> None:
    assert valid(env) == expected


def test_masks_in_info_and_observation() -> None:
    assert valid(Bare(), {"action_mask": np.array([0, 1])}, {}) == [1]
    assert valid(Bare(), {"action_mask": [0, 1]}, {"action_mask": [1, 0]}) == [0], "the info goes first"
    assert find_mask(Bare(), np.zeros(3), {"other": 1}, None) is None


def test_a_method_that_needs_arguments_is_not_asked() -> None:
    assert find_mask(Bare(legal_actions=lambda player: [player]), None, {}, None) is None


def test_the_users_hook_goes_first_and_may_return_either() -> None:
    env = Bare(action_masks=lambda: [1, 1, 1])
    assert valid(env, hook=lambda _env: [0, 0, 1], size=3) == [2], "True or False for each of three actions"
    assert valid(env, hook=lambda _env: [0, 2], size=3) == [0, 2], "two actions out of three"
    assert valid(env, hook=lambda _env: np.array([True, False])) == [0]


MASK = MaskSource("action_masks()", lambda _o, _i: None, lists_actions=False)


def test_random_actions_are_valid_even_and_seeded() -> None:
    mask = np.array([0, 1, 0, 1, 1], np.int8)

    def draw(seed: int) -> list[Any]:
        actions = find_actions(Bare(action_space=Discrete(5)), MASK, mask, seed)
        return [actions.choose("random", mask) for _ in range(600)]

    counts = Counter(map(int, draw(0)))
    assert set(counts) == {1, 3, 4}
    assert min(counts.values()) > 150
    assert draw(1) == draw(1) != draw(2)
    assert all(type(action) is np.int64 for action in draw(3)), "as the space itself gives them"


def test_first_and_zero() -> None:
    actions = find_actions(Bare(n_actions=4), MASK, [0, 1, 1, 0], 0)
    assert actions.choose("first", [0, 1, 1, 0]) == 1
    assert actions.choose("zero", [1, 1, 1, 0]) == 0
    assert actions.choose("zero", [0, 1, 1, 0]) == 1, "zero is not valid, so the first one that is"
    assert actions.choose("first", None) == actions.choose("zero", None) == 0


def test_a_space_that_does_not_start_at_zero() -> None:
    actions = find_actions(Bare(action_space=Discrete(3, start=5)), MASK, None, 0)
    assert {int(actions.choose("random", None)) for _ in range(60)} == {5, 6, 7}
    assert actions.choose("first", [0, 0, 1]) == 7


@pytest.mark.parametrize("name", ["n_actions", "num_actions", "action_size"])
def test_a_plain_class_says_how_many_actions_there_are(name: str) -> None:
    actions = find_actions(Bare(**{name: 3}), None, None, 0)
    assert {actions.choose("random", None) for _ in range(60)} == {0, 1, 2}


def test_the_mask_or_a_list_says_it_too() -> None:
    assert find_actions(Bare(), MASK, [1, 1, 0], 0).choose("random", [0, 0, 1]) == 2
    assert find_actions(Bare(action_space=["up", "down"]), None, None, 0).choose("first", None) == "up"
    lists = MaskSource("legal_moves()", lambda _o, _i: None, lists_actions=True)
    assert find_actions(Bare(), lists, ["e4"], 0).choose("random", ["e4"]) == "e4"


def test_nothing_says_it() -> None:
    with pytest.raises(DriveError, match="Bare does not say which actions") as told:
        find_actions(Bare(), None, None, 0)
    assert "--policy package.module:function" in told.value.hint


def test_a_mask_that_allows_nothing_is_counted() -> None:
    actions = Listed(3, int, MASK, Random(0))
    assert actions.choose("random", [0, 0, 0]) in (0, 1, 2)
    assert actions.dead_ends == 1


def test_several_choices_are_masked_one_by_one() -> None:
    actions = Sampled(MultiDiscrete([2, 3]), 0)
    drawn = [actions.choose("random", np.array([0, 1, 1, 0, 1])) for _ in range(40)]
    assert {tuple(map(int, action)) for action in drawn} == {(1, 0), (1, 2)}
    assert all(actions.space.contains(action) for action in drawn)
    both = Sampled(MultiBinary(2), 0)
    assert both.choose("random", np.array([0, 1, 1, 0])).tolist() == [1, 0]


def test_any_other_space_is_sampled_with_the_seed() -> None:
    space = Dict({"move": Discrete(3), "aim": Box(1.0, 2.0, (2,))})

    def draw() -> Any:
        return Sampled(space, 7).choose("random", None)

    assert str(draw()) == str(draw())
    zero = zero_of(space)
    assert space.contains(zero)
    assert zero["aim"].tolist() == [1.0, 1.0], "zero moved into the bounds"


def test_a_batch_is_drawn_together() -> None:
    env = Bare(num_envs=3, n_actions=4)
    assert batch_size(env) == 3
    batch = Batch(env, 3, 0)
    assert batch.choose("random", None).shape == (3,)
    mask = np.array([[0, 1, 0, 0], [1, 0, 0, 1], [0, 0, 0, 0]])
    drawn = np.array([batch.choose("random", mask) for _ in range(80)])
    assert set(drawn[:, 0]) == {1}
    assert set(drawn[:, 1]) == {0, 3}
    assert len(set(drawn[:, 2])) == 4, "a row that allows nothing is an episode that is over"
    assert batch.choose("first", mask).tolist() == [1, 0, 0]
    with pytest.raises(DriveError, match="shape"):
        batch.choose("random", mask[:2])


def test_the_masks_of_a_batch_come_from_its_members() -> None:
    envs = gymnasium.vector.SyncVectorEnv([lambda: gymnasium.wrappers.TimeLimit(Masked(), 5)] * 2)
    observation, info = envs.reset(seed=0)
    source = find_batch_mask(envs, observation, info, None)
    assert source is not None
    assert set(Batch(envs, 2, 0).choose("random", source.read(observation, info))) <= {1, 2}
    envs.close()


def test_agents_have_their_own_masks() -> None:
    env = Bare(agents=["a", "b"], possible_agents=["a", "b"], action_space=lambda _agent: Discrete(3))
    observation = {"a": {"action_mask": [0, 0, 1]}, "b": {"action_mask": [1, 0, 0]}}
    source = find_agent_masks(observation, {})
    assert source is not None
    agents = Agents(env, 0)
    assert agents.choose("random", source.read(observation, {})) == {"a": 2, "b": 0}
    env.agents = ["b"]
    assert set(agents.choose("random", None)) == {"b"}


@pytest.mark.parametrize(
    "mask", [np.array([[False, True, True]]), [[False, True, True]], (np.array([0, 1, 1]),)]
)
def test_a_mask_with_one_row_is_flat(mask: object) -> None:
    assert valid_places(mask) == [1, 2]
