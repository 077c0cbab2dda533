"""What the deep look saw in one process, as it is read from disk.

Pairs have two orders: by what a burst saw (`ALL`, `CHOSEN`), and by the beat that ended a segment (`STEP`,
`UPDATE`). See `model/wire.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from goldsplit.model.finding import Place


class CallTotals(NamedTuple):
    """One function in segments of one kind; events are what the deep look had to handle meanwhile."""

    calls: int
    own_ns: int
    total_ns: int
    own_events: int
    total_events: int


class LineTotals(NamedTuple):
    """One line in segments of one kind."""

    calls: int
    ns: int
    events: int


CallsByBeat = tuple[CallTotals, CallTotals]


class ArgumentGroup(NamedTuple):
    """One argument in env steps that were seen call by call, as sums over those steps."""

    place: int
    calls: int
    """Different calls."""
    groups: int
    """Different values of this argument, counted anew in each step."""
    steps: int
    simple_steps: int
    """Steps in which every value was a number, a text, a position or an object of its own."""
    values: int
    """Different values over all steps, up to some tens."""


@dataclass(frozen=True, slots=True)
class ComparedCalls:
    """What comparing the calls of one function has shown."""

    calls: int
    ns: int
    repeats: int
    repeats_in_step: int
    differing: int
    repeat_ns: int
    distinct: int
    distinct_results: int
    result: str
    """The first one, shortened."""
    mutated: int
    by_identity: bool
    hashable: bool | None = None
    groups: tuple[ArgumentGroup, ...] = ()


@dataclass(frozen=True, slots=True)
class SeenFunction:
    """One function that was seen."""

    place: Place
    kind: str
    stage: str
    chosen: bool
    """Whether bursts that see only the chosen functions saw it."""
    totals: tuple[CallsByBeat, CallsByBeat]
    compared: ComparedCalls | None = None


@dataclass(frozen=True, slots=True)
class SeenCache:
    """One cache that was used while the deep look was on."""

    place: Place
    kind: str
    stage: str
    hits: int
    misses: int
    clears: int
    entries: int
    hit_ns: int
    miss_ns: int
    repeated: int


@dataclass(frozen=True, slots=True)
class SeenLine:
    """One line that calls something worth knowing about."""

    place: Place
    kind: str
    callee: str
    stage: str
    totals: tuple[LineTotals, LineTotals]
    compared: int
    distinct: int
    amount: float
    amounts: int
    detail: str
    only_all: bool
    """Whether only bursts that see all functions saw it."""


@dataclass(frozen=True, slots=True)
class WatchedFunction:
    """One function that was watched for the whole run, or most of it."""

    place: Place
    kind: str
    stage: str
    watched_ns: int
    env_steps: tuple[float, float]
    """While it was watched: the process's own, and those of its vector environments (maybe the same)."""
    calls: int
    timed_calls: int
    total_ns: int
    own_ns: int
    callers: tuple[tuple[Place, int], ...] = ()
    compared: ComparedCalls | None = None


@dataclass(frozen=True, slots=True)
class WatchedRecord:
    """The functions of one process that were watched."""

    start_ns: int
    end_ns: int
    spent_ns: int
    """What watching has cost."""
    threads: int
    """Threads that made env steps, side by side."""
    functions: tuple[WatchedFunction, ...] = ()
    damaged: int = 0
    """Rows that could not be read."""


@dataclass(frozen=True, slots=True)
class DeepRecord:
    """All windows of one process so far."""

    end_ns: int
    """When the last window ended."""
    beats: tuple[int, int]
    segments: tuple[tuple[float, float], tuple[float, float]]
    seen_ns: tuple[tuple[int, int], tuple[int, int]]
    events: tuple[tuple[int, int], tuple[int, int]]
    event_ns: float
    """What one event costs."""
    env_steps: tuple[float, float]
    functions: tuple[SeenFunction, ...] = ()
    caches: tuple[SeenCache, ...] = ()
    lines: tuple[SeenLine, ...] = ()
