"""Hand-written reports of every kind of run, for the renderers' tests."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

from goldsplit.model.finding import Finding, Place
from goldsplit.model.profile import (
    Drift,
    Hotspot,
    Lane,
    LaneStage,
    Phases,
    Profile,
    RunInfo,
    StageRow,
    SystemFigures,
    Throughput,
    Trust,
    Unattributed,
)
from goldsplit.model.report import Report
from goldsplit.model.stage import category_of


def row(stage: str, share: float, waited: float = 0.0, spread: float = 0.0, **changes: Any) -> StageRow:
    made = StageRow(
        stage=stage,
        category=category_of(stage),
        source="span",
        wall_seconds=100 * share,
        wall_share=share,
        wall_share_low=max(0.0, share - spread),
        wall_share_high=share + spread,
        calls=20_000,
        mean_us=5_000 * share,
        p50_us=4_000 * share,
        p95_us=9_000 * share,
        p99_us=12_000 * share,
        us_per_env_step=5_000 * share,
        thread_seconds=200 * share,
        cpu_seconds=190 * share,
        ceiling_speedup=1 / (1 - share),
        waited_share=waited,
    )
    return dataclasses.replace(made, **changes)


def sampled_row(stage: str, share: float, spread: float) -> StageRow:
    nothing = dict.fromkeys(
        ("calls", "mean_us", "p50_us", "p95_us", "p99_us", "us_per_env_step", "thread_seconds", "cpu_seconds")
    )
    return row(stage, share, spread=spread, source="sampled", **nothing)


def lane(pid: int, role: str, stages: dict[str, float], **changes: Any) -> Lane:
    made = Lane(
        pid=pid,
        process="train.py" if role == "driver" else "multiprocessing",
        role=role,
        thread="MainThread",
        thread_id=pid,
        busy_share=sum(stages.values()),
        wait_share=1 - sum(stages.values()),
        barrier_share=None,
        charged_share=None,
        cpu_seconds=42.25,
        env_steps=None,
        stages=[LaneStage(*entry) for entry in stages.items()],
    )
    return dataclasses.replace(made, **changes)


def spot(function: str, file: str, stage: str | None, own: float, kind: str = "yours") -> Hotspot:
    return Hotspot(function, file, 120, stage, own, min(1.0, 2 * own), 90, None, kind)


def run_info(**changes: Any) -> RunInfo:
    made = RunInfo(
        id="20260101-120000-train-001",
        name="train",
        command=["python", "train.py", "--steps", "20000"],
        exit_code=0,
        status="complete",
        started=0.0,
        wall_seconds=112.0,
        host="pc",
        python="3.11.7",
        packages={},
        git=None,
        seed=None,
        environment={},
    )
    return dataclasses.replace(made, **changes)


NO_THROUGHPUT = Throughput(*([None] * 9), counters={}, metrics={}, windows=[])


def subprocess_run() -> Report:
    """Four lock-step workers, one of them slow."""
    workers = [
        lane(102 + i, "env-worker", {"env.step": 0.4, "vec.send": 0.03}, barrier_share=0.31 + 0.02 * i,
             charged_share=0.05)
        for i in range(3)
    ]  # fmt: skip
    slow = lane(
        105, "env-worker", {"env.step": 0.85, "vec.send": 0.03}, barrier_share=0.0, charged_share=0.48
    )
    return Report(
        Profile(
            run=run_info(),
            phases=Phases(9.5, 100.0, 2.5),
            throughput=Throughput(
                20_000, 200.0, 5.0, 310, 3.1, 640, 6.4, 0.032, None, counters={}, metrics={}, windows=[]
            ),
            stages=[
                row("env.step", 0.62, waited=0.62, spread=0.04),
                row("act", 0.21),
                row("learn.backward", 0.08),
                row("vec.send", 0.05),
                row("learn.optimizer", 0.019),
                row("log", 0.0003),
            ],
            unattributed=Unattributed(2.07, 0.0207),
            lanes=[lane(101, "driver", {"act": 0.21, "learn.backward": 0.08}), *workers, slow],
            hotspots=[
                spot("has_line_of_sight", "/home/me/wargame/sight.py", "env.step", 0.31),
                spot(
                    "Linear.forward", "/venv/site-packages/torch/nn/modules/linear.py", "act", 0.07, "library"
                ),
            ],
            drift=Drift(
                -0.35,
                [{"stage": "env.step", "us_per_env_step_first": 900.0, "us_per_env_step_last": 1400.0}],
            ),
            system=SystemFigures(185.0, 2, 900 * 2**20, []),
            trust=Trust(0.9793, 0.012, 0.004, 0.021, 2100, 3, 1, 21.0, 0.04, []),
        )
    )


def single_process() -> Report:
    """One process with a GPU, everything timed exactly, one stage of the user's own, a finding."""
    finding = Finding(
        code="replay-item-by-item",
        title="one transition at a time is moved from the GPU",
        where=Place("train.py", 350, "push"),
        stage="replay.add",
        evidence={"transfers_per_env_step": 4.0},
        share=0.286,
        ceiling_speedup=1.4,
        confidence="high",
        remedy="move the whole batch once",
        verify="goldsplit record -- python train.py",
    )
    gpu = {"name": "Small GPU", "utilisation": 0.23, "busy_share": None, "memory_peak_bytes": 3 * 2**30}
    return Report(
        Profile(
            run=run_info(name="snake"),
            phases=Phases(3.2, 7260.0, None),
            throughput=Throughput(
                9_000_000,
                1240.5,
                0.806,
                41_000,
                5.6,
                2_250_000,
                310.0,
                0.25,
                5_000,
                counters={},
                metrics={},
                windows=[],
            ),
            stages=[
                row("replay.add", 0.3),
                row("game.flood_fill_of_all_boards", 0.29),
                row("env.step", 0.25),
                row("learn.loss", 0.16),
            ],
            unattributed=Unattributed(0.0, 0.0),
            lanes=[lane(7, "driver", {"replay.add": 0.3})],
            hotspots=[spot("SnakeTrainer.push", "/home/me/snake/train_dqn.py", "replay.add", 0.28)],
            drift=Drift(0.01, []),
            system=SystemFigures(104.0, 16, 6 * 2**30, [gpu]),
            trust=Trust(1.0, 0.008, 0.0075, 0.0085, 0, 0, 0, None, 0.0, []),
        ),
        findings=(finding,),
    )


def attached() -> Report:
    """Stacks alone: no counts, all shares sampled."""
    return Report(
        Profile(
            run=run_info(id="20260101-120000-attach-4711-001", name="", exit_code=None, wall_seconds=30.0),
            phases=Phases(None, 29.6, None),
            throughput=NO_THROUGHPUT,
            stages=[
                sampled_row("env.step", 0.44, 0.05),
                sampled_row("learn.backward", 0.22, 0.04),
                sampled_row("replay.sample", 0.01, 0.008),
            ],
            unattributed=Unattributed(9.8, 0.33),
            lanes=[
                lane(4711, "driver", {"env.step": 0.44}, cpu_seconds=None),
                lane(
                    4711, "env-worker", {"env.step": 0.5}, thread="ThreadPoolExecutor-0_0", cpu_seconds=None
                ),
            ],
            hotspots=[spot("Battle.play", "/home/me/battle.py", None, 0.2)],
            drift=Drift(None, []),
            system=SystemFigures(140.0, 8, 512 * 2**20, []),
            trust=Trust(0.67, None, None, None, 1480, 0, 4, 50.0, None, []),
        )
    )


def crashed() -> Report:
    """A run that ended with an error, on a busy machine, with doubts."""
    whole = subprocess_run().profile
    notes = [
        "--stage core.env:Battle.enemy_turn never matched: its module was not imported",
        *(f"process {pid} ended without saying so (killed?)" for pid in range(102, 110)),
    ]
    return Report(
        dataclasses.replace(
            whole,
            run=run_info(status="crashed", exit_code=1),
            lanes=[lane(101, "driver", {"act": 0.2}), *(lane(200 + i, "env-worker", {}) for i in range(15))],
            drift=Drift(0.22, []),
            trust=dataclasses.replace(whole.trust, waited_for_cpu_share=0.31, notes=notes),
        )
    )


def nothing_recorded() -> Report:
    """The command was too short, or not Python."""
    return Report(
        Profile(
            run=run_info(wall_seconds=0.4, command=["true"]),
            phases=Phases(None, 0.0, None),
            throughput=NO_THROUGHPUT,
            stages=[],
            unattributed=Unattributed(0.0, 0.0),
            lanes=[],
            hotspots=[],
            drift=Drift(None, []),
            system=SystemFigures(None, 2, None, []),
            trust=Trust(
                0.0,
                None,
                None,
                None,
                0,
                0,
                0,
                None,
                None,
                ["nothing was recorded: the program was too short, or is not Python"],
            ),
        )
    )


MAKERS: dict[str, Callable[[], Report]] = {
    "subprocess": subprocess_run,
    "single": single_process,
    "attached": attached,
    "crashed": crashed,
    "nothing": nothing_recorded,
}


@pytest.fixture
def reports() -> dict[str, Report]:
    """Name of the kind of run → its report."""
    return {name: make() for name, make in MAKERS.items()}
