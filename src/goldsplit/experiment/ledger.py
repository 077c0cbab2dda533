"""Collect what experiments concluded and how fast each commit was. Only files are read."""

from __future__ import annotations

import shlex
import statistics
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from goldsplit import pipeline
from goldsplit.errors import GoldsplitError
from goldsplit.model.experiment.ledger import CommitRow, Ledger, LedgerRow
from goldsplit.model.overlays.overlay import OverlayUse
from goldsplit.model.profile import Profile
from goldsplit.store.checked.json_lines import DAMAGE
from goldsplit.store.checked.typed import typed
from goldsplit.store.directory import RunEntry, list_runs
from goldsplit.store.experiment_files import list_experiments, read_result

SEED = "seed"


def ledger(
    experiments: Path, runs: Path, read: Callable[[Path], Profile] = pipeline.profile, commits: bool = True
) -> Ledger:
    """All experiments below one directory, all runs below another."""
    rows: list[LedgerRow] = []
    unreadable = 0
    for folder in list_experiments(experiments):
        try:
            rows += experiment_rows(read_result(folder) or {})
        except DAMAGE:
            unreadable += 1
    both = [row for row in rows if row.predicted is not None and row.low is not None and row.high is not None]
    held = [row for row in both if (row.low or 0) <= (row.predicted or 0) <= (row.high or 0)]
    by_commit = commit_rows(list_runs(runs), read) if commits else []
    return Ledger(rows, by_commit, len(held), len(both), unreadable)


def experiment_rows(result: dict[str, Any]) -> list[LedgerRow]:
    """The variants of one experiment's result.json."""
    return [
        typed(
            LedgerRow,
            {
                "experiment": result["name"],
                "variant": one["variant"],
                "metric": result["metric"],
                "predicted": one["predicted"],
                "measured": one["effect"]["gain"],
                "low": one["effect"]["low"],
                "high": one["effect"]["high"],
                "pairs": one["effect"]["pairs"],
                "verdict": one["verdict"],
                "decision": one["decision"],
            },
        )
        for one in result.get("judged", ())
    ]


def _changes_the_program(use: OverlayUse) -> bool:
    """Seeding from outside leaves the program as fast as it is."""
    return use.overlay.partition(":")[0] != SEED


def commit_rows(entries: Iterable[RunEntry], read: Callable[[Path], Profile]) -> list[CommitRow]:
    """Throughput by commit and command; runs without a commit or without env steps are left out, and those
    with overlays: with them a program is not what its commit says."""
    found: dict[tuple[str, bool, str], list[Profile]] = {}
    for entry in entries:
        try:
            profile = read(entry.path)
        except GoldsplitError:
            continue
        git, speed = profile.run.git, profile.throughput.env_steps_per_second
        if git and speed is not None and not any(map(_changes_the_program, profile.run.overlays)):
            key = (str(git["revision"]), bool(git["changed"]), shlex.join(profile.run.command))
            found.setdefault(key, []).append(profile)
    rows = []
    for (revision, changed, command), profiles in found.items():
        speeds = [one.throughput.env_steps_per_second or 0.0 for one in profiles]
        started = min(one.run.started for one in profiles)
        rows.append(
            CommitRow(
                revision[:10],
                changed,
                len(speeds),
                command,
                statistics.median(speeds),
                min(speeds),
                max(speeds),
                started,
            )
        )
    return sorted(rows, key=lambda row: row.started)
