"""Threads beside the wall time, in words: what they are called, where they are, for whom the driver waits."""

from __future__ import annotations

from goldsplit.model.profile import Lane, StageRow
from goldsplit.model.stage import WAITING
from goldsplit.report import words

#: A thread that lacked a core for less than this part of the time is not worth a column.
LEAST_WITHOUT_CORE = 0.01


def waited_for(top: StageRow, lanes: list[Lane]) -> str:
    """Which processes the driver waits for, which one is the slowest, how idle the others are."""
    if top.stage in WAITING:
        return idle_others(lanes)
    workers = [lane for lane in lanes if lane.role != "driver" and _works_in(lane, top.stage)]
    if not workers:
        return "The driver waits while other threads or processes do it."
    own = {lane.pid for lane in lanes if lane.role == "driver"}
    inside = all(lane.pid in own for lane in workers)
    if inside and len(workers) == 1:
        return f"The driver waits while its thread {workers[0].thread} does it."
    threads = inside or len({lane.pid for lane in workers}) < len(workers)
    kind = f"{workers[0].role} {'thread' if threads else 'process'}"
    many = f"{workers[0].role} {'threads' if threads else 'processes'}"
    who = words.plural(len(workers), kind, many)
    text = f"The driver waits while {who} {'does' if len(workers) == 1 else 'do'} it."
    charged = [lane for lane in workers if lane.charged_share is not None]
    if len(workers) == 1 or not charged:
        return text
    slowest = max(charged, key=lambda lane: lane.charged_share or 0.0)
    who = f"thread {slowest.thread}" if threads else f"pid {slowest.pid}"
    waited = words.share(slowest.charged_share)
    text += f" The slowest is {who}: the driver waits for it {waited} of the time."
    idle = [lane.barrier_share for lane in workers if lane is not slowest and lane.barrier_share is not None]
    if idle:
        low, high = words.share(min(idle)), words.share(max(idle))
        others = "The other one sits" if len(idle) == 1 else "The other workers sit"
        text += f" {others} idle {low if low == high else f'{low} to {high}'} of the time."
    return text


def idle_others(lanes: list[Lane]) -> str:
    """For whom the driver waits where no thread is known to work for it."""
    charged = [lane for lane in lanes if lane.role != "driver" and lane.charged_share]
    if not charged:
        return "No recorded thread was working in that time."
    longest = max(charged, key=lambda lane: lane.charged_share or 0.0)
    inside = any(lane.role == "driver" and lane.pid == longest.pid for lane in lanes)
    own_name = longest.thread not in ("", "MainThread")
    who = f"thread {longest.thread} of pid {longest.pid}" if own_name else f"pid {longest.pid}"
    who = f"its thread {longest.thread}" if inside else who
    text = f"The driver waits mostly for {who} ({words.share(longest.charged_share)} of the time)"
    if (longest.wait_share or 0.0) < 0.5:
        return text + "."
    return text + f", which itself waits {words.share(longest.wait_share)} of the time."


def _works_in(lane: Lane, stage: str) -> bool:
    return any(entry.stage == stage for entry in lane.stages)


def lane_name(lane: Lane) -> str:
    """Process id and name; the thread's name where it has its own."""
    return f"{lane.pid} {words.plain(lane.process if lane.thread in ('', 'MainThread') else lane.thread)}"


def mostly_in(lane: Lane) -> str:
    """The stages in which a thread spends most time."""
    parts = [f"{words.function_only(one.stage)} {words.share(one.share)}" for one in lane.stages[:3]]
    return ", ".join(parts) or words.DASH


def without_core(lane: Lane) -> float | None:
    """A thread's time at work without a core; None where it was hardly without one."""
    share = lane.no_core_share
    return share if share is not None and share >= LEAST_WITHOUT_CORE else None
