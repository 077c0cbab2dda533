"""Battles side by side: the same results whatever plays them."""

from __future__ import annotations

import numpy as np
import pytest

from goldsplit.games.duel import server_process
from goldsplit.games.duel.errors import DuelError, ServerLostError
from goldsplit.games.duel.formulas import compiled
from goldsplit.games.duel.league import League, Result
from goldsplit.games.duel.linear_policy import LinearPolicy

FEATURES = compiled()[1]


def played(twin: str, threads: int, battles: int = 7) -> list[Result]:
    with League(twin, threads) as league:
        return league.play(range(battles), LinearPolicy(FEATURES), seed=40)


def digests(results: list[Result]) -> list[tuple[int, str]]:
    return [(result.battle, result.digest) for result in results]


def test_battles_in_parallel_go_as_one_after_another() -> None:
    alone = played("plain", threads=1)
    assert digests(played("plain", threads=4)) == digests(alone)
    assert digests(played("fast", threads=3)) == digests(alone)
    assert digests(played("batch", threads=3)) == digests(alone)  # the last has two spare rows
    assert len(set(digests(alone))) == 7
    for result in alone:
        assert result.reason == "knockout"
        assert result.turns <= len(result.decisions)


def test_twins_learn_alike() -> None:
    """Weights come from observations, masks, actions and rewards: all of them are equal to the last bit."""
    weights = []
    for twin in ("plain", "fast", "batch"):
        policy = LinearPolicy(FEATURES)
        with League(twin, 2) as league:
            for first in (0, 4):
                results = league.play(range(first, first + 4), policy, seed=3)
                policy.update([result.decisions for result in results])
        weights.append(policy.weights)
    assert np.abs(weights[0]).max() > 0
    assert weights[0].tobytes() == weights[1].tobytes() == weights[2].tobytes()


@pytest.mark.parametrize("twin", ["plain", "fast", "batch"])
def test_a_lost_server_ends_the_play_with_a_hint(twin: str) -> None:
    policy = Sabotage(FEATURES)
    with League(twin, 2) as league, pytest.raises(ServerLostError, match="hint: call reset"):
        league.play(range(50), policy)


class Sabotage(LinearPolicy):
    """Ends the server before each decision."""

    def select_action(self, *seen: object) -> int:
        server = server_process.running()
        if server is not None:
            server.end()
        return 0


def test_what_cannot_be_played_is_refused() -> None:
    with pytest.raises(DuelError, match=r"no quick twin\nhint: one of plain, fast, batch"):
        League("quick")
    with pytest.raises(DuelError, match="hint: 1 or more"):
        League("fast", 0)
