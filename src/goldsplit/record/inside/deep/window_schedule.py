"""When to look: pure functions of what the run's first stepping process wrote. So all processes of a run open
their windows at the same time without messages. A worker that is looked at slows its driver too; that then
falls into the driver's own window, and no times are taken from windows."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass

from goldsplit.model.deep_files.deep_wire import Deep
from goldsplit.model.wire import File

SECOND = 1_000_000_000
#: The first window opens after this many environment steps, and not before this much time after the first.
FIRST_AFTER_STEPS = 30
FIRST_AFTER_NS = SECOND // 4
#: Where steps are long, after so many of them and so much time.
FEW_STEPS, FEW_AFTER_NS = 3, 2 * SECOND
#: A window should hold about this many steps.
STEPS_PER_WINDOW = 20
SHORTEST_NS = 3 * SECOND // 20
LONGEST_NS = 2 * SECOND
#: Of steps that are longer it holds two: what is seen begins at the end of a step.
LEAST_STEPS, LONGEST_OF_ALL_NS = 2.2, 12 * SECOND
#: Windows may take this share of the time while they are dense; inside one a third of the time is our cost.
DENSE_SHARE = 0.15
#: From window to window the gap grows by this factor, after the first few windows.
GROWTH = 1.15
DENSE_WINDOWS = 6
SHORT_WINDOWS, LATER_LENGTH = 3, 3


@dataclass(frozen=True, slots=True)
class Plan:
    """Where the run's windows lie."""

    first_ns: int
    length_ns: int
    """Of the first windows; later ones are longer, because opening and closing a window costs time too."""

    def length_of(self, index: int) -> int:
        """How long a window is."""
        if index < SHORT_WINDOWS:
            return self.length_ns
        return max(self.length_ns, min(LONGEST_NS, LATER_LENGTH * self.length_ns))

    def window(self, index: int) -> tuple[int, int]:
        """Start and end of a window."""
        start = float(self.first_ns)
        for before in range(index):
            growth = GROWTH ** max(0, before - DENSE_WINDOWS)
            start += growth * self.length_of(before) / DENSE_SHARE
        return int(start), int(start) + self.length_of(index)

    def next_window(self, now_ns: int, index: int) -> tuple[int, int, int]:
        """The first window from `index` on that is not over: its index, start and end."""
        start, end = self.window(index)
        while end <= now_ns:
            index += 1
            start, end = self.window(index)
        return index, start, end


def plan_for(now_ns: int, step_ns: float) -> Plan:
    """A plan that begins now, for a program whose step takes this long."""
    usual = min(LONGEST_NS, max(SHORTEST_NS, STEPS_PER_WINDOW * step_ns))
    return Plan(now_ns, int(min(LONGEST_OF_ALL_NS, max(usual, LEAST_STEPS * step_ns))))


def is_time(first_step_ns: int, now_ns: int, steps: float) -> bool:
    """Whether a process has stepped enough for the run's first window."""
    since_ns = now_ns - first_step_ns
    many = steps >= FIRST_AFTER_STEPS and since_ns >= FIRST_AFTER_NS
    return bool(first_step_ns) and (many or (steps >= FEW_STEPS and since_ns >= FEW_AFTER_NS))


def share_plan(run_dir: str, plan: Plan) -> Plan:
    """Make this plan the run's plan; if another process was first, use that one."""
    path = os.path.join(run_dir, File.DEEP_PLAN)  # noqa: PTH118 - no pathlib inside the user's process
    text = json.dumps({Deep.FIRST_NS: plan.first_ns, Deep.LENGTH_NS: plan.length_ns}).encode()
    draft = f"{path}.{os.getpid()}"
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o644)
        try:
            os.write(descriptor, text)
        finally:
            os.close(descriptor)
        try:
            os.link(draft, path)  # appears whole, and only once
        finally:
            os.unlink(draft)  # noqa: PTH108
    except OSError:
        return read_plan(run_dir) or plan
    return plan


def join_plan(run_dir: str, first_step_ns: int, now_ns: int, steps: float) -> Plan | None:
    """The run's plan; if there is none and this process has stepped enough, it makes one."""
    plan = read_plan(run_dir)
    if plan is None and is_time(first_step_ns, now_ns, steps):
        per_step = (now_ns - first_step_ns) / max(1.0, steps)
        plan = share_plan(run_dir, plan_for(now_ns, per_step))
    return plan


def read_plan(run_dir: str) -> Plan | None:
    """The run's plan, if there is one yet."""
    path = os.path.join(run_dir, File.DEEP_PLAN)  # noqa: PTH118
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        found = json.loads(os.read(descriptor, 1000))
        return Plan(int(found[Deep.FIRST_NS]), int(found[Deep.LENGTH_NS]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    finally:
        os.close(descriptor)


def recorded_processes(run_dir: str) -> int:
    """How many processes of the run have written anything so far."""
    try:
        names = os.listdir(run_dir)  # noqa: PTH208 - no pathlib here
    except OSError:
        return 1
    return sum(name.startswith(File.PROCESS_PREFIX) for name in names)
