"""The twins of Retro on the real emulator: equal answers bit for bit, rules, and calls that are refused."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from tests.unit.games.retro import walk

import goldsplit.games  # noqa: F401 - registers the ids
from goldsplit.errors import GoldsplitError
from goldsplit.games.retro import retro_rules as rules
from goldsplit.games.trajectory import Trajectory, played, played_rows

pytest.importorskip("ale_py")
pytestmark = pytest.mark.needs_torch

PLAIN, FAST, BATCH = (f"goldsplit/Retro-{twin}-v0" for twin in ("plain", "fast", "batch"))


@pytest.fixture(params=[PLAIN, FAST], ids=["plain", "fast"])
def twin(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def made(twin: str, **options: Any) -> Any:
    return gymnasium.make(twin, **options).unwrapped


def test_twenty_episodes_have_equal_hashes() -> None:
    plain, fast = (played(made(twin, max_steps=60), seed=11, episodes=20) for twin in (PLAIN, FAST))
    assert (plain.episodes, plain.steps) == (fast.episodes, fast.steps) == (20, plain.steps)
    assert plain.digest() == fast.digest()


def test_a_whole_game_has_equal_hashes() -> None:
    """Without the limit of steps: until no life is left."""
    plain, fast = (played(made(twin, max_steps=5000), seed=5, episodes=1) for twin in (PLAIN, FAST))
    assert 60 < plain.steps < 5000
    assert plain.digest() == fast.digest()


@pytest.mark.thousand
def test_a_thousand_episodes_have_equal_hashes() -> None:
    plain, fast = (played(made(twin, max_steps=60), seed=12, episodes=1000) for twin in (PLAIN, FAST))
    assert plain.episodes == 1000
    assert plain.digest() == fast.digest()


def test_rows_of_the_batch_are_games_played_alone() -> None:
    alone = [played(made(FAST, max_steps=50), seed=21 + row, episodes=5).digest() for row in range(3)]
    rows = played_rows(gymnasium.make_vec(BATCH, num_envs=3, max_steps=50), seed=21, episodes=5)
    assert [row.digest() for row in rows] == alone
    assert len(set(alone)) == 3


def test_an_episode_starts_with_one_picture_four_times(twin: str) -> None:
    observation, info = made(twin).reset(seed=3)
    assert observation.shape == (4, 80, 80)
    assert all(np.array_equal(observation[0], picture) for picture in observation)
    assert len(np.unique(observation)) > 3
    assert (info["lives"], info["score"], info["room"], info["steps"]) == (5, 0, 1, 0)
    assert info["end_reason"] == ""
    assert info["facts"].shape == (len(rules.FACTS),)
    assert not info["critics"].any()


def test_the_reward_is_what_the_critics_pay(twin: str) -> None:
    game = made(twin)
    game.reset(seed=1)
    rewards, paid = [], []
    for action in [5] * 30 + [3] * 30:
        _, reward, _, _, info = game.step(action)
        rewards.append(reward)
        paid.append(sum(info["critics"].tolist()))
    assert rewards == paid
    assert sum(reward > 0 for reward in rewards) >= 2  # down the ladder there are new cells


def test_a_player_who_knows_the_way_is_paid_by_all_critics_but_one(twin: str) -> None:
    game = made(twin)
    game.reset(seed=walk.SEED)
    events = {}
    for number, action in enumerate(walk.actions(), start=1):
        _, _, terminated, _, info = game.step(action)
        assert not terminated
        paid = dict(zip(rules.CRITICS, info["critics"].tolist(), strict=True))
        if paid["score"] or paid["items"] or paid["room"]:
            events[number] = {name: amount for name, amount in paid.items() if amount}
    assert events == {
        93: {"score": 1.0, "items": 0.5},  # the key: 100 points
        233: {"score": 3.0, "items": -0.1},  # the door: 300 points, and the key is gone
        242: {"room": 1.0, "cell": 0.02},
    }
    assert (info["score"], info["room"], info["lives"]) == (400, 0, 5)


def test_the_twins_see_the_same_all_the_way_into_the_next_room() -> None:
    plain, fast = made(PLAIN), made(FAST)
    plain.reset(seed=walk.SEED)
    fast.reset(seed=walk.SEED)
    hashes = Trajectory(), Trajectory()
    for action in [*walk.actions(), *[3] * 30]:
        for game, trajectory in zip((plain, fast), hashes, strict=True):
            trajectory.stepped(game.step(action), game.action_masks())
        assert hashes[0].digest() == hashes[1].digest()


def test_pictures_move_through_the_stack(twin: str) -> None:
    game = made(twin)
    before, _ = game.reset(seed=1)
    for _ in range(8):
        after = game.step(5)[0]
        assert np.array_equal(after[:-1], before[1:])
        before = after
    assert not np.array_equal(after[0], after[-1])


def test_time_truncates(twin: str) -> None:
    game = made(twin, max_steps=3)
    game.reset(seed=1)
    ends = [game.step(0)[2:] for _ in range(3)]
    assert [end[:2] for end in ends] == [(False, False), (False, False), (False, True)]
    assert [end[2]["end_reason"] for end in ends] == ["", "", "time"]


def test_the_last_life_terminates(twin: str) -> None:
    """The player walks off the ledge again and again."""
    game = made(twin)
    game.reset(seed=1)
    lives, terminated = [5], False
    while not terminated:
        _, _, terminated, truncated, info = game.step(3)
        assert not truncated
        lives.append(info["lives"])
        if lives[-1] < lives[-2]:
            assert info["critics"][rules.CRITICS.index("lives")] == rules.LIFE_LOST
    assert info["end_reason"] == "lives"
    assert sorted(set(lives)) == [0, 1, 2, 3, 4, 5]


def test_a_step_without_a_game_is_refused(twin: str) -> None:
    game = made(twin, max_steps=1)
    for _ in range(2):
        with pytest.raises(rules.RetroError, match=r"no game to play in\nhint: call reset"):
            game.step(0)
        game.reset(seed=1)
        game.step(0)


@pytest.mark.parametrize("action", [-1, 18])
def test_an_action_that_does_not_exist_is_refused(twin: str, action: int) -> None:
    game = made(twin)
    game.reset(seed=1)
    with pytest.raises(GoldsplitError, match=rf"no action {action}\nhint: .* from 0 to 17"):
        game.step(action)


def test_a_limit_of_nothing_is_refused(twin: str) -> None:
    with pytest.raises(rules.RetroError, match=r"max_steps is 0\nhint: "):
        made(twin, max_steps=0)


def test_games_that_were_never_seeded_differ(twin: str) -> None:
    """30 starts: eight games that all draw the same one are no chance."""
    game = [made(twin).reset() for _ in range(8)]
    assert len({info["facts"].tobytes() + seen.tobytes() for seen, info in game}) > 1
