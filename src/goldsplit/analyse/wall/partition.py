"""Every instant of the driver's steady phase gets exactly one owner.

Exact spans first, each divided by the samples that fell into it; waiting is charged to its cause; what no
span covers is split by sampled stacks, by the user's own functions where no stage is known. What has no code
of the user's in it is unattributed. All of it sums to the wall time, by construction.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field

from goldsplit.analyse.counts.series import Series
from goldsplit.analyse.device.charging import charge_device, move_held_up
from goldsplit.analyse.stacks.samples import Samples
from goldsplit.analyse.wall.account import (
    DRIVER,
    LEAST_SAMPLES,
    OUTSIDE,
    Account,
    Group,
    Part,
    Waited,
    Waits,
    Weight,
    fractions,
)
from goldsplit.analyse.wall.causes import Cause, CauseFinder, WaitEvidence
from goldsplit.analyse.wall.lost_lock import charge_lock, lost_lock
from goldsplit.analyse.wall.ownership import ROOT, Owner
from goldsplit.analyse.wall.span_times import without_recorder
from goldsplit.analyse.wall.timeline import IN_NO_STAGE
from goldsplit.model.recording import ThreadKey
from goldsplit.model.stage import STARTUP, TRANSFER_WAIT, VEC_WAIT


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
    waited_sampled_ns: float = 0.0
    """Of `waited_ns`: samples of the other thread told that it was this stage."""
    samples: float = 0.0
    """Samples that put time into this stage."""
    device_ns: float = 0.0
    """Of `direct_ns`: the driver waited while the device did this stage's work."""

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
    device_ns: float = 0.0
    """Waiting for the device, in spans."""
    lost_lock_ns: float = 0.0
    """Of the driver's own spans: another thread had the interpreter's lock."""
    unexplained_ns: float = 0.0
    """Waiting during which no thread was seen at work; not known for what (stacks alone)."""
    asked_ns: float = 0.0
    """Waiting during which no thread was seen at work, put into stages by the lines that asked for it."""
    weights: list[Weight] = field(default_factory=list)
    """What each sample stands for; together all that functions can have."""
    finer_own: dict[str, dict[str, float]] = field(default_factory=dict)
    """Stage of the driver's spans ("": outside all) → its parts by finest stage."""
    finer_waited: dict[str, dict[str, float]] = field(default_factory=dict)
    """The same for the spans of threads that it waited for."""

    def shares(self) -> list[tuple[Weight, float]]:
        """Each sample with its share of wall time."""
        wall = self.wall_ns or 1.0
        return [(weight, weight.ns / wall) for weight in self.weights]


def partition(
    series: Series, driver: ThreadKey, borders: tuple[int, int], finder: CauseFinder, samples: Samples
) -> Partition:
    """Split the driver's time between two of its snapshots."""
    start_ns, end_ns = borders
    account = Account(samples, driver)
    own, recorder_ns = without_recorder(series, driver.thread, start_ns, end_ns)
    result = Partition(wall_ns=series.wall_ns(start_ns, end_ns) - recorder_ns, startup_ns=0.0)
    cpu_ns, queued_ns = series.thread_cpu(driver.thread, start_ns, end_ns)
    evidence = finder.evidence(driver, start_ns, end_ns)
    direct: dict[str, float] = defaultdict(float)
    waits: Waits = defaultdict(Waited)
    for node, ns in list(own.items()):
        if node == ROOT:
            continue
        owner = series.owner_of(driver.thread, node)
        if not owner.stage:  # only counted, not timed
            own[ROOT] += ns
        elif owner.stage == STARTUP:
            result.startup_ns += ns
        elif not owner.waiting:
            direct[owner.stage] += ns
        elif owner.stage == TRANSFER_WAIT:
            result.device_ns += ns
            charge_device(result.stages, finder.device, node, ns, owner)
        else:
            result.waiting_ns += ns
            _charge(result, ns, owner, _evidence_for(series, driver, node, evidence), account, waits)
    move_held_up(result.stages, finder.device, direct, own)
    still_ns = series.wall_ns(start_ns, end_ns) - cpu_ns - result.waiting_ns
    gaps = finder.gaps(driver, *borders)
    lost_ns = _charge_held(result, own[ROOT], gaps, still_ns, account, waits)
    still_ns -= lost_ns + queued_ns + result.device_ns
    lost = lost_lock(series, driver, borders, still_ns, result.charged, account)
    result.lost_lock_ns = charge_lock(lost, direct, waits, result.charged, account)
    groups = account.groups(DRIVER, {stage: ns for stage, ns in direct.items() if ns > 0})
    for stage, ns in direct.items():
        _divide_own(result, stage, ns, groups.get(stage, Group()))
    outside = groups.get(OUTSIDE, Group())
    rest_ns = own[ROOT] - lost_ns
    importing_ns = rest_ns * _importing_share(samples.importing[driver], outside.count)
    result.startup_ns += importing_ns
    _split_rest(result, rest_ns - importing_ns, outside, own[ROOT], gaps)
    _divide_waits(result, waits, account)
    result.wall_ns -= result.startup_ns
    _settle(result)
    return result


def _importing_share(importing: int, others: float) -> float:
    """How much of the time outside spans is start-up: a library that is first needed in the loop is imported
    there."""
    return importing / (importing + others) if importing >= LEAST_SAMPLES else 0.0


def _divide_own(result: Partition, stage: str, ns: float, group: Group) -> None:
    """Give a span's own time to the finest stages of the driver's samples in it."""
    if ns <= 0:  # clocks of two snapshots: settled with the rest
        result.stages[stage].direct_ns += ns
        return
    parts = group.divide(ns, stage)
    for part in parts:
        target = result.stages[part.stage or stage]
        if part.stage == stage:
            target.direct_ns += part.ns
        else:
            target.sampled_ns += part.ns
            target.samples += part.samples
        target.uncertain_ns += part.half_width_ns
    result.weights += group.weights(ns, stage)
    if len(parts) > 1:
        result.finer_own[stage] = fractions(parts)


def _split_rest(result: Partition, rest_ns: float, group: Group, root_ns: float, gaps: WaitEvidence) -> None:
    """Split what no span covers by the driver's samples outside any span: first known stages; then what lies
    between messages; then the user's own functions."""
    total = group.count
    named, unnamed = group.only(own=False), group.only(own=True)
    named_ns = rest_ns * named.count / total if total else 0.0
    parts = group.divide(rest_ns, None) if total else []
    known = [part for part in parts if part.stage is not None and named_ns and part.stage in _stages(named)]
    _add_sampled(result, known, 1.0)
    result.weights += named.weights(named_ns, None) if named.rows else []
    left_ns = rest_ns - named_ns
    left_ns -= _charge_handovers(result, root_ns, gaps, left_ns)
    if not unnamed.rows:
        result.unattributed_ns += left_ns
        result.finer_own[OUTSIDE] = fractions([*known, Part(None, left_ns, 0.0, 0)])
        return
    own = [part for part in parts if part.stage not in _stages(named)]
    unnamed_ns = sum(part.ns for part in own)
    scale = left_ns / unnamed_ns if unnamed_ns > 0 else 0.0
    _add_sampled(result, [part for part in own if part.stage is not None], scale)
    result.unattributed_ns += scale * sum(part.ns for part in own if part.stage is None)
    result.weights += unnamed.weights(left_ns, None)
    scaled = [part._replace(ns=part.ns * scale) for part in own]
    result.finer_own[OUTSIDE] = fractions([*known, *scaled])


def _stages(group: Group) -> set[str | None]:
    return {row.stage for row, _ in group.rows}


def _add_sampled(result: Partition, parts: list[Part], scale: float) -> None:
    for part in parts:
        target = result.stages[part.stage or ""]
        target.sampled_ns += part.ns * scale
        target.uncertain_ns += part.half_width_ns * scale
        target.samples += part.samples


def _divide_waits(result: Partition, waits: Waits, account: Account) -> None:
    """Give the driver's waiting to the finest stages of the threads that it waited for."""
    spans: dict[str, dict[str, float]] = defaultdict(dict)
    for (kind, stage), waited in waits.items():
        spans[kind][stage] = waited.ns
    divided: dict[str, list[Part]] = defaultdict(list)
    for kind, stages in spans.items():
        timed = {stage: ns for stage, ns in stages.items() if stage != IN_NO_STAGE}
        groups = account.groups(kind, timed)
        for stage, ns in stages.items():
            group = groups.get(stage, Group())
            whole: str | None = stage
            if stage == IN_NO_STAGE:
                group = account.at_work_outside(kind)
                whole = None if group.count >= LEAST_SAMPLES else account.title(kind)
            parts = group.divide(ns, whole)
            spread_ns = waits[kind, stage].uncertain_ns / (ns or 1.0)
            for part in parts:
                target = result.stages[part.stage or VEC_WAIT]
                target.waited_ns += part.ns
                target.uncertain_ns += part.half_width_ns + part.ns * spread_ns
                if part.stage != stage:
                    target.waited_sampled_ns += part.ns
                    target.samples += part.samples
            result.weights += group.weights(ns, whole)
            divided[stage] += parts
    result.finer_waited = {
        stage: {name or VEC_WAIT: part for name, part in fractions(parts).items()}
        for stage, parts in divided.items()
        if len(parts) > 1 or stage == IN_NO_STAGE
    }


def _charge_held(
    result: Partition,
    ns: float,
    evidence: WaitEvidence,
    still_ns: float,
    account: Account,
    waits: Waits,
) -> float:
    """Give time of the driver to the threads that worked in its place meanwhile (they had its core, or the
    interpreter's lock), at most as much as it stood still outside its waits. Returns how much that was."""
    losses = {cause: share for cause, share in evidence.shares().items() if cause.stage and cause.thread}
    wanted = ns * sum(losses.values())
    if wanted <= 0 or still_ns <= 0:
        return 0.0
    part = min(1.0, still_ns / wanted)
    for cause, share in losses.items():
        if cause.thread is not None:
            waits[account.kind(cause.thread), cause.stage].ns += ns * share * part
            result.charged[cause.thread] += int(ns * share * part)
    return wanted * part


def _charge_handovers(result: Partition, rest_ns: float, evidence: WaitEvidence, left_ns: float) -> float:
    """Give the gaps between the messages of one round to the messages, at most what nothing else explains.
    Returns how much that was."""
    between = {cause: share for cause, share in evidence.shares().items() if cause.stage and not cause.thread}
    wanted = rest_ns * sum(between.values())
    if wanted <= 0 or left_ns <= 0:
        return 0.0
    part = min(1.0, left_ns / wanted)
    half_widths = evidence.half_widths(between)
    for cause, share in between.items():
        target = result.stages[cause.stage]
        target.sampled_ns += rest_ns * share * part
        target.uncertain_ns += rest_ns * half_widths.get(cause, 0.0) * part
    return wanted * part


def _evidence_for(
    series: Series, driver: ThreadKey, node: int, evidence: dict[int, WaitEvidence]
) -> WaitEvidence | None:
    """A waiting node's own evidence, or that of the same wait elsewhere in the tree: a wait that is open
    when a snapshot is taken does not know yet who will end it."""
    if node in evidence and evidence[node].shares():
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
    result: Partition,
    ns: float,
    owner: Owner,
    evidence: WaitEvidence | None,
    account: Account,
    waits: Waits,
) -> None:
    """Give a wait's time to its causes. Where nothing explains it but the other side is known, it is what the
    message cost (the other side was being woken, say); else it belongs to the stage around, as in a game that
    asks a server."""
    shares: dict[Cause, float] = evidence.shares() if evidence is not None else {}
    if not shares:
        shares = {Cause("", None): 1.0}
    half_widths = evidence.half_widths(shares) if evidence is not None else {}
    for cause, share in shares.items():
        part = ns * share
        if cause.thread is not None:
            result.charged[cause.thread] += int(part)
        if cause.stage and cause.thread is not None:
            waited = waits[account.kind(cause.thread), cause.stage]
            waited.ns += part
            waited.uncertain_ns += ns * half_widths.get(cause, 0.0)
            continue
        stage = owner.stage if cause.thread is not None else owner.enclosing or owner.stage
        result.stages[cause.stage or stage].waited_ns += part


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
        time.device_ns *= factor
        time.waited_ns *= factor
        time.sampled_ns *= factor
        time.waited_sampled_ns *= factor
    result.unattributed_ns *= factor
    result.weights = [weight._replace(ns=weight.ns * factor) for weight in result.weights if weight.ns > 0]
