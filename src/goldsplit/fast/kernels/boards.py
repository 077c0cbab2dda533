"""The border of the kernels: what a caller passes becomes one dtype and one memory order, or a clear error.

Numba compiles a kernel anew for each combination of dtypes and memory orders; normalising here keeps that
to one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.int64]
Int32Array = NDArray[np.int32]

UNREACHED = -1
"""What a field holds where nothing arrives: behind walls, off the board, or beyond the limit."""


def board_mask(board: ArrayLike, name: str, ndim: int) -> BoolArray:
    """A boolean board (or a batch of boards) in C order; any dtype is read as zero / not zero."""
    mask = np.ascontiguousarray(board, dtype=np.bool_)
    if mask.ndim != ndim:
        wanted = "(rows, columns)" if ndim == 2 else "(boards, rows, columns)"
        raise ValueError(f"{name} must have shape {wanted}, got {mask.shape}")
    if mask.size == 0:
        raise ValueError(f"{name} has no cell: shape {mask.shape}")
    return mask


def same_shape_mask(board: ArrayLike, name: str, shape: tuple[int, ...], reference: str) -> BoolArray:
    """A boolean board that must have the shape of another one."""
    mask = np.ascontiguousarray(board, dtype=np.bool_)
    if mask.shape != shape:
        raise ValueError(f"{name} has shape {mask.shape}, but {reference} has {shape}")
    return mask


def cell_pairs(cells: ArrayLike, name: str) -> IntArray:
    """Cells as an integer array of shape (..., 2)."""
    array = np.asarray(cells)
    if array.dtype.kind not in "iu":
        if array.size:
            raise TypeError(f"{name} must hold integers, got dtype {array.dtype}")
        array = array.reshape(0, 2)
    if array.ndim == 0 or array.shape[-1] != 2:
        raise ValueError(f"{name} must have shape (..., 2), got {array.shape}")
    return np.ascontiguousarray(array, dtype=np.int64)


def cell_list(cells: ArrayLike, name: str) -> IntArray:
    """One cell or several as an integer array of shape (n, 2)."""
    if isinstance(cells, tuple) and len(cells) == 2 and type(cells[0]) is type(cells[1]) is int:
        return np.array(cells)[None]  # the usual single cell, without the checks that arrays need
    pairs = cell_pairs(cells, name)
    if pairs.ndim == 1:
        return pairs.reshape(1, 2)
    if pairs.ndim != 2:
        raise ValueError(f"{name} must have shape (n, 2), got {pairs.shape}")
    return pairs


def off_board(cells: IntArray, index: int, name: str, shape: tuple[int, ...], order: str) -> ValueError:
    """The error for a cell that is not on the board."""
    rows, columns = shape[-2], shape[-1]
    return ValueError(
        f"{name}[{index}] = {tuple(cells[index].tolist())} is off the board of {rows} rows and {columns} "
        f"columns\nhint: {name} are given as ({order}), counted from 0"
    )


def cost_board(cost: ArrayLike, shape: tuple[int, ...]) -> IntArray:
    """Movement costs as int64; fractional costs are refused rather than rounded."""
    array = np.asarray(cost)
    if array.shape != shape:
        raise ValueError(f"cost has shape {array.shape}, but walls has {shape}")
    if array.dtype.kind not in "iub":
        raise TypeError(
            f"cost must hold integers, got dtype {array.dtype}\n"
            "hint: scale fractional costs to integers, e.g. 1.5 and 2 become 3 and 4"
        )
    return np.ascontiguousarray(array, dtype=np.int64)


def bad_cost(cost: IntArray, largest: int) -> ValueError:
    """The error for costs that the kernel refused."""
    return ValueError(
        f"cost must lie in 0..{largest}, got {cost.min()}..{cost.max()}\n"
        "hint: mark impassable cells in walls, not by a large or negative cost"
    )


def output_array(out: NDArray[Any] | None, shape: tuple[int, ...], dtype: type[np.generic]) -> NDArray[Any]:
    """The caller's ``out`` after checks, or a new array."""
    if out is None:
        return np.empty(shape, dtype=dtype)
    if out.shape != shape or out.dtype != np.dtype(dtype) or not out.flags.c_contiguous:
        raise ValueError(
            f"out must be a C-contiguous array of shape {shape} and dtype {np.dtype(dtype)}, "
            f"got shape {out.shape} and dtype {out.dtype}"
        )
    if not out.flags.writeable:
        raise ValueError("out is read-only")
    return out
