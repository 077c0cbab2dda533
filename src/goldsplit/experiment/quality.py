"""How well a trial's agent played: values of episodes, from the recording, CSV or TensorBoard files, or
output."""

from __future__ import annotations

import csv
import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from goldsplit.model.experiment.design import GateKind, Source, SourceKind
from goldsplit.model.experiment.trial import Outcome
from goldsplit.model.wire import Metrics
from goldsplit.store.beside_runs.tensorboard_file import read_scalars

#: Metrics that count how episodes end: those that the program names, else those that libraries know.
REASON_PREFIXES = (Metrics.END, Metrics.EPISODE_END, Metrics.MONITOR_END)
#: A target is reached when this many values in a row have it as their mean.
TARGET_WINDOW = 20
#: A recorded metric → what says the same where the program does not name it.
OTHERWISE = {
    "reward": (Metrics.EPISODE_RETURN, Metrics.MONITOR_RETURN),
    "win": (Metrics.EPISODE_SUCCESS, Metrics.MONITOR_SUCCESS),
}


@dataclass(frozen=True, slots=True)
class TrialFiles:
    """Where a trial may have left figures."""

    folders: tuple[Path, ...]
    """The trial's own folder, and the directory that the program ran in."""
    since: float
    """When the trial began: older files are of others."""
    output: Path
    metrics: dict[str, dict[str, float]]
    """Recorded ones: name → count and mean."""


@dataclass(frozen=True, slots=True)
class Value:
    """One value of one episode, or of one line."""

    text: str
    seconds: float | None = None
    """Since the trial began; None: not known."""

    @property
    def number(self) -> float | None:
        words = {"true": 1.0, "false": 0.0}
        try:
            found = words.get(self.text.strip().lower())
            found = float(self.text) if found is None else found
        except ValueError:
            return None
        return found if math.isfinite(found) else None


def outcome(source: Source, kind: str, files: TrialFiles) -> Outcome:
    """What a trial says about one gate; a count of 0: nothing."""
    if source.kind == SourceKind.RECORDED:
        return _recorded(source, kind, files.metrics)
    values = values_of(source, files)
    if kind == GateKind.REASONS:
        reasons = Counter(value.text for value in values)
        return Outcome(reasons.total(), None, dict(reasons))
    numbers = [number for value in values if (number := value.number) is not None]
    return Outcome(len(numbers), sum(numbers) / len(numbers) if numbers else None)


def _recorded(source: Source, kind: str, metrics: dict[str, dict[str, float]]) -> Outcome:
    if kind == GateKind.REASONS:
        for prefix in (source.name,) if source.name else REASON_PREFIXES:
            reasons = {
                name.removeprefix(prefix): round(row["count"] * row["mean"])
                for name, row in metrics.items()
                if name.startswith(prefix)
            }
            if reasons:
                return Outcome(sum(reasons.values()), None, reasons)
        return Outcome(0, None, {})
    names = (source.name, *OTHERWISE.get(source.name, ()))
    row = next((metrics[name] for name in names if name in metrics), None)
    if row is None or not math.isfinite(row["mean"]):
        return Outcome(0)
    return Outcome(round(row["count"]), row["mean"])


def values_of(source: Source, files: TrialFiles) -> list[Value]:
    """The single values that a source has, in order."""
    if source.kind == SourceKind.OUTPUT:
        return _from_output(source, files.output)
    found: list[Value] = []
    for file in sorted(set(_matching(source, files))):
        found += (
            _from_csv(file, source.name)
            if source.kind == SourceKind.CSV
            else _from_events(file, source, files)
        )
    return found


def _matching(source: Source, files: TrialFiles) -> Iterator[Path]:
    usual = "**/*.monitor.csv" if source.kind == SourceKind.CSV else "**/events.out.tfevents.*"
    for folder in files.folders:
        for file in folder.glob(source.where or usual):
            if file.is_file() and file.stat().st_mtime >= files.since:
                yield file.resolve()


def _from_output(source: Source, output: Path) -> list[Value]:
    try:
        text = output.read_text(errors="replace")
    except OSError:
        return []
    found = re.finditer(source.where, text, re.MULTILINE)
    return [Value(match[1] if match.re.groups else match[0]) for match in found]


def _from_csv(file: Path, column: str) -> list[Value]:
    """Rows below a header; lines that begin with # (as in monitor files) are comments."""
    with file.open(errors="replace", newline="") as stream:
        rows = csv.DictReader(line for line in stream if not line.startswith("#"))
        found = []
        for row in rows:
            text, at = row.get(column), Value(row.get("t") or "").number
            if text not in (None, ""):
                found.append(Value(str(text), at))
    return found


def _from_events(file: Path, source: Source, files: TrialFiles) -> list[Value]:
    return [
        Value(repr(scalar.value), scalar.wall_time - files.since)
        for scalar in read_scalars(file)
        if scalar.tag == source.name
    ]


def seconds_to_target(values: list[Value], target: float) -> float | None:
    """When the mean of the last values first reached a target; None: never, or no times are known."""
    known = [(value.seconds, number) for value in values if (number := value.number) is not None]
    for end in range(TARGET_WINDOW, len(known) + 1):
        mean = sum(number for _, number in known[end - TARGET_WINDOW : end]) / TARGET_WINDOW
        if mean >= target:
            return known[end - 1][0]
    return None
