"""Follow a run while it is written: each look reads only the bytes that are new since the last one."""

from __future__ import annotations

import json
from collections import defaultdict, deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from goldsplit.analyse.wall.ownership import TASKS
from goldsplit.cli.live.recent import NewLines
from goldsplit.model.stage import ACT, LEARN, ROLLOUT, VEC_COPY, WAITING

#: "Now" is the time between two looks this far apart.
NOW_SECONDS = 5.0
#: Stages by which the thread that drives the training is known.
_DRIVING = (LEARN, ACT, ROLLOUT, VEC_COPY)

Thread = tuple[int, int]
"""Process id and thread index."""


@dataclass(frozen=True, slots=True)
class Status:
    """What a status line needs. None: not known (yet)."""

    processes: int
    env_steps: int | None
    steps_per_second: float | None
    top_stage: str | None
    has_stacks: bool


@dataclass(slots=True)
class _Process:
    pid: int
    ppid: int
    t_ns: int
    counts: dict[str, float] = field(default_factory=dict)
    stages: dict[tuple[int, int], tuple[int, str]] = field(default_factory=dict)
    """Thread and node → parent node and stage."""
    totals: dict[tuple[int, int], int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Look:
    t_ns: int
    env_steps: int | None
    self_ns: dict[Thread, dict[str, int]]


class Follower:
    """Remembers how far it has read each file, and what the processes had counted."""

    def __init__(self, run_dir: Path) -> None:
        self.run_dir = run_dir
        self.new = NewLines()
        self.processes: dict[Path, _Process] = {}
        self.looks: deque[_Look] = deque()

    def look(self) -> Status:
        """Read what is new and say what is going on now."""
        for file in self.run_dir.glob("proc-*.jsonl"):
            for line in self.new.of(file):
                self._take(file, line)
        now = _Look(
            max((process.t_ns for process in self.processes.values()), default=0),
            self._env_steps(),
            self._self_times(),
        )
        if now.t_ns and (not self.looks or now.t_ns > self.looks[-1].t_ns):  # 0: no process has begun yet
            self.looks.append(now)
        while len(self.looks) > 2 and self.looks[1].t_ns <= now.t_ns - NOW_SECONDS * 1e9:
            self.looks.popleft()
        before = self.looks[0] if self.looks else now
        return Status(
            processes=len(self.processes),
            env_steps=now.env_steps,
            steps_per_second=steps_per_second(before, now),
            top_stage=top_stage(before, now),
            has_stacks=(self.run_dir / "stacks.jsonl").exists(),
        )

    def _take(self, file: Path, text: bytes) -> None:
        if not text.startswith((b'{"k":"w"', b'{"k":"start"')):
            return  # single spans and events: not needed here, and long
        try:
            line: dict[str, Any] = json.loads(text)
            if line["k"] == "start":
                self.processes[file] = _Process(line["pid"], line["ppid"], line["t"])
                return
            process = self.processes[file]
            process.t_ns = line["t"]
            process.counts.update(line["c"])
            for thread, node, parent, stage, _ in line.get("d", ()):
                process.stages[thread, node] = (parent, stage)
            for row in line["n"]:
                process.totals[row[0], row[1]] = row[3]
        except (KeyError, TypeError, ValueError, IndexError):
            return  # a torn line; the next snapshot is cumulative

    def _env_steps(self) -> int | None:
        """Each step once: the user's counter first, else that of who drives workers, else each its own."""
        users = self._sum("user:env_steps", list(self.processes.values()))
        if users is not None:
            return users
        driving = {p.pid for p in self.processes.values() if self._sum("vec_env_steps", [p]) is not None}
        parents = {p.pid: p.ppid for p in self.processes.values()}
        alone = [p for p in self.processes.values() if not driving & ancestry(p.pid, parents)]
        driven = self._sum("vec_env_steps", list(self.processes.values()))
        own = self._sum("own_env_steps", alone)
        return None if driven is None and own is None else (driven or 0) + (own or 0)

    @staticmethod
    def _sum(counter: str, processes: list[_Process]) -> int | None:
        values = [
            value for p in processes for name, value in p.counts.items() if name.partition(":")[2] == counter
        ]
        return round(sum(values)) if values else None

    def _self_times(self) -> dict[Thread, dict[str, int]]:
        """Every thread's time so far, by the innermost stage."""
        found: dict[Thread, dict[str, int]] = defaultdict(lambda: defaultdict(int))
        for process in self.processes.values():
            for (thread, node), total in process.totals.items():
                parent, stage = process.stages.get((thread, node), (-1, ""))
                if parent == TASKS:  # elapsed time of a coroutine: beside all this
                    continue
                if stage:
                    found[process.pid, thread][stage] += total
                above = process.stages.get((thread, parent), (-1, ""))[1]
                if above and stage:
                    found[process.pid, thread][above] -= total
        return found


def ancestry(pid: int, parents: dict[int, int]) -> set[int]:
    """A process and all known processes above it."""
    seen: set[int] = set()
    while pid in parents and pid not in seen:
        seen.add(pid)
        pid = parents[pid]
    return seen


def steps_per_second(before: _Look, now: _Look) -> float | None:
    """Between two looks; not known before there are two."""
    seconds = (now.t_ns - before.t_ns) / 1e9
    if now.env_steps is None or seconds <= 0:
        return None
    return max(0, now.env_steps - (before.env_steps or 0)) / seconds


def top_stage(before: _Look, now: _Look) -> str | None:
    """What the driver does most now; while it waits, what the threads that it waits for do most."""
    recent = {
        thread: {stage: ns - before.self_ns.get(thread, {}).get(stage, 0) for stage, ns in stages.items()}
        for thread, stages in now.self_ns.items()
    }
    if not recent:
        return None
    driver = max(now.self_ns, key=lambda thread: driving_ns(now.self_ns[thread]))
    top = largest(recent[driver])
    if top not in WAITING:
        return top
    others: dict[str, int] = defaultdict(int)
    for thread, stages in recent.items():
        for stage, ns in stages.items():
            if thread != driver and stage not in WAITING:
                others[stage] += ns
    behind = largest(others)
    return f"waiting for {behind}" if behind else top


def driving_ns(stages: dict[str, int]) -> int:
    return sum(ns for stage, ns in stages.items() if stage.startswith(_DRIVING))


def largest(stages: dict[str, int]) -> str | None:
    best = max(stages, key=lambda stage: stages[stage], default=None)
    return best if best is not None and stages[best] > 0 else None
