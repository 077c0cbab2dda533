"""Recording → Detail: what the HTML page and the exports show beyond the report."""

from __future__ import annotations

import copy
import dataclasses

from goldsplit.analyse.counts.series import Series
from goldsplit.analyse.counts.throughput import window_borders
from goldsplit.analyse.intermediate import Groundwork, lay_groundwork
from goldsplit.analyse.profile import explain, forget_silent
from goldsplit.analyse.stacks.flames import FrameTable, flames, fold_stacks
from goldsplit.analyse.stacks.hotspots import wall_weights
from goldsplit.analyse.stacks.samples import Sampled, Samples
from goldsplit.analyse.stacks.source_heat import ReadSource, read_source, source_heat
from goldsplit.analyse.wall.barrier import Barriers
from goldsplit.analyse.wall.causes import CauseFinder, ThreadKey
from goldsplit.analyse.wall.nested_spans import raw_stretches
from goldsplit.analyse.wall.over_time import (
    barrier_shares,
    chunk_groups,
    driver_waits,
    lane_cells,
    sampled_cells,
    sampled_windows,
    stage_windows,
)
from goldsplit.analyse.wall.partition import Partition
from goldsplit.analyse.wall.stack_partition import partition_stacks, stack_lanes, steady_chunks
from goldsplit.model.detail import Detail, LaneStrip, SystemPoint, ThreadName
from goldsplit.model.naming import is_importing
from goldsplit.model.profile import Lane, Profile
from goldsplit.model.recording import Frame, Recording

Native = tuple[int, int]
"""Process id and thread id as the operating system has it."""


def look_closer(recording: Recording, read: ReadSource = read_source, single_spans: bool = True) -> Detail:
    """Stacks, source lines, lanes and stages over time; and single spans, of which a long run has millions,
    where they are wanted."""
    recording = with_some_steady_chunk(recording)
    return _detail(recording, lay_groundwork(recording), read, single_spans)


def explain_closely(recording: Recording, single_spans: bool) -> tuple[Profile, Detail]:
    """What `analyse` and `look_closer` say; what both need is worked out once."""
    forget_silent(recording)
    ground = lay_groundwork(recording)
    profile = explain(recording, ground)
    if recording.chunks and all(chunk.startup for chunk in recording.chunks):
        return profile, look_closer(recording, single_spans=single_spans)
    return profile, _detail(with_some_steady_chunk(recording), ground, read_source, single_spans)


def _detail(recording: Recording, ground: Groundwork | None, read: ReadSource, single_spans: bool) -> Detail:
    if ground is None:
        detail = _from_stacks(recording, read)
    else:
        detail = _from_spans(recording, ground, read)
        if single_spans:
            detail = dataclasses.replace(detail, raw=raw_stretches(recording, detail.threads))
    return dataclasses.replace(detail, system=_system(recording))


def with_some_steady_chunk(recording: Recording) -> Recording:
    """Where no training loop was recognised, all stacks count: they are all there is."""
    chunks = [dataclasses.replace(chunk, startup=False) for chunk in steady_chunks(recording)]
    return dataclasses.replace(recording, chunks=chunks)


def _from_spans(recording: Recording, ground: Groundwork, read: ReadSource) -> Detail:
    own, driver, finder, span = ground.own, ground.driver, ground.finder, ground.borders
    borders = window_borders(own, ground.steady)
    detail = _from_samples(recording, ground.samples, ground.split, ground.native_driver, ground.lanes, read)
    return dataclasses.replace(
        detail,
        steady_start=(span[0] - _origin(recording)) / 1e9,
        steady_end=(span[1] - _origin(recording)) / 1e9,
        strips=_strips(recording, ground.series, driver, finder, ground.lanes, borders),
        windows=stage_windows(recording, ground.counting, own, driver, finder, borders),
    )


def _from_stacks(recording: Recording, read: ReadSource) -> Detail:
    seen = next((stack.pid for chunk in recording.chunks for stack in chunk.stacks), 0)
    pid = int(recording.run.get("target_pid") or seen)
    driver = (pid, pid)
    rows = stack_lanes(recording, driver)
    split = partition_stacks(recording, driver, read)
    detail = _from_samples(recording, Samples(recording, 0, 1 << 62), split, driver, rows, read)
    groups, origin = chunk_groups(recording), _origin(recording)
    cells = sampled_cells(groups, driver, origin)
    windows = sampled_windows(groups, driver, origin)
    return dataclasses.replace(
        detail,
        steady_start=windows[0].start if windows else 0.0,
        steady_end=windows[-1].start + windows[-1].seconds if windows else 0.0,
        strips=[
            LaneStrip(place, "sampled", cells[lane.pid, lane.thread_id])
            for place, lane in enumerate(rows)
            if (lane.pid, lane.thread_id) in cells
        ],
        windows=windows,
    )


def _from_samples(
    recording: Recording,
    samples: Samples,
    split: Partition,
    driver: Native,
    rows: list[Lane],
    read: ReadSource,
) -> Detail:
    """Everything that sampled stacks give; threads in the order of the report's lanes."""
    samples = copy.copy(samples)
    samples.rows = [row for row in samples.rows if not _imports(row, recording.frames)]
    weighted = wall_weights(samples, split, driver)
    threads = _threads(recording, rows, samples)
    place_of = {(thread.pid, thread.thread_id): place for place, thread in enumerate(threads)}
    table = FrameTable(recording.frames)
    folded = fold_stacks(samples, weighted, place_of, table)
    trees = flames(folded, threads, table)
    return Detail(
        steady_start=0.0,
        steady_end=0.0,
        threads=threads,
        frames=table.table(),
        stacks=[stack for stack, _ in folded],
        flames=trees,
        sources=source_heat(weighted, recording.frames, float(recording.run.get("started") or 0.0), read),
    )


def _imports(row: Sampled, frames: list[Frame]) -> bool:
    """Whether a stack outside all stages is still importing: that is start-up, whatever chunk it is in."""
    return row.meaning.stage is None and any(
        is_importing(frames[i].file) for i in row.frames if i < len(frames)
    )


def _threads(recording: Recording, rows: list[Lane], samples: Samples) -> list[ThreadName]:
    named: dict[Native, ThreadName] = {}
    for lane in rows:
        name = ThreadName(lane.pid, lane.thread_id, lane.process, lane.thread, lane.role)
        named.setdefault((lane.pid, lane.thread_id), name)
    for process in recording.processes:
        for thread in process.threads.values():
            key = (process.pid, thread.native_id)
            named.setdefault(key, ThreadName(*key, "python", thread.name, "other"))
    for row in samples.rows:
        key = (row.pid, row.thread_id)
        named.setdefault(key, ThreadName(*key, "python", "", "other"))
    return list(named.values())


def _strips(
    recording: Recording,
    series: dict[int, Series],
    driver: ThreadKey,
    finder: CauseFinder,
    rows: list[Lane],
    borders: list[int],
) -> list[LaneStrip]:
    index_of = {
        (process.pid, thread.native_id): (process.pid, thread.index)
        for process in recording.processes
        for thread in process.threads.values()
    }
    barriers = Barriers(finder, driver, (borders[0], borders[-1]))
    waits = driver_waits(series[driver[0]], driver[1], borders)
    found = []
    for place, lane in enumerate(rows):
        key = index_of.get((lane.pid, lane.thread_id))
        if key is None:
            continue  # a foreign process: known from outside only
        shares = barrier_shares(barriers.stays(key), waits, borders)
        cells = lane_cells(series[key[0]], key[1], key == driver, shares, borders, _origin(recording))
        found.append(LaneStrip(place, "span", cells))
    return found


def _system(recording: Recording) -> list[SystemPoint]:
    origin = _origin(recording)
    return [
        SystemPoint((one.t_ns - origin) / 1e9, one.cpu_percent, one.rss_bytes) for one in recording.system
    ]


def _origin(recording: Recording) -> int:
    return int(recording.run.get("start_ns") or 0)
