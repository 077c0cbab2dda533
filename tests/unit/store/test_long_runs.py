"""Thousands of raw windows are thinned out evenly, at the same instants in every process."""

from __future__ import annotations

from array import array

from goldsplit.model.recording import ProcessRecord, RawSpans, RawWindow
from goldsplit.store.long_runs import thin_out


def process(pid: int, starts: list[int], length: int = 10, spans: int = 0) -> ProcessRecord:
    found = ProcessRecord(pid, 1, 0, "3.11", ())
    inside = RawSpans(*(array("q", [0] * spans) for _ in range(3)))
    found.raw = [RawWindow(start, start + length, thread, inside) for start in starts for thread in (0, 1)]
    return found


def test_few_windows_are_all_kept() -> None:
    one = process(1, [100 * i for i in range(40)])
    thin_out([one], most=40)
    assert len(one.raw) == 80
    thin_out([process(2, [])], most=1)


def test_many_are_thinned_out_at_the_same_instants() -> None:
    # The second process looks a little later than the first, as real ones do.
    driver, worker = process(1, [100 * i for i in range(100)]), process(2, [100 * i + 3 for i in range(100)])
    thin_out([driver, worker], most=40)
    starts = [window.start_ns for window in driver.raw if window.thread == 0]
    assert starts == [300 * i for i in range(34)]
    assert [w.start_ns - 3 for w in worker.raw if w.thread == 0] == starts
    assert len(driver.raw) == 2 * len(starts)


def test_windows_without_a_gap_stay_together() -> None:
    dense = process(1, [10 * i for i in range(15)] + [1000 * i for i in range(1, 100)])
    thin_out([dense], most=50)
    starts = [window.start_ns for window in dense.raw if window.thread == 0]
    assert starts[:15] == [10 * i for i in range(15)]
    assert starts[15:18] == [2000, 4000, 6000]


def test_windows_that_are_full_of_spans_are_thinned_out_sooner() -> None:
    full = process(1, [100 * i for i in range(40)], spans=25)
    thin_out([full], most=40, most_spans=2000)
    assert len(full.raw) == 80, "no more spans than may be"
    thin_out([full], most=40, most_spans=1999)
    assert [window.start_ns for window in full.raw if window.thread == 0] == [200 * i for i in range(20)]
