"""Data: types, moves, species. Damage formula borrowed from gen 5 (roughly)."""
import random

TYPES = ["normal", "fire", "water", "grass", "electric", "ground", "rock", "flying", "psychic", "dark"]

CHART = {
    "fire": {"grass": 2, "water": .5, "fire": .5, "rock": .5},
    "water": {"fire": 2, "ground": 2, "rock": 2, "grass": .5, "water": .5},
    "grass": {"water": 2, "ground": 2, "rock": 2, "fire": .5, "grass": .5, "flying": .5},
    "electric": {"water": 2, "flying": 2, "ground": 0, "grass": .5, "electric": .5},
    "ground": {"fire": 2, "electric": 2, "rock": 2, "flying": 0, "grass": .5},
    "rock": {"fire": 2, "flying": 2, "ground": .5},
    "flying": {"grass": 2, "electric": .5, "rock": .5},
    "psychic": {"psychic": .5, "dark": 0},
    "dark": {"psychic": 2, "dark": .5},
    "normal": {"rock": .5},
}

MOVES = {}
for _t in TYPES:
    MOVES[_t + "_jab"] = dict(type=_t, power=40, acc=1.0, prio=1)
    MOVES[_t + "_beam"] = dict(type=_t, power=80, acc=1.0, prio=0)
    MOVES[_t + "_blast"] = dict(type=_t, power=120, acc=0.75, prio=0)
MOVES["recover"] = dict(type="normal", power=0, acc=1.0, prio=0, heal=0.4)
MOVES["toxic"] = dict(type="dark", power=0, acc=0.9, prio=0, status="psn")
MOVES["swords"] = dict(type="normal", power=0, acc=1.0, prio=0, boost=1)


def effectiveness(move_type, types):
    e = 1.0
    for t in types:
        e *= CHART.get(move_type, {}).get(t, 1)
    return e


def random_mon(rng: random.Random):
    types = rng.sample(TYPES, rng.choice([1, 2]))
    moves = [rng.choice([t + "_beam", t + "_blast", t + "_jab"]) for t in types]
    pool = [m for m in MOVES if m not in moves]
    moves += rng.sample(pool, 4 - len(moves))
    hp = rng.randint(180, 320)
    return dict(types=types, moves=moves, hp=hp, maxhp=hp, atk=rng.randint(60, 120), dfn=rng.randint(60, 120),
                spe=rng.randint(40, 130), boost=0, status=None)
