"""The lists of returns that tell us what is added."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

import goldsplit
from goldsplit.model.stage import EVAL
from goldsplit.record.inside.engine import ThreadState
from goldsplit.record.inside.hooks.libraries import episode_statistics
from goldsplit.record.inside.hooks.libraries.episode_statistics import ToldList, ToldQueue
from goldsplit.record.inside.span_wrapping import staged


@pytest.mark.parametrize("told", [ToldQueue([1.0, 2.0], 5), ToldList([1.0, 2.0])])
def test_pickles_and_copies_have_nothing_of_ours(told: Any) -> None:
    plain = type(told).__mro__[1]
    for again in (pickle.loads(pickle.dumps(told)), copy.deepcopy(told)):
        assert type(again) is plain
        assert again == told
        assert getattr(again, "maxlen", 5) == 5
    assert b"goldsplit" not in pickle.dumps(told)
    assert repr(told) == repr(copy.deepcopy(told))


@pytest.fixture
def told(state: ThreadState, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, float]]:
    found: list[tuple[str, float]] = []
    monkeypatch.setattr(episode_statistics, "metric", lambda name, value: found.append((name, value)))
    return found


def ended(queue: Any, terminated: bool, truncated: bool, info: dict[str, Any]) -> None:
    """As the `step` of a wrapper ends an episode."""
    queue.append(3.0)


def test_the_step_that_ends_an_episode_says_how(told: list[tuple[str, float]]) -> None:
    ended(ToldQueue([], 5), True, True, {"is_success": True})
    ended(ToldList(), False, True, {"is_success": 0})
    ended(ToldList(), True, False, {})
    assert told == [
        ("episode_return", 3.0), ("episode_end:terminated", 1), ("episode_success", True),
        ("monitor_return", 3.0), ("monitor_end:truncated", 1), ("monitor_success", False),
        ("monitor_return", 3.0), ("monitor_end:terminated", 1),
    ]  # fmt: skip


def test_environments_of_a_vector_end_one_by_one(told: list[tuple[str, float]]) -> None:
    def step(queue: Any, terminations: Any, truncations: Any, infos: Any) -> None:
        dones = [one or other for one, other in zip(terminations, truncations, strict=True)]
        queue.extend([value for value, done in zip([1.0, 2.0, 3.0], dones, strict=True) if done])

    won = {"is_success": [True, False, False], "_is_success": [True, False, True]}
    step(ToldQueue([], 5), [True, False, False], [False, False, True], won)
    step(ToldQueue([], 5), [False, True, False], [False, False, False], {"final_info": won})
    assert told == [
        ("episode_return", 1.0), ("episode_return", 3.0),
        ("episode_end:terminated", 1), ("episode_success", True),
        ("episode_end:truncated", 1), ("episode_success", False),
        ("episode_return", 2.0), ("episode_end:terminated", 1),
    ]  # fmt: skip


def test_evaluations_and_other_callers_say_nothing(told: list[tuple[str, float]]) -> None:
    staged(ended, EVAL)(ToldList(), True, False, {})
    assert told == []
    ToldList().append(1.0)
    ToldQueue([], 5).extend([2.0])
    assert told == [("monitor_return", 1.0), ("episode_return", 2.0)]
    assert goldsplit.metric is not episode_statistics.metric
