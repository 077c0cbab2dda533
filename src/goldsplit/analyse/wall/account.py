"""One account of spans and samples: a span's exact time is divided by the samples that fell into it.

Each sample stands for the time of its innermost span (or of the time outside all spans) over the number of
samples there. So no sample is lost, and no function gets more than its stage has.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from goldsplit.analyse.stacks.frame_stages import wilson
from goldsplit.analyse.stacks.samples import Sampled, Samples
from goldsplit.model.recording import ThreadKey
from goldsplit.model.stage import ACT, ACT_VALUE, LEARN_FORWARD, VEC

#: A span with fewer samples is not divided.
LEAST_SAMPLES = 8
#: Outside all spans.
OUTSIDE = ""
DRIVER = "driver"
#: What a forward pass can be for; the recorder decides it, and samples may see it otherwise.
_FORWARDS = frozenset({ACT, ACT_VALUE, LEARN_FORWARD})
#: A span with less than this part of the samples that its time should have: they were taken for another's.
_TOO_FEW = 0.25
#: A kind of thread works outside its spans if so much of its samples at work are there.
_OUTSIDE_WORK = 0.05


class Weight(NamedTuple):
    """What a sample stands for."""

    row: Sampled
    stage: str | None
    ns: float
    samples: float
    """Of those of the row."""


class Part(NamedTuple):
    """A part of a span's time."""

    stage: str | None
    ns: float
    half_width_ns: float
    """Of its 95 % interval."""
    samples: float


@dataclass(frozen=True, slots=True)
class Group:
    """The samples that fell into one span, some of them with a part of their number only."""

    rows: list[tuple[Sampled, float]] = field(default_factory=list)

    @property
    def count(self) -> float:
        return sum(count for _, count in self.rows)

    def divide(self, ns: float, whole: str | None) -> list[Part]:
        """The time of a span (its stage is `whole`) by the finest stages of the samples in it."""
        total = self.count
        if not total or (whole is not None and total < LEAST_SAMPLES):
            return [Part(whole, ns, 0.0, total)]
        counts: dict[str | None, float] = defaultdict(float)
        for row, count in self.rows:
            counts[row.stage] += count
        if len(counts) == 1:
            return [Part(stage, ns, 0.0, total) for stage in counts]
        parts = []
        for stage, count in counts.items():
            low, high = wilson(count, total)
            parts.append(Part(stage, ns * count / total, ns * (high - low) / 2, count))
        return parts

    def weights(self, ns: float, whole: str | None) -> list[Weight]:
        """What each sample stands for; where the span is not divided, all of them are in its stage."""
        total = self.count
        undivided = whole is not None and total < LEAST_SAMPLES
        return [
            Weight(row, whole if undivided else row.stage, ns * count / total, count)
            for row, count in self.rows
        ]

    def only(self, own: bool) -> Group:
        """The samples that a known stage names, or those that none does."""
        return Group([one for one in self.rows if (one[0].own or one[0].stage is None) == own])


@dataclass(slots=True)
class Waited:
    """Waiting for one kind of thread in one of its spans."""

    ns: float = 0.0
    uncertain_ns: float = 0.0


Waits = dict[tuple[str, str], Waited]
"""Kind of thread and stage of its span → waiting."""


class Account:
    """The samples of a run by kind of thread and span; a window with too few has those of the whole run."""

    def __init__(self, samples: Samples, driver: ThreadKey) -> None:
        self._kinds = samples.kinds | {driver: DRIVER}
        self._rows: dict[str, list[Sampled]] = defaultdict(list)
        for thread, rows in samples.by_thread.items():
            self._rows[self.kind(thread)] += [row for row in rows if row.frames and not row.in_wait]
        self._whole = Account(samples.whole, driver) if samples.whole is not None else None

    def kind(self, thread: ThreadKey) -> str:
        """Threads of one kind do the same work: samples of some of them stand for all."""
        return self._kinds.get(thread, str(thread))

    def groups(self, kind: str, spans: Mapping[str, float]) -> dict[str, Group]:
        """The samples of a kind of thread by span, where `spans` (stage → time) has some time in it."""
        found: dict[str, Group] = defaultdict(Group)
        for row in self._rows.get(kind, ()):
            found[_span_of(row, spans)].rows.append((row, row.count))
        found = _share_forwards(found, spans) if _FORWARDS & found.keys() else found
        if self._whole is not None and any(found[span].count < LEAST_SAMPLES for span in (*spans, OUTSIDE)):
            whole = self._whole.groups(kind, spans)
            few = [span for span in (*spans, OUTSIDE) if found[span].count < LEAST_SAMPLES]
            found |= {span: whole[span] for span in few if span in whole}
        return found

    def at_work_outside(self, kind: str) -> Group:
        """The samples of a kind of thread at work outside its spans."""
        rows = self._rows.get(kind, ())
        found = Group([(row, row.count) for row in rows if not row.spans and not row.meaning.waiting])
        if self._whole is not None and found.count < LEAST_SAMPLES:
            return self._whole.at_work_outside(kind)
        return found

    def title(self, kind: str) -> str:
        """A row for work of which too few samples tell what it is."""
        name = kind.rpartition(" ")[2]
        return f"{'workers' if name == 'MainThread' else name}: too few samples"

    def works_outside(self, kind: str) -> bool:
        """Whether a kind of thread was seen at work outside its spans, not only between two of them."""
        stages = (("", row) if row.stage is None else (row.stage, row) for row in self._rows.get(kind, ()))
        count = sum(
            row.count
            for stage, row in stages
            if stage and not stage.startswith(VEC) and not row.spans and not row.meaning.waiting
        )
        at_work = sum(row.count for row in self._rows.get(kind, ()) if not row.meaning.waiting)
        return count >= LEAST_SAMPLES and count >= _OUTSIDE_WORK * at_work


def threads_at_work_outside(
    samples: Samples, driver: ThreadKey, outside: Mapping[ThreadKey, float] | None = None
) -> frozenset[ThreadKey]:
    """The threads beside the driver that do work in no span: by their samples, or by the share of the time
    that they had a core outside their spans (`outside`), even if no sample shows at what."""
    account = Account(samples, driver)
    others = [thread for thread in samples.kinds if thread != driver]
    kinds = {kind for kind in map(account.kind, others) if account.works_outside(kind)}
    busy = {thread for thread, share in (outside or {}).items() if share >= _OUTSIDE_WORK}
    return frozenset(thread for thread in others if account.kind(thread) in kinds or thread in busy)


def _span_of(row: Sampled, spans: Collection[str]) -> str:
    """The innermost span around a sample that has time to divide."""
    if row.forward and row.spans[0] not in spans:
        known = sorted(_FORWARDS & set(spans))
        if known:
            return known[0]
    return next((span for span in row.spans if span in spans), OUTSIDE)


def _share_forwards(groups: dict[str, Group], spans: Mapping[str, float]) -> dict[str, Group]:
    """Where samples put forward passes elsewhere than the spans do, all of them count for each purpose, by
    its time: the spans are exact."""
    total, time = sum(group.count for group in groups.values()), sum(spans.values())
    times = {stage: spans[stage] for stage in _FORWARDS if spans.get(stage, 0.0) > 0}
    expected = {stage: total * ns / time for stage, ns in times.items()} if time > 0 else {}
    few = [s for s, n in expected.items() if n >= LEAST_SAMPLES and groups[s].count < _TOO_FEW * n]
    if not few:
        return groups
    passes = [one for stage in times for one in groups[stage].rows if one[0].forward]
    for stage, ns in times.items():
        part = ns / sum(times.values())
        kept = [one for one in groups[stage].rows if not one[0].forward]
        groups[stage] = Group(kept + [(_for(row, stage), count * part) for row, count in passes])
    return groups


def _for(row: Sampled, stage: str) -> Sampled:
    """A forward pass as the span sees it."""
    if row.stage != row.spans[0]:
        return row
    return Sampled(
        row.thread, row.frames, row.count, row.meaning, (stage, *row.spans[1:]), True, stage, row.own
    )


def fractions(parts: Iterable[Part]) -> dict[str, float]:
    """Stage → its part of a span."""
    known = [part for part in parts if part.ns > 0]
    total = sum(part.ns for part in known)
    found: dict[str, float] = defaultdict(float)
    for part in known:
        found[part.stage or OUTSIDE] += part.ns / total
    return dict(found)
