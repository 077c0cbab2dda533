"""The vocabulary of stages, and the usual names that stand for them."""

from __future__ import annotations

import json

import pytest

from goldsplit.model.naming import (
    REPLAY_METHODS,
    STAGE_OF_NAME,
    is_waiting_frame,
    looks_like_replay,
    stage_of_function,
)
from goldsplit.model.profile import (
    Drift,
    Phases,
    Profile,
    RunInfo,
    SystemFigures,
    Throughput,
    Trust,
    Unattributed,
)
from goldsplit.model.report import REPORT_FORMAT, REPORT_VERSION, Report
from goldsplit.model.stage import CATEGORIES, VOCABULARY, WAITING, category_of, is_stage_name


def test_the_vocabulary_is_consistent() -> None:
    names = [stage.name for stage in VOCABULARY]
    assert len(names) == len(set(names))
    for stage in VOCABULARY:
        assert is_stage_name(stage.name)
        assert stage.category in CATEGORIES
        assert stage.meaning
        assert category_of(stage.name) == stage.category
    assert set(names) >= WAITING


def test_every_usual_name_means_a_known_stage() -> None:
    known = {stage.name for stage in VOCABULARY}
    assert set(STAGE_OF_NAME.values()) <= known
    assert set(REPLAY_METHODS.values()) <= known
    assert not [name for name in STAGE_OF_NAME if name.startswith("_")]


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


def test_waiting_is_known_by_file_and_function() -> None:
    assert is_waiting_frame("Condition.wait", "/usr/lib/python3.11/threading.py")
    assert is_waiting_frame("_recv", "/usr/lib/python3.11/multiprocessing/connection.py")
    assert not is_waiting_frame("wait", "/home/u/game/turns.py")
    assert not is_waiting_frame("run", "/usr/lib/python3.11/threading.py")


def test_a_report_is_plain_data_in_the_documented_order() -> None:
    profile = Profile(
        run=RunInfo("i", "n", ["python"], 0, "complete", 1.0, 2.0, "h", "3.11", {}, None, None, {}),
        phases=Phases(None, 1.0, None),
        throughput=Throughput(*([None] * 9), counters={}, metrics={}, windows=[]),
        stages=[],
        unattributed=Unattributed(0.0, 1.0),
        lanes=[],
        hotspots=[],
        drift=Drift(None, []),
        system=SystemFigures(None, 2, None, []),
        trust=Trust(0.0, None, None, None, 0, 0, 0, None, None),
    )
    data = Report(profile).to_json()
    assert list(data) == [
        "format", "version", "run", "phases", "throughput", "stages", "unattributed", "lanes", "hotspots",
        "findings", "drift", "system", "trust", "facts", "deep", "structure", "processes", "user_lines",
    ]  # fmt: skip
    assert (data["format"], data["version"]) == (REPORT_FORMAT, REPORT_VERSION) == ("goldsplit-report", 1)
    assert json.loads(json.dumps(data)) == data
    assert data["throughput"]["env_steps"] is None, "never measured is not 0"
