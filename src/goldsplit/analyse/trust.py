"""How far to believe a profile: what is explained, what recording cost on this very run, what went wrong."""

from __future__ import annotations

from dataclasses import dataclass

from goldsplit.analyse.causes import ThreadKey
from goldsplit.analyse.histogram import merge, percentile_ns
from goldsplit.analyse.partition import Partition
from goldsplit.analyse.series import Series
from goldsplit.analyse.steady import Steady
from goldsplit.model.profile import Trust
from goldsplit.model.recording import Recording


@dataclass(frozen=True, slots=True)
class Overhead:
    """The recorder's cost as a share of the run's wall time."""

    share: float
    low: float
    high: float


def overhead(recording: Recording, series: Series, driver: ThreadKey, steady: Steady) -> Overhead | None:
    """The driver's spans times what a span cost here, and what sampling may have taken from the driver.

    Low: a span's cost in a warm loop at the start of this process, and sampling only as far as it could
    not run on an idle processor. High: a span's median cost measured inside the loop, extra clocks
    included, and all of the sampler's processor time as if taken from the driver.
    """
    wall = series.wall_ns(steady.start_ns, steady.end_ns)
    warm_ns = series.process.warm_span_ns
    costs = merge(series.process.costs.values())
    measured_ns = percentile_ns(costs, 0.5)
    if wall <= 0 or not warm_ns:
        return None
    spans = 0
    for (thread, node), info in series.process.nodes.items():
        if thread == driver[1] and info.stage:
            key = (thread, node)
            spans += series.node(key, steady.end_ns).count - series.node(key, steady.start_ns).count
    reads = sum(
        series.count(name, steady.end_ns) - series.count(name, steady.start_ns)
        for name in series.counters()
        if name.startswith(f"{driver[1]}:tensor_reads:")
    )
    cores = max(1, int(recording.run.get("environment", {}).get("cores", 1)))
    chunks = [c for c in recording.chunks if c.end_ns > steady.start_ns and c.start_ns < steady.end_ns]
    sampled = max(c.end_ns for c in chunks) - min(c.start_ns for c in chunks) if chunks else 0
    sampler_share = sum(c.cpu_seconds for c in chunks) * 1e9 / sampled if sampled else 0.0
    busy = busy_cores(recording)
    crowded = busy is None or busy + sampler_share > cores - 0.25
    low = (spans + 0.3 * reads) * warm_ns / wall + (sampler_share / cores if crowded else 0.0)
    high = (spans + 0.3 * reads) * max(warm_ns, measured_ns or 0.0) / wall + sampler_share
    return Overhead((low + high) / 2, low, high)


def busy_cores(recording: Recording) -> float | None:
    """Processors that the run kept busy, on average."""
    loads = [sample.cpu_percent / 100 for sample in recording.system[1:]]
    return sum(loads) / len(loads) if loads else None


def trust(
    recording: Recording,
    split: Partition,
    cost: Overhead | None,
    waited_for_cpu: float | None,
    notes: list[str],
) -> Trust:
    """The trust box."""
    wall = split.wall_ns or 1.0
    chunks = recording.chunks
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
    )


def unmatched(recording: Recording) -> dict[str, str]:
    """Targets of --stage or goldsplit.toml that no process ever had, and why."""
    mapped = {target.partition(":")[2] for process in recording.processes for target in process.mapped}
    reasons = {target: why for process in recording.processes for target, why in process.unmapped.items()}
    return {
        target: reasons.get(target, f"{target.partition(':')[0]} was never imported")
        for target in sorted(recording.run.get("stages", {}))
        if target.partition(":")[2] not in mapped
    }


def collect_notes(recording: Recording) -> list[str]:
    """Everything that the recording itself has doubts about."""
    notes = [str(note) for note in recording.run.get("notes", [])]
    notes += [f"stage target {target} never matched: {why}" for target, why in unmatched(recording).items()]
    for process in recording.processes:
        notes += [f"process {process.pid}: {note}" for note in dict.fromkeys(process.notes)]
        if process.dropped_lines:
            notes.append(f"process {process.pid}: {process.dropped_lines} snapshots lost (disk full?)")
        if process.snapshots and process.end_ns is None and recording.run.get("status") == "complete":
            notes.append(f"process {process.pid} ended without saying so (killed?)")
    return notes + recording.damage
