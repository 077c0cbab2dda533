"""The games' dice: one stream of numbers, whoever draws them."""

from __future__ import annotations

import numpy as np
import pytest

from goldsplit.games import dice

SEEDS = [0, 1, 2, 41, 2**31, 2**63 - 1, 2**64 - 1, -1]
FIRST_THROWS = [1, 4, 5, 2, 1, 1, 4, 2, 3, 4, 2, 6]


def states(seed: int) -> np.ndarray:
    return np.array([dice.seeded(seed)], dtype=np.uint64)


@pytest.mark.parametrize("seed", SEEDS)
def test_plain_and_compiled_dice_draw_the_same(seed: int) -> None:
    plain, compiled = dice.Dice(seed), states(seed)
    assert [plain.draw() for _ in range(50)] == [int(dice.draw(compiled, 0)) for _ in range(50)]
    assert plain.state == int(compiled[0])


@pytest.mark.parametrize("n", [1, 2, 3, 6, 144, 2**32])
def test_plain_and_compiled_numbers_below_are_the_same_and_in_range(n: int) -> None:
    plain, compiled = dice.Dice(7), states(7)
    drawn = [plain.below(n) for _ in range(200)]
    assert drawn == [dice.below(compiled, 0, n) for _ in range(200)]
    assert min(drawn) >= 0
    assert max(drawn) < n


def test_plain_and_compiled_uniform_numbers_are_the_same_to_the_last_bit() -> None:
    plain, compiled = dice.Dice(7), states(7)
    drawn = [plain.uniform() for _ in range(200)]
    assert drawn == [dice.uniform(compiled, 0) for _ in range(200)]
    assert all(0 <= number < 1 for number in drawn)


def test_a_fixed_seed_has_fixed_numbers() -> None:
    """Saved games and golden hashes rest on these."""
    thrower = dice.Dice(1)
    assert [thrower.below(6) + 1 for _ in range(12)] == FIRST_THROWS


def test_six_sides_come_up_about_equally_often() -> None:
    thrower = dice.Dice(3)
    counts = np.bincount([thrower.below(6) for _ in range(6000)], minlength=6)
    # Five degrees of freedom: above 20.5 in one of a thousand seeds.
    assert ((counts - 1000) ** 2 / 1000).sum() < 20.5


def test_neighbouring_seeds_are_unrelated() -> None:
    pairs = [(dice.Dice(seed).below(1000), dice.Dice(seed + 1).below(1000)) for seed in range(2000)]
    first, second = np.array(pairs, dtype=float).T
    assert abs(np.corrcoef(first, second)[0, 1]) < 0.08


def test_games_of_a_batch_have_dice_of_their_own() -> None:
    together = dice.states_of(np.array([3, 4]))
    alone = dice.Dice(4)
    dice.draw(together, 0)
    assert [int(dice.draw(together, 1)) for _ in range(3)] == [alone.draw() for _ in range(3)]
