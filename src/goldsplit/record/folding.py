"""Fold what py-spy wrote into counts per thread and stack."""

from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import Any

from goldsplit.model.naming import is_loop_frame, is_waiting_frame
from goldsplit.model.recording import RECORDER_THREADS

MAX_DEPTH = 80
SLICE_NS = 2_500_000_000
_THREAD = re.compile(r'Process (\d+)\s+Thread (?:0x)?([0-9A-Fa-f]+)(?: "(.*)")?')


@dataclass(frozen=True, slots=True)
class ChunkResult:
    """One chunk as py-spy left it."""

    speedscope: dict[str, Any]
    samples: int
    failed: int
    late: int
    cpu_seconds: float


Thread = tuple[int, int, str]
"""Process id, thread id, thread name."""
Stack = tuple[int, ...]


def fold(
    result: ChunkResult,
    period: tuple[int, int],
    rate: int,
    frame_ids: dict[tuple[str, str, int], int],
    loop_seen: bool,
) -> list[dict[str, Any]]:
    """Counts per thread and stack, in slices of some seconds; what lies before the first sight of a training
    loop is a slice of its own, marked as start-up. New frames are written with the slice that first saw them.
    """
    own_frames = result.speedscope["shared"]["frames"]
    threads = read_threads(result.speedscope["profiles"], [bool(frame["file"]) for frame in own_frames])
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
        line = fold_slice([(who, samples) for who, samples in part if samples], own_frames, frame_ids)
        share = (last - first) / ticks
        line |= {
            "start": int(period[0] + first * tick_ns),
            "end": int(period[0] + last * tick_ns),
            "rate": rate,
            "samples": sum(len(samples) for _, samples in part),
            "cpu": round(result.cpu_seconds * share, 4),
            "failed": result.failed if first == 0 else 0,
            "late": result.late if first == 0 else 0,
            "startup": last <= begin,
        }
        lines.append(line)
    return lines


def first_loop_tick(
    threads: list[tuple[Thread, list[Stack]]], frames: list[dict[str, Any]], ticks: int
) -> int:
    """The first tick at which any thread is inside a training loop; all of them, if none ever is."""
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


def read_threads(profiles: list[dict[str, Any]], real: list[bool]) -> list[tuple[Thread, list[Stack]]]:
    """Each thread with its stacks in order; py-spy's own process and thread lines have no file."""
    threads = []
    for profile in profiles:
        matched = _THREAD.match(profile["name"])
        if matched is None or matched[3] in RECORDER_THREADS:
            continue
        who = (int(matched[1]), int(matched[2], 10 if matched[2].isdigit() else 16), matched[3] or "")
        threads.append(
            (who, [tuple(i for i in sample if real[i])[-MAX_DEPTH:] for sample in profile["samples"]])
        )
    return threads


def fold_slice(
    threads: list[tuple[Thread, list[Stack]]],
    own_frames: list[dict[str, Any]],
    frame_ids: dict[tuple[str, str, int], int],
) -> dict[str, Any]:
    """One slice's stacks, counted."""
    new_frames: list[tuple[str, str, int]] = []

    def frame_id(index: int) -> int:
        frame = own_frames[index]
        key = (frame["name"], frame["file"] or "", frame["line"] or 0)
        known = frame_ids.get(key)
        if known is None:
            known = frame_ids[key] = len(frame_ids)
            new_frames.append(key)
        return known

    rows: dict[tuple[int, int, str, Stack], int] = Counter()
    for who, samples in threads:
        for sample in samples:
            rows[(*who, sample)] += 1
    places = {row: place for place, row in enumerate(rows)}
    stacks = [[*row[:3], [frame_id(i) for i in row[3]], count] for row, count in rows.items()]
    return {"frames": new_frames, "stacks": stacks, "waits": co_occurrence(threads, own_frames, places)}


def co_occurrence(
    threads: list[tuple[Thread, list[Stack]]],
    frames: list[dict[str, Any]],
    places: dict[tuple[int, int, str, Stack], int],
) -> list[list[float]]:
    """While the first process's main thread waits: which stacks of other threads were busy at that tick.

    py-spy looks at all threads in one tick, so the n-th samples belong together, counted from the end
    (threads may start late). Where several are busy, each gets its part.
    """
    main = next((entry for entry in threads if entry[0][0] == entry[0][1]), None)
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
