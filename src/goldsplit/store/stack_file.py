"""Read stacks.jsonl: chunks of sampled stacks. Their files, frames and stacks are numbered."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from goldsplit.model.recording import Frame, Recording, StackChunk, StackCount
from goldsplit.model.wire import Stacks
from goldsplit.store.checked.figures import count, real, whole
from goldsplit.store.checked.json_lines import DAMAGE, lines_of


class StackTables:
    """Files, frames and stacks by number, as `record/outside/stack_folding.py` numbers them."""

    def __init__(self, frames: list[Frame]) -> None:
        self.files: list[str] = []
        self.frames = frames
        self.branches: list[tuple[int, ...]] = []

    def add(self, line: dict[str, Any]) -> None:
        """Take in what a line saw first; numbers of lines that were lost stay unknown."""
        files, frames, branches = map(count, line[Stacks.BASE])
        if max(files - len(self.files), frames - len(self.frames), branches - len(self.branches)) > 10_000:
            raise ValueError("too many numbers are missing")
        self.files += ["?"] * (files - len(self.files))
        self.frames += [Frame("?", "?", 0)] * (frames - len(self.frames))
        self.branches += [()] * (branches - len(self.branches))
        self.files += map(str, line[Stacks.FILES])
        self.frames += [Frame(str(n), self.files[count(f)], int(at)) for n, f, at in line[Stacks.FRAMES]]
        for below, frame in line[Stacks.BRANCHES]:
            self.branches.append((*self.stack(below), count(frame)))

    def stack(self, number: Any) -> tuple[int, ...]:
        return self.branches[count(number)] if number != -1 else ()


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
    """One chunk of stacks; the tables grow by what it saw first."""
    tables.add(line)
    stacks = tuple(
        StackCount(int(pid), int(thread), str(name), tables.stack(stack), count(number))
        for pid, thread, name, stack, number in line[Stacks.STACKS]
    )
    waits = tuple((count(waiter), count(busy), real(weight)) for waiter, busy, weight in line[Stacks.WAITS])
    if any(place >= len(stacks) for wait in waits for place in wait[:2]):
        raise ValueError("a wait refers to no stack")
    return StackChunk(
        start_ns=whole(line[Stacks.START]),
        end_ns=max(whole(line[Stacks.START]), whole(line[Stacks.END])),
        rate_hz=count(line[Stacks.RATE]),
        samples=count(line[Stacks.SAMPLES]),
        failed=count(line[Stacks.FAILED]),
        late=count(line[Stacks.LATE]),
        cpu_seconds=real(line[Stacks.CPU]),
        stacks=stacks,
        waits=waits,
        startup=bool(line.get(Stacks.STARTUP)),
    )
