"""Experiments on disk: `.goldsplit/experiments/NAME` holds plan.json, trials.jsonl, result.json and the
runs."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from goldsplit.errors import DamagedRunError, OutputError, RunNotFoundError
from goldsplit.model.experiment.design import ConfigEdit, Gate, Plan, Source, Variant
from goldsplit.model.experiment.trial import Calm, Outcome, Point, Trial
from goldsplit.model.experiment.tried import rows_of
from goldsplit.model.finding import Finding, MeasuredGain
from goldsplit.model.wire import File

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
        data = json.loads((folder / PLAN).read_text())
        return _plan(data)
    except FileNotFoundError as error:
        raise RunNotFoundError(
            f"{folder} holds no experiment", f"an experiment has a {PLAN}; start one with: goldsplit ab"
        ) from error
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DamagedRunError(f"{folder / PLAN} cannot be read: {error}", "start a new experiment") from error


def _plan(data: dict[str, Any]) -> Plan:
    if data.pop(_VERSION_KEY, None) != VERSION:
        raise ValueError("written by another version of goldsplit")
    variants = tuple(
        Variant(
            **row
            | {
                "arguments": tuple(row["arguments"]),
                "overlays": tuple(row["overlays"]),
                "edits": tuple(ConfigEdit(**edit) for edit in row["edits"]),
            }
        )
        for row in data["variants"]
    )
    gates = tuple(Gate(**row | {"source": Source(**row["source"])}) for row in data["gates"])
    metrics = {name: Source(**row) for name, row in data["metrics"].items()}
    changed = {"command": tuple(data["command"]), "variants": variants, "gates": gates, "metrics": metrics}
    return Plan(**data | changed)


def add_trial(folder: Path, trial: Trial) -> None:
    """Keep a trial: what is done is done, whatever comes after."""
    with (folder / TRIALS).open("a") as stream:
        stream.write(json.dumps(asdict(trial)) + "\n")


def read_trials(folder: Path) -> list[Trial]:
    """All trials, in the order in which they were made; a torn line is left out."""
    try:
        lines = (folder / TRIALS).read_text().splitlines()
    except OSError:
        return []
    trials = []
    for line in lines:
        try:
            trials.append(_trial(json.loads(line)))
        except (ValueError, KeyError, TypeError):
            continue
    return trials


def _trial(row: dict[str, Any]) -> Trial:
    return Trial(
        **row
        | {
            "curve": tuple(Point(*point) for point in row["curve"]),
            "outcomes": {name: Outcome(**outcome) for name, outcome in row["outcomes"].items()},
            "calm": Calm(**row["calm"]),
        }
    )


def write_result(folder: Path, result: dict[str, Any]) -> None:
    """What was concluded, as JSON."""
    write_json(folder / RESULT, result)


def read_result(folder: Path) -> dict[str, Any] | None:
    """What was concluded; None: nothing yet, or it cannot be read."""
    try:
        found = json.loads((folder / RESULT).read_text())
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


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
        return [_measured(row) for row in rows_of(json.loads((run_dir / File.TRIED).read_text()))]
    except (OSError, ValueError, KeyError, TypeError):
        return []


def _measured(row: dict[str, Any]) -> MeasuredGain:
    gain, low, high = (_figure(row[f"measured_{name}"]) for name in ("gain", "low", "high"))
    return MeasuredGain(str(row["overlay"]), gain, low, high, int(row["pairs"]), str(row["verdict"]))


def _figure(value: Any) -> float | None:
    return None if value is None else float(value)


def with_measured(findings: Sequence[Finding], measured: Sequence[MeasuredGain]) -> tuple[Finding, ...]:
    """Each finding with what was measured about the first of its overlays that was tried."""
    known = {one.overlay: one for one in measured}
    found = [next((known[text] for text in one.overlays if text in known), None) for one in findings]
    return tuple(
        one if gain is None else dataclasses.replace(one, measured=gain)
        for one, gain in zip(findings, found, strict=True)
    )
