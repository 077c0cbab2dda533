"""What the player sees of a battle, in the two forms that the server sends.

The short form is one flat list of whole numbers: BATTLE_FIELDS, then twelve monsters (mine in the ring, my
bench, the foe's in the ring, the foe's bench) of RECORD_LENGTH each. What follows from a species (kinds,
moves) is not sent: FACTS has it. The long form has all of it by name, each time. What the player cannot know
stays hidden in both: monsters of the foe that were not in the ring yet, and how often the foe can still use
its moves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from goldsplit.games.duel import bestiary as book

if TYPE_CHECKING:
    from goldsplit.games.duel.rules import Battle, Monster, Team

BATTLE_FIELDS = ("turn", "waiting", "my_left", "foe_left")
#: Of each monster, in the order of the short form; the uses left of its moves follow them.
MONSTER_FIELDS = (
    "species",
    "seen",
    "hp",
    "max_hp",
    "attack",
    "guard",
    "speed",
    "status",
    "status_turns",
    "attack_stage",
    "guard_stage",
    "speed_stage",
)
#: How many numbers of the short form are one monster.
RECORD_LENGTH = len(MONSTER_FIELDS) + book.KNOWN_MOVES
MOVE_FIELDS = ("kind", "power", "accuracy", "priority", "effect", "chance", "max_uses")
#: What a species tells, in the order of FACTS.
SPECIES_FIELDS = ("kind1", "kind2")

#: A monster that was not seen yet: no zero where something could be divided by it.
HIDDEN = (book.UNKNOWN, 0, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0)
_HIDDEN_MOVE = (book.NO_KIND, 0, 0, 0, book.NOTHING, 0, 1)


def _facts() -> tuple[tuple[int, ...], ...]:
    rows = []
    for sort in book.SPECIES:
        moves = [value for number in sort.moves for value in book.MOVES[number][1:]]
        rows.append((sort.kind1, sort.kind2, *moves))
    return (*rows, (book.NO_KIND, book.NO_KIND, *_HIDDEN_MOVE * book.KNOWN_MOVES))


#: By species (the last row: unknown): kinds, then MOVE_FIELDS of its four moves.
FACTS = _facts()


def short_view(battle: Battle) -> list[int]:
    """All that the player sees as one list."""
    mine, foes = battle.teams
    view = [battle.turn, int(battle.waiting), mine.left(), foes.left()]
    for team, own in ((mine, True), (foes, False)):
        view += _record(team.fighter, own)
        for place in team.bench():
            view += _record(team.members[place], own)
    return view


def _record(one: Monster, own: bool) -> tuple[int, ...] | list[int]:
    if not (own or one.seen):
        return HIDDEN
    uses = one.uses if own else [move.max_uses for move in one.moves]
    return [
        one.species,
        1,
        one.hp,
        one.max_hp,
        one.attack,
        one.guard,
        one.speed,
        one.status,
        one.status_turns,
        one.attack_stage,
        one.guard_stage,
        one.speed_stage,
        *uses,
    ]


def long_view(battle: Battle) -> dict[str, Any]:
    """All that the player sees by name."""
    mine, foes = battle.teams
    return {
        "battle": {
            "turn": battle.turn,
            "waiting": int(battle.waiting),
            "my_left": mine.left(),
            "foe_left": foes.left(),
        },
        "me": _long_team(mine, True),
        "foe": _long_team(foes, False),
    }


def _long_team(team: Team, own: bool) -> dict[str, Any]:
    bench = [_long_monster(team.members[place], own) for place in team.bench()]
    return {"active": _long_monster(team.fighter, own), "bench": bench}


def _long_monster(one: Monster, own: bool) -> dict[str, Any]:
    values = _record(one, own)
    told: dict[str, Any] = dict(zip(MONSTER_FIELDS, values, strict=False))
    species = values[0]
    known = species != book.UNKNOWN
    told["name"] = book.SPECIES[species].name if known else "?"
    told["kind1"], told["kind2"] = FACTS[species][:2]
    told["moves"] = []
    for slot in range(book.KNOWN_MOVES):
        start = len(SPECIES_FIELDS) + slot * len(MOVE_FIELDS)
        move: dict[str, Any] = dict(zip(MOVE_FIELDS, FACTS[species][start:], strict=False))
        move["name"] = book.MOVES[book.SPECIES[species].moves[slot]].name if known else "?"
        move["uses"] = values[len(MONSTER_FIELDS) + slot]
        told["moves"].append(move)
    return told
