"""The frame ring against a naive stack, its borders, and how long its views hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from goldsplit.fast.frames import GRAY_WEIGHTS, FrameRing

CROP = (2, 1, 5, 6)


def naive(frames: list[NDArray[np.uint8]], crop: tuple[int, int, int, int], dtype: Any) -> NDArray[Any]:
    """Convert every frame as a whole, then crop: what the ring must equal."""
    top, left, height, width = crop
    gray = np.stack([frame.astype(np.float64) @ np.array(GRAY_WEIGHTS) for frame in frames])
    gray = gray[:, top : top + height, left : left + width]
    return np.floor(gray + 0.5) if dtype == np.uint8 else gray / 255


@settings(max_examples=60)
@given(
    st.integers(0, 2**32),
    st.integers(1, 5),
    st.integers(0, 4),
    st.sampled_from([np.float32, np.uint8]),
    st.lists(st.booleans(), min_size=1, max_size=25),
)
def test_the_ring_is_the_naive_stack(
    seed: int, stack: int, keep: int, dtype: Any, starts: list[bool]
) -> None:
    rng = np.random.default_rng(seed)
    ring = FrameRing((9, 8, 3), stack, crop=CROP, dtype=dtype, keep=keep)
    history: list[NDArray[np.uint8]] = []
    for step, starting in enumerate([True, *starts]):
        frame = rng.integers(0, 256, (9, 8, 3), dtype=np.uint8)
        history = [frame] * stack if starting else [*history[1:], frame]
        got = ring.push(frame, first=starting) if step else ring.reset(frame)
        # Bytes are rounded in fixed point: at a tie of .5 they may differ by one from the float formula.
        np.testing.assert_allclose(got, naive(history, CROP, dtype), atol=1 if dtype == np.uint8 else 1e-6)
        assert got.shape == ring.stack_shape


@pytest.mark.parametrize("start_share", [0.0, 0.2, 0.6, 1.0])
@pytest.mark.parametrize(("stack", "keep"), [(1, 0), (2, 1), (4, 0), (4, 1), (4, 3), (3, 8)])
def test_a_view_holds_for_keep_more_pushes(stack: int, keep: int, start_share: float) -> None:
    rng = np.random.default_rng(0)
    ring = FrameRing((3, 3), stack, envs=2, dtype=np.uint8, keep=keep)
    views: list[tuple[NDArray[Any], NDArray[Any]]] = []
    history = np.zeros((2, stack, 3, 3), np.uint8)
    for _ in range(200):
        frames = rng.integers(0, 256, (2, 3, 3), dtype=np.uint8)
        first = rng.random(2) < start_share
        history = np.concatenate([history[:, 1:], frames[:, None]], axis=1)
        history[first] = frames[first, None]
        view = ring.push(frames, first=first)
        assert np.array_equal(view, history)
        # The views given by the last `keep` pushes must be intact when this one has been written.
        for earlier, content in views[len(views) - keep :]:
            assert np.array_equal(earlier, content)
        views.append((view, view.copy()))


def test_environments_start_their_episodes_apart() -> None:
    ring = FrameRing((1, 1), 3, envs=2, dtype=np.uint8)
    ring.reset(np.array([[[1]], [[10]]], np.uint8))
    ring.push(np.array([[[2]], [[20]]], np.uint8))
    got = ring.push(np.array([[[3]], [[30]]], np.uint8), first=[False, True])
    assert got[:, :, 0, 0].tolist() == [[1, 2, 3], [30, 30, 30]]


def test_the_crop_follows_the_corner() -> None:
    ring = FrameRing((4, 4), 2, crop=(0, 0, 2, 2), dtype=np.uint8)
    frame = np.arange(16, dtype=np.uint8).reshape(4, 4)
    ring.reset(frame)
    got = ring.push(frame, corner=(2, 1))
    assert got.tolist() == [[[0, 1], [4, 5]], [[9, 10], [13, 14]]]
    with pytest.raises(
        ValueError, match="a crop of 2 x 2 at top 3, left 0 does not fit into frames of 4 x 4"
    ):
        ring.push(frame, corner=(3, 0))
    assert ring.stack().tolist() == got.tolist()


def test_out_takes_a_copy() -> None:
    ring = FrameRing((2, 2), 2, dtype=np.uint8)
    ring.reset(np.zeros((2, 2), np.uint8))
    out = np.empty(ring.stack_shape, np.uint8)
    assert ring.push(np.ones((2, 2), np.uint8), out=out) is out
    assert out[:, 0, 0].tolist() == [0, 1]
    assert not np.shares_memory(out, ring.stack())
    with pytest.raises(ValueError, match="out must have shape"):
        ring.stack(out=np.empty((2, 2), np.uint8))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: FrameRing((4, 4, 2)), "frame_shape must be"),
        (lambda: FrameRing((4, 4), 0), "stack and envs must be at least 1"),
        (lambda: FrameRing((4, 4), dtype=np.float64), "dtype must be float32 or uint8"),
        (lambda: FrameRing((4, 4), crop=(0, 0, 5, 4)), "does not fit"),
        (lambda: FrameRing((4, 4)).push(np.zeros((4, 4))), "frames must be uint8 of shape"),
        (
            lambda: FrameRing((4, 4)).push(np.zeros((4, 5), np.uint8)),
            r"frames must be uint8 of shape \(4, 4\)",
        ),
        (
            lambda: FrameRing((4, 4)).push(np.zeros((4, 4), np.uint8), first=[True] * 2),
            "first must be one flag",
        ),
    ],
)
def test_errors_name_the_shapes(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
