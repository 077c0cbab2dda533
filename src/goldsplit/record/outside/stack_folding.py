"""Fold what py-spy wrote into counts per thread and stack."""

from __future__ import annotations

import itertools
import os
import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import Any

from goldsplit.model.recording import RECORDER_THREADS
from goldsplit.model.stack_frames import is_importing, is_loop_frame, is_waiting_frame
from goldsplit.model.wire import Stacks

MAX_DEPTH = 80
SLICE_NS = 2_500_000_000
_OWN_THREADS = "goldsplit/record/inside/snapshot_thread.py"
#: py-spy names the process only where it follows several.
_THREAD = re.compile(r'(?:Process (\d+)\s+)?Thread (?:0x)?([0-9A-Fa-f]+)(?: "(.*)")?')


@dataclass(frozen=True, slots=True)
class ChunkResult:
    """One chunk as py-spy left it."""

    speedscope: dict[str, Any]
    samples: int
    failed: int
    late: int
    cpu_seconds: float
    root_pid: int
    """The process that was sampled; the others are below it."""
    rate: int
    """Samples per second that py-spy was asked for."""

    @property
    def ticks(self) -> int:
        """How often the process was sampled; each time all of its threads."""
        return max((len(profile["samples"]) for profile in self.speedscope["profiles"]), default=0)


class StackTable:
    """Numbers for files, frames and stacks. Each is written once, with the slice that first has it. A slice
    also has the first number of each new list (`base`), so that a lost slice does not shift the rest.

    A stack is a branch on the stack of its outer frames: stacks that begin alike share their beginning.
    """

    def __init__(self) -> None:
        self.files: dict[str, int] = {}
        self.frames: dict[tuple[str, int, int], int] = {}
        self.branches: dict[tuple[int, int], int] = {}
        self._written = (0, 0, 0)

    def number(self, stack: tuple[int, ...], frames: list[dict[str, Any]]) -> int:
        """A stack's number (outermost frame first); -1 for the empty stack."""
        branch = -1
        for index in stack:
            frame = frames[index]
            file = self.files.setdefault(frame["file"] or "", len(self.files))
            key = (str(frame["name"]), file, int(frame["line"] or 0))
            known = self.frames.setdefault(key, len(self.frames))
            branch = self.branches.setdefault((branch, known), len(self.branches))
        return branch

    def news(self) -> dict[str, Any]:
        """What has been numbered since the last call."""
        tables: tuple[dict[Any, int], ...] = (self.files, self.frames, self.branches)
        news = [list(itertools.islice(t, n, None)) for t, n in zip(tables, self._written, strict=True)]
        base, self._written = self._written, (len(self.files), len(self.frames), len(self.branches))
        keys = (Stacks.FILES, Stacks.FRAMES, Stacks.BRANCHES)
        return {Stacks.BASE: base, **dict(zip(keys, news, strict=True))}


Thread = tuple[int, int, str]
"""Process id, thread id, thread name."""
Stack = tuple[int, ...]


def fold(
    result: ChunkResult,
    period: tuple[int, int],
    table: StackTable,
    loop_seen: bool,
) -> list[dict[str, Any]]:
    """Counts per thread and stack, in slices of some seconds. What lies before the first sample of a training
    loop is a separate slice, marked as start-up."""
    own_frames = result.speedscope["shared"]["frames"]
    threads = read_threads(result.speedscope["profiles"], own_frames, result.root_pid)
    ticks = max((len(samples) for _, samples in threads), default=0)
    if not ticks:
        return []
    begin = 0 if loop_seen else first_loop_tick(threads, own_frames, ticks)
    tick_ns = (period[1] - period[0]) / ticks
    per_slice = max(1, int(SLICE_NS / tick_ns))
    borders = sorted({0, ticks} | set(range(begin, ticks, per_slice)))
    lines = []
    for first, last in itertools.pairwise(borders):
        part = [(who, cut(samples, first, last, ticks)) for who, samples in threads]
        seen = [(who, samples) for who, samples in part if samples]
        line = fold_slice(seen, own_frames, table, result.root_pid)
        share = (last - first) / ticks
        line |= {
            Stacks.START: int(period[0] + first * tick_ns),
            Stacks.END: int(period[0] + last * tick_ns),
            Stacks.RATE: result.rate,
            Stacks.SAMPLES: sum(len(samples) for _, samples in part),
            Stacks.CPU: round(result.cpu_seconds * share, 4),
            Stacks.FAILED: result.failed if first == 0 else 0,
            Stacks.LATE: result.late if first == 0 else 0,
            Stacks.STARTUP: last <= begin,
        }
        lines.append(line)
    return lines


def loop_samples(lines: list[dict[str, Any]]) -> Counter[int]:
    """In-loop samples of the main thread of each process."""
    counts: Counter[int] = Counter()
    for line in lines:
        if not line[Stacks.STARTUP]:
            for pid, thread, _, _, count in line[Stacks.STACKS]:
                if pid == thread:
                    counts[pid] += count
    return counts


def entry_of(result: ChunkResult) -> str:
    """The function that the process's main thread was started with: what multiprocessing called, else the
    outermost one. Empty if nothing was seen. Workers of one kind have the same."""
    frames = result.speedscope["shared"]["frames"]
    entries: Counter[str] = Counter()
    for (pid, thread, _), stacks in read_threads(result.speedscope["profiles"], frames, result.root_pid):
        if pid == thread == result.root_pid:
            entries.update(entry_in([frames[i] for i in stack]) for stack in stacks if stack)
    return entries.most_common(1)[0][0] if entries else ""


def entry_in(stack: list[dict[str, Any]]) -> str:
    """The function that a main thread was started with, from one stack; empty for the empty stack."""
    if not stack:
        return ""
    starters = [place for place, frame in enumerate(stack) if "multiprocessing/process" in frame["file"]]
    frame = stack[min(starters[-1] + 1 if starters else 0, len(stack) - 1)]
    return f"{frame['name']} {frame['file']}"


def first_loop_tick(
    threads: list[tuple[Thread, list[Stack]]], frames: list[dict[str, Any]], ticks: int
) -> int:
    """The first tick at which any thread is inside a training loop; the number of ticks if none ever is."""
    loop = {i for i, frame in enumerate(frames) if is_loop_frame(frame["name"], frame["file"] or "")}
    first = ticks
    for _, samples in threads:
        missing = ticks - len(samples)
        for place, sample in enumerate(samples):
            if place + missing >= first:
                break
            if not loop.isdisjoint(sample):
                first = place + missing
                break
    return first


def cut(samples: list[Stack], first: int, last: int, ticks: int) -> list[Stack]:
    """The samples of ticks `first` to `last`, where the list's end is the last tick."""
    missing = ticks - len(samples)
    return samples[max(0, first - missing) : max(0, last - missing)]


def read_threads(
    profiles: list[dict[str, Any]], frames: list[dict[str, Any]], root_pid: int
) -> list[tuple[Thread, list[Stack]]]:
    """Each thread with its stacks in order; py-spy's own process and thread lines have no file."""
    real = [bool(frame["file"]) for frame in frames]
    importing = [is_importing(frame["file"] or "") for frame in frames]
    threads = []
    for profile in profiles:
        matched = _THREAD.match(profile["name"])
        if matched is None or matched[3] in RECORDER_THREADS or is_recorders(profile, frames):
            continue
        pid = int(matched[1] or root_pid)
        if pid == os.getpid() != root_pid:  # we were started by what we look at
            continue
        who = (pid, int(matched[2], 10 if matched[2].isdigit() else 16), matched[3] or "")
        stacks = [tuple(i for i in sample if real[i]) for sample in profile["samples"]]
        threads.append((who, [without_inner_imports(stack, importing)[-MAX_DEPTH:] for stack in stacks]))
    return threads


def is_recorders(profile: dict[str, Any], frames: list[dict[str, Any]]) -> bool:
    """Whether a thread is one of the recorder's own, which have no name that py-spy could see."""
    outermost = next((frames[i] for sample in profile["samples"] for i in sample if frames[i]["file"]), None)
    return outermost is not None and outermost["file"].endswith(_OWN_THREADS)


def without_inner_imports(stack: Stack, importing: list[bool]) -> Stack:
    """A stack with one frame of the import system where it has several in a row: imports at the start of a
    program are deep and all different, and would be most of what is written."""
    outer = tuple(i for i, inner in itertools.pairwise(stack) if not (importing[i] and importing[inner]))
    return outer + stack[-1:]


def fold_slice(
    threads: list[tuple[Thread, list[Stack]]],
    own_frames: list[dict[str, Any]],
    table: StackTable,
    root_pid: int,
) -> dict[str, Any]:
    """One slice's stacks, counted."""
    rows: dict[tuple[int, int, str, Stack], int] = Counter()
    for who, samples in threads:
        for sample in samples:
            rows[(*who, sample)] += 1
    places = {row: place for place, row in enumerate(rows)}
    stacks = [[*row[:3], table.number(row[3], own_frames), count] for row, count in rows.items()]
    waits = co_occurrence(threads, own_frames, places, root_pid)
    return {**table.news(), Stacks.STACKS: stacks, Stacks.WAITS: waits}


def co_occurrence(
    threads: list[tuple[Thread, list[Stack]]],
    frames: list[dict[str, Any]],
    places: dict[tuple[int, int, str, Stack], int],
    root_pid: int,
) -> list[list[float]]:
    """While the root process's main thread waits: which stacks of other threads were busy at that tick.

    py-spy samples all threads in one tick, so the n-th samples belong together, counted from the end
    (threads may start late). Where several are busy, each gets its part.
    """
    main = next((entry for entry in threads if entry[0][:2] == (root_pid, root_pid)), None)
    if main is None:
        return []
    waiting = {i for i, frame in enumerate(frames) if is_waiting_frame(frame["name"], frame["file"] or "")}

    def is_waiting(sample: Stack) -> bool:
        return not sample or sample[-1] in waiting

    weights: dict[tuple[int, int], float] = defaultdict(float)
    others = [entry for entry in threads if entry is not main]
    length = len(main[1])
    for back in range(1, length + 1):
        sample = main[1][-back]
        if not is_waiting(sample):
            continue
        busy = [
            places[(*identity, samples[-back])]
            for identity, samples in others
            if len(samples) >= back and not is_waiting(samples[-back])
        ]
        for place in busy:
            weights[places[(*main[0], sample)], place] += 1 / len(busy)
    return [[waiter, place, round(weight, 3)] for (waiter, place), weight in weights.items()]
