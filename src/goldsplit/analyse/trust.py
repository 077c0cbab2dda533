"""How far to believe a profile: what is explained, what recording cost, what went wrong."""

from __future__ import annotations

import signal

from goldsplit.analyse.own_cost import Overhead
from goldsplit.analyse.wall.partition import Partition
from goldsplit.model.profile import Trust
from goldsplit.model.recording import CUT_OFF, LOST_WORKER, ProcessRecord, Recording
from goldsplit.model.stage import is_own_function
from goldsplit.model.wire import Header
from goldsplit.record.inside.snapshot_schedule import snapshot_interval_ns

_ASKED_TO_END = frozenset({0, -signal.SIGTERM, -signal.SIGINT})
#: More workers of a run that ended badly are not named.
MOST_NAMED = 8


def trust(
    recording: Recording,
    split: Partition,
    cost: Overhead | None,
    waited_for_cpu: float | None,
    notes: list[str],
) -> Trust:
    """The trust box."""
    wall = split.wall_ns or 1.0
    own = sum(time.total_ns for stage, time in split.stages.items() if is_own_function(stage))
    chunks = [chunk for chunk in recording.chunks if not chunk.startup] or recording.chunks
    seconds = sum(c.end_ns - c.start_ns for c in chunks) / 1e9
    rate = sum(c.rate_hz * (c.end_ns - c.start_ns) / 1e9 for c in chunks) / seconds if seconds else None
    return Trust(
        attributed_share=max(0.0, min(1.0, 1.0 - split.unattributed_ns / wall)),
        overhead_share=cost.share if cost else None,
        overhead_low=cost.low if cost else None,
        overhead_high=cost.high if cost else None,
        samples=sum(c.samples for c in chunks),
        late_samples=sum(c.late for c in chunks),
        failed_samples=sum(c.failed for c in chunks),
        sample_rate_hz=rate,
        waited_for_cpu_share=waited_for_cpu,
        notes=notes,
        own_function_share=min(1.0, max(0.0, own / wall)),
    )


def unmatched(recording: Recording) -> dict[str, str]:
    """Targets of --stage or goldsplit.toml that no process ever had, and why."""
    mapped = {target.partition(":")[2] for process in recording.processes for target in process.mapped}
    reasons = {target: why for process in recording.processes for target, why in process.unmapped.items()}
    return {
        target: reasons.get(target, f"{target.partition(':')[0]} was never imported")
        for target in sorted(recording.run.get(Header.STAGES, {}))
        if target.partition(":")[2] not in mapped
    }


def collect_notes(recording: Recording) -> list[str]:
    """Everything that the recording itself has doubts about."""
    notes = [str(note) for note in recording.run.get(Header.NOTES, [])]
    notes += [f"stage target {target} never matched: {why}" for target, why in unmatched(recording).items()]
    for process in recording.processes:
        notes += [f"process {process.id}: {note}" for note in dict.fromkeys(process.notes)]
        notes += [f"process {process.id}: {failure}" for failure in failures_of(process)]
        notes += lost_children(process)
        if process.dropped_lines:
            notes.append(f"process {process.id}: {process.dropped_lines} snapshots lost (disk full?)")
    return notes + killed_early(recording) + recording.damage


def lost_children(process: ProcessRecord) -> list[str]:
    """Workers that ended badly. Those that were asked to end (SIGTERM, Ctrl-C) did what they should."""
    bad = {pid: code for pid, code in process.lost_children.items() if code not in _ASKED_TO_END}
    return [f"{LOST_WORKER} {pid} {how_it_ended(code)}" for pid, code in list(bad.items())[:MOST_NAMED]]


def how_it_ended(code: int) -> str:
    """An exit code of multiprocessing, in words."""
    if code >= 0:
        return f"ended with exit code {code}"
    known = {number.value: number.name for number in signal.Signals}
    why = " (out of memory?)" if code == -signal.SIGKILL else ""
    return f"was killed by {known.get(-code, f'signal {-code}')}{why}"


def failures_of(process: ProcessRecord) -> list[str]:
    """What went wrong in goldsplit's own code inside the program, which did not notice."""
    return [
        f"goldsplit's own code failed {times(number)} in {place}: {text}; the program went on"
        for (place, text), number in process.failures.items()
    ]


def times(number: int) -> str:
    """How often, in words."""
    return "once" if number == 1 else f"{number:,} times"


def is_cut_off(recording: Recording) -> bool:
    """Whether the last part could not be written, as on a full disk."""
    return any(note.startswith(CUT_OFF) for note in recording.run.get(Header.NOTES, []))


def killed_early(recording: Recording) -> list[str]:
    """Processes of a complete run that stopped in the middle of it.

    A worker that wrote until the trainer's end was ended by that: multiprocessing does so with every daemon
    that was not closed. What it did since its last snapshot is not known, and nothing depends on it.
    """
    if recording.run.get(Header.STATUS) != "complete":
        return []
    end_ns = max((process.end_ns for process in recording.processes if process.end_ns), default=None)
    silent = [process for process in recording.processes if process.snapshots and process.end_ns is None]
    if end_ns is not None:
        usual_ns = 3 * snapshot_interval_ns(end_ns - recording.run.get(Header.START_NS, 0))
        silent = [process for process in silent if end_ns - process.snapshots[-1].t_ns > usual_ns]
    if not silent:
        return []
    who = f"{'process' if len(silent) == 1 else 'processes'} {', '.join(str(one.id) for one in silent)}"
    if is_cut_off(recording):
        return [f"{who}: what came after the last line that could be written is not in the figures"]
    return [f"{who} ended without saying so (killed?)"]
