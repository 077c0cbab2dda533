"""On how much a finding rests, and how sure it may be."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from goldsplit.diagnose.certainty import SAMPLES, Grounds, grounded, most_confidence, samples_at
from goldsplit.diagnose.rule import function_in, line_in
from goldsplit.model.finding import Finding, Place
from goldsplit.model.profile import UserLine


def finding(where: Place | None, stage: str = "env.step", confidence: str = "high") -> Finding:
    return Finding("code", "title", where, stage, {"figure": 1}, 0.3, 1.4, confidence, "fix it", "goldsplit")


@pytest.mark.parametrize(
    ("grounds", "most"),
    [
        (Grounds(), "high"),
        (Grounds(samples=30, calls=30, spread=0.1, seconds=5.0), "high"),
        (Grounds(samples=29), "medium"),
        (Grounds(calls=3), "medium"),
        (Grounds(seconds=2.0), "medium"),
        (Grounds(spread=0.2), "medium"),
        (Grounds(samples=500, calls=500, spread=0.4, seconds=60.0), "low"),
    ],
)
def test_thin_grounds_allow_no_high_confidence(grounds: Grounds, most: str) -> None:
    assert most_confidence(grounds) == most


def test_no_place_is_named_on_a_handful_of_samples(make: SimpleNamespace) -> None:
    seldom, often = (
        UserLine(make.place(n, f"f{n}"), "env.step", 0.2, samples) for n, samples in ((1, 7), (2, 8))
    )
    assert line_in(make.profile({"env.step": 0.4}, user_lines=[seldom, often]), "env") == often.place
    assert line_in(make.profile({"env.step": 0.4}, user_lines=[seldom]), "env") is None


def test_a_function_needs_enough_samples_below_it(make: SimpleNamespace) -> None:
    def place(samples: int) -> Place | None:
        around = UserLine(make.place(1, "turn"), "env.opponent", 0.0, 0, with_callees=0.4)
        below = UserLine(make.place(2, "reach"), "env.opponent", 0.2, samples, with_callees=0.2)
        also = UserLine(make.place(3, "count"), "env.opponent", 0.2, samples, with_callees=0.2)
        return function_in(
            make.profile({"env.opponent": 0.4}, user_lines=[around, below, also]), "env.opponent"
        )

    assert place(5) == make.place(1, "turn")
    assert place(4) is None


def test_a_finding_carries_the_samples_of_its_place(make: SimpleNamespace) -> None:
    line = UserLine(make.place(7, "Game.step"), "env.step", 0.2, 12, with_callees=0.4)
    profile = make.profile({"env.step": 0.4}, user_lines=[line])
    found = grounded(profile, finding(line.place))
    assert (found.evidence, found.confidence) == ({"figure": 1, SAMPLES: 24}, "medium")
    nowhere = grounded(profile, finding(None))
    assert (nowhere.evidence, nowhere.confidence) == ({"figure": 1}, "high")


def test_a_place_that_a_hook_saw_needs_no_samples(make: SimpleNamespace) -> None:
    line = UserLine(make.place(7, "Game.step"), "env.step", 0.2, 9)
    fact = make.fact("update", place=line.place)
    profile = make.profile({"env.step": 0.4}, user_lines=[line], facts=[fact])
    assert grounded(profile, finding(line.place)).confidence == "high"


def test_a_finding_is_never_made_more_certain(make: SimpleNamespace) -> None:
    assert grounded(make.profile({"env.step": 0.4}), finding(None, confidence="low")).confidence == "low"


def test_a_wide_interval_of_the_stage_takes_the_confidence(make: SimpleNamespace) -> None:
    wide = make.row("env.step", 0.4, wall_share_low=0.0, wall_share_high=0.87)
    profile = make.profile(stages=[wide])
    assert grounded(profile, finding(None)).confidence == "low"


def test_few_calls_of_a_stage_are_not_typical(make: SimpleNamespace) -> None:
    profile = make.profile(stages=[make.row("env.reset", 0.3, calls=4)])
    assert grounded(profile, finding(None, stage="env.reset")).confidence == "medium"


def test_samples_of_a_place_are_of_all_its_lines(make: SimpleNamespace) -> None:
    lines = [UserLine(make.place(n, "f"), stage, 0.1, 5) for n, stage in ((1, "act"), (2, "env.step"))]
    profile = make.profile({"act": 0.2}, user_lines=lines)
    assert samples_at(profile, make.place(9, "f")) == 10
    assert samples_at(profile, make.place(1, "g")) == 0
