"""Recording → Detail: what the HTML page and the exports show beyond the report."""

from __future__ import annotations

import dataclasses

from goldsplit.analyse.counts.throughput import window_borders
from goldsplit.analyse.device.device_lane import device_name, device_spans
from goldsplit.analyse.intermediate import Intermediate, work_out
from goldsplit.analyse.profile import explain, without_silent_processes
from goldsplit.analyse.stacks.flames import FrameTable, flames, fold_stacks
from goldsplit.analyse.stacks.samples import Samples
from goldsplit.analyse.stacks.source_heat import ReadSource, source_heat
from goldsplit.analyse.wall.barrier import Barriers
from goldsplit.analyse.wall.lanes import ThreadLane
from goldsplit.analyse.wall.nested_spans import span_windows
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
from goldsplit.analyse.wall.stack_partition import (
    partition_stacks,
    stack_lanes,
    stacks_driver,
    steady_chunks,
)
from goldsplit.model.detail import Detail, LaneStrip, SpanWindow, SystemPoint, ThreadName
from goldsplit.model.device.device_use import DeviceUse
from goldsplit.model.profile import Profile
from goldsplit.model.recording import NativeThread, Recording
from goldsplit.model.wire import Header
from goldsplit.store.project_source import ProjectSource


def look_closer(recording: Recording, read: ReadSource | None = None, single_spans: bool = True) -> Detail:
    """Stacks, source lines, lanes and stages over time; and single spans, of which a long run has millions,
    where they are wanted."""
    read = read or ProjectSource(recording).read
    return _detail(with_some_steady_chunk(recording), work_out(recording), read, single_spans)


def explain_closely(recording: Recording, single_spans: bool) -> tuple[Profile, Detail]:
    """What `analyse` and `look_closer` say; what both need is worked out once."""
    recording = without_silent_processes(recording)
    found = work_out(recording)
    profile = explain(recording, found)
    return profile, _detail(
        with_some_steady_chunk(recording), found, ProjectSource(recording).read, single_spans
    )


def _detail(recording: Recording, found: Intermediate | None, read: ReadSource, single_spans: bool) -> Detail:
    if found is None:
        detail = _from_stacks(recording, read)
    else:
        detail = _from_spans(recording, found, read, single_spans)
    return dataclasses.replace(detail, system=_system(recording))


def with_some_steady_chunk(recording: Recording) -> Recording:
    """Where no training loop was recognised, all stacks count: they are all there is."""
    chunks = [dataclasses.replace(chunk, startup=False) for chunk in steady_chunks(recording)]
    return dataclasses.replace(recording, chunks=chunks)


def _from_spans(recording: Recording, found: Intermediate, read: ReadSource, single_spans: bool) -> Detail:
    span = found.borders
    borders = window_borders(found.own, found.steady)
    samples = found.samples
    threads = _threads(recording, found.lanes, samples)
    detail = _from_samples(recording, samples, found.split, threads, read)
    on_device: list[SpanWindow] = []
    looks = found.finder.device.looks if single_spans and found.finder.device is not None else []
    if looks:
        on_device = device_spans(looks, len(detail.threads), _origin(recording))
        use = DeviceUse.seen_in(found.own.process.device.settings)
        detail.threads.append(device_name(use, found.driver.process.pid))
    return dataclasses.replace(
        detail,
        steady_start=(span[0] - _origin(recording)) / 1e9,
        steady_end=(span[1] - _origin(recording)) / 1e9,
        strips=_strips(found, _places(threads), borders, _origin(recording)),
        windows=stage_windows(
            recording, found.counting, found.own, found.driver, found.finder, borders, samples
        ),
        raw=[*span_windows(recording, _places(threads)), *on_device] if single_spans else [],
    )


def _from_stacks(recording: Recording, read: ReadSource) -> Detail:
    driver = stacks_driver(recording)
    rows = stack_lanes(recording, driver)
    samples = Samples(recording, 0, 1 << 62)
    split = partition_stacks(recording, driver, samples, read)
    threads = _threads(recording, rows, samples)
    detail = _from_samples(recording, samples, split, threads, read)
    groups, origin = chunk_groups(recording), _origin(recording)
    cells = sampled_cells(groups, driver, origin)
    windows = sampled_windows(groups, driver, origin, samples)
    return dataclasses.replace(
        detail,
        steady_start=windows[0].start if windows else 0.0,
        steady_end=windows[-1].start + windows[-1].seconds if windows else 0.0,
        strips=[
            LaneStrip(_places(threads)[native], "sampled", cells[native])
            for native in dict.fromkeys(row.native for row in rows)
            if native in cells
        ],
        windows=windows,
    )


def _from_samples(
    recording: Recording,
    samples: Samples,
    split: Partition,
    threads: dict[NativeThread, ThreadName],
    read: ReadSource,
) -> Detail:
    """Everything that sampled stacks give."""
    weighted = split.shares()
    names = list(threads.values())
    table = FrameTable(recording.frames)
    folded = fold_stacks(samples, weighted, _places(threads), table)
    trees = flames(folded, names, table)
    return Detail(
        steady_start=0.0,
        steady_end=0.0,
        threads=names,
        frames=table.table(),
        stacks=[stack for stack, _ in folded],
        flames=trees,
        sources=source_heat(
            weighted, recording.frames, float(recording.run.get(Header.STARTED) or 0.0), read
        ),
    )


def _threads(
    recording: Recording, rows: list[ThreadLane], samples: Samples
) -> dict[NativeThread, ThreadName]:
    """All threads by name, in the order of the report's lanes."""
    named: dict[NativeThread, ThreadName] = {}
    for native, _, lane in rows:
        name = ThreadName(lane.pid, lane.thread_id, lane.process, lane.thread, lane.role)
        named.setdefault(native, name)
    for process in recording.processes:
        for thread in process.threads.values():
            name = ThreadName(process.pid, thread.native_id, "python", thread.name, "other")
            named.setdefault(NativeThread(process.id, thread.native_id), name)
    for row in samples.rows:
        name = ThreadName(row.thread.process.pid, row.thread.thread_id, "python", "", "other")
        named.setdefault(row.thread, name)
    return named


def _places(threads: dict[NativeThread, ThreadName]) -> dict[NativeThread, int]:
    return {native: place for place, native in enumerate(threads)}


def _strips(
    found: Intermediate, place_of: dict[NativeThread, int], borders: list[int], origin_ns: int
) -> list[LaneStrip]:
    driver, series = found.driver, found.series
    barriers = Barriers(found.finder, driver, (borders[0], borders[-1]))
    waits = driver_waits(found.own, driver.thread, borders)
    strips = []
    for native, key, _ in found.lanes:
        if key is None:
            continue  # a foreign process: known from outside only
        shares = barrier_shares(barriers.stays(key), waits, borders)
        cells = lane_cells(series[key.process], key.thread, key == driver, shares, borders, origin_ns)
        strips.append(LaneStrip(place_of[native], "span", cells))
    return strips


def _system(recording: Recording) -> list[SystemPoint]:
    origin = _origin(recording)
    return [
        SystemPoint((one.t_ns - origin) / 1e9, one.cpu_percent, one.rss_bytes) for one in recording.system
    ]


def _origin(recording: Recording) -> int:
    return int(recording.run.get(Header.START_NS) or 0)
