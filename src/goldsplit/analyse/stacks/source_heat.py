"""The user's source lines, each with its share of wall time."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field

from goldsplit.analyse.stacks.user_frames import is_ours, is_users
from goldsplit.analyse.wall.account import Weight
from goldsplit.model.detail import SourceFile, SourceLine
from goldsplit.model.recording import Frame
from goldsplit.store.project_source import NotShownError

MOST_FILES = 12
MOST_HOT_LINES = 40
#: Lines with less than this are shown only as surroundings.
LEAST_SHARE = 0.002
AROUND = 2
LONGEST_LINE = 160

ReadSource = Callable[[str], tuple[list[str], float]]
"""A file's lines, and when it was changed last (seconds since 1970). Raises OSError: `NotShownError` for one
that is there but not of this run's project."""


@dataclass(slots=True)
class _File:
    own: dict[int, float] = field(default_factory=lambda: defaultdict(float))
    total: dict[int, float] = field(default_factory=lambda: defaultdict(float))
    samples: Counter[int] = field(default_factory=Counter)
    touched: float = 0.0


def source_heat(
    weighted: list[tuple[Weight, float]], frames: list[Frame], started: float, read: ReadSource
) -> list[SourceFile]:
    """The files with most time in them; `started` is when the run began."""
    files: dict[str, _File] = defaultdict(_File)
    ours = [is_ours(frame) for frame in frames]
    yours = [is_users(frame) for frame in frames]
    for weight, share in weighted:
        places = [i for i in weight.row.frames if i < len(frames)]
        if places and not ours[places[-1]]:  # what the recorder costs is no line's time
            _add(files, [frames[i] for i in places if yours[i]], round(weight.samples) or 1, share)
    ranked = sorted(files.items(), key=lambda item: -sum(item[1].own.values()))
    return [
        _source_file(name, heat, started, read)
        for name, heat in ranked[:MOST_FILES]
        if sum(heat.own.values()) >= LEAST_SHARE
    ]


def _add(files: dict[str, _File], own: list[Frame], count: int, share: float) -> None:
    if not own:
        return
    for file, line in {(frame.file, frame.line) for frame in own}:  # recursion counts once
        files[file].total[line] += share
    for file in {frame.file for frame in own}:
        files[file].touched += share
    inner = own[-1]
    files[inner.file].own[inner.line] += share
    files[inner.file].samples[inner.line] += count


def _source_file(name: str, heat: _File, started: float, read: ReadSource) -> SourceFile:
    hot = _hottest(heat.own, LEAST_SHARE) + _hottest(heat.total, 10 * LEAST_SHARE)
    doubt = ""
    try:
        text, changed = read(name)
    except NotShownError as refused:
        text, changed, doubt = [], 0.0, str(refused)
    except OSError:
        text, changed, doubt = [], 0.0, "the file is not there any more, so only line numbers are known"
    if text and started and changed > started:
        doubt = "the file was changed after the run began: lines may have moved"
    shown = sorted({n for line in hot for n in range(line - AROUND, line + AROUND + 1)} if text else set(hot))
    lines = [
        SourceLine(
            number,
            _clip(text[number - 1]) if text else None,
            min(1.0, heat.own.get(number, 0.0)),
            min(1.0, heat.total.get(number, 0.0)),
            heat.samples.get(number, 0),
        )
        for number in shown
        if number >= 1 and (not text or number <= len(text))
    ]
    return SourceFile(name, min(1.0, sum(heat.own.values())), min(1.0, heat.touched), lines, doubt)


def _hottest(shares: dict[int, float], least: float) -> list[int]:
    ranked = sorted(shares, key=lambda line: -shares[line])
    return [line for line in ranked[:MOST_HOT_LINES] if shares[line] >= least]


def _clip(text: str) -> str:
    plain = text.rstrip().expandtabs(4)
    return plain if len(plain) <= LONGEST_LINE else plain[: LONGEST_LINE - 1] + "…"
