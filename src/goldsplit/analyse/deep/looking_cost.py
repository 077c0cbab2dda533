"""What the deep look cost, measured on the run itself: the same stages inside its windows and around them."""

from __future__ import annotations

from collections import defaultdict

from goldsplit.model.deep_files.deep_record import WatchedRecord
from goldsplit.model.recording import ProcessRecord
from goldsplit.model.stage import WAITING
from goldsplit.model.wire import Counter

#: A stage's mean time is compared if it was seen this often around the windows, and inside.
ENOUGH_AROUND, ENOUGH_INSIDE = 20, 3
STEP_COUNTERS = (Counter.OWN_ENV_STEPS, Counter.VECTOR_ENV_STEPS)

Figures = dict[tuple[int, int], tuple[int, int]]
"""Thread and node → count and own nanoseconds; node -1 of a thread: outside spans, counted by its steps."""


def windows_ns(processes: list[ProcessRecord]) -> int:
    """How long the windows were, in the process that spent most on them."""
    return max((sum(end - start for start, end in process.deep_windows) for process in processes), default=0)


def slowdown(processes: list[ProcessRecord]) -> float | None:
    """How much longer the windows' work took than the same work does around them; None: not enough of it."""
    took = expected = 0.0
    for process in processes:
        inside, around = split(process)
        for key, (count, own_ns) in inside.items():
            often, usual_ns = around.get(key, (0, 0))
            if count >= ENOUGH_INSIDE and often >= ENOUGH_AROUND and usual_ns > 0:
                took += own_ns
                expected += count * usual_ns / often
    return max(1.0, took / expected) if expected > 0 else None


def run_share(
    own: list[ProcessRecord], slow: float | None, watched: list[WatchedRecord], wall_ns: int
) -> float | None:
    """What the deep look cost, as a share of the run: the windows by how much slower they were, watching by
    what it clocked in the process that spent most. None: neither is known."""
    in_windows = windows_ns(own) * (1.0 - 1.0 / slow) if slow else None
    of_watching = max((record.spent_ns for record in watched), default=None)
    known = [part for part in (in_windows, of_watching) if part is not None]
    return sum(known) / wall_ns if known else None


def stage_shares(processes: list[ProcessRecord]) -> dict[str, dict[str, float]]:
    """What each stage took itself of the time of the processes that were watched: with it the share of a
    function becomes a fraction of its stage."""
    found: dict[str, float] = defaultdict(float)
    whole = 0
    for process in processes:
        if process.watched is None or not process.snapshots:
            continue
        whole += max(0, process.snapshots[-1].t_ns - process.first_step_ns) * process.watched.threads
        for part in split(process):
            for key, (_, own_ns) in part.items():
                info = process.nodes.get(key)
                found[info.stage if info is not None else ""] += own_ns
    if not whole:
        return {}
    return {"stage_shares": {stage: min(1.0, ns / whole) for stage, ns in found.items() if stage and ns > 0}}


def split(process: ProcessRecord) -> tuple[Figures, Figures]:
    """A process's working stages inside its windows, and from its first step on around them."""
    starts = {start for start, _ in process.deep_windows}
    ends = {end for _, end in process.deep_windows}
    parts: tuple[dict[tuple[int, int], list[int]], ...] = (
        defaultdict(lambda: [0, 0]),
        defaultdict(lambda: [0, 0]),
    )
    before: dict[tuple[int, int], tuple[int, int]] = {}
    steps_before: dict[int, float] = {}
    counts: dict[str, float] = {}
    last_ns, inside = process.start_ns, False
    for snapshot in process.snapshots:
        part = parts[0 if inside else 1]
        counted = snapshot.t_ns > process.first_step_ns
        top_ns: dict[int, int] = defaultdict(int)
        for key, totals in snapshot.nodes.items():
            info = process.nodes.get(key)
            count, total_ns = before.get(key, (0, 0))
            grown = totals.total_ns - total_ns
            before[key] = (totals.count, totals.total_ns)
            if info is None or not counted or key[1] < 2:
                continue
            if info.parent < 2:
                top_ns[key[0]] += grown if info.parent == 0 else 0
            else:
                part[key[0], info.parent][1] -= grown
            part[key][0] += totals.count - count
            part[key][1] += grown
        counts.update(snapshot.counts)
        for thread, steps in _steps(counts).items():
            if counted and steps > steps_before.get(thread, 0.0):
                part[thread, -1][0] += int(steps - steps_before.get(thread, 0.0))
                part[thread, -1][1] += snapshot.t_ns - last_ns - top_ns[thread]
            steps_before[thread] = steps
        last_ns = snapshot.t_ns
        inside = (inside or snapshot.t_ns in starts) and snapshot.t_ns not in ends
    return tuple({key: (n, ns) for key, (n, ns) in part.items() if _works(process, key)} for part in parts)  # type: ignore[return-value]


def _steps(counts: dict[str, float]) -> dict[int, float]:
    found: dict[int, float] = defaultdict(float)
    for name, value in counts.items():
        thread, _, counter = name.partition(":")
        if counter in STEP_COUNTERS:
            found[int(thread)] += value
    return found


def _works(process: ProcessRecord, key: tuple[int, int]) -> bool:
    info = process.nodes.get(key)
    return info is None or info.stage not in WAITING
