"""The compiled look at screens and RAM, beside the plain twin's objects for the same moments."""

from __future__ import annotations

import numpy as np
import pytest
from tests.unit.games.retro.moments import ALL_GRAYS, Moment, ram, screen, seen_by_kernel, seen_by_plain

from goldsplit.games.retro import retro_rules as rules
from goldsplit.games.retro.retro_kernel import Sight, look, new_answer, new_memory

pytestmark = pytest.mark.needs_torch


def paid(*moments: Moment) -> dict[str, float]:
    """What each critic paid for the last of some moments; the twins agree on all of them."""
    plain, fast = seen_by_plain(list(moments)), seen_by_kernel(list(moments))
    for (facts, critics, reward), (quick_facts, quick_critics, quick_reward) in zip(plain, fast, strict=True):
        assert facts.dtype == quick_facts.dtype == np.float32
        assert np.array_equal(facts, quick_facts)
        assert np.array_equal(critics, quick_critics)
        assert reward == quick_reward
    return {name: amount for name, amount in zip(rules.CRITICS, fast[-1][1].tolist(), strict=True) if amount}


def at(**changes: int) -> Moment:
    return ram(**changes), screen()


def test_where_an_episode_starts_is_not_new() -> None:
    assert paid(at()) == {}
    assert paid(at(), at()) == {}


def test_a_new_cell_pays_once() -> None:
    assert paid(at(X=16), at(X=32)) == {"cell": 0.02}
    assert paid(at(X=16), at(X=31)) == {}
    assert paid(at(X=16), at(X=32), at(X=16)) == {}
    assert paid(at(Y=16), at(Y=15)) == {"cell": 0.02}


def test_a_new_room_pays_once_and_is_a_new_cell_too() -> None:
    assert paid(at(ROOM=1), at(ROOM=2)) == {"room": 1.0, "cell": 0.02}
    assert paid(at(ROOM=1), at(ROOM=2), at(ROOM=1)) == {}
    assert paid(at(LEVEL=0), at(LEVEL=1)) == {"room": 1.0, "cell": 0.02}


def test_a_room_counts_once_it_is_drawn() -> None:
    black = ram(ROOM=2), screen(0)
    assert paid(at(), black) == {}
    assert paid(at(), black, at(ROOM=2)) == {"room": 1.0, "cell": 0.02}


def test_grays_alone_are_no_room_and_one_coloured_tile_is_enough() -> None:
    picture = screen(rules.FIRST_COLOURED - 1)
    assert paid(at(), (ram(ROOM=2), picture)) == {}
    picture[rules.TILE_TOP, 8] = rules.FIRST_COLOURED
    assert paid(at(), (ram(ROOM=2), picture)) == {"room": 1.0, "cell": 0.02}


def test_points_pay_by_their_number_and_never_take() -> None:
    assert paid(at(), at(SCORE_LOW=0x42)) == {"score": pytest.approx(0.42)}
    assert paid(at(SCORE_LOW=0x42), at(SCORE_LOW=0x40)) == {}


def test_items_pay_when_they_come_and_cost_when_they_go() -> None:
    assert paid(at(), at(ITEMS=0b10)) == {"items": 0.5}
    assert paid(at(ITEMS=0b10), at()) == {"items": -0.1}
    assert paid(at(ITEMS=0b10), at(ITEMS=0b1101)) == {"items": pytest.approx(3 * 0.5 - 0.1)}


def test_a_lost_life_costs_and_a_won_one_is_free() -> None:
    assert paid(at(LIVES=5), at(LIVES=4)) == {"lives": -0.5}
    assert paid(at(LIVES=4), at(LIVES=5)) == {}


def test_facts_have_names() -> None:
    content = ram(X=51, THING_X=60, Y=100, THING_Y=90, ITEMS=0b10000010, LIVES=4)
    facts = rules.facts_of_game(seen_by_kernel([(content, screen())])[0][0])
    assert facts["x"] == pytest.approx(51 / 255)
    assert facts["lives"] == 0.5
    where = [facts[name] for name in rules.DIRECTIONS]
    assert where == [0.0, 1.0, 0.0, 1.0]
    held = [name for name, _ in rules.ATTRIBUTES[rules.FIRST_ITEM :] if facts[name]]
    assert held == ["key_1", "torch"]
    assert facts["drawn"] == 1.0


@pytest.mark.parametrize("seed", range(6))
def test_the_twins_agree_on_moments_that_no_game_has(seed: int) -> None:
    """Any bytes at all, also such as the game never writes."""
    dice = np.random.default_rng(seed)
    moments = []
    for _ in range(40):
        content = dice.integers(0, 256, rules.RAM_SIZE, dtype=np.uint8)
        picture = dice.integers(0, dice.choice([2, 16, 17, 256]), rules.SCREEN, dtype=np.uint8)
        moments.append((content, picture))
    paid(*moments)


def test_the_picture_is_cropped_thinned_out_and_stacked_oldest_first() -> None:
    memory, shots = new_memory(1), []
    for number in range(6):
        picture = np.random.default_rng(number).integers(0, 256, rules.SCREEN, dtype=np.uint8)
        answer = new_answer(1)
        sight = Sight(picture[None], ram()[None], np.array([number == 0]))
        look(sight, memory, number % rules.STACK, ALL_GRAYS, answer)
        shots.append(picture[46:206:2, ::2])
        wanted = [shots[max(0, number - back)] for back in (3, 2, 1, 0)]
        assert np.array_equal(answer.stacks[0], wanted)


def test_an_unknown_colour_is_named_before_anything_is_remembered() -> None:
    grays = ALL_GRAYS.copy()
    grays[7] = -1
    memory, answer = new_memory(2), new_answer(2)
    screens = np.stack([screen(40), screen(7)])
    sight = Sight(screens, np.stack([ram(), ram()]), np.ones(2, np.bool_))
    assert look(sight, memory, 0, grays, answer) == 1
    assert not memory.before.any()
    assert not memory.rooms.any()
    assert look(sight, memory, 0, ALL_GRAYS, answer) == -1
    assert memory.before.any()
