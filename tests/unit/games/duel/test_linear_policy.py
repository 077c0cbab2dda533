"""The small agent: valid actions by their chance, and weights that follow the rewards."""

from __future__ import annotations

import numpy as np
import pytest

from goldsplit.games.dice import Dice
from goldsplit.games.duel.linear_policy import Decision, LinearPolicy, discounted

SEEN = np.array([1.0, 0.5], np.float32)
MASK = np.array([True, False, True] + [False] * 6)


def chosen(policy: LinearPolicy, mask: np.ndarray, times: int) -> np.ndarray:
    dice = Dice(1)
    actions = [policy.select_action(SEEN, mask, dice) for _ in range(times)]
    return np.bincount(actions, minlength=9) / times


def test_only_valid_actions_are_chosen_at_first_evenly() -> None:
    shares = chosen(LinearPolicy(2), MASK, 2000)
    assert shares[~MASK].sum() == 0
    assert shares[0] == pytest.approx(0.5, abs=0.05)


def test_chances_follow_the_weights() -> None:
    policy = LinearPolicy(2)
    policy.weights[2] = [1.0, 2.0]
    shares = chosen(policy, MASK, 4000)
    assert shares[2] / shares[0] == pytest.approx(np.exp(2.0), rel=0.2)


def test_what_was_followed_by_reward_is_done_more_often() -> None:
    policy = LinearPolicy(2)
    good, bad = (Decision(SEEN, MASK, action, reward) for action, reward in ((0, 1.0), (2, -1.0)))
    for _ in range(20):
        policy.update([[good], [bad]])
    assert chosen(policy, MASK, 500)[0] > 0.95
    assert (policy.weights[~MASK] == 0).all()  # what was not valid is not learnt about


def test_equal_rewards_teach_nothing() -> None:
    policy = LinearPolicy(2)
    policy.update([[Decision(SEEN, MASK, 0, 1.0)], [Decision(SEEN, MASK, 2, 1.0)]])
    assert (policy.weights == 0).all()


def test_later_rewards_count_less() -> None:
    assert discounted([1.0, 0.0, 4.0]).tolist() == [2.0, 2.0, 4.0]
