"""What the rules on the deep look ask it."""

from __future__ import annotations

from types import SimpleNamespace

from goldsplit.diagnose.deep_reading import (
    by_function,
    calls_per_step,
    check_the_game,
    env_target,
    is_an_act,
    lines_of,
    shows_the_game,
)


def test_sites_by_function_the_dearest_line_first(make: SimpleNamespace) -> None:
    cheap = make.site("text", "eval", share=0.1)
    dear = make.site("text", "eval", share=0.2, place=make.place(40))
    other = make.site("text", "eval", place=make.place(50, "observe"))
    groups = by_function([cheap, other, dear])
    assert list(groups.values()) == [[dear, cheap], [other]]
    assert lines_of([cheap, dear]) == "eval line 12, 40"


def test_calls_per_step_are_unknown_without_steps(make: SimpleNamespace) -> None:
    assert calls_per_step([make.site("text", "eval", calls_per_env_step=None)]) is None
    assert calls_per_step([make.site("text", "eval"), make.site("text", "eval")]) == 2.0


def test_what_does_something_and_what_answers(make: SimpleNamespace) -> None:
    acts = ("Game.step", "reset", "Memory.push_batch", "Game.enemy_turn", "Unit.__init__")
    assert all(is_an_act(make.deep_function(name)) for name in acts)
    assert is_an_act(make.deep_function("Unit.wound", constant_result="None"))
    answers = ("Game.path_field", "Game.observe", "action_masks")
    assert not any(is_an_act(make.deep_function(name)) for name in answers)
    assert [shows_the_game(make.deep_function(name)) for name in answers] == [False, True, True]


def test_the_environment_is_named_by_its_step(make: SimpleNamespace) -> None:
    step = make.deep_function("HexBattle.step", place=make.place(9, "HexBattle.step", "/home/me/game/hex.py"))
    profile = make.profile({"env.step": 0.5}, deep=make.deep_look(functions=[step]))
    assert env_target(profile) == "hex:HexBattle"
    assert check_the_game(profile, "env.observe") == "goldsplit env hex:HexBattle --hash"
    assert check_the_game(profile, "learn.loss") == "goldsplit record --deep -- python train.py"
    assert env_target(make.profile({})) == "TARGET"
