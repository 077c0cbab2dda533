"""Cumulative figures of one process, asked for at any instant."""

from __future__ import annotations

from bisect import bisect_right

from goldsplit.model.recording import NodeKey, NodeTotals, ProcessRecord

_NOTHING = NodeTotals()


class Series:
    """A process's snapshots by node and counter, so that a value at a time is one look-up."""

    def __init__(self, process: ProcessRecord) -> None:
        self.process = process
        # Everything was zero when the process began: a snapshot that needs not be written.
        first = [process.start_ns] if process.snapshots else []
        self.times = first + [snapshot.t_ns for snapshot in process.snapshots]
        self._nodes: dict[NodeKey, tuple[list[int], list[NodeTotals]]] = {}
        self._counts: dict[str, tuple[list[int], list[float]]] = {}
        self._threads: dict[int, tuple[list[int], list[tuple[int, int]]]] = {}
        for snapshot in process.snapshots:
            for key, totals in snapshot.nodes.items():
                times, values = self._nodes.setdefault(key, ([], []))
                times.append(snapshot.t_ns)
                values.append(totals)
            for name, value in snapshot.counts.items():
                count_times, counts = self._counts.setdefault(name, ([], []))
                count_times.append(snapshot.t_ns)
                counts.append(value)
            for thread, figures in snapshot.threads.items():
                thread_times, rows = self._threads.setdefault(thread, ([], []))
                thread_times.append(snapshot.t_ns)
                rows.append(figures)

    def node(self, key: NodeKey, t_ns: int) -> NodeTotals:
        """A node's totals as of the last snapshot up to `t_ns`."""
        times, values = self._nodes.get(key, ((), ()))
        place = bisect_right(times, t_ns)
        return values[place - 1] if place else _NOTHING

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

    def border(self, t_ns: int, after: bool) -> int | None:
        """The first snapshot instant from `t_ns` on, or the last one up to it."""
        if after:
            return next((t for t in self.times if t >= t_ns), None)
        return next((t for t in reversed(self.times) if t <= t_ns), None)
