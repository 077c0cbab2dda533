"""A frame stack that crops, grays, scales and stacks in one pass over the pixels that are kept.

Each new frame is read once, only inside the crop, and written once into a ring; the stack is then a view of
the ring. The usual way converts every frame of the stack to float again at each step, and crops afterwards.

    ring = FrameRing((240, 224, 3), stack=4, crop=(56, 0, 168, 224))
    stack = ring.reset(frame)          # (4, 168, 224) float32 in 0..1, the first frame four times
    stack = ring.push(frame)           # newest frame last

A stack is a view: it keeps its content for ``keep`` further pushes (or resets), which covers an observation
and its successor. Copy it, or pass ``out=``, to keep it longer.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

__all__ = ["GRAY_WEIGHTS", "FrameRing"]

GRAY_WEIGHTS = (0.299, 0.587, 0.114)
"""ITU-R 601 luma, what most preprocessing uses."""

_FIXED_POINT = 1 << 16


class FrameRing:
    """Stacks of the last ``stack`` frames of one environment, or of ``envs`` environments.

    ``frame_shape`` is (height, width, 3) for colour or (height, width) for frames that are gray already;
    frames are uint8. ``crop`` is (top, left, height, width). ``dtype`` float32 gives 0..1, uint8 0..255.
    """

    def __init__(
        self,
        frame_shape: tuple[int, ...],
        stack: int = 4,
        *,
        envs: int | None = None,
        crop: tuple[int, int, int, int] | None = None,
        dtype: Any = np.float32,
        weights: tuple[float, float, float] = GRAY_WEIGHTS,
        keep: int = 1,
    ) -> None:
        if len(frame_shape) not in (2, 3) or (len(frame_shape) == 3 and frame_shape[2] not in (1, 3)):
            raise ValueError(f"frame_shape must be (height, width) or (height, width, 3), got {frame_shape}")
        if stack < 1 or keep < 0 or (envs is not None and envs < 1):
            raise ValueError(
                f"stack and envs must be at least 1 and keep at least 0: {stack=}, {envs=}, {keep=}"
            )
        if np.dtype(dtype) not in (np.dtype(np.float32), np.dtype(np.uint8)):
            raise ValueError(f"dtype must be float32 or uint8, got {np.dtype(dtype)}")
        self.frame_shape = tuple(frame_shape)
        self.stack_length, self.envs = stack, envs
        top, left, height, width = crop or (0, 0, frame_shape[0], frame_shape[1])
        self._corner = (top, left)
        # A push moves on by at most `stack` slots, so a window this long is not met again for `keep` pushes.
        slots = (keep + 2) * stack - 1
        self._ring = np.zeros((envs or 1, slots, height, width), dtype)
        self._newest = stack - 1
        self._check_corner(top, left)
        self._channels = 1 if len(frame_shape) == 2 else frame_shape[2]
        luma = np.array(weights if self._channels == 3 else (1.0, 0.0, 0.0))
        self._unit_weights = (luma / 255).astype(np.float32)
        self._byte_weights = np.round(luma * _FIXED_POINT).astype(np.int32)

    @property
    def stack_shape(self) -> tuple[int, ...]:
        """Shape of a stack: ([envs,] stack, height, width)."""
        shape = (self.stack_length, *self._ring.shape[2:])
        return shape if self.envs is None else (self.envs, *shape)

    def reset(self, frames: ArrayLike, *, corner: tuple[int, int] | None = None) -> NDArray[Any]:
        """Start new episodes in all environments: every place of the stack holds the first frame."""
        return self.push(frames, first=True, corner=corner)

    def push(
        self,
        frames: ArrayLike,
        *,
        first: ArrayLike | None = None,
        corner: tuple[int, int] | None = None,
        out: NDArray[Any] | None = None,
    ) -> NDArray[Any]:
        """Add the newest frame (of each environment) and give the stack, oldest frame first.

        ``first`` marks environments whose episode starts with this frame: their older places are filled with
        it. ``corner`` moves the crop for this frame, to follow a player.
        """
        batch = self._checked_frames(frames)
        starting = self._checked_first(first)
        top, left = self._corner if corner is None else self._check_corner(*corner)
        self._advance(starting)
        if self._ring.dtype == np.float32:
            _write_unit(batch, self._channels, top, left, self._unit_weights, self._ring, self._newest)
        else:
            _write_bytes(batch, self._channels, top, left, self._byte_weights, self._ring, self._newest)
        if starting is not None:
            oldest = self._newest - self.stack_length + 1
            for env in np.flatnonzero(starting):
                self._ring[env, oldest : self._newest] = self._ring[env, self._newest]
        return self.stack(out=out)

    def stack(self, *, out: NDArray[Any] | None = None) -> NDArray[Any]:
        """The current stack: a view (see the module), or copied into ``out``."""
        view = self._ring[:, self._newest - self.stack_length + 1 : self._newest + 1]
        view = view[0] if self.envs is None else view
        if out is None:
            return view
        if out.shape != view.shape or out.dtype != view.dtype:
            raise ValueError(
                f"out must have shape {view.shape} and dtype {view.dtype}, got {out.shape} and {out.dtype}"
            )
        np.copyto(out, view)
        return out

    def _advance(self, starting: NDArray[np.bool_] | None) -> None:
        """Move on by one slot, or to a fresh window where an episode starts or the ring ends.

        A start fills the older places of its stack; in the window of the stacks given out before, it would
        change those. The other environments' frames are carried over to the fresh window.
        """
        fresh = starting is not None and bool(starting.any())
        newest = self._newest + (self.stack_length if fresh else 1)
        wraps = newest >= self._ring.shape[1]
        if wraps:
            newest = self.stack_length - 1
        if fresh or wraps:
            carried = self.stack_length - 1
            frames = self._ring[:, self._newest - carried + 1 : self._newest + 1]
            self._ring[:, newest - carried : newest] = frames
        self._newest = newest

    def _check_corner(self, top: int, left: int) -> tuple[int, int]:
        height, width = self._ring.shape[2:]
        if min(top, left) < 0 or top + height > self.frame_shape[0] or left + width > self.frame_shape[1]:
            raise ValueError(
                f"a crop of {height} x {width} at top {top}, left {left} does not fit into frames of "
                f"{self.frame_shape[0]} x {self.frame_shape[1]}"
            )
        return top, left

    def _checked_frames(self, frames: ArrayLike) -> NDArray[np.uint8]:
        batch = np.asarray(frames)
        wanted = self.frame_shape if self.envs is None else (self.envs, *self.frame_shape)
        if batch.shape != wanted or batch.dtype != np.uint8:
            raise ValueError(
                f"frames must be uint8 of shape {wanted}, got {batch.dtype} of shape {batch.shape}"
            )
        height, width = self.frame_shape[:2]
        return np.ascontiguousarray(batch).reshape(-1, height, width * self._channels)

    def _checked_first(self, first: ArrayLike | None) -> NDArray[np.bool_] | None:
        if first is None:
            return None
        starting = np.asarray(first, dtype=np.bool_)
        if starting.shape not in ((), (len(self._ring),)):
            raise ValueError(f"first must be one flag or ({len(self._ring)},) flags, got {starting.shape}")
        return np.broadcast_to(starting, (len(self._ring),))


@njit(cache=True)
def _write_unit(frames: Any, channels: int, top: int, left: int, weights: Any, ring: Any, slot: int) -> None:
    """Crop and gray frames (n, height, width * channels) into one slot of the ring, scaled to 0..1."""
    envs, _, height, width = ring.shape
    red, green, blue = weights[0], weights[1], weights[2]
    for env in range(envs):
        for row in range(height):
            if channels == 1:
                for column in range(width):
                    ring[env, slot, row, column] = red * np.float32(frames[env, top + row, left + column])
            else:
                for column in range(width):
                    at = 3 * (left + column)
                    ring[env, slot, row, column] = (
                        red * np.float32(frames[env, top + row, at])
                        + green * np.float32(frames[env, top + row, at + 1])
                        + blue * np.float32(frames[env, top + row, at + 2])
                    )


@njit(cache=True)
def _write_bytes(frames: Any, channels: int, top: int, left: int, weights: Any, ring: Any, slot: int) -> None:
    """As ``_write_unit``, rounded to 0..255; weights are in units of 1 / 65536."""
    envs, _, height, width = ring.shape
    red, green, blue = weights[0], weights[1], weights[2]
    half, shift = np.int32(1 << 15), np.int32(16)
    for env in range(envs):
        for row in range(height):
            if channels == 1:
                for column in range(width):
                    ring[env, slot, row, column] = frames[env, top + row, left + column]
            else:
                for column in range(width):
                    at = 3 * (left + column)
                    luma = (
                        red * np.int32(frames[env, top + row, at])
                        + green * np.int32(frames[env, top + row, at + 1])
                        + blue * np.int32(frames[env, top + row, at + 2])
                    )
                    ring[env, slot, row, column] = (luma + half) >> shift
