"""Cumulative figures of one process, asked for at any instant."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from dataclasses import astuple
from typing import Any

from goldsplit.analyse.wall.ownership import ROOT, TASKS, Owner, is_task, owner_of
from goldsplit.model.recording import NodeKey, NodeTotals, ProcessRecord

_NOTHING = NodeTotals()


class OutsideWindows:
    """Takes what grew inside the deep look's windows out of figures that only grow."""

    def __init__(self, windows: list[tuple[int, int]]) -> None:
        self.windows = windows
        self._last: dict[Any, tuple[int, ...]] = {}
        self._removed: dict[Any, tuple[int, ...]] = {}

    def is_inside(self, t_ns: int) -> bool:
        """Whether a snapshot shows what a window has added: one after its start, up to its end."""
        return any(start < t_ns <= end for start, end in self.windows)

    def less_windows(self, key: Any, figures: tuple[int, ...], inside: bool) -> tuple[int, ...]:
        """The figures of one snapshot, less all growth inside windows so far."""
        if not self.windows:
            return figures
        nothing = (0,) * len(figures)
        removed = self._removed.get(key, nothing)
        if inside:
            grown = zip(removed, figures, self._last.get(key, nothing), strict=True)
            removed = self._removed[key] = tuple(gone + now - before for gone, now, before in grown)
        self._last[key] = figures
        return tuple(now - gone for now, gone in zip(figures, removed, strict=True))


class Series:
    """A process's snapshots by node and counter, so that a value at a time is one look-up; and who owns its
    nodes, each worked out once.

    Time inside the deep look's windows is left out: there clocks of nodes and threads stand still. Counters
    go on: steps made there were made.
    """

    def __init__(self, process: ProcessRecord) -> None:
        self.process = process
        # Everything was zero when the process began: that snapshot need not be written.
        first = [process.start_ns] if process.snapshots else []
        self.times = first + [snapshot.t_ns for snapshot in process.snapshots]
        self._nodes: dict[NodeKey, tuple[list[int], list[NodeTotals]]] = {}
        self._calls: dict[NodeKey, list[int]] = {}  # beside the nodes' times, if there are windows
        self._counts: dict[str, tuple[list[int], list[float]]] = {}
        self._threads: dict[int, tuple[list[int], list[tuple[int, int]]]] = {}
        self._owners: dict[NodeKey, Owner] = {}
        self._parents: dict[int, list[tuple[int, int]]] = defaultdict(list)  # thread → nodes, parents
        for (thread, node), info in process.nodes.items():
            if node not in (ROOT, TASKS) and not is_task(process, thread, node):
                self._parents[thread].append((node, info.parent))
        self.windows = sorted(process.deep_windows)
        outside = OutsideWindows(self.windows)
        for snapshot in process.snapshots:
            inside = outside.is_inside(snapshot.t_ns)
            for key, totals in snapshot.nodes.items():
                times, values = self._nodes.setdefault(key, ([], []))
                times.append(snapshot.t_ns)
                if self.windows:
                    self._calls.setdefault(key, []).append(totals.count)
                    totals = NodeTotals(*outside.less_windows(key, astuple(totals), inside))
                values.append(totals)
            for name, value in snapshot.counts.items():
                count_times, counts = self._counts.setdefault(name, ([], []))
                count_times.append(snapshot.t_ns)
                counts.append(value)
            for thread, figures in snapshot.threads.items():
                thread_times, rows = self._threads.setdefault(thread, ([], []))
                thread_times.append(snapshot.t_ns)
                cpu_ns, delay_ns = outside.less_windows(thread, figures, inside)
                rows.append((cpu_ns, delay_ns))

    def node(self, key: NodeKey, t_ns: int) -> NodeTotals:
        """A node's totals as of the last snapshot up to `t_ns`."""
        times, values = self._nodes.get(key, ((), ()))
        place = bisect_right(times, t_ns)
        return values[place - 1] if place else _NOTHING

    def calls(self, key: NodeKey, t_ns: int) -> int:
        """How often a node was entered up to `t_ns`, the deep look's windows included: this is what can be
        compared with a counter."""
        if key not in self._calls:
            return self.node(key, t_ns).count
        place = bisect_right(self._nodes[key][0], t_ns)
        return self._calls[key][place - 1] if place else 0

    def owner_of(self, thread: int, node: int) -> Owner:
        """The owner of the time that a node has for itself."""
        known = self._owners.get((thread, node))
        if known is None:
            known = self._owners[thread, node] = owner_of(self.process, thread, node)
        return known

    def self_times(self, thread: int, start_ns: int, end_ns: int) -> dict[int, int]:
        """Each node's own nanoseconds between two instants: its total less its children's."""
        own: dict[int, int] = {}
        for node, parent in self._parents.get(thread, ()):
            key = (thread, node)
            spent = self.node(key, end_ns).total_ns - self.node(key, start_ns).total_ns
            if spent:
                own[node] = own.get(node, 0) + spent
                if parent not in (ROOT, TASKS):
                    own[parent] = own.get(parent, 0) - spent
        return own

    def count(self, name: str, t_ns: int) -> float:
        """A counter (``thread:name``) as of the last snapshot up to `t_ns`."""
        times, values = self._counts.get(name, ((), ()))
        place = bisect_right(times, t_ns)
        return values[place - 1] if place else 0.0

    def counters(self) -> list[str]:
        return list(self._counts)

    def summed(self, counter: str, t_ns: int) -> float | None:
        """A counter summed over threads; None if no thread ever counted it."""
        names = [name for name in self._counts if name.split(":", 1)[1] == counter]
        return sum(self.count(name, t_ns) for name in names) if names else None

    def thread_cpu(self, thread: int, start_ns: int, end_ns: int) -> tuple[int, int]:
        """CPU and run-queue nanoseconds of a thread between two instants."""
        times, rows = self._threads.get(thread, ((), ()))
        last = bisect_right(times, end_ns)
        first = bisect_right(times, start_ns)
        if not last:
            return 0, 0
        before = rows[first - 1] if first else (0, 0)
        after = rows[last - 1]
        return max(0, after[0] - before[0]), max(0, after[1] - before[1])

    def wall_ns(self, start_ns: int, end_ns: int) -> int:
        """The time between two instants, without the deep look's windows."""
        return (
            end_ns
            - start_ns
            - sum(max(0, min(end, end_ns) - max(start, start_ns)) for start, end in self.windows)
        )

    def pieces(self, start_ns: int, end_ns: int) -> list[tuple[int, int]]:
        """The periods between two instants that lie outside the deep look's windows."""
        found = []
        at = start_ns
        for start, end in self.windows:
            if end > at and start < end_ns:
                if start > at:
                    found.append((at, start))
                at = end
        return [*found, (at, end_ns)] if at < end_ns else found

    def border(self, t_ns: int, after: bool) -> int | None:
        """The first snapshot instant from `t_ns` on, or the last one up to it."""
        if after:
            return next((t for t in self.times if t >= t_ns), None)
        return next((t for t in reversed(self.times) if t <= t_ns), None)
