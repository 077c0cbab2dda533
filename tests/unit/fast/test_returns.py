"""GAE and n-step returns against plain loops, SB3's own, and worked examples."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from stable_baselines3.common.buffers import RolloutBuffer

from goldsplit.fast.returns import Advantages, gae, n_step_returns

GAMMA, LAM = 0.97, 0.9


def rollout(seed: int, steps: int, envs: int, dtype: Any = np.float64) -> dict[str, NDArray[Any]]:
    rng = np.random.default_rng(seed)
    ends = rng.random((steps, envs)) < 0.2
    return {
        "rewards": rng.normal(size=(steps, envs)).astype(dtype),
        "values": rng.normal(size=(steps, envs)).astype(dtype),
        "ends": ends,
        "last_values": rng.normal(size=envs).astype(dtype),
        "truncated": ends & (rng.random((steps, envs)) < 0.5),
        "final_values": rng.normal(size=(steps, envs)).astype(dtype),
    }


def future_value(r: dict[str, NDArray[Any]], t: int, n: int) -> float:
    """The value of what follows step t, by the rules that the module states."""
    if r["truncated"][t, n]:
        return float(r["final_values"][t, n])
    if r["ends"][t, n]:
        return 0.0
    return float(r["values"][t + 1, n] if t + 1 < len(r["values"]) else r["last_values"][n])


def plain_gae(r: dict[str, NDArray[Any]]) -> NDArray[Any]:
    steps, envs = r["rewards"].shape
    advantages = np.zeros((steps, envs))
    for n in range(envs):
        following = 0.0
        for t in reversed(range(steps)):
            delta = r["rewards"][t, n] + GAMMA * future_value(r, t, n) - r["values"][t, n]
            following = delta + GAMMA * LAM * (0.0 if r["ends"][t, n] else following)
            advantages[t, n] = following
    return advantages


def plain_n_step(r: dict[str, NDArray[Any]], length: int) -> NDArray[Any]:
    steps, envs = r["rewards"].shape
    returns = np.zeros((steps, envs))
    for n in range(envs):
        for t in range(steps):
            k = t
            while k - t + 1 < length and not r["ends"][k, n] and k + 1 < steps:
                k += 1
            rewards = sum(GAMMA ** (i - t) * r["rewards"][i, n] for i in range(t, k + 1))
            returns[t, n] = rewards + GAMMA ** (k + 1 - t) * future_value(r, k, n)
    return returns


@settings(max_examples=60)
@given(st.integers(0, 2**32), st.integers(1, 20), st.sampled_from([1, 2, 7, 31, 32, 70]), st.booleans())
def test_gae_is_the_plain_loop(seed: int, steps: int, envs: int, cuts: bool) -> None:
    r = rollout(seed, steps, envs)
    if not cuts:
        r["truncated"][:] = False
    extra = {"truncated": r["truncated"], "final_values": r["final_values"]} if cuts else {}
    got = gae(r["rewards"], r["values"], r["ends"], r["last_values"], GAMMA, LAM, **extra)
    np.testing.assert_allclose(got.advantages, plain_gae(r), rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(got.returns, got.advantages + r["values"], rtol=1e-12)


@settings(max_examples=60)
@given(st.integers(0, 2**32), st.integers(1, 20), st.integers(1, 5), st.integers(1, 25))
def test_n_step_returns_are_the_plain_loop(seed: int, steps: int, envs: int, length: int) -> None:
    r = rollout(seed, steps, envs)
    extra = {"truncated": r["truncated"], "final_values": r["final_values"]}
    got = n_step_returns(r["rewards"], r["values"], r["ends"], r["last_values"], GAMMA, length, **extra)
    np.testing.assert_allclose(got, plain_n_step(r, length), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("envs", [1, 8, 64])
def test_gae_is_what_sb3_computes(envs: int) -> None:
    steps = 50
    r = rollout(3, steps, envs, np.float32)
    box, discrete = gym.spaces.Box(-1, 1, (2,)), gym.spaces.Discrete(2)
    buffer = RolloutBuffer(steps, box, discrete, "cpu", gae_lambda=LAM, gamma=GAMMA, n_envs=envs)
    starts = np.concatenate([np.zeros((1, envs), bool), r["ends"][:-1]])
    for t in range(steps):
        buffer.add(
            np.zeros((envs, 2)),
            np.zeros((envs, 1)),
            r["rewards"][t],
            starts[t],
            torch.from_numpy(r["values"][t]),
            torch.zeros(envs),
        )
    buffer.compute_returns_and_advantage(torch.from_numpy(r["last_values"]), r["ends"][-1])
    got = gae(r["rewards"], r["values"], r["ends"], r["last_values"], GAMMA, LAM)
    assert got.advantages.dtype == np.float32
    np.testing.assert_allclose(got.advantages, buffer.advantages, rtol=2e-5, atol=2e-5)
    np.testing.assert_allclose(got.returns, buffer.returns, rtol=2e-5, atol=2e-5)


def test_one_environment_may_be_flat() -> None:
    r = rollout(5, 12, 1)
    flat = {name: array.reshape(-1) for name, array in r.items() if name != "last_values"}
    got = gae(flat["rewards"], flat["values"], flat["ends"], r["last_values"][0], GAMMA, LAM)
    wanted = gae(r["rewards"], r["values"], r["ends"], r["last_values"], GAMMA, LAM)
    assert got.advantages.shape == (12,)
    assert np.array_equal(got.advantages, wanted.advantages[:, 0])


def test_a_truncated_episode_bootstraps_and_a_terminated_one_does_not() -> None:
    rewards, values, ends = np.ones((1, 2)), np.zeros((1, 2)), np.array([[True, True]])
    got = gae(
        rewards,
        values,
        ends,
        np.full(2, 100.0),
        0.5,
        1.0,
        truncated=[[True, False]],
        final_values=[[8.0, np.nan]],
    )
    assert got.returns.tolist() == [[1 + 0.5 * 8, 1.0]]


@pytest.mark.parametrize("envs", [1, 70])
def test_nan_beyond_an_end_stays_there(envs: int) -> None:
    values = np.array([[1.0] * envs, [np.nan] * envs])
    got = gae(np.ones((2, envs)), values, np.full((2, envs), True), np.full(envs, np.nan), 0.9, 0.9)
    assert got.advantages[0].tolist() == [0.0] * envs
    assert np.isnan(got.advantages[1]).all()


def test_out_is_filled_again_and_checked() -> None:
    r = rollout(1, 6, 3)
    first = gae(r["rewards"], r["values"], r["ends"], r["last_values"], GAMMA, LAM)
    kept = first.advantages.copy()
    first.advantages.fill(0)
    again = gae(r["rewards"], r["values"], r["ends"], r["last_values"], GAMMA, LAM, out=first)
    assert again is first
    assert np.array_equal(first.advantages, kept)
    wrong = Advantages(np.empty((6, 3), np.float32), np.empty((6, 3), np.float32))
    with pytest.raises(ValueError, match=r"out\.advantages must be C-contiguous of shape \(6, 3\)"):
        gae(r["rewards"], r["values"], r["ends"], r["last_values"], GAMMA, LAM, out=wrong)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"values": np.zeros((5, 3))}, r"values must have shape \(6, 3\) to go with rewards, got \(5, 3\)"),
        ({"last_values": np.zeros(2)}, r"last_values must have shape \(3,\)"),
        ({"ends": np.zeros(6, bool)}, r"ends must have shape \(6, 3\)"),
        ({"rewards": np.zeros((0, 3))}, "rewards must have shape"),
        ({"truncated": None}, "truncated is missing"),
        ({"final_values": None}, "(?s)final_values is missing.*hint:"),
        ({"truncated": np.ones((6, 3), bool)}, "(?s)truncated is True at step .* where ends is False.*hint:"),
    ],
)
def test_errors_name_the_array(change: dict[str, Any], message: str) -> None:
    r = rollout(2, 6, 3) | change
    with pytest.raises(ValueError, match=message):
        gae(gamma=GAMMA, lam=LAM, **r)


def test_n_must_be_positive() -> None:
    r = rollout(2, 6, 3)
    with pytest.raises(ValueError, match="n must be at least 1, got 0"):
        n_step_returns(r["rewards"], r["values"], r["ends"], r["last_values"], GAMMA, 0)
