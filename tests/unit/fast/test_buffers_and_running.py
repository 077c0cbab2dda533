"""Preallocated arrays and running moments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stable_baselines3.common.running_mean_std import RunningMeanStd

from goldsplit.fast.buffers import ArrayRotation, mark, one_hot
from goldsplit.fast.running import Moments, RunningMoments


def test_sets_are_handed_out_in_turn_and_come_back_zeroed() -> None:
    buffers = ArrayRotation({"obs": ((3,), np.float32), "mask": ((2,), np.bool_)})
    first = buffers.take()
    first["obs"][:] = 1
    second = buffers.take()
    second["mask"][:] = True
    assert first["obs"].tolist() == [1, 1, 1]
    again = buffers.take()
    assert again["obs"] is first["obs"]
    assert again["obs"].tolist() == [0, 0, 0]
    uncleared = buffers.take(clear=False)
    assert uncleared["mask"].tolist() == [True, True]
    assert {name: array.dtype for name, array in first.items()} == {"obs": np.float32, "mask": np.bool_}


def test_writers_fill_in_place() -> None:
    mask = np.ones(4, bool)
    assert mark([1, 3], out=mask) is mask
    assert mask.tolist() == [False, True, False, True]
    assert mark([], out=mask).tolist() == [False] * 4
    rows = np.full((2, 3), 7, np.float32)
    assert one_hot([2, 0], out=rows).tolist() == [[0, 0, 1], [1, 0, 0]]
    observation = np.zeros(5, np.float32)
    one_hot(1, out=observation[2:5])
    assert observation.tolist() == [0, 0, 0, 1, 0]


def test_writers_refuse_what_would_land_in_a_wrong_place() -> None:
    with pytest.raises(IndexError, match=r"indices must lie in 0\.\.3, got -1\.\.-1"):
        mark([-1], out=np.zeros(4, bool))
    with pytest.raises(IndexError, match=r"indices must lie in 0\.\.2"):
        one_hot([3], out=np.zeros((1, 3)))
    with pytest.raises(TypeError, match="indices must be integers"):
        mark([0.5], out=np.zeros(4, bool))
    with pytest.raises(ValueError, match="need out of shape"):
        one_hot([1], out=np.zeros(3))
    with pytest.raises(ValueError, match=r"out must have shape \(n,\)"):
        mark([1], out=np.zeros((2, 2), bool))
    with pytest.raises(ValueError, match="turns must be at least 1"):
        ArrayRotation({"obs": ((1,), np.float32)}, turns=0)
    with pytest.raises(ValueError, match="at least one array"):
        ArrayRotation({})


@settings(max_examples=50)
@given(st.integers(0, 2**32), st.lists(st.integers(0, 9), max_size=6), st.sampled_from([(), (3,), (2, 2)]))
def test_moments_are_those_of_all_samples(seed: int, sizes: list[int], shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(seed)
    batches = [rng.normal(5.0, 3.0, (size, *shape)) for size in sizes]
    moments, other = RunningMoments(shape), RunningMoments(shape)
    for i, batch in enumerate(batches):
        (moments if i % 2 else other).update(batch)
    moments.merge(other)
    everything = np.concatenate([np.empty((0, *shape)), *batches])
    state = moments.state()
    assert state.samples == len(everything)
    if len(everything):
        np.testing.assert_allclose(state.mean, everything.mean(axis=0), rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(state.variance, everything.var(axis=0), rtol=1e-8, atol=1e-9)
    again = RunningMoments.from_state(state)
    values = rng.normal(size=(4, *shape))
    np.testing.assert_allclose(again.normalize(values), moments.normalize(values), rtol=1e-6)


def test_a_large_mean_does_not_eat_the_variance() -> None:
    values = 1e9 + np.array([[0.0], [1.0], [2.0]])
    moments = RunningMoments((1,))
    moments.update(values)
    moments.update(values)
    np.testing.assert_allclose(moments.state().variance, [2 / 3], rtol=1e-6)


def test_normalising_is_what_vecnormalize_does() -> None:
    rng = np.random.default_rng(1)
    batches = [rng.normal(2, 4, (16, 7)).astype(np.float32) for _ in range(5)]
    ours, peer = RunningMoments((7,)), RunningMeanStd(epsilon=0.0, shape=(7,))
    for batch in batches:
        ours.update(batch)
        peer.update(batch.astype(np.float64))
    values = rng.normal(2, 40, (8, 7)).astype(np.float32)
    wanted = np.clip((values - peer.mean) / np.sqrt(peer.var + 1e-8), -10, 10)
    out = np.empty((8, 7), np.float32)
    assert ours.normalize(values, out=out) is out
    np.testing.assert_allclose(out, wanted, rtol=1e-5, atol=1e-6)
    assert (np.abs(out) == 10).any()


def test_before_the_first_update_nothing_changes() -> None:
    np.testing.assert_allclose(RunningMoments((2,)).normalize([[1.0, -2.0]]), [[1.0, -2.0]], rtol=1e-6)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: RunningMoments((3,)).update(np.zeros((4, 2))), r"batch must have shape \(\.\.\., 3,\)"),
        (lambda: RunningMoments((3,)).merge(RunningMoments((2,))), r"moments of shape \(2,\) into \(3,\)"),
        (
            lambda: RunningMoments((2,)).normalize([0.0, 0.0], out=np.empty(2)),
            "out must be C-contiguous float32",
        ),
        (lambda: RunningMoments.from_state(Moments(1.0, np.zeros(2), np.zeros(3))), "must have one shape"),
    ],
)
def test_errors_name_the_shapes(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
