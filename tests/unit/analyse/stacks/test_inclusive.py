"""Functions with all that they call: shares, intervals, who is inside whom."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldsplit.analyse.stacks.frame_stages import Classified
from goldsplit.analyse.stacks.inclusive import function_costs
from goldsplit.analyse.stacks.samples import Sampled
from goldsplit.analyse.wall.account import Weight
from goldsplit.model.recording import Frame, NativeThread, ProcessId

GAME = "/home/me/game.py"
MAIN, TURN, REACH = (Frame(name, GAME, line) for name, line in (("main", 9), ("turn", 20), ("reach", 40)))
REACH_LATER = Frame("reach", GAME, 44)
NUMPY = Frame("zeros", "/venv/lib/python3.11/site-packages/numpy/core.py", 3)
FRAMES = [MAIN, TURN, REACH, REACH_LATER, NUMPY]


def weight(stage: str | None, count: int, *frames: int) -> Weight:
    row = Sampled(NativeThread(ProcessId(1), 1), frames, count, Classified(stage, False, False))
    return Weight(row, stage, 1.0, count)


def test_a_function_has_all_that_it_calls_in_all_its_stages() -> None:
    seen = [(weight("env.step", 30, 0, 1, 2), 0.3), (weight("act", 20, 0, 2, 4), 0.2)]
    costs = {one.place.function: one for one in function_costs(seen, FRAMES)}
    assert costs["main"].share == pytest.approx(0.5)
    assert costs["main"].self_share == 0.0
    assert costs["turn"].stages == {"env.step": 0.3}
    reach = costs["reach"]
    assert reach.stages == {"env.step": 0.3, "act": 0.2}
    assert reach.library_share == pytest.approx(0.2)
    assert reach.within == {f"{GAME}:main": 0.5, f"{GAME}:turn": 0.3}
    assert reach.callers == {f"{GAME}:turn": 0.3, f"{GAME}:main": 0.2}
    assert reach.samples == 50


def test_recursion_counts_once() -> None:
    (reach,) = function_costs([(weight("env.step", 10, 2, 3, 2), 0.4)], FRAMES)
    assert reach.share == pytest.approx(0.4)
    assert reach.within == {}


def test_the_hottest_line_is_its_place() -> None:
    seen = [(weight("env.step", 8, 2), 0.1), (weight("env.step", 16, 3), 0.2)]
    (reach,) = function_costs(seen, FRAMES)
    assert reach.place.line == 44
    assert reach.lines == {44: pytest.approx(0.2), 40: pytest.approx(0.1)}
    assert reach.own_lines == reach.lines


def test_a_line_has_all_that_is_called_on_it() -> None:
    seen = [(weight("env.step", 8, 1, 2), 0.1), (weight("env.step", 8, 1, 3), 0.1)]
    turn = next(one for one in function_costs(seen, FRAMES) if one.place.function == "turn")
    assert turn.lines == {20: pytest.approx(0.2)}
    assert turn.own_lines == {}
    assert turn.self_share == 0.0


def test_nothing_is_named_on_seven_samples() -> None:
    assert function_costs([(weight("env.step", 7, 1), 0.9)], FRAMES) == []


def test_fewer_samples_leave_a_wider_interval() -> None:
    few, many = (
        function_costs([(weight("env.step", n, 0, 1), 0.2), (weight("env.step", n, 0), 0.2)], FRAMES)[1]
        for n in (10, 1000)
    )
    assert few.share_low < many.share_low < 0.2 < many.share_high < few.share_high
    assert few.share_high <= 0.4


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["env.step", "act", None]),
            st.integers(8, 60),
            st.lists(st.integers(0, 4), min_size=1, max_size=5),
        ),
        min_size=1,
        max_size=12,
    )
)
def test_no_function_has_more_than_the_run(stacks: list[tuple[str | None, int, list[int]]]) -> None:
    total = sum(count for _, count, _ in stacks)
    seen = [(weight(stage, count, *frames), count / total) for stage, count, frames in stacks]
    for one in function_costs(seen, FRAMES):
        assert 0.0 <= one.self_share <= one.share <= 1.0
        assert one.share_low <= one.share <= one.share_high <= 1.0
        assert sum(one.stages.values()) == pytest.approx(one.share)
        assert all(both <= one.share + 1e-9 for both in one.within.values())


def test_checks_of_distributions_are_told_apart() -> None:
    """What torch checks for the innermost of the user's functions; not the rest of making a distribution."""
    torch = "/venv/lib/python3.11/site-packages/torch/distributions"
    make = Frame("Categorical.__init__", f"{torch}/categorical.py", 70)
    base = Frame("Distribution.__init__", f"{torch}/distribution.py", 60)
    asked = Frame("Distribution._validate_sample", f"{torch}/distribution.py", 300)
    frames = [MAIN, REACH, make, base, asked]
    seen = [
        (weight("act", 20, 0, 1, 2), 0.2),
        (weight("act", 10, 0, 1, 2, 3), 0.1),
        (weight("learn.loss", 5, 0, 1, 4), 0.05),
        (weight("env.step", 30, 0, 1), 0.3),
    ]
    costs = {one.place.function: one for one in function_costs(seen, frames)}
    reach = costs["reach"]
    assert reach.checks == {"act": pytest.approx(0.1), "learn.loss": pytest.approx(0.05)}
    assert reach.checks_samples == 15
    assert reach.checks_low < 0.15 < reach.checks_high
    assert (costs["main"].checks, costs["main"].checks_samples) == ({}, 0)
