"""Every instant of the driver's steady phase gets exactly one owner.

Exact spans first; waiting is charged to its cause; what no span covers is split by sampled stacks, marked
as sampled; the rest is unattributed. All of it sums to the wall time, by construction.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field

from goldsplit.analyse.counts.histogram import percentile_ns
from goldsplit.analyse.counts.series import Series
from goldsplit.analyse.stacks.frame_stages import wilson
from goldsplit.analyse.stacks.samples import Samples
from goldsplit.analyse.wall.causes import Cause, CauseFinder, WaitEvidence
from goldsplit.analyse.wall.ownership import ROOT, Owner
from goldsplit.model.recording import ThreadKey
from goldsplit.model.stage import STARTUP


@dataclass(slots=True)
class StageTime:
    """One stage's part of the wall time, by how it is known."""

    direct_ns: float = 0.0
    waited_ns: float = 0.0
    sampled_ns: float = 0.0
    uncertain_ns: float = 0.0
    """Half width of the 95 % interval."""
    idle_ns: float = 0.0
    """Of `sampled_ns`: the driver waited, and no thread was seen at work, so that no function has it."""

    @property
    def total_ns(self) -> float:
        return self.direct_ns + self.waited_ns + self.sampled_ns


@dataclass(slots=True)
class Partition:
    """The driver's steady wall time, split."""

    wall_ns: float
    startup_ns: float
    stages: dict[str, StageTime] = field(default_factory=lambda: defaultdict(StageTime))
    unattributed_ns: float = 0.0
    charged: Counter[ThreadKey] = field(default_factory=Counter)
    """Thread → nanoseconds that the driver waited for it."""
    waiting_ns: float = 0.0
    unexplained_ns: float = 0.0
    """Waiting during which no thread was seen at work; not known for what (stacks alone)."""
    asked_ns: float = 0.0
    """Waiting during which no thread was seen at work, put into stages by the lines that asked for it."""


def partition(
    series: Series, driver: ThreadKey, borders: tuple[int, int], finder: CauseFinder, samples: Samples
) -> Partition:
    """Split the driver's time between two of its snapshots."""
    start_ns, end_ns = borders
    own, recorder_ns = without_recorder(series, driver.thread, start_ns, end_ns)
    result = Partition(wall_ns=series.wall_ns(start_ns, end_ns) - recorder_ns, startup_ns=0.0)
    cpu_ns, _ = series.thread_cpu(driver.thread, start_ns, end_ns)
    evidence = finder.evidence(driver, start_ns, end_ns)
    for node, ns in list(own.items()):
        if node == ROOT:
            continue
        owner = series.owner_of(driver.thread, node)
        if not owner.stage:  # only counted, not timed
            own[ROOT] += ns
        elif owner.stage == STARTUP:
            result.startup_ns += ns
        elif not owner.waiting:
            result.stages[owner.stage].direct_ns += ns
        else:
            result.waiting_ns += ns
            _charge(result, ns, owner, _evidence_for(series, driver, node, evidence), samples)
    still_ns = series.wall_ns(start_ns, end_ns) - cpu_ns - result.waiting_ns
    gaps = finder.gaps(driver, *borders)
    lost_ns = _charge_lock_losses(result, own[ROOT], gaps, still_ns)
    left_ns = _split_rest(result, own[ROOT] - lost_ns, samples, driver)
    result.unattributed_ns = left_ns - _charge_handovers(result, own[ROOT], gaps, left_ns)
    result.wall_ns -= result.startup_ns
    _settle(result)
    return result


def _charge_lock_losses(result: Partition, rest_ns: float, evidence: WaitEvidence, still_ns: float) -> float:
    """Give the driver's long gaps to the threads that held the interpreter's lock meanwhile, at most as
    much as the driver stood still outside its waits. Returns how much that was."""
    losses = {cause: share for cause, share in evidence.shares().items() if cause.stage and cause.thread}
    wanted = rest_ns * sum(losses.values())
    if wanted <= 0 or still_ns <= 0:
        return 0.0
    part = min(1.0, still_ns / wanted)
    for cause, share in losses.items():
        result.stages[cause.stage].waited_ns += rest_ns * share * part
        if cause.thread is not None:
            result.charged[cause.thread] += int(rest_ns * share * part)
    return wanted * part


def _charge_handovers(result: Partition, rest_ns: float, evidence: WaitEvidence, left_ns: float) -> float:
    """Give the gaps between the messages of one round to the messages, at most what nothing else explains.
    Returns how much that was."""
    between = {cause: share for cause, share in evidence.shares().items() if cause.stage and not cause.thread}
    wanted = rest_ns * sum(between.values())
    if wanted <= 0 or left_ns <= 0:
        return 0.0
    part = min(1.0, left_ns / wanted)
    half_widths = _half_widths(evidence, between)
    for cause, share in between.items():
        target = result.stages[cause.stage]
        target.sampled_ns += rest_ns * share * part
        target.uncertain_ns += rest_ns * half_widths.get(cause, 0.0) * part
    return wanted * part


def without_recorder(
    series: Series, thread: int, start_ns: int, end_ns: int
) -> tuple[dict[int, float], float]:
    """Each node's own time (ROOT: outside all spans) less what recording cost there, and that cost.

    What a span costs lies outside its own clocks, so it would count for the stage around it. It is measured
    in this very run (median).
    """
    own: dict[int, float] = dict(series.self_times(thread, start_ns, end_ns))
    own[ROOT] = max(0.0, series.wall_ns(start_ns, end_ns) - sum(own.values()))
    cost_ns = percentile_ns(series.process.costs.get(thread, {}), 0.5) or series.process.warm_span_ns
    calls: Counter[int] = Counter()
    for (owner, node), info in series.process.nodes.items():
        if owner == thread and info.parent in own:
            key = (thread, node)
            calls[info.parent] += series.node(key, end_ns).count - series.node(key, start_ns).count
    taken = 0.0
    for node, number in calls.items():
        part = min(number * cost_ns, 0.9 * max(0.0, own[node]))
        own[node] -= part
        taken += part
    return own, taken


def _evidence_for(
    series: Series, driver: ThreadKey, node: int, evidence: dict[int, WaitEvidence]
) -> WaitEvidence | None:
    """A waiting node's own evidence, or that of the same wait elsewhere in the tree."""
    if node in evidence:
        return evidence[node]
    nodes = series.process.nodes
    info = nodes[driver.thread, node]
    alike = [
        found
        for other, found in evidence.items()
        if (known := nodes.get((driver.thread, other))) is not None
        and known.parent == info.parent
        and known.stage == info.stage
    ]
    if not alike:
        return None
    return WaitEvidence([window for found in alike for window in found.by_window])


def _charge(
    result: Partition, ns: float, owner: Owner, evidence: WaitEvidence | None, samples: Samples
) -> None:
    """Give a wait's time to its causes. Where nothing explains it but the other side is known, it is what the
    message cost (the other side was being woken, say); else it belongs to the stage around, as in a game that
    asks a server."""
    shares: dict[Cause, float] = evidence.shares() if evidence is not None else {}
    if not shares:
        shares = {Cause("", None): 1.0}
    half_widths = _half_widths(evidence, shares)
    for cause, share in shares.items():
        part = ns * share
        if cause.thread is not None:
            result.charged[cause.thread] += int(part)
        if cause.stage:
            target = result.stages[cause.stage]
            target.waited_ns += part
            target.uncertain_ns += ns * half_widths.get(cause, 0.0)
            continue
        by_name = samples.unspanned_stages(cause.thread) if cause.thread is not None else {}
        for stage, fraction in by_name.items():
            result.stages[stage].sampled_ns += part * fraction
        rest = part * (1.0 - sum(by_name.values()))
        if rest > 0:
            stage = owner.stage if cause.thread is not None else owner.enclosing or owner.stage
            result.stages[stage].waited_ns += rest


def _half_widths(evidence: WaitEvidence | None, shares: dict[Cause, float]) -> dict[Cause, float]:
    """How far a cause's share varies between raw windows: 1.96 standard errors of a ratio of sums."""
    if evidence is None or len(evidence.by_window) < 2:
        return {}
    windows = evidence.by_window
    totals = [sum(window.values()) for window in windows]
    mean_total = sum(totals) / len(totals)
    if not mean_total:
        return {}
    widths = {}
    for cause, share in shares.items():
        errors = [window[cause] - share * total for window, total in zip(windows, totals, strict=True)]
        variance = sum(error * error for error in errors) / (len(errors) - 1)
        widths[cause] = 1.96 * (variance / len(errors)) ** 0.5 / mean_total
    return widths


def _split_rest(result: Partition, rest_ns: float, samples: Samples, driver: ThreadKey) -> float:
    """Split what no span covers by the driver's stacks outside any span. Returns what no stack names."""
    by_name = samples.unspanned_stages(driver)
    trials = samples.unspanned_count(driver)
    for stage, fraction in by_name.items():
        target = result.stages[stage]
        target.sampled_ns += rest_ns * fraction
        low, high = wilson(fraction * trials, trials)
        target.uncertain_ns += rest_ns * (high - low) / 2
    return rest_ns * (1.0 - sum(by_name.values()))


def _settle(result: Partition) -> None:
    """Snapshots are taken within microseconds of each other, not in one: make the sum exact again."""
    for stage in [name for name, time in result.stages.items() if time.total_ns <= 0]:
        del result.stages[stage]
    total = sum(time.total_ns for time in result.stages.values()) + result.unattributed_ns
    if total <= 0 or result.wall_ns <= 0:
        return
    factor = result.wall_ns / total
    for time in result.stages.values():
        time.direct_ns *= factor
        time.waited_ns *= factor
        time.sampled_ns *= factor
    result.unattributed_ns *= factor
