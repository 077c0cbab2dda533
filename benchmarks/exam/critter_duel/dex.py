TYPES = ["normal", "fire", "water", "grass", "rock", "spark"]
STRONG = {("fire", "grass"), ("water", "fire"), ("grass", "water"), ("rock", "fire"), ("water", "rock"),
          ("spark", "water"), ("grass", "rock"), ("rock", "spark")}


def effectiveness(move_type, target_type):
    if (move_type, target_type) in STRONG:
        return 2.0
    if (target_type, move_type) in STRONG or move_type == target_type:
        return 0.5
    return 1.0


# name: (type, power, accuracy, effect)
MOVES = {
    "tackle": ("normal", 40, 1.0, None), "ember": ("fire", 45, 1.0, "burn"), "blaze": ("fire", 80, 0.8, None),
    "splashjet": ("water", 45, 1.0, None), "torrent": ("water", 75, 0.85, None), "vine": ("grass", 45, 1.0, "drain"),
    "thorns": ("grass", 70, 0.9, None), "pebble": ("rock", 50, 0.95, None), "boulder": ("rock", 85, 0.75, None),
    "zap": ("spark", 45, 1.0, "para"), "thunder": ("spark", 85, 0.75, "para"), "rest": ("normal", 0, 1.0, "heal"),
    "growl": ("normal", 0, 1.0, "weaken"), "sharpen": ("normal", 0, 1.0, "boost"),
}
# name: (type, hp, attack, defense, speed, moves)
CRITTERS = {
    "cindermouse": ("fire", 78, 62, 50, 80, ["ember", "blaze", "tackle", "sharpen"]),
    "lavahog": ("fire", 100, 70, 62, 40, ["ember", "blaze", "boulder", "rest"]),
    "puddlefrog": ("water", 85, 58, 60, 66, ["splashjet", "torrent", "tackle", "growl"]),
    "tidewhale": ("water", 120, 60, 70, 30, ["splashjet", "torrent", "rest", "tackle"]),
    "mosslet": ("grass", 90, 55, 65, 52, ["vine", "thorns", "rest", "growl"]),
    "bramblecat": ("grass", 75, 72, 48, 85, ["vine", "thorns", "tackle", "sharpen"]),
    "gravelpup": ("rock", 95, 64, 80, 35, ["pebble", "boulder", "tackle", "sharpen"]),
    "joltbat": ("spark", 68, 66, 45, 99, ["zap", "thunder", "tackle", "growl"]),
}
