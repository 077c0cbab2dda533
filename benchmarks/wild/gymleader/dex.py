import random

TYPES = ["fire", "water", "grass", "rock", "wind", "spark", "frost", "venom"]
WEAK = {("fire", "grass"): 2, ("fire", "frost"): 2, ("fire", "water"): .5, ("fire", "rock"): .5,
        ("water", "fire"): 2, ("water", "rock"): 2, ("water", "grass"): .5, ("grass", "water"): 2,
        ("grass", "rock"): 2, ("grass", "fire"): .5, ("grass", "venom"): .5, ("rock", "wind"): 2,
        ("rock", "fire"): 2, ("rock", "frost"): 2, ("wind", "grass"): 2, ("wind", "spark"): .5,
        ("spark", "water"): 2, ("spark", "wind"): 2, ("spark", "rock"): 0, ("spark", "grass"): .5,
        ("frost", "grass"): 2, ("frost", "wind"): 2, ("frost", "fire"): .5, ("venom", "grass"): 2,
        ("venom", "rock"): .5, ("venom", "venom"): .5}
EFFECTS = ["", "", "", "burn", "numb", "drain", "atk+", "def-"]


def _make():
    rng = random.Random(151)
    dex = {}
    for i in range(28):
        types = rng.sample(TYPES, rng.choice([1, 2]))
        moves = []
        for j in range(4):
            kind = types[0] if j == 0 else rng.choice(TYPES)
            power = rng.choice([40, 55, 70, 90, 110])
            moves.append({"id": f"{kind}{power}", "type": kind, "power": power, "special": rng.random() < .5,
                          "acc": 1.0 if power < 80 else .85, "effect": rng.choice(EFFECTS)})
        dex[f"mon{i:02d}"] = {"types": types, "moves": moves,
                              "base": {s: rng.randint(55, 120) for s in ("hp", "atk", "def", "spa", "spd", "spe")}}
    return dex


DEX = _make()


def multiplier(move_type, types):
    m = 1.0
    for t in types:
        m *= WEAK.get((move_type, t), 1)
    return m


def hurt(move, me, foe, weather=""):
    a = me["stats"]["spa" if move["special"] else "atk"] * (1 + .5 * max(me["boost"], 0))
    d = foe["stats"]["spd" if move["special"] else "def"] * (1 + .3 * foe["guard"])
    if me["status"] == "burn" and not move["special"]:
        a *= .5
    dmg = 22 * move["power"] * a / max(d, 1) / 50 + 2
    if move["type"] in me["types"]:
        dmg *= 1.5
    if weather == "sun" and move["type"] in ("fire", "water"):
        dmg *= 1.5 if move["type"] == "fire" else .5
    if weather == "rain" and move["type"] in ("fire", "water"):
        dmg *= .5 if move["type"] == "fire" else 1.5
    return dmg * multiplier(move["type"], foe["types"])


def race(a, b, weather="", turns=6):
    """who is left standing if both just keep hitting"""
    x, y = a["hp"], b["hp"]
    mine = max(hurt(m, a, b, weather) * m["acc"] for m in a["moves"])
    its = max(hurt(m, b, a, weather) * m["acc"] for m in b["moves"])
    first = a["stats"]["spe"] >= b["stats"]["spe"]
    for _ in range(turns):
        if first:
            y -= mine
            if y > 0:
                x -= its
        else:
            x -= its
            if x > 0:
                y -= mine
        if x <= 0 or y <= 0:
            break
    return (max(x, 0) / a["max"] - max(y, 0) / b["max"])
