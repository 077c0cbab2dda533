"""Stacks for https://www.speedscope.app: the wall time, then one profile per thread; stages are outermost."""

from __future__ import annotations

import json
from typing import Any

from goldsplit.model.detail import Detail, FoldedStack, ThreadName
from goldsplit.model.device.device_use import DeviceUse
from goldsplit.model.report import Report
from goldsplit.report.words import NO_STAGE

SCHEMA = "https://www.speedscope.app/file-format-schema.json"
#: Outermost frame of a stack that only waits.
WAITING = "(waiting)"


class SpeedscopeRenderer:
    """`render` takes data only."""

    def render(self, report: Report, detail: Detail) -> str:
        """The file's text."""
        return json.dumps(document(report, detail), separators=(",", ":")) + "\n"


def document(report: Report, detail: Detail) -> dict[str, Any]:
    """The whole file as plain data."""
    frames = [
        {"name": frame.function} | ({"file": frame.file, "line": frame.line} if frame.file else {})
        for frame in detail.frames
    ]
    for frame in frames:
        if not frame.get("line", 1):
            del frame["line"]
    stages: dict[str, int] = {}
    by_thread: dict[int, list[FoldedStack]] = {}
    for stack in detail.stacks:
        by_thread.setdefault(stack.thread, []).append(stack)
        name = stage_name(stack)
        if name not in stages:
            stages[name] = len(frames)
            frames.append({"name": f"[{name}]" if not name.startswith("(") else name})
    whole = [stack for stack in detail.stacks if stack.wall_share > 0]
    seconds = report.profile.phases.steady_seconds
    profiles = [wall_profile(whole, stages, seconds)] if whole else []
    profiles += [
        thread_profile(detail.threads[thread], by_thread[thread], stages) for thread in sorted(by_thread)
    ]
    for use in report.profile.devices:
        if use.stages:
            profiles.append(device_profile(use, frames, stages, seconds))
    return {
        "$schema": SCHEMA,
        "name": report.profile.run.id,
        "exporter": "goldsplit",
        "activeProfileIndex": 0,
        "shared": {"frames": frames},
        "profiles": profiles,
    }


def wall_profile(stacks: list[FoldedStack], stages: dict[str, int], seconds: float) -> dict[str, Any]:
    """The training loop's wall time; waiting counts as work of the thread that the driver waited for."""
    rows = [(rooted(stack, stages), stack.wall_share * seconds) for stack in stacks]
    return sampled_profile("wall time of the training loop", "seconds", rows)


def thread_profile(thread: ThreadName, stacks: list[FoldedStack], stages: dict[str, int]) -> dict[str, Any]:
    """One thread's own samples, its waiting included."""
    rows = [(rooted(stack, stages), float(stack.samples)) for stack in stacks]
    return sampled_profile(f"{thread_title(thread)}, samples", "none", rows)


def device_profile(
    use: DeviceUse, frames: list[dict[str, Any]], stages: dict[str, int], seconds: float
) -> dict[str, Any]:
    """The device's time by the stages that it worked for."""
    rows: list[tuple[tuple[int, ...], float]] = []
    for row in use.stages:
        name = row.stage or NO_STAGE
        if name not in stages:
            stages[name] = len(frames)
            frames.append({"name": f"[{name}]" if not name.startswith("(") else name})
        rows.append(((stages[name],), row.busy_share * seconds))
    return sampled_profile(f"device: {use.name or use.kind}", "seconds", rows)


def rooted(stack: FoldedStack, stages: dict[str, int]) -> tuple[int, ...]:
    """A stack with its stage as the outermost frame."""
    return (stages[stage_name(stack)], *stack.frames)


def sampled_profile(name: str, unit: str, rows: list[tuple[tuple[int, ...], float]]) -> dict[str, Any]:
    """Stacks with equal beginnings side by side: their order in time is not kept."""
    weights = [round(weight, 9) for _, weight in sorted(rows)]
    return {
        "type": "sampled",
        "name": name,
        "unit": unit,
        "startValue": 0,
        "endValue": round(sum(weights), 9),
        "samples": [list(frames) for frames, _ in sorted(rows)],
        "weights": weights,
    }


def stage_name(stack: FoldedStack) -> str:
    """The outermost frame of a stack."""
    return stack.stage or (WAITING if stack.waiting else NO_STAGE)


def thread_title(thread: ThreadName) -> str:
    """`driver: train.py (pid 4711)`, with the thread's name where it has its own."""
    own = "" if thread.thread in ("", "MainThread") else f", {thread.thread}"
    return f"{thread.role}: {thread.process} (pid {thread.pid}{own})"
