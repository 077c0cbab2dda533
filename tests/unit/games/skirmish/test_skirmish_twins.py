"""The three twins of Skirmish play alike: equal hashes of whole games, whoever opposes."""

from __future__ import annotations

from collections import Counter
from typing import Any

import gymnasium
import numpy as np
import pytest
from tests.unit.games.skirmish.playing import BATCH, FAST, PLAIN, Stubborn, aggressive

from goldsplit.games.skirmish.game_terms import REASONS
from goldsplit.games.skirmish.scenario_file import names
from goldsplit.games.trajectory import played, played_rows

each_scenario = pytest.mark.parametrize("scenario", names())


def equal_games(scenario: str, seed: int, episodes: int) -> None:
    plain, fast = (
        played(gymnasium.make(twin, scenario=scenario), seed=seed, episodes=episodes)
        for twin in (PLAIN, FAST)
    )
    assert (plain.episodes, plain.steps) == (episodes, fast.steps)
    assert plain.digest() == fast.digest()


@pytest.mark.slow
@each_scenario
def test_plain_and_fast_games_have_equal_hashes(scenario: str) -> None:
    equal_games(scenario, seed=11, episodes=20)


@pytest.mark.thousand
@each_scenario
def test_a_thousand_games_have_equal_hashes(scenario: str) -> None:
    equal_games(scenario, seed=12, episodes=1000)


@each_scenario
def test_rows_of_the_batch_are_games_played_alone(scenario: str) -> None:
    alone = [
        played(gymnasium.make(FAST, scenario=scenario), seed=21 + row, episodes=10).digest()
        for row in range(5)
    ]
    batch = gymnasium.make_vec(BATCH, num_envs=5, scenario=scenario)
    assert [row.digest() for row in played_rows(batch, seed=21, episodes=10)] == alone


def same(slow: Any, quick: Any) -> None:
    """Two answers of `step` or `reset`."""
    assert slow[0].dtype == quick[0].dtype == np.float32
    assert np.array_equal(slow[0], quick[0]), np.flatnonzero(slow[0] != quick[0])
    assert slow[1:] == quick[1:]


@pytest.mark.slow
@each_scenario
def test_the_twins_agree_on_games_that_are_fought_out(scenario: str) -> None:
    """A player that attacks sees deaths, charges and fights that random moves seldom lead to."""
    plain, fast = (gymnasium.make(twin, scenario=scenario).unwrapped for twin in (PLAIN, FAST))
    deaths = fights = 0
    for seed in range(4):
        same(plain.reset(seed=seed), fast.reset(seed=seed))
        ended = False
        for turn in range(1000):
            mask = fast.action_masks()
            assert np.array_equal(plain.action_masks(), mask)
            action = int(aggressive(mask[None], turn)[0])
            slow, quick = plain.step(action), fast.step(action)
            same(slow, quick)
            fights += quick[4]["phase"] == "fight"
            ended = quick[2]
            if ended:
                break
        assert ended
        deaths += quick[4]["kills"] + quick[4]["losses"]
    assert deaths > 0
    assert fights > 0


def test_the_twins_agree_when_the_opponent_comes_from_outside() -> None:
    plain, fast = (gymnasium.make(twin).unwrapped for twin in (PLAIN, FAST))
    policies = Stubborn(), Stubborn()
    plain.set_opponent(policies[0])
    fast.set_opponent(policies[1])
    first, second = played(plain, seed=31, episodes=4), played(fast, seed=31, episodes=4)
    assert first.digest() == second.digest()
    assert np.array_equal(np.array(policies[0].seen), np.array(policies[1].seen))
    assert len(policies[0].seen) > 20


def test_rows_of_the_batch_agree_when_the_opponent_comes_from_outside() -> None:
    fast, batch = gymnasium.make(FAST).unwrapped, gymnasium.make_vec(BATCH, num_envs=6)
    fast.set_opponent(Stubborn())
    batch.unwrapped.set_opponent(Stubborn())
    alone = [played(fast, seed=41 + row, episodes=4).digest() for row in range(6)]
    assert [row.digest() for row in played_rows(batch, seed=41, episodes=4)] == alone


def test_the_bot_is_back_when_the_opponent_is_taken_away() -> None:
    used, fresh = (gymnasium.make(FAST).unwrapped for _ in range(2))
    used.set_opponent(Stubborn())
    with_policy = played(used, seed=51, episodes=2).digest()
    used.set_opponent(None)
    assert played(used, seed=51, episodes=2).digest() == played(fresh, seed=51, episodes=2).digest()
    assert with_policy != played(fresh, seed=51, episodes=2).digest()


def test_games_end_for_every_reason_and_have_a_sensible_length() -> None:
    batch = gymnasium.make_vec(BATCH, num_envs=128)
    batch.reset(seed=1)
    reasons: Counter[str] = Counter()
    lengths: list[int] = []
    for turn in range(300):
        masks = batch.unwrapped.action_masks()
        assert masks[:, -1].all()
        _, _, terminated, truncated, infos = batch.step(aggressive(masks, turn))
        assert not truncated.any()
        reasons.update(infos["reason"][terminated].tolist())
        lengths += infos["steps"][terminated].tolist()
    assert set(reasons) == set(REASONS) - {""}
    assert 40 <= np.median(lengths) <= 150
