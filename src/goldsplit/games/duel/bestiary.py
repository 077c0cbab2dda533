"""The monsters of the duel: kinds and their effect on each other, 24 moves and 16 species, all invented."""

from __future__ import annotations

from typing import NamedTuple

KINDS = ("ember", "tide", "moss", "stone", "spark", "frost", "gloom", "lumen")
EMBER, TIDE, MOSS, STONE, SPARK, FROST, GLOOM, LUMEN = range(8)
#: The second kind of a monster with one kind, and the kind of what is not known.
NO_KIND = 8

STATUSES = ("healthy", "burnt", "venomed", "stunned", "asleep")
HEALTHY, BURNT, VENOMED, STUNNED, ASLEEP = range(5)

EFFECTS = (
    "nothing",
    "burn",
    "venom",
    "stun",
    "sleep",
    "heal",
    "raise_attack",
    "raise_guard",
    "raise_speed",
    "lower_attack",
    "lower_guard",
    "lower_speed",
)
(
    NOTHING,
    BURN,
    VENOM,
    STUN,
    SLEEP,
    HEAL,
    RAISE_ATTACK,
    RAISE_GUARD,
    RAISE_SPEED,
    LOWER_ATTACK,
    LOWER_GUARD,
    LOWER_SPEED,
) = range(12)

#: Attack kind (row) on defending kind (column); rows and columns in the order of KINDS.
EFFECT_ON_KIND = (
    (0.5, 0.5, 2.0, 0.5, 1.0, 2.0, 1.0, 1.0),
    (2.0, 0.5, 0.5, 2.0, 1.0, 1.0, 1.0, 1.0),
    (0.5, 2.0, 0.5, 2.0, 1.0, 0.5, 1.0, 1.0),
    (2.0, 1.0, 0.5, 1.0, 2.0, 2.0, 1.0, 0.5),
    (1.0, 2.0, 0.5, 0.0, 0.5, 1.0, 1.0, 2.0),
    (0.5, 0.5, 2.0, 1.0, 1.0, 0.5, 2.0, 1.0),
    (1.0, 1.0, 1.0, 1.0, 0.5, 0.5, 0.5, 2.0),
    (1.0, 1.0, 1.0, 0.5, 1.0, 1.0, 2.0, 0.5),
)


class Move(NamedTuple):
    """What a monster can do in its turn; `chance` (percent) is that of the effect, after a hit."""

    name: str
    kind: int
    power: int
    accuracy: int
    priority: int
    effect: int
    chance: int
    max_uses: int


class Species(NamedTuple):
    """A sort of monster: up to two kinds, base values, and the four moves that each of them knows."""

    name: str
    kind1: int
    kind2: int
    hp: int
    attack: int
    guard: int
    speed: int
    moves: tuple[int, int, int, int]


MOVES = (
    Move("cinder kick", EMBER, 70, 95, 0, BURN, 20, 15),
    Move("furnace breath", EMBER, 110, 75, 0, NOTHING, 0, 5),
    Move("hot ash", EMBER, 0, 85, 0, BURN, 100, 12),
    Move("undertow", TIDE, 75, 95, 0, LOWER_SPEED, 20, 15),
    Move("breaker", TIDE, 100, 80, 0, NOTHING, 0, 6),
    Move("salt rinse", TIDE, 0, 100, 0, HEAL, 100, 6),
    Move("bramble lash", MOSS, 65, 100, 0, NOTHING, 0, 18),
    Move("spore cloud", MOSS, 0, 75, 0, SLEEP, 100, 8),
    Move("root drink", MOSS, 55, 95, 0, HEAL, 35, 10),
    Move("boulder toss", STONE, 95, 80, 0, NOTHING, 0, 8),
    Move("gravel spray", STONE, 60, 95, 0, LOWER_GUARD, 25, 15),
    Move("brace", STONE, 0, 100, 0, RAISE_GUARD, 100, 12),
    Move("static snap", SPARK, 45, 100, 1, NOTHING, 0, 20),
    Move("arc lance", SPARK, 85, 90, 0, STUN, 20, 10),
    Move("numbing field", SPARK, 0, 85, 0, STUN, 100, 10),
    Move("rime bite", FROST, 65, 95, 0, LOWER_SPEED, 30, 15),
    Move("white squall", FROST, 105, 70, 0, NOTHING, 0, 6),
    Move("hail dart", FROST, 40, 100, 1, NOTHING, 0, 20),
    Move("dusk claw", GLOOM, 70, 100, 0, LOWER_GUARD, 15, 15),
    Move("bitter murk", GLOOM, 0, 90, 0, VENOM, 100, 12),
    Move("toll of night", GLOOM, 90, 85, 0, VENOM, 25, 8),
    Move("glint", LUMEN, 60, 100, 0, LOWER_ATTACK, 20, 18),
    Move("noon beam", LUMEN, 100, 80, 0, NOTHING, 0, 6),
    Move("clear mind", LUMEN, 0, 100, 0, RAISE_ATTACK, 100, 10),
)

#: What a monster does when no move has uses left: of no kind, and it always hits.
FLAIL = Move("flail", NO_KIND, 30, 100, 0, NOTHING, 0, 1)

SPECIES = (
    Species("Kilnpaw", EMBER, NO_KIND, 150, 105, 80, 95, (0, 1, 2, 18)),
    Species("Sootwing", EMBER, GLOOM, 135, 100, 70, 115, (0, 1, 18, 19)),
    Species("Brinehorn", TIDE, NO_KIND, 170, 85, 100, 60, (3, 4, 5, 10)),
    Species("Eddyfin", TIDE, FROST, 145, 95, 85, 90, (3, 4, 15, 17)),
    Species("Thornmane", MOSS, NO_KIND, 160, 95, 90, 75, (6, 7, 8, 18)),
    Species("Fernwarden", MOSS, LUMEN, 165, 80, 100, 65, (6, 8, 21, 7)),
    Species("Slatejaw", STONE, NO_KIND, 175, 110, 115, 40, (9, 10, 11, 18)),
    Species("Gravelisk", STONE, EMBER, 155, 115, 95, 55, (9, 0, 10, 2)),
    Species("Voltmink", SPARK, NO_KIND, 130, 95, 70, 130, (12, 13, 14, 17)),
    Species("Cellodrake", SPARK, TIDE, 145, 105, 75, 100, (12, 13, 3, 4)),
    Species("Rimecub", FROST, NO_KIND, 150, 90, 85, 85, (15, 16, 17, 5)),
    Species("Hoarstag", FROST, STONE, 165, 100, 105, 60, (15, 11, 9, 16)),
    Species("Murklet", GLOOM, NO_KIND, 140, 100, 80, 110, (18, 19, 20, 2)),
    Species("Nightmoth", GLOOM, MOSS, 145, 85, 85, 105, (19, 20, 7, 6)),
    Species("Halobird", LUMEN, NO_KIND, 145, 105, 80, 110, (23, 12, 21, 22)),
    Species("Prismole", LUMEN, STONE, 160, 95, 105, 50, (5, 22, 10, 23)),
)

#: The number that stands for a monster that was not seen yet.
UNKNOWN = len(SPECIES)

TEAM = 6
BENCH = TEAM - 1
KNOWN_MOVES = 4
ACTIONS = KNOWN_MOVES + BENCH
MOST_TURNS = 100


def versus(kind: int, kind1: int, kind2: int) -> float:
    """How strongly an attack of a kind hits a monster of one or two kinds: 0, 0.25, 0.5, 1, 2 or 4."""
    return VERSUS[kind][kind1][kind2]


def _factor(kind: int, on: int) -> float:
    return 1.0 if NO_KIND in (kind, on) else EFFECT_ON_KIND[kind][on]


#: `versus` for all that can be asked.
VERSUS = tuple(
    tuple(tuple(_factor(kind, one) * _factor(kind, two) for two in range(9)) for one in range(9))
    for kind in range(9)
)


def own_bonus(kind: int, species: int) -> float:
    """Moves of a monster's own kind are stronger; flailing is of no kind, so nobody's own."""
    return 1.5 if kind != NO_KIND and kind in SPECIES[species][1:3] else 1.0


def at_stage(stage: int) -> float:
    """The factor that a raised or lowered value is multiplied by; stages go from -3 to 3."""
    return STAGE_FACTORS[stage + 3]


STAGE_FACTORS = (0.4, 0.5, 0.667, 1.0, 1.5, 2.0, 2.5)
