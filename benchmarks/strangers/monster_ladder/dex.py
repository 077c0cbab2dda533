"""Monsters, moves and the type chart. Shared by server and client."""
TYPES = ["fire", "water", "leaf", "stone", "spark", "ghost"]
CHART = [
    # fire water leaf stone spark ghost   (defender)
    [0.5, 0.5, 2.0, 0.5, 1.0, 1.0],
    [2.0, 0.5, 0.5, 2.0, 1.0, 1.0],
    [0.5, 2.0, 0.5, 2.0, 1.0, 1.0],
    [2.0, 1.0, 0.5, 1.0, 2.0, 0.5],
    [1.0, 2.0, 0.5, 0.5, 0.5, 1.0],
    [1.0, 1.0, 1.0, 1.0, 1.0, 2.0],
]
# name, type, power, accuracy, effect
MOVES = [
    ("ember", 0, 45, 1.0, None), ("inferno", 0, 95, 0.75, "burn"),
    ("splash", 1, 45, 1.0, None), ("torrent", 1, 90, 0.8, None),
    ("vine", 2, 50, 1.0, None), ("drain", 2, 60, 0.95, "leech"),
    ("pebble", 3, 40, 1.0, None), ("quake", 3, 100, 0.85, None),
    ("zap", 4, 50, 1.0, "numb"), ("thunder", 4, 100, 0.7, "numb"),
    ("scare", 5, 40, 1.0, "weaken"), ("hex", 5, 80, 0.9, None),
]
# name, type, hp, attack, defence, speed, moves
SPECIES = [
    ("cindercat", 0, 90, 80, 60, 90, (0, 1, 6, 8)),
    ("puddlepup", 1, 110, 65, 75, 60, (2, 3, 6, 10)),
    ("mosshog", 2, 120, 60, 85, 45, (4, 5, 7, 10)),
    ("cragling", 3, 130, 85, 100, 30, (6, 7, 0, 4)),
    ("boltbird", 4, 75, 90, 55, 110, (8, 9, 4, 11)),
    ("wispy", 5, 80, 85, 60, 95, (10, 11, 1, 8)),
    ("lavaturtle", 0, 125, 70, 95, 35, (0, 1, 7, 6)),
    ("coralfin", 1, 95, 80, 70, 80, (2, 3, 8, 5)),
]


def damage_guess(atk, dfn, power, mtype, atype, dtype):
    stab = 1.5 if mtype == atype else 1.0
    return (0.44 * power * atk / dfn + 2) * stab * CHART[mtype][dtype]
