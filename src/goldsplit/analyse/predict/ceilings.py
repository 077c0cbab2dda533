"""What would the run gain if a stage were faster? From the recorded structure, not only from shares.

The driver's own time shrinks with its stages. Its waiting shrinks only as far as the slowest worker: in
lock-step the next-slowest one decides, and faster work beside the driver saves nothing once the driver no
longer waits for it. See docs/concepts/ceilings.md.
"""

from __future__ import annotations

import dataclasses
import heapq
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from goldsplit.analyse.stacks.frame_stages import wilson
from goldsplit.model.profile import Hotspot, Profile, StageRow, categories_of
from goldsplit.model.stage import VEC_SEND, VEC_WAIT
from goldsplit.model.structure import Item, Structure, Turn

#: What is left of a run below this share is no speed-up any more: the stage is the whole run.
WHOLE_RUN = 0.001
DEPTHS = (1, 2, 4, 16)

Remaining = Mapping[str, float]
"""Stage → the fraction of its cost that remains (0: free; 2: twice as expensive)."""


def speedup_if(profile: Profile, remaining: Remaining) -> float | None:
    """Speed-up of the whole run if each named stage kept only this fraction of its cost (0: free).

    None: nothing of the run would be left. Structural where the structure is known (`Structure.kind`);
    otherwise by shares alone (Amdahl).
    """
    left = remaining_share(profile, remaining)
    return 1.0 / left if left > WHOLE_RUN else None


def remaining_share(profile: Profile, remaining: Remaining) -> float:
    """The new wall time as a share of the recorded one."""
    structure = profile.structure
    if structure is None or structure.wall_seconds <= 0:
        return 1.0 - sum(
            row.wall_share * (1.0 - remaining[row.stage]) for row in profile.stages if row.stage in remaining
        )
    left = predicted_seconds(structure, remaining) / structure.wall_seconds
    return max(left, least_share_left(profile, remaining))


def least_share_left(profile: Profile, remaining: Remaining) -> float:
    """What is left at least where stages become cheaper: none saves more than it takes, at the upper end of
    what is known of it. A structure is a model, and may be wrong about who waits for whom."""
    if any(part > 1.0 for part in remaining.values()):
        return 0.0
    rows = (row for row in profile.stages if row.stage in remaining)
    return 1.0 - sum(highest(row) * (1.0 - remaining[row.stage]) for row in rows)


def highest(row: StageRow) -> float:
    """The upper end of a stage's share."""
    return max(row.wall_share, row.wall_share_high)


def most_speedup_if(profile: Profile, free: Collection[str]) -> float | None:
    """What is printed as "at most" if these stages took no time: with their shares at the upper end of their
    interval. Together they are known better than each for itself."""
    left = _least_left_without(profile, free)
    if len(free) > 1:  # nor is it less than that of one of them
        left = min([left, *(_least_left_without(profile, {stage}) for stage in free)])
    return 1.0 / left if left > WHOLE_RUN else None


def _least_left_without(profile: Profile, free: Collection[str]) -> float:
    nothing = dict.fromkeys(free, 0.0)
    rows = [row for row in profile.stages if row.stage in free]
    beyond = sum(highest(row) - row.wall_share for row in rows)
    if len(rows) > 1:
        sides = [dataclasses.replace(row, category=str(row.stage in free)) for row in profile.stages]
        (inside,) = (kind for kind in categories_of(sides) if kind.category == str(True))
        beyond = min(beyond, inside.wall_share_high - inside.wall_share)
    return max(remaining_share(profile, nothing) - beyond, least_share_left(profile, nothing))


def predicted_seconds(structure: Structure, remaining: Remaining) -> float:
    """The steady phase's wall time with other stage costs."""
    if structure.kind == "overlap" and structure.items:
        return _overlapped_seconds(structure, remaining)
    total = kept(own_seconds(structure), remaining) + waiting_seconds(structure, remaining)
    cheaper = all(part <= 1.0 for part in remaining.values())
    return min(total, structure.wall_seconds) if cheaper else total


def _overlapped_seconds(structure: Structure, remaining: Remaining) -> float:
    """The queue simulated again. What the driver waited beyond it (for the interpreter's lock, which the
    helpers held) shrinks with what they were doing."""
    items, wall = structure.items, structure.wall_seconds
    queue = Queue(structure.helpers, structure.depth, structure.handover_us)
    after, before = (queue_us(items, queue, change) for change in (remaining, {}))
    waited = sum(structure.waited.values())
    at_queue = sum(item.wait_us for item in items)
    seen = at_queue + sum(kept(item.driver, {}) for item in items)
    held_up = max(0.0, waited - wall * at_queue / max(seen, 1e-9))
    part = held_up / waited if waited else 0.0
    return (wall - held_up) * after / max(before, 1e-9) + part * kept(structure.waited, remaining)


def waiting_seconds(structure: Structure, remaining: Remaining) -> float:
    """How long the driver would wait; by shares where it is not known for whom."""
    if structure.kind == "lock-step" and structure.turns:
        before = sum(turn.wait_us for turn in structure.turns)
        after = sum(turn_wait_us(turn, remaining) for turn in structure.turns)
        return at_barrier_seconds(structure) * after / max(before, 1e-9)
    return sum(seconds * remaining.get(stage, 1.0) for stage, seconds in structure.waited.items())


def own_seconds(structure: Structure) -> Mapping[str, float]:
    """The driver's own time by stage, without what belongs to its waits."""
    apart = 1.0 - sending_in_waits(structure)
    return {
        stage: seconds * apart if stage == VEC_SEND else seconds for stage, seconds in structure.own.items()
    }


def sending_in_waits(structure: Structure) -> float:
    """The share of the driver's sending that is a part of its waits: in lock-step, where it waits at once.
    What it sends before other work does not grow or shrink with the wait behind that."""
    if structure.kind != "lock-step" or not structure.turns:
        return 0.0
    return sum(turn.asks_at_once for turn in structure.turns) / len(structure.turns)


def at_barrier_seconds(structure: Structure) -> float:
    """The driver's time from its first message of a turn to the last answer. Sending is part of it: a worker
    that is woken by a message may take the driver's core, so that sending is waiting as well."""
    sending = structure.own.get(VEC_SEND, 0.0) * sending_in_waits(structure)
    return sum(structure.waited.values()) + sending


def turn_wait_us(turn: Turn, remaining: Remaining) -> float:
    """One stay at the barrier: until the last worker is done, and its message has arrived."""
    longer = saved(turn.ahead, remaining)  # the driver comes to the barrier earlier by this
    last = max(worker.finish_us for worker in turn.workers)
    after = max(worker.finish_us - saved(worker.stages, remaining) + longer for worker in turn.workers)
    message = max(0.0, turn.wait_us - max(0.0, last))
    return max(0.0, after) + message * remaining.get(VEC_WAIT, 1.0)


def saved(stages: Mapping[str, float], remaining: Remaining) -> float:
    return sum((1.0 - remaining[stage]) * us for stage, us in stages.items() if stage in remaining)


def kept(stages: Mapping[str, float], remaining: Remaining) -> float:
    return sum(remaining.get(stage, 1.0) * us for stage, us in stages.items())


@dataclass(frozen=True, slots=True)
class Queue:
    """What lies between the threads that prepare items and the driver that takes them."""

    helpers: int
    depth: int
    """How many finished items may lie ready."""
    handover_us: float = 0.0
    """What an item takes a helper beyond its work: locks, and waiting for a core or the interpreter."""


def best_queue(items: Sequence[Item], helpers: int) -> Queue:
    """The queue that explains the recorded time best: first its depth; if even the shallowest would make
    the driver wait less than it did, the helpers were held up otherwise."""
    recorded = sum(item.wait_us + kept(item.driver, {}) for item in items)
    best = min(
        (Queue(helpers, depth) for depth in DEPTHS), key=lambda one: abs(queue_us(items, one, {}) - recorded)
    )
    low, high = 0.0, recorded / len(items)
    for _ in range(20):
        middle = (low + high) / 2
        if queue_us(items, dataclasses.replace(best, handover_us=middle), {}) < recorded:
            low = middle
        else:
            high = middle
    return dataclasses.replace(best, handover_us=low)


def queue_us(items: Sequence[Item], queue: Queue, remaining: Remaining) -> float:
    """How long the driver takes for all items.

    A helper holds one more finished item while it waits for room; so item k is begun once item
    k - depth - helpers has been taken.
    """
    free_at = [0.0] * max(1, queue.helpers)
    ahead = queue.depth + len(free_at)
    ready: list[float] = []
    taken: list[float] = []
    now = 0.0
    for number, item in enumerate(items):
        room = taken[number - ahead] if number >= ahead else 0.0
        begun = max(heapq.heappop(free_at), room)
        done = begun + kept(item.helpers, remaining) + queue.handover_us
        heapq.heappush(free_at, done)
        heapq.heappush(ready, done)
        now += kept(item.driver, remaining)
        now = max(now, heapq.heappop(ready))
        taken.append(now)
    return now


def with_ceilings(profile: Profile) -> Profile:
    """The profile with the ceilings of its stages, categories and hot spots filled in. All are printed as "at
    most", so all are at the upper end of what is known of their shares."""
    rows = [
        dataclasses.replace(row, ceiling_speedup=most_speedup_if(profile, {row.stage}))
        for row in profile.stages
    ]
    by_stage = {row.stage: row for row in rows}
    spots = [
        dataclasses.replace(
            spot, ceiling_speedup=_spot_ceiling(profile, spot, by_stage.get(spot.stage or ""))
        )
        for spot in profile.hotspots
    ]
    categories = [
        dataclasses.replace(
            kind,
            ceiling_speedup=most_speedup_if(
                profile, {row.stage for row in rows if row.category == kind.category}
            ),
        )
        for kind in categories_of(rows)
    ]
    return dataclasses.replace(profile, stages=rows, hotspots=spots, categories=categories)


def _spot_ceiling(profile: Profile, spot: Hotspot, row: StageRow | None) -> float | None:
    """If the function's own code cost nothing: its part of its stage goes, at most as much of it as its
    samples allow."""
    if row is None or row.wall_share <= 0:
        return 1.0 / (1.0 - spot.self_share) if spot.self_share < 1.0 - WHOLE_RUN else None
    part = min(1.0, spot.self_share / row.wall_share)
    left = remaining_share(profile, {row.stage: 1.0 - part})
    if part > 0.0:
        _, high = wilson(spot.samples, max(spot.samples, spot.samples / part))
        saved, most = 1.0 - left, 1.0 - 1.0 / (row.ceiling_speedup or math.inf)
        left = 1.0 - min(most, saved * max(high, part) / part)
    return 1.0 / left if left > WHOLE_RUN else None
