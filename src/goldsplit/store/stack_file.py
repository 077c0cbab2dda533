"""Read stacks.jsonl: slices of sampled stacks, whose files, frames and stacks are numbered."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from goldsplit.model.recording import Frame, Recording, StackChunk, StackCount
from goldsplit.store.json_lines import DAMAGE, lines_of


class StackTables:
    """Files, frames and stacks by number, as `record.folding` numbers them."""

    def __init__(self, frames: list[Frame]) -> None:
        self.files: list[str] = []
        self.frames = frames
        self.branches: list[tuple[int, ...]] = []

    def add(self, line: dict[str, Any]) -> None:
        """Take in what a line saw first; numbers of lines that were lost stay unknown."""
        files, frames, branches = map(_place, line["base"])
        if max(files - len(self.files), frames - len(self.frames), branches - len(self.branches)) > 10_000:
            raise ValueError("too many numbers are missing")
        self.files += ["?"] * (files - len(self.files))
        self.frames += [Frame("?", "?", 0)] * (frames - len(self.frames))
        self.branches += [()] * (branches - len(self.branches))
        self.files += map(str, line["files"])
        self.frames += [Frame(str(n), self.files[_place(f)], int(at)) for n, f, at in line["frames"]]
        for below, frame in line["branches"]:
            self.branches.append((*self.stack(below), _place(frame)))

    def stack(self, number: Any) -> tuple[int, ...]:
        return self.branches[_place(number)] if number != -1 else ()


def read_stacks(file: Path, recording: Recording) -> None:
    tables = StackTables(recording.frames)
    for line in lines_of(file):
        try:
            if line is None:
                raise ValueError("not JSON")
            recording.chunks.append(read_chunk(line, tables))
        except DAMAGE:
            recording.damage.append(f"{file.name}: a damaged chunk of stacks skipped")


def read_chunk(line: dict[str, Any], tables: StackTables) -> StackChunk:
    """One slice of stacks; the tables grow by what it saw first."""
    tables.add(line)
    stacks = tuple(
        StackCount(int(pid), int(thread), str(name), tables.stack(stack), _place(count))
        for pid, thread, name, stack, count in line["stacks"]
    )
    waits = tuple((_place(waiter), _place(busy), float(weight)) for waiter, busy, weight in line["waits"])
    if any(place >= len(stacks) for wait in waits for place in wait[:2]):
        raise ValueError("a wait refers to no stack")
    return StackChunk(
        start_ns=int(line["start"]),
        end_ns=max(int(line["start"]), int(line["end"])),
        rate_hz=int(line["rate"]),
        samples=int(line["samples"]),
        failed=int(line["failed"]),
        late=int(line["late"]),
        cpu_seconds=float(line["cpu"]),
        stacks=stacks,
        waits=waits,
        startup=bool(line.get("startup")),
    )


def _place(value: Any) -> int:
    """A number that counts or points; never negative."""
    number = int(value)
    if number < 0:
        raise ValueError(f"{number} is negative")
    return number
