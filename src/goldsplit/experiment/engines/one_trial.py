"""One trial: a short recording of one variant, measured. It runs where this is called: here, or on a node.

What it needs of the world (recording, reading a recording, the machine's counters, the clock) is given in
`Tools`, so that tests run without processes.
"""

from __future__ import annotations

import dataclasses
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from goldsplit import pipeline
from goldsplit.experiment.blocks import block_seed
from goldsplit.experiment.calm import Reading, calm_between, read_machine
from goldsplit.experiment.metrics import SECONDS_TO_TARGET, STAGE
from goldsplit.experiment.quality import TrialFiles, outcome, seconds_to_target, values_of
from goldsplit.experiment.variants import Prepared
from goldsplit.model.experiment.design import GateKind, Plan
from goldsplit.model.experiment.trial import Trial, TrialStatus
from goldsplit.model.overlays.overlay import STOPPED
from goldsplit.model.profile import Profile
from goldsplit.record.outside.launch import RecordOptions, RunEnd
from goldsplit.store.experiment_files import RUNS

#: In a command or a variable: a folder that belongs to this trial alone, for logs and monitor files.
OUT_PLACEHOLDER = "{out}"
OUTPUT_FILE = "output.txt"
_LAST_LINES = 3


class Interrupted(Exception):  # noqa: N818 - not an error: the user wants to stop
    """Ctrl-C: what is done is kept, the trial that was running is not."""


def no_tick(run_dir: Path) -> None:
    """Nothing to show while a trial runs."""


def record_trial(
    command: tuple[str, ...], root: Path, name: str, options: RecordOptions, tick: pipeline.Tick = no_tick
) -> tuple[Path, RunEnd]:
    """The real way to run a trial."""
    return pipeline.record(command, root, name, options, tick, kind="trial")


@dataclass(frozen=True, slots=True)
class Tools:
    """What a trial needs of the world."""

    record: Callable[..., tuple[Path, RunEnd]] = record_trial
    measure: Callable[[Path], pipeline.Measured] = pipeline.measure
    machine: Callable[[], Reading] = read_machine
    clock: Callable[[], float] = time.monotonic
    now: Callable[[], float] = time.time
    cores: int = dataclasses.field(default_factory=lambda: len(os.sched_getaffinity(0)))
    tick: pipeline.Tick = no_tick


def run_trial(plan: Plan, prepared: Prepared, place: tuple[int, int], folder: Path, tools: Tools) -> Trial:
    """Run one variant once. `place`: its block, and its position in there."""
    block, position = place
    name = prepared.variant.name
    seed = block_seed(plan, block)
    own = (folder / "files" / f"{block}-{name}").resolve()
    own.mkdir(parents=True, exist_ok=True)
    begun, since, before = tools.clock(), tools.now(), tools.machine()
    run_dir, end = tools.record(
        tuple(part.replace(OUT_PLACEHOLDER, str(own)) for part in prepared.command_for(seed)),
        folder / RUNS,
        f"{block}-{name}",
        dataclasses.replace(_options(plan, prepared, seed, own), former=former_run(folder, name)),
        tools.tick,
    )
    took = tools.clock() - begun
    calm = calm_between(before, tools.machine(), took, tools.cores)
    wall = _command_seconds(run_dir, end, took)
    problem = _problem(plan, end, wall, own / OUTPUT_FILE)
    trial = Trial(block, name, position, seed, TrialStatus.FAILED, run_dir.name, problem, wall, calm=calm)
    if not problem:
        measured = tools.measure(run_dir)
        files = TrialFiles(
            (own, prepared.directory or Path.cwd()),
            since,
            own / OUTPUT_FILE,
            measured.profile.throughput.metrics,
        )
        trial = with_figures(trial, plan, measured, files)
    return dataclasses.replace(trial, runner_seconds=round(tools.clock() - begun - wall, 3))


def former_run(folder: Path, variant: str) -> Path | None:
    """The last run of a variant, if there is one."""
    runs = [path for path in (folder / RUNS).glob(f"*-{variant}-*") if path.is_dir()]
    return max(runs, key=lambda path: path.stat().st_mtime, default=None)


def _options(plan: Plan, prepared: Prepared, seed: int, own: Path) -> RecordOptions:
    variables = prepared.environment_for(seed, plan.seed_variable)
    return RecordOptions(
        stages=plan.stages,
        stacks=False,
        duration_seconds=plan.duration_seconds,
        environment={key: value.replace(OUT_PLACEHOLDER, str(own)) for key, value in variables.items()},
        directory=prepared.directory,
        output=own / OUTPUT_FILE,
        overlays=prepared.overlays_for(seed),
        trajectory=plan.equivalent,
    )


def _command_seconds(run_dir: Path, end: RunEnd, took: float) -> float:
    """How long the command itself ran."""
    return took if end.started_ns is None else min(took, (end.ended_ns - end.started_ns) / 1e9)


def _problem(plan: Plan, end: RunEnd, wall: float, output: Path) -> str:
    """Why a trial does not count; "" if it does."""
    ended_by_us = plan.duration_seconds is not None and wall >= plan.duration_seconds
    if end.status == "interrupted" and not ended_by_us:
        raise Interrupted
    if end.exit_code == 0 or (ended_by_us and end.status == "interrupted"):
        return ""
    try:
        lines = output.read_text(errors="replace").strip().splitlines()
    except OSError:
        lines = []
    said = end.notes[0] if end.status == STOPPED else " | ".join(lines[-_LAST_LINES:])[-300:]
    return f"exit code {end.exit_code}" + (f": {said}" if said else "")


def with_figures(trial: Trial, plan: Plan, measured: pipeline.Measured, files: TrialFiles) -> Trial:
    """A trial with everything that was measured in it."""
    profile = measured.profile
    outcomes = {gate.name: outcome(gate.source, gate.kind, files) for gate in plan.gates}
    figures = _stage_figures(profile)
    if profile.system.rss_peak_bytes is not None:
        figures["peak_memory_bytes"] = float(profile.system.rss_peak_bytes)
    for name, source in plan.metrics.items():
        found = outcome(source, GateKind.MEAN, files)
        if found.mean is not None:
            figures[name] = found.mean
        if plan.target_reward is not None:
            reached = seconds_to_target(values_of(source, files), plan.target_reward)
            if reached is not None:
                figures[SECONDS_TO_TARGET] = reached
    prefill = profile.throughput.prefill
    return dataclasses.replace(
        trial,
        status=TrialStatus.COMPLETE,
        curve=tuple(measured.curve),
        learning_from_steps=float(prefill.env_steps or 0) if prefill is not None else 0.0,
        figures=figures,
        counts=measured.counts,
        outcomes=outcomes,
    )


def _stage_figures(profile: Profile) -> dict[str, float]:
    """Wall time per env step of each stage, in microseconds."""
    rows = profile.stages
    return {STAGE + row.stage: row.us_per_env_step for row in rows if row.us_per_env_step is not None}
