"""Recording → Structure: who waits for whom, and how long each thread works in each turn."""

from __future__ import annotations

import dataclasses
import statistics
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import TypeVar

from goldsplit.analyse.counts.series import Series
from goldsplit.analyse.predict.ceilings import best_queue
from goldsplit.analyse.predict.layout import in_threads
from goldsplit.analyse.wall.causes import CauseFinder
from goldsplit.analyse.wall.driver_turns import TurnReader, WaitGroup
from goldsplit.analyse.wall.ownership import path_of
from goldsplit.analyse.wall.partition import Partition
from goldsplit.analyse.wall.timeline import IN_NO_STAGE
from goldsplit.model.recording import ProcessId, ProcessRecord, ThreadKey
from goldsplit.model.stage import ACT, ENV_RESET, ENV_STEP, VEC, VEC_COPY, VEC_SEND, VEC_WAIT
from goldsplit.model.structure import Item, Structure, Turn, Worker, WorkerTurn
from goldsplit.model.wire import WaitDetail

#: So much of the sample is kept in the report; a turn of many workers is larger.
MOST_ROWS, LEAST_KEPT = 200, 30
MOST_STEPS = 200
#: So many waits are examined, fewer where there are many workers: a long run has far more than needed.
MOST_GROUPS, LEAST_GROUPS = 1500, 100
#: Fewer turns than this say nothing about a structure.
LEAST_TURNS = 8
#: From here on a thread works beside the driver, not instead of it.
OVERLAPPING = 0.25
#: Waiting below this share of the run is not worth a structure.
LEAST_WAITING = 0.01

#: So far from a whole number, steps for each turn are not the number of environments.
NOT_WHOLE = 0.1

Row = TypeVar("Row")


def structure(
    series: dict[ProcessId, Series],
    driver: ThreadKey,
    borders: tuple[int, int],
    finder: CauseFinder,
    split: Partition,
    cores: int,
) -> Structure:
    """The run's structure; where waiting could not be followed, kind "unknown"."""
    reader = TurnReader(finder, driver)
    groups = evenly(list(reader.groups(borders)), MOST_GROUPS)
    overlapping, workers = _threads(reader, evenly(groups, LEAST_GROUPS))
    groups = evenly(groups, max(LEAST_GROUPS, MOST_GROUPS // max(1, len(workers))))
    turns = _turns(reader, groups, workers, split) if not overlapping else []
    items = _items(reader, groups, overlapping, split) if overlapping else []
    waiting = sum(time.waited_ns for time in split.stages.values())
    kind = "unknown" if waiting > LEAST_WAITING * split.wall_ns else "alone"
    if len(items) >= LEAST_TURNS:
        kind = "overlap"
    elif len(turns) >= LEAST_TURNS and kind == "unknown":
        kind = "lock-step"
    kept_items = evenly(items, MOST_ROWS) if kind == "overlap" else []
    queue = best_queue(kept_items, len(overlapping)) if kept_items else None
    calls = _calls(series[driver.process], driver.thread, borders)
    team = _team(reader, series, groups, workers, borders) if kind == "lock-step" else []
    return Structure(
        kind=kind,
        wall_seconds=split.wall_ns / 1e9,
        own=_own_seconds(split),
        waited={stage: time.waited_ns / 1e9 for stage, time in split.stages.items() if time.waited_ns > 0},
        calls=dict(calls),
        cores=cores,
        envs=(sum(one.envs for one in team) or None) if team else _envs_alone(calls),
        turns_seen=len(turns) or len(items),
        workers=team,
        turns=evenly(turns, max(LEAST_KEPT, MOST_ROWS // max(1, len(workers))))
        if kind == "lock-step"
        else [],
        items=kept_items,
        helpers=len(overlapping) if queue is not None else 0,
        depth=queue.depth if queue is not None else 1,
        handover_us=round(queue.handover_us, 1) if queue is not None else 0.0,
    )


def _own_seconds(split: Partition) -> dict[str, float]:
    own = {stage: (time.direct_ns + time.sampled_ns) / 1e9 for stage, time in split.stages.items()}
    return {stage: value for stage, value in own.items() if value > 0} | {"": split.unattributed_ns / 1e9}


def _threads(reader: TurnReader, groups: list[WaitGroup]) -> tuple[list[ThreadKey], list[ThreadKey]]:
    """The threads that the driver waits for: those that prepare things beside it, those in lock-step."""
    overlapping: list[ThreadKey] = []
    lock_step: list[ThreadKey] = []
    for thread, at_pipe in sorted(reader.wakers(groups).items()):
        asked_for = at_pipe and _waits_for(reader, thread)
        beside = reader.overlap_share(thread, groups) > OVERLAPPING
        (overlapping if beside and not asked_for else lock_step).append(thread)
    return overlapping, lock_step


def _waits_for(reader: TurnReader, worker: ThreadKey) -> bool:
    """Whether a thread waits for the driver's messages: then it works when asked to."""
    process = reader.finder.processes[worker.process]
    return any(
        reader.finder.waker(worker, info.detail) == reader.driver
        for (index, _), info in process.nodes.items()
        if index == worker.thread and info.stage == VEC_WAIT and info.detail.startswith(WaitDetail.PIPE)
    )


def _turns(
    reader: TurnReader, groups: list[WaitGroup], workers: list[ThreadKey], split: Partition
) -> list[Turn]:
    turns = []
    for group in groups:
        if not all(reader.covered(thread, group.turn_start_ns, group.end_ns) for thread in workers):
            continue
        done = {thread: reader.work_in(thread, group.turn_start_ns, group.end_ns) for thread in workers}
        begun = min((one.first_ns for one in done.values() if one.stages), default=group.start_ns)
        sending = reader.sending_ns(group.start_ns, begun)
        rows = []
        for place, (thread, one) in enumerate(done.items()):
            if not one.stages:
                continue
            finish = min(one.finish_ns - group.start_ns, group.waited_ns)
            others = [other for other in workers if other != thread]
            stages = one.stages + reader.held_up(others, begun, one.first_ns)
            idle = max(0, one.finish_ns - min(one.first_ns, group.start_ns) - stages.total())
            stages[VEC_SEND] += min(idle, sending)
            stages[VEC_WAIT] += max(0, idle - sending)  # until its message came, and between its stages
            rows.append(WorkerTurn(place, round(finish / 1e3, 1), in_us(stages, split.finer_waited)))
        ahead = reader.drivers_work(min(begun, group.start_ns), group.start_ns)
        busy = Counter({s: ns for s, ns in ahead.items() if s and not s.startswith(VEC)})
        if rows:
            at_once = group.start_ns < group.first_wait_ns
            waited_us = round(group.waited_ns / 1e3, 1)
            turns.append(Turn(waited_us, in_us(busy, split.finer_own), rows, at_once))
    return turns


def _items(
    reader: TurnReader, groups: list[WaitGroup], helpers: list[ThreadKey], split: Partition
) -> list[Item]:
    items = []
    for group in groups:
        if not all(reader.covered(thread, group.turn_start_ns, group.end_ns) for thread in helpers):
            continue
        work: Counter[str] = Counter()
        for thread in helpers:
            work += reader.work_in(thread, group.turn_start_ns, group.end_ns).stages
        own = reader.drivers_work(group.turn_start_ns, group.end_ns)
        waited_us = round(group.waited_ns / 1e3, 1)
        items.append(Item(waited_us, in_us(own, split.finer_own), in_us(work, split.finer_waited)))
    return items


def in_us(stages: Counter[str], finer: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """Nanoseconds by stage as microseconds, to a tenth; a stage that samples divide, by its parts."""
    found: dict[str, float] = defaultdict(float)
    for stage, ns in stages.items():
        for part, share in finer.get(stage, {stage: 1.0}).items():
            found[part] += ns / 1e3 * share
    return {stage: round(us, 1) for stage, us in sorted(found.items())}


def evenly(rows: Sequence[Row], most: int) -> list[Row]:
    """At most so many of the rows, spread over all of them."""
    if len(rows) <= most:
        return list(rows)
    return [rows[int(i * len(rows) / most)] for i in range(most)]


def _calls(series: Series, thread: int, borders: tuple[int, int]) -> Counter[str]:
    """Calls on the driver's thread; a stage inside itself counts once."""
    calls: Counter[str] = Counter()
    for (index, node), info in series.process.nodes.items():
        if index != thread or not info.stage:
            continue
        if series.owner_of(thread, node).stage == info.stage:
            number = (
                series.node((thread, node), borders[1]).count - series.node((thread, node), borders[0]).count
            )
            calls[info.stage] += max(0, number)
    return calls


def _envs_alone(calls: Counter[str]) -> int | None:
    """Environments that the driver steps itself in one step of its vector environment; without one, between
    two choices of actions (which may be two forward passes, or none where the action is drawn at random)."""
    turns = calls[VEC_COPY] or calls[ACT]
    if not calls[ENV_STEP] or not turns:
        return None
    number = calls[ENV_STEP] / turns
    if calls[VEC_COPY] and abs(number - round(number)) > NOT_WHOLE:
        number += calls[ENV_RESET] / turns  # those that only reset in their turn are of them, too
    return max(1, round(number))


def _team(
    reader: TurnReader,
    series: dict[ProcessId, Series],
    groups: list[WaitGroup],
    workers: list[ThreadKey],
    borders: tuple[int, int],
) -> list[Worker]:
    """Each worker's environments, single steps, and need for a core."""
    team = []
    steps = {worker: single_steps(reader.finder, worker) for worker in workers}
    for worker in workers:
        process = reader.finder.processes[worker.process]
        ends, lengths = steps[worker]
        seen = [g for g in groups if reader.covered(worker, g.turn_start_ns, g.end_ns)]
        envs = _usual(_made(ends, seen))
        if not lengths and (lengths := _unnamed_work(reader, worker, seen)):
            envs = 1  # how many environments are in it cannot be seen: it is one thing to step
        cpu_ns, delay_ns, stepping_ns = _effort(series[worker.process], worker.thread, borders)
        asleep_ns = max(0, stepping_ns - cpu_ns - delay_ns)
        known = stepping_ns > 0 and cpu_ns > 0
        team.append(
            Worker(
                pid=process.pid,
                thread_id=process.threads[worker.thread].native_id,
                envs=envs,
                step_us=[round(ns / 1e3, 1) for ns in evenly(sorted(lengths), MOST_STEPS)],
                cpu_share=cpu_ns / (cpu_ns + asleep_ns) if known else None,
                delayed_share=max(0.0, 1 - (cpu_ns + asleep_ns) / stepping_ns) if known else None,
            )
        )
    if in_threads(team):  # a pool: now one thread steps several environments, now another
        seen = [g for g in groups if all(reader.covered(w, g.turn_start_ns, g.end_ns) for w in workers)]
        return _shared_out(team, _usual(_made(sorted(e for ends, _ in steps.values() for e in ends), seen)))
    return team


def _made(ends: list[int], turns: Sequence[WaitGroup]) -> list[int]:
    """Steps in each of some turns."""
    return [bisect_right(ends, g.end_ns) - bisect_right(ends, g.turn_start_ns) for g in turns]


def _usual(made: Sequence[int]) -> int:
    """Steps of a turn; turns without a step (action masks that are fetched, attributes that are asked for,
    resets) say nothing about that."""
    stepping = [number for number in made if number]
    return round(statistics.median(stepping)) if stepping else 0


def _shared_out(team: list[Worker], envs: int) -> list[Worker]:
    """A team that steps so many environments in all."""
    number = len(team)
    return [dataclasses.replace(one, envs=envs // number + (i < envs % number)) for i, one in enumerate(team)]


def _unnamed_work(reader: TurnReader, worker: ThreadKey, turns: Sequence[WaitGroup]) -> list[int]:
    """How long a worker that is in no stage worked in each turn."""
    work = (reader.work_in(worker, g.turn_start_ns, g.end_ns).stages[IN_NO_STAGE] for g in turns)
    return [ns for ns in work if ns]


def single_steps(finder: CauseFinder, worker: ThreadKey) -> tuple[list[int], list[int]]:
    """When each environment step of a thread's raw windows ended, and its length; a reset belongs to the
    step that it follows."""
    process = finder.processes[worker.process]
    ends: list[int] = []
    lengths: list[int] = []
    stages = {
        node: info.stage
        for (index, node), info in process.nodes.items()
        if index == worker.thread
        and info.stage in (ENV_STEP, ENV_RESET)
        and not _inside_a_step(process, index, node)
    }
    for window in finder.timelines[worker].windows:
        spans = [span for span in window.spans if span.node in stages]
        for span in sorted(spans, key=attrgetter("start_ns")):
            stage = stages[span.node]
            if stage == ENV_STEP and window.start_ns < span.start_ns and span.end_ns < window.end_ns:
                ends.append(span.end_ns)
                lengths.append(span.end_ns - span.start_ns)
            elif stage == ENV_RESET and lengths:
                lengths[-1] += span.end_ns - span.start_ns
    return ends, lengths


def _inside_a_step(process: ProcessRecord, thread: int, node: int) -> bool:
    return any(info.stage in (ENV_STEP, ENV_RESET) for info in path_of(process, thread, node)[1:])


def _effort(series: Series, thread: int, borders: tuple[int, int]) -> tuple[int, int, int]:
    """A thread's processor time, its time ready but without a core, and its time in environment steps.

    A worker spends nearly all of its processor time in steps. Its messages are left out: sending wakes the
    driver, which may take the core at once.
    """
    start = series.border(borders[0], after=True) or borders[0]
    end = series.border(borders[1], after=False) or borders[1]
    cpu_ns, delay_ns = series.thread_cpu(thread, start, end)
    stepping = sum(
        series.node(key, end).total_ns - series.node(key, start).total_ns
        for key, info in series.process.nodes.items()
        if key[0] == thread
        and info.stage in (ENV_STEP, ENV_RESET)
        and not _inside_a_step(series.process, *key)
    )
    return min(cpu_ns, stepping), delay_ns, stepping
