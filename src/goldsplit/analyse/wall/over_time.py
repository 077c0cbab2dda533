"""The run window by window: which stage had the driver's time, and what each thread did meanwhile."""

from __future__ import annotations

import dataclasses
import itertools
from bisect import bisect_left

from goldsplit.analyse.counts.series import Series
from goldsplit.analyse.counts.steps_and_updates import Counting
from goldsplit.analyse.counts.throughput import MAX_WINDOWS, rate
from goldsplit.analyse.stacks.samples import Samples
from goldsplit.analyse.wall.barrier import Stay, idle_share
from goldsplit.analyse.wall.causes import CauseFinder, WaitEvidence
from goldsplit.analyse.wall.lanes import without_core
from goldsplit.analyse.wall.partition import Partition, partition
from goldsplit.analyse.wall.stack_partition import partition_stacks, stack_lanes, steady_chunks
from goldsplit.model.detail import LaneCell, StageWindow
from goldsplit.model.recording import NativeThread, ProcessRecord, Recording, StackChunk, ThreadKey
from goldsplit.model.wire import Header


class SteadyCauses(CauseFinder):
    """Explains the waiting of any window: by its own raw windows, or by the whole run's where it has none."""

    def __init__(
        self,
        processes: list[ProcessRecord],
        driver: ThreadKey,
        borders: tuple[int, int],
        works_outside: frozenset[ThreadKey] = frozenset(),
    ) -> None:
        super().__init__(processes, works_outside)
        self._whole = super().evidence(driver, *borders)

    def evidence(self, driver: ThreadKey, start_ns: int, end_ns: int) -> dict[int, WaitEvidence]:
        return super().evidence(driver, start_ns, end_ns) or self._whole


def stage_windows(
    recording: Recording,
    counting: Counting,
    series: Series,
    driver: ThreadKey,
    finder: CauseFinder,
    borders: list[int],
    samples: Samples,
) -> list[StageWindow]:
    """The driver's wall time window by window, split as the whole run's is."""
    origin = int(recording.run.get(Header.START_NS) or borders[0])
    found = []
    for start, stop in itertools.pairwise(borders):
        wall = series.wall_ns(start, stop)
        if wall <= 0:
            continue  # a deep look took all of it, and its time is never shown as the run's
        split = partition(
            series, driver, (start, stop), finder, Samples(recording, start, stop, like=samples)
        )
        steps = counting.between(series.pieces(start, stop)).env_steps
        found.append(_window(split, start - origin, stop - start, rate(steps, wall / 1e9)))
    return found


def _window(split: Partition, start_ns: int, length_ns: int, steps_per_second: float | None) -> StageWindow:
    wall = split.wall_ns if split.wall_ns > 0 else 1.0
    return StageWindow(
        start=start_ns / 1e9,
        seconds=length_ns / 1e9,
        env_steps_per_second=steps_per_second,
        stages={stage: min(1.0, time.total_ns / wall) for stage, time in split.stages.items()},
        unattributed_share=min(1.0, max(0.0, split.unattributed_ns / wall)),
    )


def lane_cells(
    series: Series,
    thread: int,
    is_driver: bool,
    barriers: list[float | None],
    borders: list[int],
    origin_ns: int,
) -> list[LaneCell]:
    """One thread window by window; `barriers` are its idle shares at the barrier in each."""
    cells = []
    for barrier, (wanted_start, wanted_stop) in zip(barriers, itertools.pairwise(borders), strict=True):
        seen = _busy_and_waiting(series, thread, is_driver, wanted_start, wanted_stop)
        if seen is None:
            continue
        busy, waiting = seen
        cells.append(
            LaneCell(
                start=(wanted_start - origin_ns) / 1e9,
                seconds=(wanted_stop - wanted_start) / 1e9,
                busy_share=busy,
                wait_share=waiting,
                barrier_share=None if barrier is None else min(barrier, waiting),
            )
        )
    return cells


def _busy_and_waiting(
    series: Series, thread: int, is_driver: bool, wanted_start: int, wanted_stop: int
) -> tuple[float, float] | None:
    """Shares of a window; a thread is not busy while it is ready but has no core. Outside all spans it is
    busy as far as it had one."""
    start, stop = nearest(series.times, wanted_start), nearest(series.times, wanted_stop)
    if stop <= start or series.wall_ns(start, stop) <= 0:
        return None
    spanned = waiting = 0
    for node, ns in series.self_times(thread, start, stop).items():
        if series.owner_of(thread, node).waiting:
            waiting += ns
        else:
            spanned += ns
    length = series.wall_ns(start, stop)
    outside = max(0, length - spanned - waiting)
    cpu_ns, delay_ns = series.thread_cpu(thread, start, stop)
    busy = spanned + (outside if is_driver else min(outside, max(0, cpu_ns - spanned)))
    at_work = busy - without_core(busy, cpu_ns, delay_ns)
    return min(1.0, max(0.0, at_work / length)), min(1.0, max(0.0, waiting / length))


def nearest(times: list[int], t_ns: int) -> int:
    """The snapshot closest to an instant: processes take theirs together, some milliseconds apart."""
    place = bisect_left(times, t_ns)
    around = times[max(0, place - 1) : place + 1]
    return min(around, key=lambda t: abs(t - t_ns)) if around else t_ns


def driver_waits(series: Series, thread: int, borders: list[int]) -> list[float]:
    """The driver's share of waiting in each window."""
    seen = (_busy_and_waiting(series, thread, True, *window) for window in itertools.pairwise(borders))
    return [shares[1] if shares is not None else 0.0 for shares in seen]


def barrier_shares(stays: list[Stay], waits: list[float], borders: list[int]) -> list[float | None]:
    """A thread's idle share at the barrier in each window, from the driver's waiting there."""
    by_window: list[list[Stay]] = [[] for _ in waits]
    for stay in stays:
        place = bisect_left(borders, stay.end_ns) - 1
        if 0 <= place < len(waits):
            by_window[place].append(stay)
    idle = [idle_share(inside) for inside in by_window]
    return [None if share is None else share * wait for share, wait in zip(idle, waits, strict=True)]


def chunk_groups(recording: Recording) -> list[Recording]:
    """A run of stacks alone cut into windows: each a recording with some of its chunks."""
    chunks = sorted(steady_chunks(recording), key=lambda chunk: chunk.start_ns)
    if not chunks:
        return []
    least = max((chunks[-1].end_ns - chunks[0].start_ns) / MAX_WINDOWS, 0.9e9)
    groups: list[list[StackChunk]] = [[chunks[0]]]
    for chunk in chunks[1:]:
        if chunk.start_ns - groups[-1][0].start_ns >= least:
            groups.append([])
        groups[-1].append(chunk)
    return [dataclasses.replace(recording, chunks=group) for group in groups]


def sampled_windows(
    groups: list[Recording], driver: NativeThread, origin_ns: int, samples: Samples
) -> list[StageWindow]:
    """Stage shares window by window, from stacks alone."""
    found = []
    for group in groups:
        start, stop = group.chunks[0].start_ns, max(chunk.end_ns for chunk in group.chunks)
        split = partition_stacks(group, driver, Samples(group, 0, 1 << 62, like=samples))
        found.append(_window(split, start - origin_ns, stop - start, None))
    return found


def sampled_cells(
    groups: list[Recording], driver: NativeThread, origin_ns: int
) -> dict[NativeThread, list[LaneCell]]:
    """Every sampled thread window by window, from stacks alone."""
    found: dict[NativeThread, list[LaneCell]] = {}
    for group in groups:
        start, stop = group.chunks[0].start_ns, max(chunk.end_ns for chunk in group.chunks)
        for row in stack_lanes(group, driver):
            lane = row.lane
            cell = LaneCell(
                (start - origin_ns) / 1e9,
                (stop - start) / 1e9,
                lane.busy_share or 0.0,
                lane.wait_share or 0.0,
                None,
            )
            found.setdefault(row.native, []).append(cell)
    return found
