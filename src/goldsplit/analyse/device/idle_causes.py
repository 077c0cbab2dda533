"""Why the device was idle: what the host did meanwhile, from windows of torch's profiler."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import pairwise
from statistics import median

from goldsplit.analyse.device.device_causes import KernelLook
from goldsplit.analyse.device.host_line import Part
from goldsplit.model.device.device_use import DeviceIdle
from goldsplit.model.stage import ENV, LEARN, TRANSFER, VEC, category_of

HOST, ENVIRONMENTS, COPIES, LAUNCHES, WAITING = "host", "environments", "copies", "launches", "waiting"
#: Causes below this share are not worth a line.
LEAST_SHARE = 0.005


def cause_of(part: Part, launching: Mapping[str, int]) -> str:
    """What an idle device is charged to, by what the host does; `launching`: work asked for by stage."""
    owner = part.owner
    if owner.waiting:
        return ENVIRONMENTS if owner.stage.startswith(VEC) else WAITING
    if owner.stage.startswith(ENV) or category_of(owner.stage) == "environment":
        return ENVIRONMENTS
    if owner.stage.startswith(VEC):
        return ENVIRONMENTS
    if owner.stage == TRANSFER:
        return COPIES
    return LAUNCHES if launching.get(owner.stage, 0) else HOST


def idle_causes(
    looks: Iterable[KernelLook], launching: Mapping[str, int], host_shares: Mapping[str, float]
) -> list[DeviceIdle]:
    """The idle share of each stage's time in windows, times the stage's share of the driver's wall time."""
    idle: Counter[tuple[str, str]] = Counter()
    seen: Counter[str] = Counter()
    for look in looks:
        for part in look.host.parts:
            length = part.end_ns - part.start_ns
            busy = sum(look.device.during(part.start_ns, part.end_ns).values())
            idle[cause_of(part, launching), part.owner.stage] += max(0, length - busy)
            seen[part.owner.stage] += length
    rows = [
        DeviceIdle(cause, stage, min(1.0, ns / seen[stage]) * host_shares.get(stage, 0.0))
        for (cause, stage), ns in idle.items()
        if seen[stage]
    ]
    kept = [row for row in rows if row.share >= LEAST_SHARE]
    return sorted(kept, key=lambda row: -row.share)


def gap_us(looks: Iterable[KernelLook]) -> float | None:
    """The median time between two pieces of learning's work in which the device did nothing."""
    gaps = []
    for look in looks:
        periods = look.device.periods
        for one, other in pairwise(periods):
            if one.stage.startswith(LEARN) and other.stage.startswith(LEARN):
                gaps.append((other.start_ns - one.end_ns) / 1e3)
    return median(gaps) if gaps else None
