"""CPU and memory of each recorded process over the steady phase."""

from __future__ import annotations

from goldsplit.analyse.counts.series import Series
from goldsplit.model.profile import ProcessFigures
from goldsplit.model.recording import ProcessId
from goldsplit.model.wire import Counter

MOST_POINTS = 48


def process_figures(
    series: dict[ProcessId, Series], roles: dict[ProcessId, str], borders: tuple[int, int]
) -> list[ProcessFigures]:
    """Every process that wrote snapshots in the steady phase, by its id."""
    found = [_figures(series[process], roles.get(process, "other"), borders) for process in sorted(series)]
    return [figures for figures in found if figures is not None]


def _figures(series: Series, role: str, borders: tuple[int, int]) -> ProcessFigures | None:
    # Each process took its own snapshots: figures are of the time between two of them.
    start, end = series.border(borders[0], after=True), series.border(borders[1], after=False)
    whole, native = (_counter(series, n) for n in (Counter.PROCESS_CPU_NS, Counter.PROCESS_NATIVE_THREADS))
    if start is None or end is None or end <= start or whole is None:
        return None
    python_ns = sum(series.thread_cpu(index, start, end)[0] for index in series.process.threads)
    cpu_ns = series.count(whole, end) - series.count(whole, start)
    return ProcessFigures(
        pid=series.process.pid,
        role=role,
        seconds=(end - start) / 1e9,
        cpu_seconds=max(cpu_ns, python_ns) / 1e9,
        python_cpu_seconds=python_ns / 1e9,
        memory=_memory(series, start, end),
        native_threads=None if native is None else round(series.count(native, end)),
    )


def _memory(series: Series, start_ns: int, end_ns: int) -> list[tuple[float, float]]:
    name = _counter(series, Counter.PROCESS_RSS_BYTES)
    if name is None:
        return []
    times = [t for t in series.times if start_ns <= t <= end_ns]
    every = -(-len(times) // MOST_POINTS)
    return [((t - start_ns) / 1e9, series.count(name, t)) for t in times[::every] if series.count(name, t)]


def _counter(series: Series, name: str) -> str | None:
    full = f"0:{name}"
    return full if full in series.counters() else None
