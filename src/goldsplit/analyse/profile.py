"""Recording → Profile: read this to see how the analysis fits together."""

from __future__ import annotations

from typing import Any

from goldsplit.analyse.counts.facts import facts
from goldsplit.analyse.counts.processes import process_figures
from goldsplit.analyse.counts.throughput import throughput
from goldsplit.analyse.deep.all_processes import deep_look
from goldsplit.analyse.deep.call_counts import with_call_counts
from goldsplit.analyse.intermediate import Groundwork, lay_groundwork
from goldsplit.analyse.own_cost import cores, overhead
from goldsplit.analyse.predict.ceilings import with_ceilings
from goldsplit.analyse.predict.drift import drift
from goldsplit.analyse.predict.structure import structure
from goldsplit.analyse.stacks.hotspots import hotspots, wall_weights
from goldsplit.analyse.stacks.samples import Samples
from goldsplit.analyse.stacks.user_lines import user_lines
from goldsplit.analyse.trust import collect_notes, trust
from goldsplit.analyse.wall.partition import Partition
from goldsplit.analyse.wall.stack_partition import partition_stacks, stack_lanes
from goldsplit.analyse.wall.stage_rows import stage_rows
from goldsplit.analyse.wall.steady import Steady
from goldsplit.model.profile import (
    Drift,
    Phases,
    Profile,
    RunInfo,
    SystemFigures,
    Throughput,
    Unattributed,
)
from goldsplit.model.recording import Recording


def analyse(recording: Recording) -> Profile:
    """Where the run's wall time went."""
    forget_silent(recording)
    return explain(recording, lay_groundwork(recording))


def forget_silent(recording: Recording) -> None:
    """Drop processes that ended without having anything to tell."""
    recording.processes = [p for p in recording.processes if p.snapshots or p.end_ns is None or p.notes]


def explain(recording: Recording, ground: Groundwork | None) -> Profile:
    """The profile of a recording on its groundwork."""
    if ground is None:
        return with_ceilings(from_stacks(recording))
    return with_ceilings(with_call_counts(from_spans(ground)))


def from_spans(ground: Groundwork) -> Profile:
    """A run whose processes recorded themselves."""
    recording, series, driver, steady = ground.recording, ground.series, ground.driver, ground.steady
    own, borders, samples, split = ground.own, ground.borders, ground.samples, ground.split
    speed = throughput(ground.counting, own, driver, steady, recording.system)
    steps = ground.counting.between(own.pieces(*borders)).env_steps
    _, delayed_ns = own.thread_cpu(driver[1], *borders)
    roles = {lane.pid: lane.role for lane in reversed(ground.lanes)}
    notes = collect_notes(recording)
    if steady.whole_run:
        notes.append("no environment step was seen, so start-up could not be split off")
    return Profile(
        run=run_info(recording),
        phases=phases(recording, steady, split),
        throughput=speed,
        stages=stage_rows(split, series, borders, steps),
        unattributed=unattributed(split),
        lanes=ground.lanes,
        hotspots=hotspots(samples, split, ground.native_driver),
        drift=drift(speed.windows, {stage: time.waited_ns / 1e9 for stage, time in split.stages.items()}),
        system=system_figures(recording),
        trust=trust(
            recording,
            split,
            overhead(recording, own, driver, (steady.start_ns, steady.end_ns), samples),
            min(1.0, delayed_ns / max(1, own.wall_ns(*borders))),
            notes,
        ),
        facts=facts(series, roles),
        deep=deep_look(recording, driver),
        processes=process_figures(series, roles, borders),
        user_lines=user_lines(wall_weights(samples, split, ground.native_driver), samples.frames),
        structure=structure(series, driver, borders, ground.finder, split, cores(recording)),
    )


def from_stacks(recording: Recording) -> Profile:
    """A process that was attached to, or one that no hook saw: stacks are all there is."""
    pid = int(
        recording.run.get("target_pid") or (recording.chunks[0].stacks[0].pid if _seen(recording) else 0)
    )
    driver = (pid, pid)
    split = partition_stacks(recording, driver)
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
    if not recording.chunks:
        notes.append("nothing was recorded: the program was too short, or is not Python")
    samples = Samples(recording, 0, 1 << 62)
    return Profile(
        run=run_info(recording),
        phases=Phases(None, split.wall_ns / 1e9, None),
        throughput=Throughput.not_measured(),
        stages=stage_rows(split, {}, (0, 0), None),
        unattributed=unattributed(split),
        lanes=stack_lanes(recording, driver),
        hotspots=hotspots(samples, split, driver),
        drift=Drift(None, []),
        system=system_figures(recording),
        trust=trust(recording, split, None, None, notes),
        user_lines=user_lines(wall_weights(samples, split, driver), samples.frames),
    )


def _seen(recording: Recording) -> bool:
    return bool(recording.chunks and recording.chunks[0].stacks)


def unattributed(split: Partition) -> Unattributed:
    wall = split.wall_ns or 1.0
    return Unattributed(split.unattributed_ns / 1e9, min(1.0, max(0.0, split.unattributed_ns / wall)))


def phases(recording: Recording, steady: Steady, split: Partition) -> Phases:
    """Start-up is up to the first step, and compilation inside the loop; shutdown after the last."""
    begun, ended = recording.run.get("start_ns"), recording.run.get("end_ns")
    compiled = split.startup_ns / 1e9
    startup = None if begun is None or steady.whole_run else (steady.first_step_ns - begun) / 1e9 + compiled
    return Phases(
        startup_seconds=startup,
        steady_seconds=(steady.last_step_ns - steady.first_step_ns) / 1e9 - compiled,
        shutdown_seconds=None if ended is None else max(0.0, (ended - steady.last_step_ns) / 1e9),
    )


def run_info(recording: Recording) -> RunInfo:
    run: dict[str, Any] = recording.run
    begun, ended = run.get("start_ns"), run.get("end_ns")
    last = max((p.snapshots[-1].t_ns for p in recording.processes if p.snapshots), default=None)
    ended = ended or last
    return RunInfo(
        id=str(run.get("id", "")),
        name=str(run.get("name", "")),
        command=list(run.get("command", [])),
        exit_code=run.get("exit_code"),
        status=str(run.get("status", "running")),
        started=float(run.get("started", 0.0)),
        wall_seconds=(ended - begun) / 1e9 if begun is not None and ended is not None else 0.0,
        host=str(run.get("host", "")),
        python=recording.processes[0].python if recording.processes else "",
        packages=dict(run.get("packages", {})),
        git=run.get("git"),
        seed=run.get("seed"),
        environment=dict(run.get("environment", {})),
    )


def system_figures(recording: Recording) -> SystemFigures:
    samples = recording.system
    loads = [sample.cpu_percent for sample in samples[1:]]
    gpus: dict[int, dict[str, Any]] = {}
    for sample in samples:
        for index, gpu in enumerate(sample.gpu):
            row = gpus.setdefault(
                index, {"name": gpu["name"], "utilisation": [], "busy_share": None, "memory_peak_bytes": 0}
            )
            row["utilisation"].append(gpu["utilisation"])
            row["memory_peak_bytes"] = max(row["memory_peak_bytes"], gpu["memory"])
    for row in gpus.values():
        row["utilisation"] = sum(row["utilisation"]) / len(row["utilisation"])
    return SystemFigures(
        cpu_percent=sum(loads) / len(loads) if loads else None,
        cores=cores(recording),
        rss_peak_bytes=max((sample.rss_bytes for sample in samples), default=None),
        gpu=list(gpus.values()),
    )
