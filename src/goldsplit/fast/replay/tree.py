"""A 16-ary tree over priorities: exact sum and minimum, stratified draws, no drift.

Leaves hold the priority of each slot (0: the slot cannot be drawn). Every inner node is *recomputed* from its
16 children when one of them changes, never adjusted by a difference, so rounding errors cannot pile up:
after any number of updates the tree equals one freshly built from its leaves, bit for bit. The tree is
shallow (five levels above a million slots), and a batch moves through the levels together, so that its cache
misses overlap. Leaves are 32-bit, so that 16 of them fill one cache line; sums of them are 64-bit.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

from goldsplit.fast.replay.aligned import CACHE_LINE_BYTES, aligned_zeros
from goldsplit.fast.replay.rowcopy import ask_for_line
from goldsplit.fast.replay.sixteen import (
    FAN_OUT,
    smallest_above_zero,
    smallest_single,
    sum_of_doubles,
    sum_of_singles,
)

_SHIFT = 4
_SMALLEST_LEAF = float(np.finfo(np.float32).tiny)
_LARGEST_LEAF = float(np.finfo(np.float32).max)

Leaves = npt.NDArray[np.float32]
Slots = npt.NDArray[np.int64]


class PriorityTree:
    """Priorities of `capacity` slots. Values are taken as they are: the caller has validated them."""

    __slots__ = ("capacity", "mins", "offsets", "padded_leaves", "sums")

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        groups = -(-capacity // FAN_OUT)
        self.padded_leaves: Leaves = aligned_zeros((groups * FAN_OUT,), np.float32)
        # Inner levels in one array each, the parents of leaves first, the root last.
        self.offsets = _level_offsets(groups)
        self.sums: npt.NDArray[np.float64] = aligned_zeros((int(self.offsets[-1]) + 1,), np.float64)
        self.mins: Leaves = aligned_zeros((int(self.offsets[-1]) + 1,), np.float32)
        self.mins[:] = np.inf

    @property
    def total(self) -> float:
        return float(self.sums[-1])

    @property
    def smallest(self) -> float:
        """The smallest priority of a slot that can be drawn; infinity when there is none."""
        return float(self.mins[-1])

    @property
    def leaves(self) -> Leaves:
        return self.padded_leaves[: self.capacity]

    def fill(self, first: int, count: int, value: float) -> None:
        """Give `count` slots from `first` on (without wrap) the same priority; 0 takes them out."""
        fill_range(self.padded_leaves, self.sums, self.mins, self.offsets, first, count, value)

    def update(
        self,
        slots: Slots,
        priorities: npt.NDArray[np.float64],
        alpha: float,
        stamp_slot: int,
        overwritten: int,
    ) -> tuple[int, int, float]:
        """As `update_slots`."""
        return update_slots(
            self.padded_leaves,
            self.sums,
            self.mins,
            self.offsets,
            self.capacity,
            slots,
            priorities,
            alpha,
            stamp_slot,
            overwritten,
        )

    def draw(self, uniforms: npt.NDArray[np.float64], slots: Slots) -> None:
        """Fill `slots` with one draw from each of len(slots) equal parts of the total; uses `uniforms` up."""
        draw_slots(self.padded_leaves, self.sums, self.offsets, uniforms, slots)

    def rebuild(self, leaves: Leaves) -> None:
        """Take all leaves from an array (shorter than the capacity: the rest is empty)."""
        self.padded_leaves[:] = 0.0
        self.padded_leaves[: len(leaves)] = leaves
        refresh_range(self.padded_leaves, self.sums, self.mins, self.offsets, 0, self.capacity)


def _level_offsets(width: int) -> Slots:
    """Start of each inner level; every level but the root is padded to whole groups."""
    offsets = [0]
    while width > 1:
        groups = -(-width // FAN_OUT)
        offsets.append(offsets[-1] + groups * FAN_OUT)
        width = groups
    return np.array(offsets, np.int64)


@njit(cache=True, nogil=True, inline="always")
def _refresh_from_leaves(leaves, sums, mins, node):  # type: ignore[no-untyped-def]
    children = leaves.ctypes.data + node * (FAN_OUT * leaves.itemsize)
    sums[node] = sum_of_singles(children)
    mins[node] = smallest_above_zero(children)  # a slot that cannot be drawn (0) is no minimum


@njit(cache=True, nogil=True, inline="always")
def _refresh_from_nodes(sums, mins, children, node):  # type: ignore[no-untyped-def]
    sums[node] = sum_of_doubles(sums.ctypes.data + children * sums.itemsize)
    mins[node] = smallest_single(mins.ctypes.data + children * mins.itemsize)


@njit(cache=True, nogil=True)
def refresh_range(leaves, sums, mins, offsets, first, count):  # type: ignore[no-untyped-def]
    """Recompute everything above `count` leaves from `first` on."""
    first, last = first >> _SHIFT, (first + count - 1) >> _SHIFT
    for node in range(first, last + 1):
        _refresh_from_leaves(leaves, sums, mins, node)
    for level in range(offsets.size - 1):
        first, last = first >> _SHIFT, last >> _SHIFT
        for node in range(first, last + 1):
            _refresh_from_nodes(sums, mins, offsets[level] + node * FAN_OUT, offsets[level + 1] + node)


@njit(cache=True)
def fill_range(leaves, sums, mins, offsets, first, count, value):  # type: ignore[no-untyped-def]
    for slot in range(first, first + count):
        leaves[slot] = value
    refresh_range(leaves, sums, mins, offsets, first, count)


@njit(cache=True, nogil=True, inline="always")
def _climb(nodes, count):  # type: ignore[no-untyped-def]
    """Nodes to their parents, in place; how many. Neighbours that share a parent leave it once: draws come
    sorted, so that most do. Without a branch, which would be guessed wrong half of the time."""
    kept, previous = 0, -1
    for i in range(count):
        parent = nodes[i] >> _SHIFT
        kept += parent != previous
        nodes[kept - 1] = previous = parent
    return kept


@njit(cache=True, nogil=True)
def assign_slots(leaves, sums, mins, offsets, slots, values):  # type: ignore[no-untyped-def]
    """Set leaves and recompute their ancestors, level by level. Uses `slots` up."""
    for i in range(slots.size):
        leaves[slots[i]] = values[i]
    count = _climb(slots, slots.size)
    for i in range(count):
        _refresh_from_leaves(leaves, sums, mins, slots[i])
    for level in range(offsets.size - 1):
        count = _climb(slots, count)
        for i in range(count):
            _refresh_from_nodes(
                sums, mins, offsets[level] + slots[i] * FAN_OUT, offsets[level + 1] + slots[i]
            )


@njit(cache=True, nogil=True, inline="always")
def _leaf(priority, alpha):  # type: ignore[no-untyped-def]
    """priority ** alpha; in the short form where it loses nothing that a 32-bit leaf could keep."""
    if priority > 1e-30 and priority < 1e30:
        return np.float64(np.float32(priority) ** np.float32(alpha))
    return priority**alpha


@njit(cache=True, nogil=True, inline="always")
def _ask_for_paths(leaves, sums, mins, slots):  # type: ignore[no-untyped-def]
    """The leaves of slots, then the parents beside theirs; the levels above are small enough to be near."""
    leaf_address, sum_address, min_address = leaves.ctypes.data, sums.ctypes.data, mins.ctypes.data
    for slot in slots:
        ask_for_line(leaf_address + slot * leaves.itemsize)
    for slot in slots:
        first = (slot >> 2 * _SHIFT) * FAN_OUT
        ask_for_line(sum_address + first * sums.itemsize)
        ask_for_line(sum_address + first * sums.itemsize + CACHE_LINE_BYTES)
        ask_for_line(min_address + first * mins.itemsize)


@njit(cache=True, nogil=True)
def update_slots(leaves, sums, mins, offsets, capacity, slots, priorities, alpha, stamp_slot, overwritten):  # type: ignore[no-untyped-def]
    """Give slots that still hold what was sampled priority ** alpha; (count, first bad entry or -1, largest).

    Dropped are slots that cannot be drawn and the `overwritten` slots of the ring from `stamp_slot` on. With
    a bad entry nothing is changed.
    """
    kept, values = np.empty(slots.size, np.int64), np.empty(slots.size, np.float32)
    count, largest = 0, 0.0
    _ask_for_paths(leaves, sums, mins, slots)  # which arrive while the powers are computed
    for i in range(slots.size):
        slot, priority = slots[i], priorities[i]
        if slot < 0 or slot >= capacity or not (priority > 0.0 and priority < np.inf):
            return 0, i, 0.0
        value = _leaf(priority, alpha)
        if not (value >= _SMALLEST_LEAF and value <= _LARGEST_LEAF):
            return 0, i, 0.0
        distance = slot - stamp_slot
        if distance < 0:
            distance += capacity
        if distance < overwritten or leaves[slot] == 0.0:
            continue
        kept[count] = slot
        values[count] = value
        count += 1
        largest = max(largest, priority)
    assign_slots(leaves, sums, mins, offsets, kept[:count], values[:count])
    return count, -1, largest


@njit(cache=True, nogil=True)
def draw_slots(leaves, sums, offsets, uniforms, slots):  # type: ignore[no-untyped-def]
    """Stratified draws, all through one level before the next, whose children are asked for on the way."""
    part = sums[offsets[-1]] / slots.size
    for i in range(slots.size):
        uniforms[i] = (i + uniforms[i]) * part
        slots[i] = 0
    for level in range(offsets.size - 2, 0, -1):
        _descend(sums, offsets[level], uniforms, slots, sums, offsets[level - 1])
    if offsets.size > 1:
        _descend(sums, offsets[0], uniforms, slots, leaves, 0)
    _descend(leaves, 0, uniforms, slots, leaves, -1)


@njit(cache=True, nogil=True)
def _descend(values, offset, uniforms, slots, next_values, next_offset):  # type: ignore[no-untyped-def]
    """From nodes to their children. The targets ascend: those that meet in a node share one walk over it."""
    parent = -1
    child = children = 0
    prefix = 0.0
    next_address = next_values.ctypes.data + next_offset * next_values.itemsize
    group_bytes = FAN_OUT * next_values.itemsize
    for i in range(slots.size):
        if slots[i] != parent:
            parent, child, prefix = slots[i], 0, 0.0
            children = offset + parent * FAN_OUT
        target = uniforms[i]
        child, prefix = _walk(values, children, child, prefix, target)
        slots[i] = parent * FAN_OUT + child
        uniforms[i] = max(target - prefix, 0.0)
        if next_offset >= 0:
            ahead = next_address + slots[i] * group_bytes
            ask_for_line(ahead)
            ask_for_line(ahead + group_bytes - 1)


@njit(cache=True, nogil=True, inline="always")
def _walk(values, children, child, prefix, target):  # type: ignore[no-untyped-def]
    """Go on to the child in which `target` falls; past the end, by rounding, to the last with priority."""
    while child < FAN_OUT - 1:
        following = prefix + values[children + child]
        if target < following:
            break
        prefix = following
        child += 1
    if values[children + child] == 0.0:
        while child > 0 and values[children + child] == 0.0:
            child -= 1
        prefix = 0.0
        for k in range(child):
            prefix += values[children + k]
    return child, prefix


@njit(cache=True, nogil=True)
def importance_weights(leaves, smallest, slots, beta, weights):  # type: ignore[no-untyped-def]
    """(p / p_min) ** -beta: 1 for the rarest slot, less for every other."""
    for i in range(slots.size):
        weights[i] = (leaves[slots[i]] / smallest) ** -beta
