"""PER after Schaul et al.: distribution, weights, stamps, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from goldsplit.fast.replay import Field, PrioritizedReplay, UniformReplay

FIELDS = {"number": Field((), np.int64)}


def filled(count: int, capacity: int = 64, **options: Any) -> PrioritizedReplay:
    buffer = PrioritizedReplay(capacity, FIELDS, **({"seed": 0} | options))
    buffer.extend(number=np.arange(count))
    return buffer


@pytest.mark.parametrize("alpha", [0.0, 0.6, 1.0])
def test_the_sampling_distribution_is_p_to_the_alpha_by_chi_square(alpha: float) -> None:
    buffer = filled(40, alpha=alpha)
    priorities = np.linspace(0.1, 5.0, 40)
    buffer.update_priorities(np.arange(40), priorities)
    counts = np.zeros(40)
    for _ in range(1500):
        counts += np.bincount(buffer.sample(32).indices, minlength=40)
    expected = priorities**alpha / (priorities**alpha).sum() * counts.sum()
    assert stats.chisquare(counts, expected).pvalue > 0.001
    assert np.allclose(buffer.probabilities(), expected / counts.sum())
    if alpha > 0:  # and the test would notice another distribution
        assert stats.chisquare(counts).pvalue < 1e-9


def test_single_draws_follow_the_distribution_too() -> None:
    buffer = filled(10, alpha=1.0)
    buffer.update_priorities(np.arange(10), np.arange(1.0, 11.0))
    counts = np.bincount([int(buffer.sample(1).indices[0]) for _ in range(8000)], minlength=10)
    assert stats.chisquare(counts, np.arange(1.0, 11.0) / 55 * 8000).pvalue > 0.001


def test_a_large_batch_takes_each_slot_as_often_as_its_share_says() -> None:
    buffer = filled(4, alpha=1.0)
    buffer.update_priorities(np.arange(4), [1.0, 2.0, 3.0, 4.0])
    assert np.bincount(buffer.sample(1000).indices).tolist() == [100, 200, 300, 400]


def test_weights_are_normalised_by_the_largest_possible_weight_not_that_of_the_batch() -> None:
    buffer = filled(30, alpha=0.5, beta=0.7)
    priorities = np.full(30, 4.0)
    priorities[7] = 0.01  # so rare that most batches do not hold it
    buffer.update_priorities(np.arange(30), priorities)
    probabilities = priorities**0.5 / (priorities**0.5).sum()
    expected = (probabilities / probabilities.min()) ** -0.7
    batch = next(batch for batch in iter(lambda: buffer.sample(4), None) if 7 not in batch.indices)
    assert np.allclose(batch.weights, expected[batch.indices], rtol=1e-5)
    assert batch.weights.max() < 0.5
    buffer.beta = 0.0
    assert (buffer.sample(16).weights == 1.0).all()


def test_new_transitions_get_the_largest_priority_seen() -> None:
    buffer = filled(4, capacity=8, alpha=1.0)
    assert buffer.max_priority == 1.0
    buffer.update_priorities([0, 1], [7.0, 0.5])
    buffer.add(number=99)
    assert buffer.max_priority == 7.0
    assert buffer.probabilities() == pytest.approx(np.array([7.0, 0.5, 1.0, 1.0, 7.0]) / 16.5)


@pytest.mark.parametrize("bad", [0.0, -1.0, np.nan, np.inf, -np.inf])
def test_a_priority_that_is_no_priority_is_refused_and_changes_nothing(bad: float) -> None:
    buffer = filled(8)
    before = buffer.probabilities()
    with pytest.raises(ValueError, match=r"priorities\[2\] = .*finite and above 0\nhint: pass np.abs"):
        buffer.update_priorities([0, 1, 2, 3], [5.0, 5.0, bad, 5.0])
    assert np.array_equal(buffer.probabilities(), before)
    assert buffer.max_priority == 1.0


def test_a_power_outside_of_the_floats_is_refused() -> None:
    buffer = filled(4, alpha=3.0)
    with pytest.raises(
        ValueError, match=r"1e-200 to the power alpha = 3.0 leaves the range of 32-bit floats"
    ):
        buffer.update_priorities([0], [1e-200])
    with pytest.raises(ValueError, match=r"1e\+200 to the power"):
        buffer.update_priorities([0], [1e200])


def test_slots_and_shapes_are_checked() -> None:
    buffer = filled(8)
    for slot in (-1, 64, 10**12):
        with pytest.raises(IndexError, match=rf"indices\[1\] is slot {slot}, outside of the 64 slots"):
            buffer.update_priorities([0, slot], [1.0, 1.0])
    with pytest.raises(ValueError, match=r"shape \(2,\) of the indices, got \(2, 1\)\nhint: flatten"):
        buffer.update_priorities([0, 1], np.ones((2, 1)))
    with pytest.raises(ValueError, match=r"shape \(2,\) of the indices, got \(3,\)"):
        buffer.update_priorities([0, 1], np.ones(3))
    assert buffer.update_priorities([3, 60], [1.0, 1.0]) == 1  # slot 60 holds nothing yet
    assert buffer.probabilities() == pytest.approx(np.full(8, 1 / 8))


@pytest.mark.parametrize("argument", [{"alpha": -0.1}, {"alpha": np.nan}, {"beta": -1.0}, {"beta": np.inf}])
def test_exponents_are_checked(argument: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=f"{next(iter(argument))} must be finite and at least 0"):
        filled(1, **argument)
    with pytest.raises(ValueError, match="beta must be finite"):
        filled(1).beta = -0.5


def test_priorities_of_slots_overwritten_since_are_dropped_by_stamp() -> None:
    buffer = filled(8, capacity=8, alpha=1.0)
    old = buffer.sample(64).indices
    buffer.extend(number=np.arange(100, 103))  # overwrites slots 0, 1, 2
    assert buffer.update_priorities(old, np.full(64, 0.5)) == int((old > 2).sum())
    probabilities = buffer.probabilities()
    assert np.allclose(probabilities[:3], 1.0 / (3 + 5 * 0.5))
    assert np.allclose(probabilities[3:], 0.5 / (3 + 5 * 0.5))


def test_stamps_survive_slices_and_a_whole_turn_of_the_ring() -> None:
    buffer = filled(8, capacity=8)
    indices = buffer.sample(16).indices
    assert indices[2:5].stamp == indices[indices > 3].stamp == indices.stamp == 8
    buffer.extend(number=np.arange(8))
    buffer.add(number=1)
    assert buffer.update_priorities(indices, np.ones(16)) == 0
    plain = np.array(indices)
    assert buffer.update_priorities(plain, np.ones(16)) == 16  # no stamp: the slots' present content is meant
    assert buffer.update_priorities(plain, np.ones(16), stamp=indices.stamp) == 0


def test_extend_returns_stamped_slots_that_take_initial_priorities() -> None:
    buffer = filled(6, capacity=8, alpha=1.0)
    slots = buffer.extend(number=np.arange(4))
    assert slots.tolist() == [6, 7, 0, 1]
    assert buffer.update_priorities(slots, [3.0] * 4) == 4
    assert buffer.probabilities() == pytest.approx(np.array([3, 3, 1, 1, 1, 1, 3, 3]) / 16)


def test_extend_beyond_the_capacity_is_refused_and_an_empty_one_is_nothing() -> None:
    buffer = filled(3, capacity=4)
    with pytest.raises(ValueError, match="extend got 5 rows, more than the capacity of 4"):
        buffer.extend(number=np.arange(5))
    with pytest.raises(
        ValueError, match=r"'number' takes a batch of the shape \(n, \*\(\)\), got \(\)\nhint"
    ):
        buffer.extend(number=np.array(3))
    assert buffer.extend(number=np.empty(0, np.int64)).tolist() == []
    assert len(buffer) == 3


@pytest.mark.parametrize("kind", [UniformReplay, PrioritizedReplay])
def test_stored_values_can_be_read_by_field(kind: Any) -> None:
    buffer = kind(4, FIELDS, seed=0)
    buffer.extend(number=np.arange(3))
    assert buffer["number"].tolist() == [0, 1, 2]
    with pytest.raises(KeyError, match="no field 'obs'"):
        buffer["obs"]
