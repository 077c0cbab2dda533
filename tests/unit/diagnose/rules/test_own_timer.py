from __future__ import annotations

from types import SimpleNamespace

import pytest

from goldsplit.diagnose.rules.own_timer import RULE

STAGES = {"env.step": 0.5, "act": 0.3}


def test_a_timer_in_the_loop(make: SimpleNamespace) -> None:
    facts = [
        make.fact("timer_call", count=20_000, place=make.place(8, "StageTimer.__enter__")),
        make.fact("timer_call", count=40_000, place=make.place(12, "StageTimer.__exit__")),
    ]
    spots = [make.hotspot("StageTimer.__exit__", 0.01), make.hotspot("Game.step", 0.4)]
    (finding,) = make.found(RULE, make.profile(STAGES, facts=facts, hotspots=spots))
    assert finding.where.function == "StageTimer.__exit__"
    assert (
        finding.title
        == "your StageTimer is called 3.0 times per env step; measured here: env.step 50 %, act 30 %"
    )
    assert finding.share == pytest.approx(0.01)
    assert not finding.worthwhile, "informational: its own cost is small"


def test_functions_are_known_from_a_deep_look(make: SimpleNamespace) -> None:
    functions = [
        make.deep_function("timed.<locals>.wrapper", calls_per_env_step=2.0),
        make.deep_function("Game.step", calls_per_env_step=1.0),
    ]
    (finding,) = make.found(RULE, make.profile(STAGES, deep=make.deep_look(functions=functions)))
    assert finding.evidence["timers"] == ["timed"]
    assert finding.evidence["timer_calls_per_env_step"] == 2.0


def test_a_method_that_both_saw_counts_once(make: SimpleNamespace) -> None:
    place = make.place(12, "Timer.stop")
    facts = [make.fact("timer_call", count=20_000, place=place)]
    looked = make.deep_look(functions=[make.deep_function("Timer.stop", calls_per_env_step=1.0)])
    (finding,) = make.found(RULE, make.profile(STAGES, facts=facts, deep=looked))
    assert finding.evidence["timer_calls_per_env_step"] == 1.0


def test_no_finding_on_a_timer_that_hardly_runs(make: SimpleNamespace) -> None:
    rare = make.fact("timer_call", count=20, place=make.place(12, "Timer.stop"))
    assert make.found(RULE, make.profile(STAGES, facts=[rare])) == []


def test_no_finding_without_timers(make: SimpleNamespace) -> None:
    assert make.found(RULE, make.profile(STAGES, deep=make.deep_look())) == []
