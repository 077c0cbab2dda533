"""What one thread of the host was doing at any instant of a short window of the device."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import NamedTuple

from goldsplit.analyse.wall.ownership import Owner, owner_of
from goldsplit.analyse.wall.timeline import GAP, flatten
from goldsplit.model.recording import ProcessRecord, RawSpans
from goldsplit.model.stage import TRANSFER, TRANSFER_WAIT

NO_OWNER = Owner("", False, "", "")


class Part(NamedTuple):
    """A part of the thread's time with one innermost node."""

    start_ns: int
    end_ns: int
    node: int
    owner: Owner

    @property
    def waits(self) -> bool:
        """Whether the thread waited for the device, as far as hooks know."""
        return self.owner.stage == TRANSFER_WAIT


def work_stage(owner: Owner) -> str:
    """The stage that work for the device belongs to, by what the host was doing when it asked for it."""
    if not owner.waiting:
        return owner.stage
    return owner.enclosing or TRANSFER


@dataclass(slots=True)
class HostLine:
    """The thread's parts in order; they cover the window."""

    parts: list[Part]
    _ends: list[int]

    @classmethod
    def of(cls, process: ProcessRecord, thread: int, spans: RawSpans, start_ns: int, end_ns: int) -> HostLine:
        ends, nodes = flatten(spans.rows(), start_ns, end_ns)
        starts = [start_ns, *ends[:-1]]
        owners = {node: NO_OWNER if node == GAP else owner_of(process, thread, node) for node in set(nodes)}
        rows = zip(starts, ends, nodes, strict=True)
        return cls([Part(start, end, node, owners[node]) for start, end, node in rows], ends)

    def at(self, t_ns: int) -> Part | None:
        """The part of an instant; None outside the window."""
        place = bisect_right(self._ends, t_ns)
        if place >= len(self.parts) or t_ns < self.parts[0].start_ns:
            return None
        return self.parts[place]

    def between(self, start_ns: int, end_ns: int) -> list[Part]:
        """The parts inside a period, cut to it."""
        found = []
        for place in range(bisect_right(self._ends, start_ns), len(self.parts)):
            part = self.parts[place]
            if part.start_ns >= end_ns:
                break
            found.append(
                part._replace(start_ns=max(part.start_ns, start_ns), end_ns=min(part.end_ns, end_ns))
            )
        return found
