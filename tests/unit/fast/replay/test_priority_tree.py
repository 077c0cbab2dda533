"""The 16-ary tree against its NumPy twin, and against drift."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goldsplit.fast.replay import reference
from goldsplit.fast.replay.tree import PriorityTree, importance_weights

# Whole numbers of moderate size: their sums are exact in any order, so that twins must agree to the bit.
WHOLE = st.integers(min_value=0, max_value=1000)


def built(leaves: list[float]) -> PriorityTree:
    tree = PriorityTree(len(leaves))
    tree.rebuild(np.array(leaves, np.float32))
    return tree


def assert_consistent(tree: PriorityTree) -> None:
    fresh = PriorityTree(tree.capacity)
    fresh.rebuild(tree.leaves.copy())
    assert np.array_equal(tree.sums, fresh.sums)
    assert np.array_equal(tree.mins, fresh.mins)


@given(st.lists(WHOLE, min_size=1, max_size=700))
def test_total_and_smallest_are_exact(leaves: list[float]) -> None:
    tree = built(leaves)
    assert tree.total == sum(leaves)
    assert tree.smallest == min((value for value in leaves if value > 0), default=np.inf)


@given(
    st.lists(WHOLE, min_size=1, max_size=300).filter(any),
    st.lists(st.integers(0, 1023), min_size=1, max_size=64),
)
def test_draws_equal_a_search_in_the_cumulative_sum(leaves: list[float], fractions: list[int]) -> None:
    tree = built(leaves)
    count = 2 ** (len(fractions).bit_length() - 1)  # so that the parts of the total are exact, too
    uniforms = np.array(fractions[:count]) / 1024
    slots = np.empty(count, np.int64)
    tree.draw(uniforms.copy(), slots)
    assert np.array_equal(slots, reference.draw_slots(tree.leaves, uniforms))
    assert (tree.leaves[slots] > 0).all()


@given(
    st.lists(st.floats(1e-12, 1e12), min_size=1, max_size=300),
    st.lists(st.integers(0, 299), max_size=300),
    st.floats(0.0, 1.0, exclude_max=True),
    st.integers(1, 100),
)
def test_no_draw_lands_on_an_empty_slot_whatever_the_rounding(
    leaves: list[float], emptied: list[int], uniform: float, count: int
) -> None:
    values = np.array(leaves)
    values[[slot for slot in emptied if slot < len(values) - 1]] = 0.0
    tree = built(values.tolist())
    slots = np.empty(count, np.int64)
    tree.draw(np.full(count, max(uniform, 1 - 2**-53)), slots)
    assert (tree.leaves[slots] > 0).all()
    tree.draw(np.full(count, uniform), slots)
    assert (tree.leaves[slots] > 0).all()
    assert (np.diff(slots) >= 0).all()


@given(st.lists(st.floats(1e-6, 1e6), min_size=1, max_size=200), st.floats(0.0, 1.0))
def test_weights_are_those_of_the_paper(leaves: list[float], beta: float) -> None:
    tree = built(leaves)
    slots = np.arange(len(leaves))
    weights = np.empty(len(leaves), np.float32)
    importance_weights(tree.padded_leaves, tree.smallest, slots, beta, weights)
    expected = reference.importance_weights(tree.leaves, slots, beta)
    assert np.allclose(weights, expected, rtol=1e-5)
    assert weights.max() == 1.0


@settings(max_examples=50)
@given(st.integers(1, 600), st.randoms(use_true_random=False))
def test_updates_leave_the_tree_as_if_built_from_its_leaves(capacity: int, random: object) -> None:
    rng = np.random.default_rng(random.getrandbits(32))  # type: ignore[attr-defined]
    tree, leaves = built([1.0] * capacity), np.ones(capacity, np.float32)
    for _ in range(10):
        slots = rng.integers(0, capacity, rng.integers(1, 40))
        values = rng.uniform(0.1, 1.0, len(slots)) * 10.0 ** rng.integers(-9, 9, len(slots))
        assert tree.update(slots, values, 1.0, 0, 0) == (len(slots), -1, values.max())
        for slot, value in zip(slots, values, strict=True):  # of a repeated slot the last value stays
            leaves[slot] = value
        first = int(rng.integers(0, capacity))
        count = int(rng.integers(1, capacity - first + 1))
        tree.fill(first, count, 0.25)
        leaves[first : first + count] = 0.25
        assert np.array_equal(tree.leaves, leaves)
        assert_consistent(tree)


def many_updates(tree: PriorityTree, updates: int) -> None:
    """Priorities over 18 orders of magnitude: adding differences would drift by whole units here."""
    rng = np.random.default_rng(0)
    batch = 10_000
    slots = rng.integers(0, tree.capacity, (16, batch))
    values = 10.0 ** rng.uniform(-9, 9, (16, batch))
    for turn in range(updates // batch):
        tree.update(slots[turn % 16], values[(turn * 7) % 16], 1.0, 0, 0)


def test_a_million_updates_do_not_drift() -> None:
    tree = built([1.0] * 5000)
    many_updates(tree, 10**6)
    assert_consistent(tree)
    assert tree.total == pytest.approx(np.sum(tree.leaves, dtype=np.float64), rel=1e-12)


@pytest.mark.slow
def test_a_hundred_million_updates_do_not_drift() -> None:
    tree = built([1.0] * 5000)
    many_updates(tree, 10**8)
    assert_consistent(tree)
    assert tree.total == pytest.approx(np.sum(tree.leaves, dtype=np.float64), rel=1e-12)


@pytest.mark.parametrize("capacity", [1, 15, 16, 17, 255, 256, 257, 4097])
def test_every_capacity_reaches_its_first_and_last_slot(capacity: int) -> None:
    tree = built([1.0] * capacity)
    assert tree.total == capacity
    slots = np.empty(2, np.int64)
    tree.draw(np.array([0.0, 1 - 2**-53]), slots)
    assert slots.tolist() == [0, capacity - 1]
