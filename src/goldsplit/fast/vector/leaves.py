"""Spaces of fixed size as trees of arrays: Box, Discrete, MultiDiscrete, MultiBinary, Dict, Tuple.

A *tree* has the shape of the space: an array, a dict of trees, or a tuple of trees. The first axis of each
array is the environment, so that one environment's observation is one row of every leaf.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

Tree = Any  # NDArray | dict[str, Tree] | tuple[Tree, ...]
RowWriter = Callable[[int, Any], None]


@dataclass(frozen=True, slots=True)
class Leaf:
    """One array of a tree: where it is, and what one environment's row looks like."""

    path: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any]


def leaves_of(space: Any, path: str) -> list[Leaf]:
    """The leaves of a space, in the order in which `nest` takes them."""
    if isinstance(space, spaces.Dict):
        return [leaf for key, part in space.spaces.items() for leaf in leaves_of(part, f"{path}[{key!r}]")]
    if isinstance(space, spaces.Tuple):
        return [leaf for at, part in enumerate(space.spaces) for leaf in leaves_of(part, f"{path}[{at}]")]
    if isinstance(space, (spaces.Box, spaces.Discrete, spaces.MultiDiscrete, spaces.MultiBinary)):
        return [Leaf(path, tuple(space.shape or ()), np.dtype(space.dtype))]
    raise TypeError(
        f"{path} is a {type(space).__name__} space, which has no fixed size in memory\n"
        "hint: Box, Discrete, MultiDiscrete, MultiBinary, and Dict or Tuple of these are supported; "
        "pad the value into a Box, or keep gymnasium's vector environments for this one"
    )


def nest(space: Any, arrays: Iterator[NDArray[Any]]) -> Tree:
    """Arrays, in the order of `leaves_of`, as a tree of the space's shape."""
    if isinstance(space, spaces.Dict):
        return {key: nest(part, arrays) for key, part in space.spaces.items()}
    if isinstance(space, spaces.Tuple):
        return tuple(nest(part, arrays) for part in space.spaces)
    return next(arrays)


def map_tree(function: Callable[[NDArray[Any]], Any], tree: Tree) -> Tree:
    """The tree with `function` of each array in its place."""
    if isinstance(tree, dict):
        return {key: map_tree(function, part) for key, part in tree.items()}
    if isinstance(tree, tuple):
        return tuple(map_tree(function, part) for part in tree)
    return function(tree)


def copy_tree(tree: Tree) -> Tree:
    """Fresh arrays with the same values."""
    return tree.copy() if isinstance(tree, np.ndarray) else map_tree(np.copy, tree)


def take_rows(tree: Tree, rows: NDArray[np.intp]) -> Tree:
    """Copies of the given rows of every leaf."""
    return map_tree(lambda array: array[rows], tree)


def row_of(tree: Tree, row: int) -> Tree:
    """A copy of one row: what one environment returned, as it returned it."""
    return map_tree(lambda array: array[row].copy(), tree)


def split_rows(tree: Tree) -> list[Any]:
    """One entry per row, of a private copy: an environment may keep what it was given."""
    if isinstance(tree, np.ndarray):
        return list(tree.copy())
    if isinstance(tree, dict):
        columns = [split_rows(part) for part in tree.values()]
        return [dict(zip(tree, row, strict=True)) for row in zip(*columns, strict=True)]
    return list(zip(*[split_rows(part) for part in tree], strict=True))


def row_writer(tree: Tree, path: str) -> RowWriter:
    """A function that writes one environment's value into its row, and refuses a wrong shape by name."""
    if isinstance(tree, dict):
        parts = [(key, row_writer(part, f"{path}[{key!r}]")) for key, part in tree.items()]
    elif isinstance(tree, tuple):
        parts = [(at, row_writer(part, f"{path}[{at}]")) for at, part in enumerate(tree)]
    else:
        return _array_writer(tree, path)

    def write_parts(row: int, value: Any) -> None:
        for key, write in parts:
            write(row, value[key])

    return write_parts


def _array_writer(array: NDArray[Any], path: str) -> RowWriter:
    shape, dtype = array.shape[1:], array.dtype
    if not shape:
        return array.__setitem__
    rows = list(array)  # views made once: filling one is quicker than finding it first

    def write(row: int, value: Any) -> None:
        try:
            fits = value.shape == shape and value.dtype is dtype
        except AttributeError:
            fits = False
        rows[row][...] = value if fits else _checked(value, shape, dtype, path)

    return write


def _checked(value: Any, shape: tuple[int, ...], dtype: np.dtype[Any], path: str) -> NDArray[Any]:
    """The value as an array, or an error: NumPy alone would broadcast (1,) to (323,) and cut 0.7 to 0."""
    found = np.asarray(value)
    if found.shape != shape:
        raise ValueError(f"{path} has shape {found.shape}, but the space says {shape}")
    if not np.can_cast(found.dtype, dtype, "same_kind"):
        raise ValueError(f"{path} has dtype {found.dtype}, but the space says {dtype}: values would be cut")
    return found


def write_batch(tree: Tree, values: Any, path: str, rows: NDArray[np.intp] | slice) -> None:
    """Write a batch given by the caller (actions) into rows of the tree."""
    if isinstance(tree, np.ndarray):
        _write_array(tree, values, path, rows)
    elif isinstance(tree, dict):
        for key, part in tree.items():
            write_batch(part, values[key], f"{path}[{key!r}]", rows)
    else:
        for at, part in enumerate(tree):
            write_batch(part, values[at], f"{path}[{at}]", rows)


def _write_array(array: NDArray[Any], values: Any, path: str, rows: NDArray[np.intp] | slice) -> None:
    found = np.asarray(values)
    count = len(array) if isinstance(rows, slice) else len(rows)
    if found.shape != (count, *array.shape[1:]):
        raise ValueError(
            f"{path} have shape {found.shape}, but {count} environments with rows of {array.shape[1:]} "
            f"need {(count, *array.shape[1:])}"
        )
    if found.dtype != array.dtype and not np.can_cast(found.dtype, array.dtype, "same_kind"):
        raise ValueError(f"{path} have dtype {found.dtype}, but the action space says {array.dtype}")
    array[rows] = found
