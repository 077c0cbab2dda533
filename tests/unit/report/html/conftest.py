"""Hand-written details to go with the hand-written reports, for the tests of the page."""

from __future__ import annotations

import dataclasses

import pytest

from goldsplit.model.deep import CacheUse, DeepFunction, DeepLook, Site
from goldsplit.model.detail import (
    Detail,
    Flame,
    FlameFrame,
    FlameNode,
    FoldedStack,
    LaneCell,
    LaneStrip,
    SourceFile,
    SourceLine,
    StageWindow,
    ThreadName,
)
from goldsplit.model.finding import Finding, Place
from goldsplit.model.report import Report


@pytest.fixture
def detail() -> Detail:
    """Two windows, a driver and a worker, three functions, one file."""
    frames = [
        FlameFrame("env.step", "", 0, "stage"),
        FlameFrame("Battle.step", "/home/me/wargame/battle.py", 12, "yours"),
        FlameFrame("has_line_of_sight", "/home/me/wargame/sight.py", 120, "yours"),
        FlameFrame("Linear.forward", "/venv/site-packages/torch/nn/modules/linear.py", 114, "library"),
        FlameFrame("act", "", 0, "stage"),
    ]
    nodes = [
        FlameNode(0, 0, 0.62, 0.0),
        FlameNode(1, 1, 0.62, 0.31),
        FlameNode(2, 2, 0.31, 0.31),
        FlameNode(4, 0, 0.21, 0.0),
        FlameNode(3, 1, 0.21, 0.21),
    ]
    own = [FlameNode(4, 0, 1.0, 0.0), FlameNode(3, 1, 1.0, 1.0)]
    stages = {"env.step": 0.6, "act": 0.25, "learn.backward": 0.1}
    return Detail(
        steady_start=9.5,
        steady_end=109.5,
        threads=[
            ThreadName(101, 101, "train.py", "MainThread", "driver"),
            ThreadName(102, 102, "multiprocessing", "MainThread", "env-worker"),
        ],
        frames=frames,
        stacks=[FoldedStack(0, "act", False, (3,), 90, 0.21)],
        flames=[Flame(None, 2100, nodes, 17), Flame(0, 700, own, 0)],
        sources=[
            SourceFile(
                "/home/me/wargame/sight.py",
                0.33,
                0.4,
                [
                    SourceLine(119, "def has_line_of_sight(a, b):", 0.0, 0.0, 0),
                    SourceLine(
                        120, "    return all(cell not in walls for cell in line(a, b))", 0.31, 0.31, 90
                    ),
                    SourceLine(140, "    cells = []", 0.02, 0.02, 6),
                ],
                "the file was changed after the run began: lines may have moved",
            )
        ],
        strips=[
            LaneStrip(0, "span", [LaneCell(9.5, 50, 0.4, 0.6, None), LaneCell(59.5, 50, 0.3, 0.7, None)]),
            LaneStrip(1, "span", [LaneCell(9.5, 50, 0.5, 0.4, 0.3), LaneCell(59.5, 50, 0.5, 0.4, None)]),
        ],
        windows=[
            StageWindow(9.5, 50, 210.0, stages, 0.05),
            StageWindow(59.5, 50, 190.0, stages | {"env.step": 0.62}, 0.03),
        ],
    )


@pytest.fixture
def deep_look() -> DeepLook:
    place = Place("/home/me/wargame/sight.py", 119, "has_line_of_sight")
    return DeepLook(
        windows=3,
        seconds=2.5,
        env_steps=410,
        slowdown=1.3,
        run_share=0.02,
        functions=[
            DeepFunction(
                place, "env.step", "function", 9000, 22.0, 0.4, 0.5, 900, 640, 600, 0, 0.28, 2, None
            ),
            DeepFunction(
                dataclasses.replace(place, function="is_opaque"),
                "env.step", "function", 9000, 22.0, 0.1, 0.1, 900, 100, 0, 0, 0.0, 1, "True",
            ),
        ],
        sites=[Site("text", "re.compile", place, "env.step", 820, 2.0, 0.03, 1, 820, None, "[a-z]+")],
        caches=[CacheUse(place, "lru_cache", 10, 990, 40, 12, 1.5, 30.0, 0.1)],
    )  # fmt: skip


@pytest.fixture
def with_findings(reports: dict[str, Report], deep_look: DeepLook) -> Report:
    """A run with one finding that is worth it, one that is not, and a deep look."""
    profile = dataclasses.replace(reports["subprocess"].profile, deep=deep_look)
    worth = Finding(
        code="repeated-calls",
        title="has_line_of_sight repeats 71 % of its calls",
        where=Place("/home/me/wargame/sight.py", 119, "has_line_of_sight"),
        stage="env.step",
        evidence={"repeat_share": 0.28, "calls_per_env_step": 22.0, "mean_us": 14.0},
        share=0.28,
        ceiling_speedup=1.39,
        confidence="high",
        remedy="Compute the field of view once per unit.",
        verify='goldsplit record --name after -- python train.py --note "a b"',
        risk="The result must not depend on state that moves.",
    )
    small = dataclasses.replace(worth, code="logging-in-loop", title="a print per step", share=0.001,
                                ceiling_speedup=1.001)  # fmt: skip
    return Report(profile, (worth, small))
