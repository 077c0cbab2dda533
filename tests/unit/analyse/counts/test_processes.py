"""CPU and memory of processes, from hand-made snapshots."""

from __future__ import annotations

from goldsplit.analyse.counts.processes import process_figures
from goldsplit.analyse.counts.series import Series
from goldsplit.model.recording import ProcessId, ProcessRecord, Snapshot, ThreadInfo

SECOND = 1_000_000_000
SEVEN = ProcessId(7)


def process(cpu_ns_per_second: float | None) -> ProcessRecord:
    """Eleven seconds; one Python thread that uses half a core; a megabyte more every second."""
    made = ProcessRecord(7, 1, 0)
    made.threads[0] = ThreadInfo(0, 7, "MainThread", 0)
    for second in range(12):
        counts = {"0:process_rss_bytes": 1e8 + 1e6 * second}
        if cpu_ns_per_second is not None:
            counts["0:process_cpu_ns"] = cpu_ns_per_second * second
        made.snapshots.append(Snapshot(second * SECOND, {}, counts, {0: (second * SECOND // 2, 0)}))
    return made


def test_native_threads_are_what_python_threads_did_not_use() -> None:
    (figures,) = process_figures({SEVEN: Series(process(1.5e9))}, {SEVEN: "driver"}, (SECOND, 11 * SECOND))
    assert (figures.pid, figures.role, figures.seconds) == (7, "driver", 10.0)
    assert (figures.cpu_seconds, figures.python_cpu_seconds) == (15.0, 5.0)
    assert figures.memory[0] == (0.0, 1.01e8)
    assert figures.memory[-1] == (10.0, 1.11e8)


def test_clocks_that_disagree_never_give_negative_native_time() -> None:
    (figures,) = process_figures({SEVEN: Series(process(0.4e9))}, {}, (SECOND, 11 * SECOND))
    assert figures.cpu_seconds == figures.python_cpu_seconds == 5.0


def test_recordings_from_before_there_were_such_figures() -> None:
    assert process_figures({SEVEN: Series(process(None))}, {}, (SECOND, 11 * SECOND)) == []


def test_a_process_that_lived_outside_the_steady_phase() -> None:
    assert process_figures({SEVEN: Series(process(1e9))}, {}, (20 * SECOND, 30 * SECOND)) == []
