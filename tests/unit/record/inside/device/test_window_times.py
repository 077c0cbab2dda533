"""When windows of torch's profiler come: soon at first, and never so often that they cost much."""

from __future__ import annotations

from goldsplit.record.inside.device.window_times import KERNELS_BUDGET, SECOND, kernels_gap_ns


def test_loading_the_profiler_does_not_put_off_the_second_window() -> None:
    assert kernels_gap_ns(1, cost_ns=SECOND) == SECOND


def test_what_a_window_costs_puts_off_the_next() -> None:
    assert kernels_gap_ns(2, cost_ns=SECOND) == int(SECOND / KERNELS_BUDGET)
    assert kernels_gap_ns(2, cost_ns=0) < 2 * SECOND
