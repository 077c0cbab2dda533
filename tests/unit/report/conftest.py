"""Hand-written reports of every kind of run, for the renderers' tests."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

from goldsplit.model.deep import DeepFunction, DeepLook
from goldsplit.model.detail import (
    Detail,
    Flame,
    FlameFrame,
    FlameNode,
    FoldedStack,
    LaneCell,
    LaneStrip,
    SpanWindow,
    StageSpan,
    StageWindow,
    SystemPoint,
    ThreadName,
)
from goldsplit.model.finding import Finding, Place
from goldsplit.model.profile import (
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
from goldsplit.model.progress import Drift, Throughput, Window
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
    """One process with a GPU, everything timed exactly, one stage that the user named, a finding."""
    slow_push = Finding(
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
        findings=(slow_push,),
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


def finding(code: str, title: str, stage: str | None, share: float | None, **changes: Any) -> Finding:
    made = Finding(
        code=code,
        title=title,
        where=Place("/home/me/wargame/sight.py", 120, "has_line_of_sight"),
        stage=stage,
        evidence={"calls_per_env_step": 474.0, "repeated_share": 0.64, "compared": 12_000},
        share=share,
        ceiling_speedup=1 / (1 - share) if share is not None and share < 1 else None,
        confidence="high",
        remedy="keep the results of the turn in a dict; it is emptied when a unit moves",
        verify="goldsplit record --deep -- python train.py --steps 20000",
    )
    return dataclasses.replace(made, **changes)


def deep_run() -> Report:
    """Workers, a deep look, findings of every kind: with and without place and share, worth it or not."""
    whole = subprocess_run().profile
    spots = [dataclasses.replace(whole.hotspots[0], calls_per_env_step=474.0, ceiling_speedup=1.45)]
    deep = DeepLook(
        windows=12,
        seconds=2.4,
        env_steps=480,
        slowdown=1.31,
        run_share=0.008,
        functions=[
            DeepFunction(
                place=Place("/home/me/wargame/sight.py", 112, "has_line_of_sight"), stage="env.step",
                kind="function", calls=227_520, calls_per_env_step=474.0, self_share=0.3, total_share=0.6,
                compared=12_000, repeats=7_680, repeats_in_step=5_100, differing=0, repeat_share=0.31,
                distinct_results=1, constant_result="True", distinct_arguments=4_320,
            )
        ],
    )  # fmt: skip
    found = (
        finding(
            "constant-result",
            "has_line_of_sight answered True in all of 12,000 compared calls, 474 times per env step, "
            "whatever it was asked: 31 % of wall time",
            "env.step",
            0.31,
            risk="only right while no cell is opaque",
            effort="minutes",
        ),
        finding("repeated-calls", "64 % of its calls repeat earlier arguments", "env.step", 0.2),
        finding(
            "fat-info",
            "every step pickles an info of 48 KiB",
            "vec.send",
            0.04,
            where=None,
            evidence={"info_bytes": 49_152, "pickle_us": 310.5, "keys": ["units", "log"], "needed": None},
            remedy="send what the trainer reads. Keep the rest for evaluations.",
        ),
        finding("machine-busy", "another program held a core", None, None, where=None, confidence="low"),
        finding("printing", "one line is printed per episode", "log", 0.0003),
    )
    windows = [
        Window(25.0 * i, 25.0, 5_000, 240.0 - 20 * i, 80, 160, {"env.step": 0.6, "act": 0.2})
        for i in range(4)
    ]
    flow = dataclasses.replace(whole.throughput, windows=windows)
    return Report(
        dataclasses.replace(whole, hotspots=spots + whole.hotspots[1:], deep=deep, throughput=flow), found
    )


NASTY = "</script><b>&\"'`|*_[x](y)`, \n\x1b[31m\x00 名前é \u202e"


def nasty() -> Report:
    """Names with markup, separators and control characters; figures that are NaN or infinite."""
    whole = deep_run().profile
    lost = float("nan")
    found = finding(
        NASTY,
        NASTY,
        NASTY,
        lost,
        where=Place(NASTY, 0, NASTY),
        evidence={NASTY: NASTY, "x_us": lost},
        remedy=NASTY,
        verify=NASTY,
        risk=NASTY,
        effort=NASTY,
        ceiling_speedup=float("inf"),
    )
    return Report(
        dataclasses.replace(
            whole,
            run=run_info(id=NASTY, name=NASTY, command=["python", NASTY], packages={"torch": NASTY}),
            stages=[
                row(NASTY, 0.5, mean_us=lost, ceiling_speedup=lost),
                row("x" * 90, 0.3),
                row("log", 0.01),
            ],
            lanes=[lane(1, "driver", {NASTY: 0.5}, process=NASTY, thread=NASTY, busy_share=lost)],
            hotspots=[spot(NASTY, NASTY, NASTY, 0.4), spot("x" * 90, f"/{'y' * 90}.py", None, lost, NASTY)],
            trust=dataclasses.replace(whole.trust, overhead_share=lost, notes=[NASTY]),
        ),
        (found,),
    )


MAKERS: dict[str, Callable[[], Report]] = {
    "subprocess": subprocess_run,
    "single": single_process,
    "attached": attached,
    "crashed": crashed,
    "nothing": nothing_recorded,
    "deep": deep_run,
    "nasty": nasty,
}


def detail_of(name: str, odd: str = "Env.observe, all") -> Detail:
    """What the exports of a run show beyond its report; `odd` is one of its names."""
    if name == "nothing":
        return Detail(0.0, 0.0)
    threads = [
        ThreadName(101, 101, "train.py", "MainThread", "driver"),
        ThreadName(105, 105, odd, "", "env-worker"),
    ]
    frames = [
        FlameFrame("env.step", "", 0, "stage"),
        FlameFrame("Game.step", "/home/me/wargame/game.py", 40, "yours"),
        FlameFrame(odd, "/home/me/wargame/sight.py", 120, "yours"),
        FlameFrame("act", "", 0, "stage"),
        FlameFrame("Linear.forward", "/venv/site-packages/torch/nn/modules/linear.py", 0, "library"),
    ]
    stacks = [
        FoldedStack(1, "env.step", False, (1, 2), 60, 0.45),
        FoldedStack(1, "env.step", False, (1,), 20, 0.17),
        FoldedStack(1, None, True, (1,), 20, 0.0),
        FoldedStack(0, "act", False, (4,), 30, 0.21),
        FoldedStack(0, None, False, (4,), 2, 0.02),
    ]
    nodes = [
        FlameNode(0, 0, 0.62, 0.0), FlameNode(1, 1, 0.62, 0.17), FlameNode(2, 2, 0.45, 0.45),
        FlameNode(3, 0, 0.21, 0.0), FlameNode(4, 1, 0.21, 0.21),
    ]  # fmt: skip
    if name == "attached":
        return Detail(1.0, 30.0, threads, frames, stacks, [Flame(None, 132, nodes, 3)])
    spans = [StageSpan("env.step", "", 10.0, 0.003), StageSpan("env.observe", odd, 10.001, 0.0015)]
    return Detail(
        steady_start=9.5,
        steady_end=109.5,
        threads=threads,
        frames=frames,
        stacks=stacks,
        flames=[Flame(None, 132, nodes, 3)],
        strips=[
            LaneStrip(1, "span", [LaneCell(9.5, 50.0, 0.8, 0.2, 0.1), LaneCell(59.5, 50.0, 0.9, 0.1, None)])
        ],
        windows=[
            StageWindow(9.5, 50.0, 210.0, {"env.step": 0.6, "act": 0.3}, 0.1),
            StageWindow(59.5, 50.0, None, {}, 1.0),
        ],
        raw=[SpanWindow(1, 10.0, 1.0, spans)],
        system=[SystemPoint(0.5, 90.0, 400 * 2**20), SystemPoint(60.5, 185.0, 900 * 2**20)],
    )


@pytest.fixture
def reports() -> dict[str, Report]:
    """Name of the kind of run → its report."""
    return {name: make() for name, make in MAKERS.items()}


@pytest.fixture
def details() -> dict[str, Detail]:
    """Name of the kind of run → stacks, spans and figures over time."""
    return {name: detail_of(name, NASTY) if name == "nasty" else detail_of(name) for name in MAKERS}
