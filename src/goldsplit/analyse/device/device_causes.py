"""What waits for the device were for: the stage whose work the device was doing meanwhile.

The time of all waits is exact (spans); short windows say how it divides. Where torch's profiler looked, it
also says how much of other stages' time the host was held up in calls that no hook sees.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field

from goldsplit.analyse.device.device_line import DeviceLine, from_kernels, from_marks
from goldsplit.analyse.device.host_line import HostLine
from goldsplit.analyse.wall.causes import Cause, WaitEvidence
from goldsplit.model.device.device_record import KernelRecord, MarkWindow
from goldsplit.model.recording import NodeInfo, ProcessRecord, ThreadKey

#: Calls shorter than this are calls, not waits.
LEAST_HELD_UP_NS = 20_000


@dataclass(frozen=True, slots=True)
class KernelLook:
    """One window of torch's profiler, with both lines."""

    window: KernelRecord
    host: HostLine
    device: DeviceLine


@dataclass(slots=True)
class DeviceCauses:
    """Evidence of all windows of the driver."""

    waits: dict[int, WaitEvidence] = field(default_factory=lambda: defaultdict(WaitEvidence))
    """Waiting node → what the device did meanwhile."""
    held_up: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    """Stage → what the device did while the host was held up in it, in no span of waiting."""
    host_ns: Counter[str] = field(default_factory=Counter)
    """Stage → its time in the profiler's windows."""
    looks: list[KernelLook] = field(default_factory=list)
    marks: int = 0
    """Windows of marks that say something."""
    nodes: dict[int, NodeInfo] = field(default_factory=dict)

    def evidence(self, node: int) -> WaitEvidence:
        """Of a waiting node; where it was never seen in a window, of those like it, or of all."""
        if node in self.waits:
            return self.waits[node]
        info = self.nodes.get(node)
        alike = [
            found
            for other, found in self.waits.items()
            if info is not None and other in self.nodes and self.nodes[other].parent == info.parent
        ]
        chosen = alike or list(self.waits.values())
        return WaitEvidence([window for found in chosen for window in found.by_window])

    def moved(self, stage: str) -> dict[str, float]:
        """Other stage → the part of a stage's own time in which the host was held up by its work."""
        total = self.host_ns[stage]
        if not total:
            return {}
        return {
            other: min(1.0, ns / total)
            for other, ns in self.held_up.get(stage, Counter()).items()
            if other and other != stage
        }


def device_causes(process: ProcessRecord, driver: ThreadKey, borders: tuple[int, int]) -> DeviceCauses | None:
    """From all windows of the driver in the steady phase; None where it used no device that was seen."""
    record = process.device
    found = DeviceCauses()
    found.nodes = {node: info for (thread, node), info in process.nodes.items() if thread == driver.thread}
    native = process.threads[driver.thread].native_id if driver.thread in process.threads else 0
    for kernels in record.kernels:
        if _is_inside(kernels, driver, borders):
            _add_kernels(found, process, kernels, native)
    for marks in record.marks:
        if _is_inside(marks, driver, borders):
            _add_marks(found, process, marks)
    return found if found.looks or found.marks else None


def _is_inside(window: KernelRecord | MarkWindow, driver: ThreadKey, borders: tuple[int, int]) -> bool:
    return window.thread == driver.thread and window.start_ns >= borders[0] and window.end_ns <= borders[1]


def _add_marks(found: DeviceCauses, process: ProcessRecord, window: MarkWindow) -> None:
    host = HostLine.of(process, window.thread, window.spans, window.times_ns[0], window.times_ns[-1])
    device, is_set = from_marks(window, host)
    if is_set:
        found.marks += 1
        _add_waits(found, host, device, (window.times_ns[0], window.times_ns[-1]))


def _add_kernels(found: DeviceCauses, process: ProcessRecord, window: KernelRecord, native_id: int) -> None:
    host = HostLine.of(process, window.thread, window.spans, window.start_ns, window.end_ns)
    device = from_kernels(window, host)
    found.looks.append(KernelLook(window, host, device))
    _add_waits(found, host, device, _known_period(window))
    for part in host.parts:
        found.host_ns[part.owner.stage] += part.end_ns - part.start_ns
    for call in window.calls:
        if call.end_ns - call.start_ns < LEAST_HELD_UP_NS:
            continue
        for part in host.between(call.start_ns, call.end_ns):
            if not part.owner.waiting:
                found.held_up[part.owner.stage].update(device.during(part.start_ns, part.end_ns))


def _known_period(window: KernelRecord) -> tuple[int, int]:
    """Where the device's work is known: after what was asked for before the window, and until the last work
    that the profiler saw end. What runs when a window closes is not in it."""
    before = [work.end_ns for work in window.work if work.asked_ns is None]
    ends = [work.end_ns for work in window.work]
    return max(before, default=window.start_ns), max(ends, default=window.end_ns)


def _add_waits(found: DeviceCauses, host: HostLine, device: DeviceLine, known: tuple[int, int]) -> None:
    """What the device did during each wait of one window, where that is known; "" where it did nothing."""
    windows: dict[int, Counter[Cause]] = defaultdict(Counter)
    for part in host.between(*known):
        if not part.waits:
            continue
        busy = device.during(part.start_ns, part.end_ns)
        for stage, ns in busy.items():
            windows[part.node][Cause(stage, None)] += ns
        idle = part.end_ns - part.start_ns - sum(busy.values())
        windows[part.node][Cause("", None)] += max(0, idle)
    for node, causes in windows.items():
        found.waits[node].by_window.append(causes)
