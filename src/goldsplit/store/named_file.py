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
from goldsplit.store.figures import count
from goldsplit.store.json_lines import DAMAGE, lines_of

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
        except DAMAGE:
            recording.damage.append(f"{file.name}: a damaged line skipped")
    recording.read_files = frozenset(by_file)
    recording.named = [function for functions in by_file.values() for function in functions]


def _function(file: str, row: list[Any]) -> NamedFunction:
    name, first, last, stage, reason, counted, ends_at = row
    if not is_stage_name(str(stage)):
        raise ValueError("no stage name")
    end = ends_at if ends_at is None or isinstance(ends_at, str) else int(ends_at)
    return NamedFunction(
        file, str(name), count(first), count(last), str(stage), str(reason), bool(counted), end
    )


def mark_named_code(recording: Recording) -> None:
    """Tell each frame of a stack the stage of its function."""
    if not recording.read_files:
        return
    table: ByFile = defaultdict(lambda: defaultdict(list))
    for function in recording.named:
        table[function.file][function.function.rpartition(".")[2]].append(function)
    recording.frames[:] = [
        dataclasses.replace(frame, named=stage_of(frame, table))
        if frame.file in recording.read_files
        else frame
        for frame in recording.frames
    ]


def stage_of(frame: Frame, table: ByFile) -> str:
    """The stage of a frame's function; "" for none. Of functions inside each other the innermost counts."""
    named = table[frame.file][frame.function.rpartition(".")[2]] if frame.file in table else []
    around = [one for one in named if one.first <= frame.line <= one.last]
    return max(around, key=lambda one: one.first).stage if around else ""
