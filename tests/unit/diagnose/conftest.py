"""Profiles made by hand for the tests of rules: give only what the rule reads."""

from __future__ import annotations

import dataclasses
import importlib.util
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from goldsplit.diagnose.rule import Rule
from goldsplit.model.deep import CacheUse, DeepFunction, DeepLook, Site
from goldsplit.model.finding import Finding, Place
from goldsplit.model.hot_code.function_cost import FunctionCost
from goldsplit.model.profile import (
    Fact,
    Hotspot,
    Lane,
    LaneStage,
    Phases,
    Profile,
    RunInfo,
    StageRow,
    SystemFigures,
    Trust,
    Unattributed,
)
from goldsplit.model.progress import Drift, Throughput
from goldsplit.model.stage import category_of

TRAIN = "/home/me/game/train.py"


def run_info(**changes: Any) -> RunInfo:
    made = RunInfo(
        id="20260101-120000-train-001",
        name="train",
        command=["python", "train.py"],
        exit_code=0,
        status="complete",
        started=0.0,
        wall_seconds=110.0,
        host="pc",
        python="3.11.7",
        packages={},
        git=None,
        seed=None,
        environment={"cores": 4},
    )
    return dataclasses.replace(made, **changes)


def row(stage: str, share: float, **changes: Any) -> StageRow:
    """One stage; its figures are those of a steady phase of 100 s with 20,000 calls and steps."""
    made = StageRow(
        stage=stage,
        category=category_of(stage),
        source="span",
        wall_seconds=100 * share,
        wall_share=share,
        wall_share_low=share,
        wall_share_high=share,
        calls=20_000,
        mean_us=5_000 * share,
        p50_us=5_000 * share,
        p95_us=6_000 * share,
        p99_us=7_000 * share,
        us_per_env_step=5_000 * share,
        thread_seconds=100 * share,
        cpu_seconds=100 * share,
        ceiling_speedup=1 / (1 - share) if share < 1 else None,
        waited_share=0.0,
    )
    return dataclasses.replace(made, **changes)


def lane(role: str = "driver", pid: int = 100, **changes: Any) -> Lane:
    stages = changes.pop("stages", {})
    made = Lane(
        pid=pid,
        process="train.py",
        role=role,
        thread="MainThread",
        thread_id=pid,
        busy_share=1.0,
        wait_share=0.0,
        barrier_share=None,
        charged_share=None,
        cpu_seconds=100.0,
        env_steps=None,
        stages=[LaneStage(*entry) for entry in stages.items()],
    )
    return dataclasses.replace(made, **changes)


def hotspot(function: str, share: float, **changes: Any) -> Hotspot:
    made = Hotspot(function, TRAIN, 12, "env.step", share, share, 100, None, "yours")
    return dataclasses.replace(made, **changes)


def function_cost(function: str, share: float, **changes: Any) -> FunctionCost:
    """A function with its share of wall time, callees included; all of it in `env.step` unless told."""
    made = FunctionCost(
        place=place(function=function),
        share=share,
        share_low=share,
        share_high=share,
        samples=100,
        self_share=share,
        library_share=0.0,
        stages={"env.step": share},
    )
    return dataclasses.replace(made, **changes)


def place(line: int = 12, function: str = "train", file: str = TRAIN) -> Place:
    return Place(file, line, function)


def fact(kind: str, detail: str = "", count: float = 1.0, amount: float = 0.0, **changes: Any) -> Fact:
    return dataclasses.replace(Fact(kind, detail, 100, "driver", count, amount), **changes)


def deep_function(function: str = "visible", **changes: Any) -> DeepFunction:
    made = DeepFunction(
        place=place(function=function),
        stage="env.step",
        kind="function",
        calls=1000,
        calls_per_env_step=10.0,
        self_share=0.0,
        total_share=0.0,
        compared=0,
        repeats=0,
        repeats_in_step=0,
        differing=0,
        repeat_share=0.0,
        distinct_results=0,
        constant_result=None,
    )
    return dataclasses.replace(made, **changes)


def site(kind: str, callee: str, **changes: Any) -> Site:
    return dataclasses.replace(Site(kind, callee, place(), "env.step", 100, 1.0, 0.1), **changes)


def cache(**changes: Any) -> CacheUse:
    return dataclasses.replace(CacheUse(place(), "dict", 0, 0, 0, None, None, None, None), **changes)


def deep_look(**changes: Any) -> DeepLook:
    return dataclasses.replace(DeepLook(4, 0.4, 100, 1.2, 0.01), **changes)


def throughput(**changes: Any) -> Throughput:
    made = Throughput(20_000, 200.0, 5.0, 310, 3.1, 5_000, 50.0, 0.25, None, {}, {}, [])
    return dataclasses.replace(made, **changes)


def profile(stages: dict[str, float] | list[StageRow] | None = None, **changes: Any) -> Profile:
    """A run of 100 steady seconds in one process; `stages` as shares, or as rows."""
    rows = [row(*entry) for entry in stages.items()] if isinstance(stages, dict) else list(stages or [])
    rest = max(0.0, 1.0 - sum(one.wall_share for one in rows))
    made = Profile(
        run=run_info(),
        phases=Phases(5.0, 100.0, 1.0),
        throughput=throughput(),
        stages=rows,
        unattributed=Unattributed(100 * rest, rest),
        lanes=[lane()],
        hotspots=[],
        drift=Drift(None, []),
        system=SystemFigures(100.0, 4, 500 * 2**20, []),
        trust=Trust(1.0 - rest, 0.01, 0.0, 0.02, 2000, 0, 0, 20.0, 0.0, []),
    )
    return dataclasses.replace(made, **changes)


def not_measured() -> Profile:
    """Nothing at all was seen: the program was too short, or is not Python."""
    return profile(
        phases=Phases(None, 0.0, None),
        throughput=Throughput.not_measured(),
        lanes=[],
        system=SystemFigures(None, 0, None, []),
        trust=Trust(0.0, None, None, None, 0, 0, 0, None, None, []),
    )


def from_stacks() -> Profile:
    """A process that was attached to: shares from samples, nothing counted."""
    unknown = dict.fromkeys(
        ("calls", "mean_us", "p50_us", "p95_us", "p99_us", "us_per_env_step", "thread_seconds", "cpu_seconds")
    )
    shares = {"env.step": 0.3, "act": 0.25, "learn.backward": 0.25, "replay.sample": 0.15}
    return profile(
        [row(stage, share, source="sampled", **unknown) for stage, share in shares.items()],
        phases=Phases(None, 100.0, None),
        throughput=Throughput.not_measured(),
        lanes=[lane(busy_share=0.9, wait_share=0.1, cpu_seconds=None)],
        hotspots=[hotspot("Game.step", 0.1), hotspot("train", 0.05, stage=None)],
        trust=Trust(0.95, None, None, None, 2000, 0, 0, 20.0, None, []),
    )


def load_judge() -> ModuleType:
    """The judge of real findings also judges those of hand-made profiles."""
    path = Path(__file__).resolve().parents[3] / "benchmarks" / "faults_judge.py"
    spec = importlib.util.spec_from_file_location("faults_judge", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["faults_judge"] = module
    spec.loader.exec_module(module)
    return module


judge = load_judge()


def found(rule: Rule, seen: Profile) -> list[Finding]:
    """A rule's findings on a profile, each checked for what every finding must have."""
    findings = list(rule.check(seen))
    assert [text for finding in findings for text in judge.complaints(finding)] == []
    assert {finding.code for finding in findings} <= {rule.code}
    return findings


@pytest.fixture
def make() -> SimpleNamespace:
    """make.profile(...), make.row(...), make.fact(...): all parts of a profile, with sensible defaults;
    make.found(RULE, profile): the findings of a rule on it."""
    return SimpleNamespace(
        cache=cache,
        deep_function=deep_function,
        deep_look=deep_look,
        fact=fact,
        found=found,
        from_stacks=from_stacks,
        function_cost=function_cost,
        hotspot=hotspot,
        lane=lane,
        not_measured=not_measured,
        place=place,
        profile=profile,
        row=row,
        site=site,
        throughput=throughput,
    )
