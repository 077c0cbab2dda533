"""The bot: the move of the highest expected harm, now and then another, and flight from bad match-ups."""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldsplit.games.dice import Dice
from goldsplit.games.duel import bestiary as book

if TYPE_CHECKING:  # the rules ask the bot, not the other way round
    from goldsplit.games.duel.rules import Monster, Team

#: Of a hundred turns, in how many the bot chooses any valid move.
WHIMS = 12
#: What a move without power is worth, in expected harm.
WORTH_OF_AN_EFFECT = 20.0


def bots_choice(team: Team, other: Monster, dice: Dice) -> int:
    """An action of the bot: 0-3 its moves, 4-8 its switches."""
    usable = team.fighter.usable()
    if dice.below(100) < WHIMS:
        return usable[dice.below(len(usable))]
    worths = [expected_harm(team.fighter, slot, other) for slot in usable]
    best = max(worths)
    ready = team.ready()
    if best < WORTH_OF_AN_EFFECT + 1.0 and ready and dice.below(3) == 0:
        return book.KNOWN_MOVES + bots_replacement(team, other)
    return usable[worths.index(best)]


def bots_replacement(team: Team, other: Monster) -> int:
    """The switch to the monster that hits the other one hardest."""
    places = team.bench()
    ready = team.ready()
    worths = []
    for k in ready:
        candidate = team.members[places[k]]
        worths.append(max(expected_harm(candidate, slot, other) for slot in candidate.usable()))
    return ready[worths.index(max(worths))]


def expected_harm(user: Monster, slot: int, target: Monster) -> float:
    """What a move does on average; effects without harm count as a fixed small worth while they can work."""
    move = user.move_at(slot)
    if move.power == 0:
        return _worth_of_effect(user, move.effect, target) * move.accuracy / 100.0
    own = book.own_bonus(move.kind, user.species)
    factor = book.versus(move.kind, *book.SPECIES[target.species][1:3])
    return 0.5 * move.power * user.attack / target.guard * factor * own * move.accuracy / 100.0


def _worth_of_effect(user: Monster, effect: int, target: Monster) -> float:
    if effect == book.HEAL:
        return WORTH_OF_AN_EFFECT * (2.5 if 2 * user.hp < user.max_hp else 0.0)
    if effect in (book.BURN, book.VENOM, book.STUN, book.SLEEP):
        return WORTH_OF_AN_EFFECT * (1.5 if target.status == book.HEALTHY else 0.0)
    return WORTH_OF_AN_EFFECT * (1.0 if max(user.attack_stage, user.guard_stage) < 1 else 0.0)
