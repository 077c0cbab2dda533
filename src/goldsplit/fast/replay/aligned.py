"""Arrays that start on a cache line."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

CACHE_LINE_BYTES = 64


def aligned_zeros(shape: tuple[int, ...], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """Zeros from a cache line on. Pages are mapped when they are first written: empty rows are free."""
    size_bytes = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
    memory = np.zeros(size_bytes + CACHE_LINE_BYTES, np.uint8)
    start = -memory.ctypes.data % CACHE_LINE_BYTES
    return memory[start : start + size_bytes].view(dtype).reshape(shape)
