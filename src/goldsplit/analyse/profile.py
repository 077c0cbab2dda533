"""Recording → Profile: read this to see how the analysis fits together."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from typing import Any

from goldsplit.analyse.consistency import consistent
from goldsplit.analyse.counts.cut_short import cut_short
from goldsplit.analyse.counts.facts import facts
from goldsplit.analyse.counts.processes import process_figures
from goldsplit.analyse.counts.throughput import throughput
from goldsplit.analyse.deep.all_processes import deep_look
from goldsplit.analyse.deep.call_counts import with_call_counts
from goldsplit.analyse.device.device_lane import device_lane
from goldsplit.analyse.device.device_uses import device_uses
from goldsplit.analyse.empty_recording import commands_seen, nothing_recorded, stacks_alone
from goldsplit.analyse.intermediate import Intermediate, work_out
from goldsplit.analyse.overlay_uses import overlay_uses
from goldsplit.analyse.own_cost import cores, overhead
from goldsplit.analyse.own_rows import with_mappings
from goldsplit.analyse.predict.ceilings import with_ceilings
from goldsplit.analyse.predict.drift import drift
from goldsplit.analyse.predict.structure import structure
from goldsplit.analyse.source_look.look import with_source_look
from goldsplit.analyse.stacks.hotspots import hotspots
from goldsplit.analyse.stacks.inclusive import function_costs
from goldsplit.analyse.stacks.samples import Samples
from goldsplit.analyse.stacks.user_lines import user_lines
from goldsplit.analyse.trust import collect_notes, is_cut_off, trust
from goldsplit.analyse.wall.partition import Partition
from goldsplit.analyse.wall.stack_partition import partition_stacks, stack_lanes, stacks_driver
from goldsplit.analyse.wall.stage_rows import stage_rows
from goldsplit.analyse.wall.steady import Steady
from goldsplit.model.device.device_use import DeviceUse
from goldsplit.model.profile import Fact, Lane, Phases, Profile, RunInfo, SystemFigures, Unattributed
from goldsplit.model.progress import Drift, Throughput, UpdatesFrom
from goldsplit.model.recording import DeviceSample, Recording
from goldsplit.model.wire import Counter, Header
from goldsplit.store.project_source import ProjectSource


def analyse(recording: Recording) -> Profile:
    """Where the run's wall time went."""
    recording = without_silent_processes(recording)
    return explain(recording, work_out(recording))


def without_silent_processes(recording: Recording) -> Recording:
    """The same recording without processes that wrote nothing but their start and end."""
    kept = [p for p in recording.processes if p.snapshots or p.end_ns is None or p.notes]
    silent = recording.silent_processes + len(recording.processes) - len(kept)
    return dataclasses.replace(recording, processes=kept, silent_processes=silent)


def explain(recording: Recording, found: Intermediate | None) -> Profile:
    """The profile of a recording from what was worked out of it."""
    read = ProjectSource(recording).read
    if found is None:
        return with_source_look(consistent(with_ceilings(from_stacks(recording))), read)
    profile = with_call_counts(from_spans(found))
    profile = consistent(with_ceilings(with_mappings(profile, found.samples.own)))
    return with_source_look(profile, read)


def from_spans(found: Intermediate) -> Profile:
    """A run whose processes recorded themselves."""
    recording, series, driver, steady = found.recording, found.series, found.driver, found.steady
    own, borders, samples, split = found.own, found.borders, found.samples, found.split
    speed = throughput(found.counting, own, driver, steady, recording.system)
    steps = found.counting.between(own.pieces(*borders)).env_steps
    _, delayed_ns = own.thread_cpu(driver.thread, *borders)
    roles = {row.native.process: row.lane.role for row in reversed(found.lanes)}
    notes = collect_notes(recording)
    seen = facts(series, roles)
    uses = device_uses(found, seen, speed)
    notes += found.counting.doubts.values()
    notes += cut_short(recording, found.counting)
    if steady.whole_run:
        notes.append("no environment step was seen, so start-up could not be split off")
    if speed.updates_counted_from in (UpdatesFrom.BACKWARD, UpdatesFrom.GRADIENTS):
        notes.append(
            f"no step of an optimizer was seen: updates are counted from {speed.updates_counted_from}"
        )
    return Profile(
        run=run_info(recording, seen),
        phases=phases(recording, steady, split),
        throughput=speed,
        stages=stage_rows(split, series, borders, steps, samples.own),
        unattributed=unattributed(split),
        lanes=with_devices(believed_lanes(found), uses, driver.process.pid),
        hotspots=hotspots(split.shares(), samples.frames),
        drift=drift(speed.windows, {stage: time.waited_ns / 1e9 for stage, time in split.stages.items()}),
        system=system_figures(recording),
        trust=trust(
            recording,
            split,
            overhead(recording, own, driver, (steady.start_ns, steady.end_ns), samples),
            min(1.0, delayed_ns / max(1, own.wall_ns(*borders))),
            notes,
        ),
        facts=seen,
        deep=deep_look(recording, driver),
        processes=process_figures(series, roles, borders),
        user_lines=user_lines(split.shares(), samples.frames),
        functions=function_costs(split.shares(), samples.frames),
        devices=uses,
        structure=structure(series, driver, borders, found.finder, split, cores(recording)),
    )


def from_stacks(recording: Recording) -> Profile:
    """A process that was attached to, or one that no hook saw: stacks are all there is."""
    driver = stacks_driver(recording)
    samples = Samples(recording, 0, 1 << 62)
    split = partition_stacks(recording, driver, samples)
    notes = collect_notes(recording)
    if split.unexplained_ns > 0.05 * split.wall_ns:
        share = split.unexplained_ns / split.wall_ns
        notes.append(
            f"for {100 * share:.0f} % of the time the driver waited while no thread was at work: for a "
            "server, the network, or a coroutine that slept; stacks cannot tell which"
        )
    if split.asked_ns > 0.05 * split.wall_ns:
        share = split.asked_ns / split.wall_ns
        notes.append(
            f"for {100 * share:.0f} % of the time the driver waited for coroutines that slept themselves: "
            "their stage is that of the call in the line that asked for them, not of a stack"
        )
    began = bool(recording.processes or recording.silent_processes)
    if not recording.chunks and not recording.damage:
        notes.append(nothing_recorded(recording.run, began, commands_seen(recording)))
    elif recording.chunks and not began and (told := stacks_alone(recording.run, commands_seen(recording))):
        notes.insert(0, told)
    threads = [row.lane for row in stack_lanes(recording, driver)]
    no_core = threads[0].no_core_share if threads and threads[0].role == "driver" else None
    profile = Profile(
        run=run_info(recording, []),
        phases=Phases(None, split.wall_ns / 1e9, None),
        throughput=Throughput.not_measured(),
        stages=stage_rows(split, {}, (0, 0), None, samples.own),
        unattributed=unattributed(split),
        lanes=threads,
        hotspots=hotspots(split.shares(), samples.frames),
        drift=Drift(None, []),
        system=system_figures(recording),
        trust=trust(recording, split, None, no_core, notes),
        user_lines=user_lines(split.shares(), samples.frames),
        functions=function_costs(split.shares(), samples.frames),
    )
    return with_mappings(profile, samples.own)


def believed_lanes(found: Intermediate) -> list[Lane]:
    """Each thread's lane; without steps where the steps of the run cannot be true."""
    lanes = [row.lane for row in found.lanes]
    doubted = Counter.ENV_STEPS in found.counting.doubts
    return [dataclasses.replace(lane, env_steps=None) for lane in lanes] if doubted else lanes


def with_devices(lanes: list[Lane], uses: list[DeviceUse], pid: int) -> list[Lane]:
    """The devices' lanes come after the driver's."""
    return [*lanes[:1], *(device_lane(use, pid) for use in uses), *lanes[1:]]


def unattributed(split: Partition) -> Unattributed:
    wall = split.wall_ns or 1.0
    return Unattributed(split.unattributed_ns / 1e9, min(1.0, max(0.0, split.unattributed_ns / wall)))


def phases(recording: Recording, steady: Steady, split: Partition) -> Phases:
    """Start-up is up to the first step, and compilation inside the loop; shutdown after the last: on a full
    disk the last step that was written need not be that."""
    begun, ended = recording.run.get(Header.START_NS), recording.run.get(Header.END_NS)
    ended = None if is_cut_off(recording) else ended
    compiled = split.startup_ns / 1e9
    startup = None if begun is None or steady.whole_run else (steady.first_step_ns - begun) / 1e9 + compiled
    return Phases(
        startup_seconds=startup,
        steady_seconds=(steady.last_step_ns - steady.first_step_ns) / 1e9 - compiled,
        shutdown_seconds=None if ended is None else max(0.0, (ended - steady.last_step_ns) / 1e9),
    )


def run_info(recording: Recording, seen: list[Fact]) -> RunInfo:
    run: dict[str, Any] = recording.run
    begun, ended = run.get(Header.START_NS), run.get(Header.END_NS)
    last = max((p.snapshots[-1].t_ns for p in recording.processes if p.snapshots), default=None)
    ended = ended or last
    stages = {node.stage for process in recording.processes for node in process.nodes.values()}
    return RunInfo(
        id=str(run.get(Header.ID, "")),
        name=str(run.get(Header.NAME, "")),
        command=list(run.get(Header.COMMAND, [])),
        exit_code=run.get(Header.EXIT_CODE),
        status=str(run.get(Header.STATUS, "running")),
        started=float(run.get(Header.STARTED, 0.0)),
        wall_seconds=(ended - begun) / 1e9 if begun is not None and ended is not None else 0.0,
        host=str(run.get(Header.HOST, "")),
        python=recording.processes[0].python if recording.processes else "",
        packages=dict(run.get(Header.PACKAGES, {})),
        git=run.get(Header.GIT),
        seed=run.get(Header.SEED),
        environment=dict(run.get(Header.ENVIRONMENT, {})),
        overlays=overlay_uses(run, seen, stages),
        folder=str(run.get(Header.FOLDER, "")),
    )


def system_figures(recording: Recording) -> SystemFigures:
    samples = recording.system
    loads = [sample.cpu_percent for sample in samples[1:]]
    gpus: dict[int, list[DeviceSample]] = defaultdict(list)
    for sample in samples:
        for index, device in enumerate(sample.gpu):
            gpus[index].append(device)
    return SystemFigures(
        cpu_percent=sum(loads) / len(loads) if loads else None,
        cores=cores(recording),
        rss_peak_bytes=max((sample.rss_bytes for sample in samples), default=None),
        gpu=[_device(seen) for seen in gpus.values()],
    )


def _device(seen: list[DeviceSample]) -> dict[str, Any]:
    """One GPU over the run, as in the report JSON."""
    return {
        "name": seen[0].name,
        "utilisation": sum(one.utilisation for one in seen) / len(seen),
        "busy_share": None,
        "memory_peak_bytes": max(0, *(one.memory_bytes for one in seen)),
    }
