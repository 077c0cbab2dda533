"""Sums and minima of 16 neighbours against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numba import njit

from goldsplit.fast.replay import sixteen as groups


@njit
def folded(singles, doubles):  # type: ignore[no-untyped-def]
    at = singles.ctypes.data
    return (
        groups.sum_of_singles(at),
        groups.sum_of_doubles(doubles.ctypes.data),
        groups.smallest_single(at),
        groups.smallest_above_zero(at),
    )


def group(dtype: Any) -> st.SearchStrategy[npt.NDArray[Any]]:
    width = np.dtype(dtype).itemsize * 8
    numbers = st.just(0.0) | st.floats(0.0, 2.0**100, width=width)  # type: ignore[arg-type]
    return arrays.arrays(dtype, groups.FAN_OUT, elements=numbers)


@given(group(np.float32), group(np.float64))
def test_groups_are_what_numpy_says(
    singles: npt.NDArray[np.float32], doubles: npt.NDArray[np.float64]
) -> None:
    single_sum, double_sum, smallest, above_zero = folded(singles, doubles)
    assert single_sum == pytest.approx(singles.sum(dtype=np.float64), rel=1e-14)
    assert double_sum == pytest.approx(doubles.sum(), rel=1e-14)
    assert smallest == singles.min()
    assert above_zero == singles[singles > 0].min(initial=np.inf)


def test_a_group_may_lie_anywhere_in_memory() -> None:
    memory = np.zeros(groups.FAN_OUT * 8 + 12, np.uint8)
    singles = memory[12 : 12 + groups.FAN_OUT * 4].view(np.float32)
    doubles = np.arange(1.0, 2 + groups.FAN_OUT)[1:]
    singles[:] = doubles
    assert folded(singles, doubles) == (doubles.sum(), doubles.sum(), 2.0, 2.0)
