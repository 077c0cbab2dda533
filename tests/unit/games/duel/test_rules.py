"""The rules of the duel, without a server."""

from __future__ import annotations

import pytest

from goldsplit.games.dice import Dice
from goldsplit.games.duel import bestiary as book
from goldsplit.games.duel.battle_view import HIDDEN, MONSTER_FIELDS, long_view, short_view
from goldsplit.games.duel.formula_words import first_of
from goldsplit.games.duel.greedy_bot import bots_choice, expected_harm
from goldsplit.games.duel.rules import FOE, ME, Battle, Monster


def play_on(battle: Battle, dice: Dice) -> float:
    """Random valid decisions to the end; the sum of the rewards."""
    total = 0.0
    while not (battle.terminated or battle.truncated):
        valid = [action for action, can in enumerate(battle.valid()) if can]
        battle.step(valid[dice.below(len(valid))])
        total += battle.reward
    return total


def without_dice(battle: Battle, number: int = 0) -> None:
    """All draws give the same: hits and effects always, or never."""
    battle.dice = Fixed(number)


class Fixed(Dice):
    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        super().__init__(0)
        self.number = number

    def below(self, n: int) -> int:
        return min(self.number, n - 1)


def put_in(battle: Battle, side: int, species: int) -> Monster:
    """Another fighter in a side's ring."""
    monster = Monster(species, Fixed(0))
    monster.seen = 1
    team = battle.teams[side]
    team.members[team.active] = monster
    return monster


def test_the_tables_fit_together() -> None:
    assert all(len(row) == len(book.KINDS) for row in book.EFFECT_ON_KIND)
    assert {kind for sort in book.SPECIES for kind in sort.moves} == set(range(len(book.MOVES)))
    assert len({sort.name for sort in book.SPECIES}) == 16
    assert book.versus(book.TIDE, book.STONE, book.EMBER) == 4.0
    assert book.versus(book.SPARK, book.STONE, book.EMBER) == 0.0
    assert book.versus(book.NO_KIND, book.STONE, book.EMBER) == 1.0


def test_teams_differ_and_a_seed_repeats_them() -> None:
    teams = [[one.species for team in Battle(seed).teams for one in team.members] for seed in (1, 1, 2)]
    assert teams[0] == teams[1] != teams[2]
    assert len(set(teams[0])) == 12


def test_a_reset_without_seed_goes_on_with_the_dice() -> None:
    battle, again = Battle(5), Battle(5)
    first = short_view(battle)
    battle.reset()
    assert short_view(battle) != first
    again.reset()
    assert short_view(again) == short_view(battle)
    battle.reset(5)
    assert short_view(battle) == first


def test_a_strong_hit_does_what_the_formula_says() -> None:
    battle = Battle(1)
    put_in(battle, ME, 2).speed = 500  # Brinehorn, tide
    target = put_in(battle, FOE, 7)  # Gravelisk, stone and ember
    without_dice(battle)
    attacker = battle.teams[ME].fighter
    harm = int(0.5 * 75 * attacker.attack / target.guard * 4.0 * 1.5 * 0.85)
    assert harm > 100
    battle.step(0)
    assert ("harm", "foe", "undertow", harm) in battle.events
    assert target.hp == max(0, target.max_hp - harm)


def test_what_has_no_effect_does_nothing() -> None:
    battle = Battle(1)
    put_in(battle, ME, 8)  # Voltmink: arc lance stuns, but not stone
    target = put_in(battle, FOE, 6)
    without_dice(battle)
    battle.step(1)
    assert target.hp == target.max_hp
    assert target.status == book.HEALTHY


def test_an_effect_makes_ill_and_illness_hurts() -> None:
    battle = Battle(1)
    put_in(battle, ME, 12)
    target = put_in(battle, FOE, 2)
    without_dice(battle)
    battle.step(1)  # bitter murk
    assert target.status == book.VENOMED
    assert target.max_hp - target.hp == target.max_hp // 32


def test_who_sleeps_wakes_up() -> None:
    battle = Battle(1)
    put_in(battle, ME, 4)
    sleeper = put_in(battle, FOE, 2)
    without_dice(battle)
    sleeper.status, sleeper.status_turns = book.ASLEEP, 2
    battle.step(1)
    assert ("asleep", "foe", "", 1) in battle.events
    battle.step(1)
    assert ("awake", "foe", "", 0) in battle.events


def test_a_fainted_monster_is_replaced_by_a_decision_of_its_own() -> None:
    battle = Battle(1)
    fighter = battle.teams[ME].fighter
    fighter.hp, fighter.status = 1, book.BURNT
    without_dice(battle, 99)  # all miss
    battle.step(0)
    assert battle.waiting
    assert battle.valid() == [False] * 4 + [True] * 5
    turn, foes = battle.turn, battle.teams[FOE].hp()
    battle.step(4 + 2)
    assert (battle.turn, battle.teams[FOE].hp()) == (turn, foes)
    assert battle.teams[ME].active == 3
    assert not battle.waiting
    assert battle.valid()[4:] == [False, True, True, True, True]


def test_a_bot_replaces_at_once() -> None:
    battle = Battle(1)
    fighter = battle.teams[FOE].fighter
    fighter.hp, fighter.status = 1, book.BURNT
    without_dice(battle, 99)
    battle.step(0)
    assert battle.teams[FOE].fighter.hp > 0
    assert battle.teams[FOE].active != 0
    assert battle.reward > 0.1  # a monster less on the other side


def test_a_switch_ends_raised_values() -> None:
    battle = Battle(1)
    battle.teams[ME].fighter.attack_stage = 2
    battle.step(4)
    assert battle.teams[ME].members[0].attack_stage == 0


@pytest.mark.parametrize("action", [-3, 4, 9, 500])
def test_an_action_that_is_not_valid_counts_as_the_first_valid_one(action: int) -> None:
    battles = Battle(3), Battle(3)
    for battle in battles:
        battle.teams[ME].members[1].hp = 0
        battle.teams[ME].fighter.uses[0] = 0
    battles[0].step(action)
    battles[1].step(1)
    assert short_view(battles[0]) == short_view(battles[1])


def test_without_uses_a_monster_flails() -> None:
    battle = Battle(3)
    battle.teams[ME].fighter.uses[:] = [0, 0, 0, 0]
    assert battle.valid()[:4] == [True, False, False, False]
    battle.step(0)
    assert ("move", "me", "flail", 0) in battle.events


def test_flailing_is_never_ahead_of_others() -> None:
    """Voltmink's first move comes first by its priority, but not when it has no uses left."""
    battle = Battle(1)
    slow = put_in(battle, ME, 8)
    slow.speed = 1
    put_in(battle, FOE, 2)
    without_dice(battle, 99)
    battle.step(0)
    first = next(side for what, side, _, _ in battle.events if what == "move")
    assert first == "me"
    slow.uses[:] = [0, 0, 0, 0]
    battle.step(0)
    first = next(side for what, side, _, _ in battle.events if what == "move")
    assert first == "foe"
    assert expected_harm(slow, 0, battle.teams[FOE].fighter) == pytest.approx(
        0.5 * 30 * slow.attack / battle.teams[FOE].fighter.guard
    )


def test_ends_and_rewards() -> None:
    dice, battle = Dice(4), Battle(9)
    winners = set()
    for _ in range(300):
        battle.reset()
        total = play_on(battle, dice)
        winners.add(battle.winner)
        mine, foes = battle.teams
        stands = mine.hp() / mine.most_hp - foes.hp() / foes.most_hp + 0.1 * (mine.left() - foes.left())
        bonus = {"me": 1.0, "foe": -1.0, "draw": 0.0}[battle.winner]
        assert total == pytest.approx(stands + bonus)
        assert battle.reason == "knockout"
    assert {"me", "foe"} <= winners


def test_the_turn_limit_cuts_a_battle() -> None:
    battle = Battle(2)
    battle.turn = book.MOST_TURNS - 1
    battle.step(0)
    assert (battle.truncated, battle.terminated, battle.reason, battle.winner) == (
        True,
        False,
        "turn_limit",
        "none",
    )


def test_the_bot_takes_the_best_move_unless_it_has_a_whim() -> None:
    battle = Battle(1)
    put_in(battle, FOE, 2)
    target = put_in(battle, ME, 7)
    team = battle.teams[FOE]
    best = max(range(4), key=lambda slot: expected_harm(team.fighter, slot, target))
    assert bots_choice(team, target, Fixed(99)) == best
    choices = {bots_choice(team, target, dice) for dice in [Dice(7)] for _ in range(200)}
    assert {0, 1, 2, 3} <= choices


def test_what_was_not_seen_is_hidden() -> None:
    battle = Battle(6)
    view = short_view(battle)
    assert view[first_of(7) : first_of(8)] == list(HIDDEN)
    assert view[first_of(6)] == battle.teams[FOE].fighter.species
    battle.teams[FOE].fighter.uses[0] = 1
    shown = short_view(battle)[first_of(6) + len(MONSTER_FIELDS)]
    assert shown == battle.teams[FOE].fighter.moves[0].max_uses
    assert long_view(battle)["foe"]["bench"][0]["name"] == "?"
    assert long_view(battle)["me"]["bench"][0]["name"] != "?"
