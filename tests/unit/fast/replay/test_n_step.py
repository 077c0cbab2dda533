"""n-step transitions against their plain twin, episode borders included."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goldsplit.fast.replay import Field, NStep, PrioritizedReplay, UniformReplay, reference

FIELDS = {
    "obs": Field((2,), np.float64),
    "action": Field((), np.int64),
    "reward": Field((), np.float64),
    "next_obs": Field((2,), np.float64),
    "terminated": Field((), np.bool_),
    "discount": Field((), np.float64),
}
ENDS = st.sampled_from(["", "", "", "terminated", "truncated"])


def steps_of(lane: int, ends: list[str]) -> list[dict[str, Any]]:
    return [
        {
            "obs": np.array([lane, time], np.float64),
            "action": time,
            "reward": float(2**time % 97 + lane),
            "next_obs": np.array([lane, time + 0.5]),
            "terminated": end == "terminated",
            "truncated": end == "truncated",
        }
        for time, end in enumerate(ends)
    ]


def rows_of(buffer: UniformReplay) -> list[dict[str, Any]]:
    return [{name: buffer[name][i] for name in FIELDS} for i in range(len(buffer))]


@settings(max_examples=60)
@given(st.integers(1, 5), st.lists(st.lists(ENDS, min_size=3, max_size=3), min_size=1, max_size=20))
def test_every_lane_equals_the_plain_twin(n: int, ends: list[list[str]]) -> None:
    buffer = UniformReplay(500, FIELDS, seed=0)
    steps = NStep(buffer, n, 0.9, lanes=3)
    lanes = [steps_of(lane, [row[lane] for row in ends]) for lane in range(3)]
    for time in range(len(ends)):
        now = [lane[time] for lane in lanes]
        steps.extend(**{name: np.stack([step[name] for step in now]) for name in now[0]})
    stored = rows_of(buffer)
    for lane in range(3):
        mine = [row for row in stored if row["obs"][0] == lane]
        expected = reference.n_step(lanes[lane], n, 0.9)
        assert len(mine) == len(expected)
        for row, wanted in zip(mine, expected, strict=True):
            for name in FIELDS:
                assert np.allclose(row[name], wanted[name]), name


def test_add_closes_the_window_that_is_full_and_returns_its_slot() -> None:
    buffer = PrioritizedReplay(50, FIELDS, seed=0)
    steps = NStep(buffer, 3, 0.5)
    slots = [steps.add(**step).tolist() for step in steps_of(0, ["", "", "", "", "terminated"])]
    assert slots == [[], [], [0], [1], [2, 3, 4]]
    assert buffer["reward"].tolist() == [1 + 1 + 1, 2 + 2 + 2, 4 + 4 + 4, 8 + 8, 16]
    assert buffer["discount"].tolist() == [0.125, 0.125, 0.125, 0.25, 0.5]
    assert buffer["terminated"].tolist() == [False, False, True, True, True]
    assert buffer["next_obs"][:, 1].tolist() == [2.5, 3.5, 4.5, 4.5, 4.5]


def test_a_truncated_episode_is_bootstrapped_from_its_own_last_observation() -> None:
    buffer = UniformReplay(50, FIELDS, seed=0)
    steps = NStep(buffer, 4, 0.5)
    for step in steps_of(0, ["", "truncated"]):
        steps.add(**step)
    assert buffer["terminated"].tolist() == [False, False]
    assert buffer["discount"].tolist() == [0.25, 0.5]
    assert buffer["next_obs"][:, 1].tolist() == [1.5, 1.5]


def test_dropped_windows_do_not_reach_over_a_reset() -> None:
    buffer = UniformReplay(50, FIELDS, seed=0)
    steps = NStep(buffer, 2, 1.0)
    first, second, third = steps_of(0, ["", "", ""])
    steps.add(**first)
    steps.drop_open_windows()
    steps.add(**second)
    steps.add(**third)
    assert buffer["action"].tolist() == [1]


def test_wrong_use_is_refused() -> None:
    buffer = UniformReplay(50, FIELDS, seed=0)
    with pytest.raises(ValueError, match=r"need the fields \['discount'\]"):
        NStep(UniformReplay(5, {name: FIELDS[name] for name in ("reward", "terminated")}), 2, 0.9)
    with pytest.raises(ValueError, match="n and lanes must be at least 1, got n=0"):
        NStep(buffer, 0, 0.9)
    with pytest.raises(ValueError, match=r"gamma must be above 0 and at most 1, got 1\.5"):
        NStep(buffer, 2, 1.5)
    step = steps_of(0, [""])[0]
    with pytest.raises(ValueError, match="one step of one lane, this has 2"):
        NStep(buffer, 2, 0.9, lanes=2).add(**step)
    with pytest.raises(ValueError, match="'obs' has 1 rows, one for each of 2 lanes expected"):
        NStep(buffer, 2, 0.9, lanes=2).extend(
            **{name: np.asarray(value)[None] for name, value in step.items()}
        )
    with pytest.raises(TypeError, match=r"missing \['truncated'\]"):
        NStep(buffer, 2, 0.9).add(**{name: value for name, value in step.items() if name != "truncated"})
