"""The two masked categoricals against torch's, against each other, and against the exact distribution."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats
from torch.distributions import Categorical

from goldsplit.fast import categorical
from goldsplit.fast.categorical_torch import MaskedCategorical


def batch(seed: int, rows: int, actions: int) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Logits over a wide range and masks that always allow something."""
    rng = np.random.default_rng(seed)
    mask = rng.random((rows, actions)) < 0.5
    mask[np.arange(rows), rng.integers(actions, size=rows)] = True
    return (rng.normal(size=(rows, actions)) * 5).astype(np.float32), mask


def exact(logits: NDArray[Any], mask: NDArray[np.bool_]) -> NDArray[np.float64]:
    shifted = np.where(mask, logits.astype(np.float64), -np.inf)
    weights = np.exp(shifted - shifted.max(axis=-1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True))


def torch_peer(logits: NDArray[Any], mask: NDArray[np.bool_]) -> Categorical:
    return Categorical(logits=torch.from_numpy(logits).masked_fill(~torch.from_numpy(mask), -1e8))


@settings(max_examples=60)
@given(st.integers(0, 2**32), st.integers(1, 20), st.integers(1, 15))
def test_log_prob_and_entropy_are_torchs(seed: int, rows: int, actions: int) -> None:
    logits, mask = batch(seed, rows, actions)
    draw = categorical.sample(logits, mask, rng=np.random.default_rng(seed))
    peer = torch_peer(logits, mask)
    assert mask[np.arange(rows), draw.actions].all()
    wanted = peer.log_prob(torch.from_numpy(draw.actions)).numpy()
    np.testing.assert_allclose(draw.log_probs, wanted, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(draw.entropies, peer.entropy().numpy(), rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(categorical.log_prob(logits, draw.actions, mask), draw.log_probs)
    np.testing.assert_array_equal(categorical.entropy(logits, mask), draw.entropies)
    best = categorical.mode(logits, mask)
    np.testing.assert_array_equal(best.actions, np.where(mask, logits, -np.inf).argmax(axis=-1))


def test_samples_follow_the_distribution() -> None:
    logits, mask = batch(1, 1, 9)
    logits[:] /= 4
    draws = categorical.sample(np.repeat(logits, 200_000, 0), mask[0], rng=np.random.default_rng(7)).actions
    wanted = exact(logits, mask)[0]
    seen = np.bincount(draws, minlength=9)
    assert seen[~mask[0]].sum() == 0
    assert stats.chisquare(seen[mask[0]], wanted[mask[0]] * len(draws)).pvalue > 0.01


def test_the_chi_square_test_would_see_a_wrong_distribution() -> None:
    logits, mask = batch(1, 1, 9)
    logits[:] /= 4
    tilted = logits + np.where(np.arange(9) == np.flatnonzero(mask[0])[0], 0.05, 0.0).astype(np.float32)
    draws = categorical.sample(np.repeat(tilted, 200_000, 0), mask[0], rng=np.random.default_rng(7)).actions
    seen = np.bincount(draws, minlength=9)
    assert stats.chisquare(seen[mask[0]], exact(logits, mask)[0][mask[0]] * len(draws)).pvalue < 0.01


def test_torch_samples_follow_the_distribution() -> None:
    logits, mask = batch(1, 1, 9)
    logits[:] /= 4
    generator = torch.Generator().manual_seed(3)
    repeated = torch.from_numpy(np.repeat(logits, 200_000, 0))
    draws = MaskedCategorical(repeated, torch.from_numpy(mask[0])).sample(generator).numpy()
    seen = np.bincount(draws, minlength=9)
    assert seen[~mask[0]].sum() == 0
    assert stats.chisquare(seen[mask[0]], exact(logits, mask)[0][mask[0]] * len(draws)).pvalue > 0.01


def test_the_same_generator_state_gives_the_same_actions() -> None:
    logits, mask = batch(4, 64, 13)
    first, second = (categorical.sample(logits, mask, rng=np.random.default_rng(5)) for _ in range(2))
    assert np.array_equal(first.actions, second.actions)
    other = categorical.sample(logits, mask, rng=np.random.default_rng(6))
    assert not np.array_equal(first.actions, other.actions)


def test_shapes_and_dtypes_follow_the_logits() -> None:
    rng = np.random.default_rng(0)
    assert categorical.sample(np.zeros((2, 3, 5), np.float32), rng=rng).actions.shape == (2, 3)
    one = categorical.sample([0.0, -np.inf], rng=rng)
    assert (one.actions.shape, int(one.actions), float(one.log_probs), float(one.entropies)) == (
        (),
        0,
        0.0,
        0.0,
    )
    assert categorical.entropy(np.zeros((4, 5), np.float32)).dtype == np.float32
    np.testing.assert_allclose(categorical.entropy(np.zeros(5)), np.log(5))


def test_huge_logits_do_not_overflow() -> None:
    logits = np.array([[1e30, 1e30, -1e30], [-1e30, -1e30, -1e30]], np.float32)
    np.testing.assert_allclose(categorical.entropy(logits), [np.log(2), np.log(3)], rtol=1e-6)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: categorical.entropy(np.zeros((3, 2)), [[1, 1], [0, 0], [1, 0]]), "(?s)row 1 of 3.*hint:"),
        (lambda: categorical.entropy(np.full((1, 2), -np.inf)), "no action can be chosen in row 0"),
        (lambda: categorical.entropy([[0.0, np.nan]]), "logits of row 0 hold NaN or"),
        (lambda: categorical.entropy([[0.0, np.inf]]), "logits of row 0 hold NaN or"),
        (lambda: categorical.log_prob([[0.0, 0.0]], [1], [[True, False]]), "(?s)action 1 of row 0.*hint:"),
        (lambda: categorical.log_prob([[0.0, 0.0]], [2]), r"action 2 of row 0 is outside 0\.\.1"),
        (lambda: categorical.log_prob([[0.0, 0.0]], [0.0]), "actions must be integers of shape"),
        (lambda: categorical.log_prob([[0.0, 0.0]], [[0]]), "actions must be integers of shape"),
        (lambda: categorical.entropy([[0.0, 0.0]], [[True]]), r"mask must have shape \(1, 2\)"),
        (lambda: categorical.entropy(np.zeros((2, 0))), "logits must have shape"),
        (
            lambda: MaskedCategorical(torch.zeros(2, 3), torch.tensor([[1, 1, 0], [0, 0, 0]])),
            "(?s)row 1 of 2: all 3 are masked.*hint:",
        ),
        (lambda: MaskedCategorical(torch.zeros(2, 3), torch.ones(3, 2)), r"mask must have shape \(2, 3\)"),
    ],
)
def test_errors_name_the_row(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_nan_behind_the_mask_does_not_matter() -> None:
    assert categorical.mode([[0.0, np.nan]], [[True, False]]).actions.tolist() == [0]


@settings(max_examples=30)
@given(st.integers(0, 2**32), st.integers(1, 10), st.integers(1, 12))
def test_the_torch_version_has_torchs_values_and_gradients(seed: int, rows: int, actions: int) -> None:
    logits, mask = batch(seed, rows, actions)
    chosen = torch.from_numpy(categorical.sample(logits, mask, rng=np.random.default_rng(seed)).actions)
    gradients, outcomes = [], []
    for build in (
        lambda x: MaskedCategorical(x, torch.from_numpy(mask)),
        lambda x: Categorical(logits=x.masked_fill(~torch.from_numpy(mask), -1e8)),
    ):
        leaf = torch.from_numpy(logits).requires_grad_()
        policy = build(leaf)
        loss = policy.log_prob(chosen).sum() - 0.3 * policy.entropy().sum()
        loss.backward()
        outcomes.append(loss.detach())
        gradients.append(leaf.grad)
    torch.testing.assert_close(outcomes[0], outcomes[1], rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(gradients[0], gradients[1], rtol=1e-4, atol=1e-5)
    assert bool((gradients[0][~torch.from_numpy(mask)] == 0).all())


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_has_no_nan(dtype: torch.dtype) -> None:
    logits = torch.tensor([[20.0, 19.0, -30.0]], dtype=dtype, requires_grad=True)
    policy = MaskedCategorical(logits, torch.tensor([[True, True, False]]))
    policy.entropy().sum().backward()
    assert torch.isfinite(policy.entropy()).all()
    assert torch.isfinite(logits.grad).all()
    assert policy.mode().tolist() == [0]


def test_the_check_can_be_turned_off() -> None:
    nothing = torch.zeros(1, 2, dtype=torch.bool)
    policy = MaskedCategorical(torch.zeros(1, 2), nothing, check=False)
    assert policy.probs.shape == (1, 2)
