# name, cost, atk, hp, trick
CARDS = [
    ("moth", 1, 1, 1, ""), ("candle imp", 1, 2, 1, ""), ("wick rat", 1, 1, 2, "rush"),
    ("lamp boy", 2, 2, 2, ""), ("oil toad", 2, 1, 4, "guard"), ("sparkler", 2, 2, 1, "burn"),
    ("nurse", 2, 1, 3, "heal"), ("glow cat", 3, 3, 2, "rush"), ("night watch", 3, 2, 5, "guard"),
    ("pyro", 3, 3, 2, "burn"), ("druid", 4, 3, 4, "heal"), ("dark knight", 4, 5, 3, ""),
    ("lighthouse", 5, 1, 9, "guard"), ("drake", 5, 5, 4, "burn"), ("wolf pack", 5, 5, 3, "rush"),
    ("sun giant", 6, 7, 7, ""),
]
TRICKS = ["", "rush", "guard", "burn", "heal"]
COST = [c[1] for c in CARDS]
LANES = 4
HAND = 6
PASS = LANES * HAND
N_CHOICES = PASS + 1


def fresh_deck(rng):
    d = [i for i in range(len(CARDS)) for _ in range(2)]
    rng.shuffle(d)
    return d
