from __future__ import annotations

from types import SimpleNamespace

import pytest

from goldsplit.diagnose.rules.own_timer import RULE, is_timer


def test_a_timer_in_the_loop(make: SimpleNamespace) -> None:
    functions = [
        make.deep_function("StageTimer.__enter__", self_share=0.004, calls_per_env_step=3.0),
        make.deep_function("StageTimer.__exit__", self_share=0.006, calls_per_env_step=3.0),
        make.deep_function("Game.step", self_share=0.5, calls_per_env_step=1.0),
    ]
    seen = make.profile({"env.step": 0.5, "act": 0.3}, deep=make.deep_look(functions=functions))
    (finding,) = make.found(RULE, seen)
    assert finding.where.function == "StageTimer.__exit__"
    assert "env.step 50%, act 30%" in finding.title
    assert finding.share == pytest.approx(0.01)
    assert not finding.worthwhile, "informational: its own cost is small"


def test_silent_without_a_deep_look(make: SimpleNamespace) -> None:
    assert make.found(RULE, make.profile({"env.step": 0.5})) == []


def test_silent_on_a_timer_that_hardly_runs(make: SimpleNamespace) -> None:
    rare = [make.deep_function("Timer.stop", calls_per_env_step=0.001)]
    assert make.found(RULE, make.profile({"env.step": 0.5}, deep=make.deep_look(functions=rare))) == []


@pytest.mark.parametrize(
    "name",
    ["Timer.stop", "StageTimer.__enter__", "profile_step", "timed.<locals>.wrapper", "tic", "Profiler.add"],
)
def test_named_like_a_timer(make: SimpleNamespace, name: str) -> None:
    assert is_timer(make.deep_function(name))


@pytest.mark.parametrize(
    "name", ["Game.step", "Game.time_left", "Player.profile", "act", "tick", "Game.timeout"]
)
def test_not_named_like_a_timer(make: SimpleNamespace, name: str) -> None:
    assert not is_timer(make.deep_function(name))
