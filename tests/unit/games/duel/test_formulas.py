"""Feature texts: compiled into one function that gives what `eval` gives, or refused with a clear message."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from goldsplit.games.dice import Dice
from goldsplit.games.duel.battle_view import long_view, short_view
from goldsplit.games.duel.errors import SpecError
from goldsplit.games.duel.fast import observation_of
from goldsplit.games.duel.formulas import SPEC, compiled, one_function, read_texts
from goldsplit.games.duel.plain import BattleState, StateObserver
from goldsplit.games.duel.rules import Battle


def test_one_code_object_gives_what_eval_gives() -> None:
    """Bit for bit, in battles from beginning to end; all values within the space."""
    observe, features = compiled()
    observer, dice, battle = StateObserver(SPEC), Dice(1), Battle(1)
    assert features == len(observer.features) == 304
    seen = []
    for _ in range(60):
        fast = observation_of(observe, short_view(battle))
        plain = observer.observe(BattleState(long_view(battle)))
        assert fast.dtype == plain.dtype == np.float32
        assert fast.tobytes() == plain.tobytes()
        seen.append(fast)
        valid = [action for action, can in enumerate(battle.valid()) if can]
        battle.step(valid[dice.below(len(valid))])
        if battle.terminated or battle.truncated:
            battle.reset()
    assert len({one.tobytes() for one in seen}) > 50


def test_values_stay_within_the_space_and_say_something() -> None:
    observe, features = compiled()
    dice, battle = Dice(2), Battle(2)
    rows = []
    for _ in range(15_000):
        rows.append(observe(short_view(battle)))
        if battle.terminated or battle.truncated:  # also what is seen at the end of a battle counts
            battle.reset()
            continue
        valid = [action for action, can in enumerate(battle.valid()) if can]
        battle.step(valid[dice.below(len(valid))])
    values = np.array(rows)
    assert np.abs(values).max() <= 2.0
    assert np.isfinite(values).all()
    names = np.array(list(read_texts(SPEC)))
    assert list(names[values.min(0) == values.max(0)]) == []  # no feature always has the same value
    assert values.shape[1] == features


def test_the_file_is_compiled_once_in_a_process() -> None:
    assert compiled()[0] is compiled()[0]


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("me.active.hq / 2", "there is no me.active.hq", "did you mean me.active.hp?"),
        ("me.bench[5].hp", "there is no me.bench[5].hp", "did you mean me.bench["),
        ("EMBR + 1", "there is no EMBR", "did you mean EMBER?"),
        ("1 +", "is no expression", "invalid syntax"),
        ("battle.turn = 1", "is no expression", "without = and ;"),
        ("1; 2", "is no expression", "without = and ;"),
        ("import os", "is no expression", "write one expression"),
        ("", "is no expression", "write one expression"),
        ("(" * 300 + "1" + ")" * 300, "is no expression", "nested"),
        ("open('x')", "there is no open", "functions are"),
        ("max", "max is a function", "call it: max(...)"),
        ("max(1)", "max with other arguments", "max takes two or more"),
        ("clip(1, 2)", "clip with other arguments", "clip takes 3"),
        ("abs(x=1)", "abs with other arguments", "without names"),
        ("'text'", "'text' cannot be used", "use numbers"),
        ("True", "True cannot be used", "use numbers"),
        ("1e12", "cannot be used", "use numbers up to 1e+09"),
    ],
)
def test_a_bad_text_is_named(text: str, message: str, hint: str) -> None:
    with pytest.raises(SpecError) as raised:
        one_function({"battle.good": "battle.turn", "my.bad": text})
    said, _, advice = str(raised.value).partition("\nhint: ")
    assert "feature my.bad" in said
    assert message in said
    assert hint in advice


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').getpid()",
        "__import__('os')",
        "().__class__.__base__.__subclasses__()",
        "me.__class__",
        "me.active.__dict__",
        "max.__globals__",
        "max(*(1, 2))",
        "clip.__code__",
        "v0",
        "view[0]",
        "FACTS[0]",
        "__builtins__",
        "[1 for _ in (1,)]",
        "(lambda: 1)()",
        "(x := 1)",
        "f'{1}'",
        "me.active.hp(1)",
        "9 ** 9 ** 9",
        "1 << 99999",
        "1 in (1, 2)",
        "me.active.hp is 1",
        "(yield 1)",
        "await me.active.hp",
        "{1: 2}",
        "1j",
        "...",
    ],
)
def test_a_text_is_an_expression_of_numbers_and_nothing_more(text: str) -> None:
    with pytest.raises(SpecError, match=r"feature my\.bad"):
        one_function({"my.bad": text})


@pytest.mark.parametrize("text", ["1 / (battle.turn - battle.turn)", "at_stage(battle.turn + 99)"])
def test_a_text_that_fails_in_a_battle_is_named_by_both_twins(tmp_path: Path, text: str) -> None:
    file = tmp_path / "own.yaml"
    file.write_text(f'features:\n  a: {{good: "battle.turn", bad: "{text}", fine: "1"}}')
    battle = Battle(1)
    with pytest.raises(SpecError, match=r"feature a\.bad cannot be computed: (Zero|Index)\w+: .*\nhint: "):
        compiled(file)[0](short_view(battle))
    with pytest.raises(SpecError, match=r"feature a\.bad cannot be computed: (Zero|Index)\w+: .*\nhint: "):
        StateObserver(file).observe(BattleState(long_view(battle)))


@pytest.mark.parametrize("content", ["", "- 1", "features: 3", "features:\n  a: {}", "features: [", "a: 1"])
def test_a_bad_file_is_named(tmp_path: Path, content: str) -> None:
    file = tmp_path / "own.yaml"
    file.write_text(content)
    for make in (compiled, StateObserver):
        with pytest.raises(SpecError, match=r"own\.yaml .*\n(.*\n)*hint: "):
            make(file)


def test_a_missing_file_is_named_by_both_twins(tmp_path: Path) -> None:
    for make in (compiled, StateObserver):
        with pytest.raises(SpecError, match=r"none\.yaml"):
            make(tmp_path / "none.yaml")
