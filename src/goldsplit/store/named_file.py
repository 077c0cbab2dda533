"""Read named.jsonl: what the user's functions are taken for; and put that into the frames of stacks."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from pathlib import Path
from typing import Any

from goldsplit.model.named_code import NamedFunction
from goldsplit.model.recording import Frame, Recording
from goldsplit.model.stage import is_stage_name
from goldsplit.model.wire import Named
from goldsplit.store.checked.figures import count
from goldsplit.store.checked.json_lines import DAMAGE, lines_of

ByFile = dict[str, dict[str, list[NamedFunction]]]
"""File → last part of a function's name → those functions."""


def read_named(file: Path, recording: Recording) -> None:
    """Add what the source showed to a recording; a file that was read twice counts once."""
    by_file: dict[str, list[NamedFunction]] = {}
    for line in lines_of(file):
        try:
            if line is None:
                raise ValueError("not JSON")
            name = str(line[Named.FILE])
            by_file[name] = [_function(name, row) for row in line[Named.FUNCTIONS]]
            if isinstance(line.get(Named.DIGEST), str):
                recording.digests[name] = line[Named.DIGEST]
        except DAMAGE:
            recording.damage.append(f"{file.name}: a damaged line skipped")
    recording.read_files = frozenset(by_file)
    recording.named = [function for functions in by_file.values() for function in functions]


def _function(file: str, row: list[Any]) -> NamedFunction:
    name, first, last, stage, reason, counted, ends_at, *lines = row
    if not is_stage_name(str(stage)):
        raise ValueError("no stage name")
    end = ends_at if ends_at is None or isinstance(ends_at, str) else int(ends_at)
    return NamedFunction(
        file,
        str(name),
        count(first),
        count(last),
        str(stage),
        str(reason),
        bool(counted),
        end,
        tuple(map(str, lines[0])) if lines else None,
    )


def mark_named_code(recording: Recording) -> None:
    """Tell each frame of a stack the stage of its function."""
    if not recording.read_files:
        return
    table: ByFile = defaultdict(lambda: defaultdict(list))
    for function in recording.named:
        table[function.file][function.function.rpartition(".")[2]].append(function)
    recording.frames[:] = [
        _marked(frame, table) if frame.file in recording.read_files else frame for frame in recording.frames
    ]


def _marked(frame: Frame, table: ByFile) -> Frame:
    found = named_at(frame, table)
    by_line = found is not None and found.own_counters is not None
    return dataclasses.replace(frame, named="" if found is None else found.stage, named_by_line=by_line)


def named_at(frame: Frame, table: ByFile) -> NamedFunction | None:
    """What a frame's function, or its line, is taken for. Of those inside each other the innermost counts."""
    named = table[frame.file][frame.function.rpartition(".")[2]] if frame.file in table else []
    around = [one for one in named if one.first <= frame.line <= one.last]
    return max(around, key=lambda one: (one.first, -one.last), default=None)
