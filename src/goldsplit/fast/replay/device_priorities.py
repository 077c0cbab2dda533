"""Priorities on the device: leaves in blocks, with the sum and the minimum of each block. Needs torch.

A draw searches the blocks' sums, then one block: some thousand numbers instead of all of them, in a fixed
number of kernels without a look at the host, so that it can be part of a captured graph. There each kernel
costs about the same however little it does, so they are few. Sums are computed from their leaves anew, never
adjusted by a difference: they do not drift.
"""

from __future__ import annotations

import math

import torch

# Draws stay below the total by this factor: rounding must not lead to a leaf without priority.
_BELOW = 1.0 - 1e-15
# A draw reads the blocks' sums once, and the leaves of a block once for each row of the batch: so blocks are
# shorter than the square root of the capacity, by this many powers of two.
_SMALLER_BY = 2
_SMALLEST = 3
# The numbers 0, 1, 2, … for batches of up to this size are kept. They are made here, not when first needed:
# that could be while a graph is captured, and then they would be empty until it runs.
_KEPT_PLACES = 4096


class DevicePriorities:
    """The priorities (to the power alpha) of `capacity` slots; 0 where nothing can be drawn."""

    def __init__(self, capacity: int, device: torch.device) -> None:
        self.capacity = capacity
        self.block = 1 << max(math.ceil(math.log2(max(capacity, 1)) / 2) - _SMALLER_BY, _SMALLEST)
        blocks = -(-capacity // self.block)
        self._rows = torch.zeros(blocks, self.block, dtype=torch.float32, device=device)
        self._flat = self._rows.view(-1)
        self._sums = torch.zeros(blocks, dtype=torch.float64, device=device)
        self._mins = torch.full((blocks,), math.inf, dtype=torch.float32, device=device)
        self._before = torch.zeros(blocks + 1, dtype=torch.float64, device=device)
        self._places = torch.arange(_KEPT_PLACES, dtype=torch.float64, device=device)

    @property
    def leaves(self) -> torch.Tensor:
        return self._flat[: self.capacity]

    def total(self) -> torch.Tensor:
        return self._sums.sum()

    def fill(self, first: int, count: int, leaf: torch.Tensor) -> None:
        """Give a range of slots the same leaf (a tensor on the device)."""
        self._flat[first : first + count] = leaf
        blocks = slice(first // self.block, (first + count - 1) // self.block + 1)
        rows = self._rows[blocks]
        self._sums[blocks] = rows.sum(1, dtype=torch.float64)
        self._mins[blocks] = _smallest(rows)

    def draw(self, uniforms: torch.Tensor) -> torch.Tensor:
        """One slot from each of n equal parts of the total; `uniforms` (float64) say where in each part."""
        count = uniforms.shape[0]
        torch.cumsum(self._sums, 0, out=self._before[1:])
        before = self._before
        kept = count <= _KEPT_PLACES
        places = self._places[:count] if kept else torch.arange(count, device=uniforms.device)
        targets = (places + uniforms) * (before[-1] * (_BELOW / count))
        blocks = torch.searchsorted(before[1:], targets, right=True)
        sums = self._rows[blocks].cumsum(1, dtype=torch.float64)
        targets = torch.minimum(targets - before[blocks], sums[:, -1] * _BELOW)
        inside = torch.searchsorted(sums, targets.unsqueeze(1), right=True).squeeze(1)
        return torch.add(inside, blocks, alpha=self.block)

    def weights(self, slots: torch.Tensor, beta: torch.Tensor) -> torch.Tensor:
        """Importance weights over the largest possible one, that of the smallest leaf."""
        return (self._mins.min() / self._flat[slots]).pow(beta)

    def update(self, slots: torch.Tensor, leaves: torch.Tensor) -> None:
        """New leaves for these slots; of a repeated slot one of its values stays."""
        self._flat[slots] = leaves
        blocks = slots // self.block
        rows = self._rows[blocks]
        self._sums[blocks] = rows.sum(1, dtype=torch.float64)
        self._mins[blocks] = _smallest(rows)

    def rebuild(self, leaves: torch.Tensor) -> None:
        self._flat[: len(leaves)] = leaves
        self._sums.copy_(self._rows.sum(1, dtype=torch.float64))
        self._mins.copy_(_smallest(self._rows))


def _smallest(rows: torch.Tensor) -> torch.Tensor:
    """The smallest leaf above 0 of each row; infinite where there is none."""
    return rows.masked_fill(rows == 0.0, math.inf).amin(1)
