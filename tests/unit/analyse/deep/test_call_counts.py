"""Calls per env step of the deep look find their hot spot."""

from __future__ import annotations

from goldsplit.analyse.deep.call_counts import counted
from goldsplit.model.deep import DeepFunction
from goldsplit.model.finding import Place
from goldsplit.model.profile import Hotspot


def spot(function: str) -> Hotspot:
    return Hotspot(function, "game.py", 3, "env.step", 0.2, 0.3, 50, None, "yours")


def seen(function: str, per_step: float) -> DeepFunction:
    return DeepFunction(
        Place("game.py", 1, function), "env.step", "method", 100, per_step, 0.1, 0.1, 0, 0, 0, 0, 0.0, 0, None
    )


def test_a_name_is_enough_where_it_is_the_only_one() -> None:
    assert counted(spot("Game.move"), [seen("make.<locals>.Game.move", 4.0)]).calls_per_env_step == 4.0


def test_of_two_alike_only_the_exact_one_counts() -> None:
    alike = [seen("Game.move", 4.0), seen("Unit.move", 40.0)]
    assert counted(spot("Unit.move"), alike).calls_per_env_step == 40.0
    assert counted(spot("Other.move"), alike).calls_per_env_step is None


def test_what_was_not_seen_stays_not_measured() -> None:
    assert counted(spot("Game.move"), []).calls_per_env_step is None


def test_no_call_in_the_windows_of_what_stacks_show_at_work_is_no_count() -> None:
    assert counted(spot("Game.move"), [seen("Game.move", 0.0)]).calls_per_env_step is None
