"""The observation alone: what `benchmarks/games.py` measures."""

from __future__ import annotations

import time

import pytest

from goldsplit.games.duel.measuring import fixed_battle, observation_path


def seconds_each(kind: str, times: int) -> float:
    observe = observation_path(kind)
    observe()
    began = time.process_time()
    for _ in range(times):
        observe()
    return (time.process_time() - began) / times


def test_the_fixed_state_is_in_the_middle_of_a_battle() -> None:
    battle = fixed_battle()
    assert not battle.terminated
    assert sum(one.seen for one in battle.teams[1].members) >= 1
    assert battle.teams[0].hp() < battle.teams[0].most_hp


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="hint: plain or fast"):
        observation_path("quick")


@pytest.mark.alone
def test_the_fast_observation_takes_a_third_at_most() -> None:
    assert seconds_each("plain", 20) >= 3.0 * seconds_each("fast", 200)
