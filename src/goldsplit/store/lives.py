"""Keep the lives of one pid apart: a program may replace itself (exec), and numbers are used again."""

from __future__ import annotations

import dataclasses
from bisect import bisect_right
from collections import defaultdict

from goldsplit.model.recording import ProcessRecord, StackChunk, StackCount


def number_lives(processes: list[ProcessRecord]) -> None:
    """Give each process its life; `processes` are in order of their start."""
    later: dict[int, int] = defaultdict(int)
    for process in reversed(processes):
        process.life = later[process.pid]
        later[process.pid] += 1


def with_lives(chunks: list[StackChunk], processes: list[ProcessRecord]) -> list[StackChunk]:
    """The same stacks, each with the life that its process had when the chunk began."""
    starts: dict[int, list[int]] = defaultdict(list)
    for process in processes:
        starts[process.pid].append(process.start_ns)
    several = {pid: times for pid, times in starts.items() if len(times) > 1}
    if not several:
        return chunks
    return [
        dataclasses.replace(
            chunk, stacks=tuple(_with_life(stack, several, chunk.start_ns) for stack in chunk.stacks)
        )
        for chunk in chunks
    ]


def _with_life(stack: StackCount, starts: dict[int, list[int]], t_ns: int) -> StackCount:
    times = starts.get(stack.pid)
    if times is None:
        return stack
    begun = max(1, bisect_right(times, t_ns))
    return dataclasses.replace(stack, life=len(times) - begun)
