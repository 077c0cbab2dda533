"""The vocabulary of stages."""

from __future__ import annotations

import pytest

from goldsplit.model.stage import (
    CATEGORIES,
    DRIVING,
    VOCABULARY,
    WAITING,
    as_stage_name,
    category_of,
    is_stage_name,
)


def test_the_vocabulary_is_consistent() -> None:
    names = [stage.name for stage in VOCABULARY]
    assert len(names) == len(set(names))
    for stage in VOCABULARY:
        assert is_stage_name(stage.name)
        assert stage.category in CATEGORIES
        assert stage.meaning
        assert category_of(stage.name) == stage.category
    assert set(names) >= WAITING
    assert all(any(name.startswith(first) for name in names) for first in DRIVING)


@pytest.mark.parametrize("name", ["env.step", "act", "game.path_finding", "a1.b2.c3", "x"])
def test_good_stage_names(name: str) -> None:
    assert is_stage_name(name)


@pytest.mark.parametrize(
    "name", ["", "Env", "env.", ".env", "env..step", "1st", "env step", "é", "a-b", "env.Step"]
)
def test_bad_stage_names(name: str) -> None:
    assert not is_stage_name(name)


@pytest.mark.parametrize(
    ("stage", "category"),
    [("game.pathfinding", "environment"), ("env.physics", "environment"), ("agent.plan", "agent"),
     ("learn.extra", "learning"), ("replay.x", "replay"), ("vec.x", "communication"), ("mine", "other"),
     ("actual", "other")],
)  # fmt: skip
def test_categories_of_the_users_own(stage: str, category: str) -> None:
    assert category_of(stage) == category


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("env.step", "env.step"),
        ("Env.Step", "env.step"),
        ("My stage", "my_stage"),
        ("game.Line of-sight!", "game.line_of_sight"),
        ("env/step", "env.step"),
        ("a..b", "a.b"),
        ("2nd phase", ""),
        ("1x", ""),
        ("Übung", ""),
        ("ünï", ""),
        ("count:kills", ""),
        ("none", ""),
        ("Progress", ""),
        ("", ""),
    ],
)
def test_a_text_names_one_stage_or_none(text: str, name: str) -> None:
    assert as_stage_name(text) == name
