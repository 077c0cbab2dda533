"""The lines of `goldsplit runs`: speed, bottleneck, and in what a run differs from the one above it."""

from __future__ import annotations

import difflib
from typing import Any

from goldsplit.model.pasting import joined
from goldsplit.model.report import Report, RunSummary
from goldsplit.model.wire import Header
from goldsplit.report import words
from goldsplit.report.bottleneck import ended_before_training, leading

#: Commands that have less in common than this are shown whole.
ALIKE = 0.5
#: Characters of a git revision: as `git log --oneline` has it.
_REVISION = 7
_CHANGE = "→"


def summarised(report: Report) -> RunSummary:
    """What a list of runs shows of a report."""
    profile = report.profile
    flow = profile.throughput
    by_updates = flow.env_steps_per_second is None and bool(flow.updates_per_second)
    speed = flow.updates_per_second if by_updates else flow.env_steps_per_second
    unit = "updates" if by_updates else "env steps"
    if not profile.stages or ended_before_training(profile):
        return RunSummary(speed, unit, None, None)
    kind = leading(profile)
    if profile.unattributed.wall_share > kind.wall_share:
        return RunSummary(speed, unit, None, None)
    top = next(row for row in profile.stages if row.category == kind.category)
    return RunSummary(speed, unit, top.stage, top.wall_share)


def speed_text(summary: RunSummary | None) -> str:
    """`1,234 env steps/s`."""
    if summary is None or summary.speed is None:
        return words.DASH
    return f"{words.rate(summary.speed)} {words.plain(summary.unit)}/s"


def bottleneck_text(summary: RunSummary | None) -> str:
    """`env.step 62 %`."""
    if summary is None or summary.stage is None:
        return words.DASH
    return f"{words.function_only(summary.stage)} {words.share(summary.share)}"


def command_text(header: dict[str, Any]) -> str:
    """A run's command on one line."""
    return _line(joined(header.get(Header.COMMAND, [])))


def differences(former: dict[str, Any], header: dict[str, Any]) -> list[str]:
    """In what a run differs from the one above it, as far as their headers tell."""
    parts = _command(former.get(Header.COMMAND, []), header.get(Header.COMMAND, []))
    parts += _overlays(former.get(Header.OVERLAYS, []), header.get(Header.OVERLAYS, []))
    parts += _revision(former.get(Header.GIT), header.get(Header.GIT))
    for key in (Header.ENVIRONMENT, Header.PACKAGES):
        parts += _values(former.get(key) or {}, header.get(key) or {})
    for key in (Header.PYTHON, Header.HOST, Header.FOLDER):
        parts += _values({key: former.get(key)}, {key: header.get(key)})
    return [_line(part) for part in parts]


def _command(former: list[str], command: list[str]) -> list[str]:
    """The arguments that changed, each with the option before it; the whole command where much did."""
    matcher = difflib.SequenceMatcher(None, former, command, autojunk=False)
    if former == command:
        return []
    if matcher.ratio() < ALIKE:
        return [joined(command)]
    parts = []
    for kind, first, last, start, end in matcher.get_opcodes():
        old, new = joined(former[first:last]), joined(command[start:end])
        option = command[start - 1] + " " if start and command[start - 1].startswith("-") else ""
        if kind == "replace":
            parts.append(f"{option}{old} {_CHANGE} {new}")
        elif kind != "equal":
            parts.append(f"+ {option}{new}" if kind == "insert" else f"without {option}{old}")
    return parts


def _overlays(former: list[str], overlays: list[str]) -> list[str]:
    return [f"+ --with {one}" for one in overlays if one not in former] + [
        f"without --with {one}" for one in former if one not in overlays
    ]


def _revision(former: dict[str, Any] | None, git: dict[str, Any] | None) -> list[str]:
    """Another commit, or changes that are in none: then the code may differ, and nothing tells in what."""
    old, new = former or {}, git or {}
    names = [str(one.get(Header.REVISION) or "none")[:_REVISION] for one in (old, new)]
    parts = [] if names[0] == names[1] else [f"commit {names[0]} {_CHANGE} {names[1]}"]
    if new.get(Header.CHANGED):
        parts.append("changes not committed")
    elif old.get(Header.CHANGED):
        parts.append("no uncommitted changes")
    return parts


def _values(former: dict[str, Any], values: dict[str, Any]) -> list[str]:
    """Variables, versions: name, value before, value now."""
    names = [*values, *(name for name in former if name not in values)]
    return [
        f"{name} {_value(former.get(name))} {_CHANGE} {_value(values.get(name))}"
        for name in names
        if former.get(name) != values.get(name)
    ]


def _value(value: Any) -> str:
    return "not set" if value is None else str(value)


def _line(text: str) -> str:
    return " ".join(words.plain(text).split())
