"""The usual names of functions and classes, and the stages that they stand for."""

from __future__ import annotations

import pytest

from goldsplit.model.stage import VOCABULARY
from goldsplit.model.usual_names import REPLAY_METHODS, STAGE_OF_NAME, looks_like_replay, stage_of_function


def test_every_usual_name_means_a_known_stage() -> None:
    known = {stage.name for stage in VOCABULARY}
    assert set(STAGE_OF_NAME.values()) <= known
    assert set(REPLAY_METHODS.values()) <= known
    assert not [name for name in STAGE_OF_NAME if name.startswith("_")]


@pytest.mark.parametrize(
    ("name", "stage"),
    [
        ("step", "env.step"),
        ("Game.step", "env.step"),
        ("Game._get_obs", "env.observe"),
        ("__private_get_obs", None),
        ("Outer.Inner.select_action", "act"),
        ("ReplayBuffer.add", "replay.add"),
        ("RolloutMemory.append", "replay.add"),
        ("Shop.add", None),
        ("add", None),
        ("list.append", None),
        ("stepper", None),
        ("", None),
        ("compute_gae", "learn.returns"),
        ("<lambda>", None),
    ],
)
def test_stages_by_function_name(name: str, stage: str | None) -> None:
    assert stage_of_function(name) == stage


def test_replay_by_class_name() -> None:
    assert [looks_like_replay(n) for n in ("PrioritizedReplay", "RolloutBuffer", "Memory", "Player")] == [
        True,
        True,
        True,
        False,
    ]
