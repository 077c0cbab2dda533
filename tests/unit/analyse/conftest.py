"""Hand-made recordings: processes, nodes, snapshots and raw windows, written down in a few lines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from goldsplit.model.recording import (
    NodeInfo,
    NodeTotals,
    ProcessRecord,
    RawSpans,
    RawWindow,
    Recording,
    Snapshot,
    ThreadInfo,
)


class Maker:
    """Builds one process. Node ids 0 and 1 are the roots (spans, tasks), as in the engine."""

    def __init__(self, pid: int, ppid: int = 1, threads: int = 1) -> None:
        self.process = ProcessRecord(pid, ppid, 0, python="3.11", argv=("python", "train.py"))
        self.process.warm_span_ns = 500.0
        for index in range(threads):
            name = "MainThread" if index == 0 else f"Thread-{index}"
            self.process.threads[index] = ThreadInfo(index, pid + index, name, 0)
            self.process.nodes[index, 0] = NodeInfo(index, -1, "", "")
            self.process.nodes[index, 1] = NodeInfo(index, -1, "async", "")
        self.totals: dict[tuple[int, int], NodeTotals] = {}
        self.counts: dict[str, float] = {}

    def node(self, *path: str, thread: int = 0, detail: str = "", task: bool = False) -> int:
        """The id of a node, made with its ancestors; `detail` is the last one's."""
        parent = 1 if task else 0
        for place, stage in enumerate(path):
            wanted = NodeInfo(thread, parent, stage, detail if place == len(path) - 1 else "")
            found = [n for (t, n), info in self.process.nodes.items() if info == wanted]
            if found:
                parent = found[0]
                continue
            new = sum(1 for t, _ in self.process.nodes if t == thread)
            self.process.nodes[thread, new] = wanted
            parent = new
        return parent

    def spend(self, ns: int, *path: str, thread: int = 0, detail: str = "", count: int = 1) -> int:
        """Add time and calls to a node and to the ancestors that contain it."""
        node = self.node(*path, thread=thread, detail=detail)
        walk = node
        while walk > 1:
            before = self.totals.get((thread, walk), NodeTotals())
            self.totals[thread, walk] = NodeTotals(
                before.count + (count if walk == node else 0), before.total_ns + ns, 1, ns // 2, ns
            )
            walk = self.process.nodes[thread, walk].parent
        return node

    def snapshot(self, t_ns: int, **counts: float) -> None:
        self.counts |= {f"0:{name}": value for name, value in counts.items()}
        cpu = dict.fromkeys(self.process.threads, (t_ns // 2, 0))
        self.process.snapshots.append(Snapshot(t_ns, dict(self.totals), dict(self.counts), cpu))

    def raw(self, start: int, end: int, *spans: tuple[int, int, int], thread: int = 0) -> None:
        """A raw window of (node, start, end) spans."""
        self.process.raw.append(RawWindow(start, end, thread, RawSpans.of(spans)))

    def steps(self, first_ns: int, last_ns: int) -> None:
        self.process.first_step_ns, self.process.last_step_ns = first_ns, last_ns


@pytest.fixture
def maker() -> type[Maker]:
    return Maker


@pytest.fixture
def recording() -> Callable[..., Recording]:
    """recording(maker, …, key=value of the header): a whole run."""

    def make(*makers: Maker, **header: Any) -> Recording:
        run = {"id": "r", "start_ns": 0, "status": "complete", "environment": {"cores": 2}} | header
        return Recording(run, [one.process for one in makers], [], [], [])

    return make
