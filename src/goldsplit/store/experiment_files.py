"""Experiments on disk: `.goldsplit/experiments/NAME` holds plan.json, trials.jsonl, result.json and the
runs."""

from __future__ import annotations

import contextlib
import dataclasses
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from goldsplit.errors import DamagedRunError, OutputError, RunNotFoundError
from goldsplit.model.experiment.design import MOST_PAIRS, Plan
from goldsplit.model.experiment.trial import Trial
from goldsplit.model.experiment.tried import rows_of
from goldsplit.model.finding import Finding, MeasuredGain
from goldsplit.model.wire import File
from goldsplit.store.checked.json_lines import DAMAGE, lines_of, read_object
from goldsplit.store.checked.typed import typed

EXPERIMENTS = Path(".goldsplit") / "experiments"
PLAN, TRIALS, RESULT, RUNS = "plan.json", "trials.jsonl", "result.json", "runs"
#: Version history. 1: the first.
VERSION = 1
_VERSION_KEY = "version"


def create_experiment(folder: Path, plan: Plan) -> None:
    """Make an experiment's directory with its plan."""
    try:
        (folder / RUNS).mkdir(parents=True, exist_ok=True)
        ignore = folder.parents[1] / ".gitignore"
        if folder.parent == EXPERIMENTS and not ignore.exists():
            ignore.write_text("*\n")
        write_json(folder / PLAN, {_VERSION_KEY: VERSION, **asdict(plan)})
    except OSError as error:
        raise OutputError(
            f"cannot write an experiment to {folder}: {error.strerror or error}",
            "choose another place with --experiments DIR",
        ) from error


def write_json(file: Path, data: dict[str, Any]) -> None:
    """In one step, so that a kill leaves the old file or the new one, never half."""
    temporary = file.with_name(file.name + ".new")
    temporary.write_text(json.dumps(data, indent=1) + "\n")
    temporary.replace(file)


def read_plan(folder: Path) -> Plan:
    """The plan of an experiment."""
    try:
        return _plan(read_object(folder / PLAN))
    except FileNotFoundError as error:
        raise RunNotFoundError(
            f"{folder} holds no experiment", f"an experiment has a {PLAN}; start one with: goldsplit ab"
        ) from error
    except (OSError, *DAMAGE) as error:
        raise DamagedRunError(f"{folder / PLAN} cannot be read: {error}", "start a new experiment") from error


def _plan(data: dict[str, Any]) -> Plan:
    if data.pop(_VERSION_KEY, None) != VERSION:
        raise ValueError("written by another version of goldsplit")
    plan: Plan = typed(Plan, data)
    if not plan.variants or not 1 <= plan.pairs <= MOST_PAIRS:
        raise ValueError("no variant in it, or an impossible number of pairs")
    return plan


def add_trial(folder: Path, trial: Trial) -> None:
    """Keep a trial: what is done is done, whatever comes after."""
    with (folder / TRIALS).open("a") as stream:
        stream.write(json.dumps(asdict(trial)) + "\n")


def read_trials(folder: Path) -> list[Trial]:
    """All trials, in the order in which they were made; a torn line is left out."""
    trials = []
    for line in lines_of(folder / TRIALS):
        if line is not None:
            with contextlib.suppress(*DAMAGE):
                trials.append(typed(Trial, line))
    return trials


def write_result(folder: Path, result: dict[str, Any]) -> None:
    """What was concluded, as JSON."""
    write_json(folder / RESULT, result)


def read_result(folder: Path) -> dict[str, Any] | None:
    """What was concluded; None: nothing yet, or it cannot be read."""
    try:
        return read_object(folder / RESULT)
    except (OSError, ValueError):
        return None


def list_experiments(root: Path) -> list[Path]:
    """All experiments below a root, oldest first."""
    found = [path for path in root.iterdir() if (path / PLAN).is_file()] if root.is_dir() else []
    return sorted(found, key=lambda path: (path / PLAN).stat().st_mtime)


def write_tried(run_dir: Path, tried: dict[str, Any]) -> None:
    """Keep what `goldsplit try` measured with the recording that it is about; a former result is replaced."""
    try:
        write_json(run_dir / File.TRIED, tried)
    except OSError as error:
        raise OutputError(
            f"cannot write {run_dir / File.TRIED}: {error.strerror or error}", "is the disk full?"
        ) from error


def read_measured(run_dir: Path) -> list[MeasuredGain]:
    """What was measured, overlay by overlay; nothing where nothing was tried, or it cannot be read."""
    try:
        return [_measured(row) for row in rows_of(read_object(run_dir / File.TRIED))]
    except (OSError, *DAMAGE):
        return []


def _measured(row: dict[str, Any]) -> MeasuredGain:
    names = {"overlay": "overlay", "pairs": "pairs", "verdict": "verdict"}
    names |= {name: f"measured_{name}" for name in ("gain", "low", "high")}
    measured: MeasuredGain = typed(MeasuredGain, {name: row[key] for name, key in names.items()})
    return measured


def with_measured(findings: Sequence[Finding], measured: Sequence[MeasuredGain]) -> tuple[Finding, ...]:
    """Each finding with what was measured about the first of its overlays that was tried."""
    known = {one.overlay: one for one in measured}
    found = [next((known[text] for text in one.overlays if text in known), None) for one in findings]
    return tuple(
        one if gain is None else dataclasses.replace(one, measured=gain)
        for one, gain in zip(findings, found, strict=True)
    )
