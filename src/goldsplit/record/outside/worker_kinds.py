"""Which worker processes are alike, and which of them to sample next.

Workers of one kind do the same work, so their samples are added up, and a few of them at a time are enough.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from goldsplit.record.outside.process_tree import parent_of

#: So many workers are sampled at a time, of one kind and of all: each needs its own py-spy.
OF_ONE_KIND, OF_ALL_KINDS = 2, 4
#: One look costs as much as starting to sample.
LOOKS_AT_A_TIME = 6
_DIGITS = re.compile(rb"\d+")

Kind = tuple[int, ...]
"""The processes of one kind."""


@dataclass(frozen=True, slots=True)
class Worker:
    """A worker process, and what is known about what it does."""

    pid: int
    parent: int
    command: bytes
    """Without its digits: spawned processes get numbers of pipes."""
    entry: str = ""
    """The function that its main thread was started with; empty until it has been sampled."""


def look_at(pid: int, entry: str = "") -> Worker:
    """A worker as the system shows it."""
    try:
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        command = b""
    return Worker(pid, parent_of(pid), _DIGITS.sub(b"", command), entry)


def kinds_of(workers: Sequence[Worker]) -> list[Kind]:
    """Workers that are alike: same parent, same command, same function. One that has not been sampled yet
    counts to the largest kind of its parent and command."""
    siblings: dict[tuple[int, bytes], dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for worker in workers:
        siblings[worker.parent, worker.command][worker.entry].append(worker.pid)
    kinds: list[Kind] = []
    for by_entry in siblings.values():
        unknown = by_entry.pop("", [])
        known = sorted(by_entry.values(), key=len, reverse=True) or [[]]
        known[0] += unknown
        kinds += [tuple(sorted(kind)) for kind in known]
    return kinds


def to_look_at(workers: Sequence[Worker]) -> list[int]:
    """Workers that have a sibling, and of which it is not known what they do: some at a time."""
    siblings = Counter((worker.parent, worker.command) for worker in workers)
    return [w.pid for w in workers if not w.entry and siblings[w.parent, w.command] > 1][:LOOKS_AT_A_TIME]


def next_workers(kinds: Sequence[Kind], samples: Mapping[int, int]) -> list[Kind]:
    """Of each kind those to sample next: the ones with the fewest samples. Where there are many kinds, the
    kinds with the fewest have their turn."""
    poorest = sorted(kinds, key=lambda kind: samples_of(kind, samples))[:OF_ALL_KINDS]
    each = min(OF_ONE_KIND, OF_ALL_KINDS // max(1, len(poorest)))
    return [tuple(sorted(kind, key=lambda pid: (samples.get(pid, 0), pid))[:each]) for kind in poorest]


def samples_of(kind: Kind, samples: Mapping[int, int]) -> int:
    """In-loop samples of all workers of a kind."""
    return sum(samples.get(pid, 0) for pid in kind)
