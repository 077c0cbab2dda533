"""Whole trainings in the lines of a module, of several kinds: the remark of each line says its stage."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from goldsplit.model.named_code import NamedFunction
from goldsplit.model.stage import ACT, CHECKPOINT, ENV_STEP, EVAL, LEARN_LOSS, REPLAY_ADD, REPLAY_SAMPLE
from goldsplit.naming.reading.source import read
from goldsplit.naming.roles import decide

GAMES = Path(__file__).parent / "line_games"
#: Script → the names in which it counts steps, episodes and updates.
COUNTERS = {
    "lake": ("tick", "matches", "learned"),  # a dictionary of values, drawn and best action in two branches
    "sarsa": ("n_turns", "n_games", "n_turns"),  # the next action is chosen before learning
    "flood": (
        "all_turns",
        "walks",
        "changes",
    ),  # the first action before the loop, and traces; helpers on top
    "cellar": ("moves_made", "nights", "moves_made"),  # the same by preferences, drawn, in a table
    "ferry": ("strokes", "crossings", "strokes"),  # the same in one loop
    "reinforce": ("frames", "game_count", "game_count"),  # learns after each game
    "es": ("ticks", "lives", "generation"),  # draws its numbers, not its actions
    "pond": ("strokes", "lives", "rounds"),  # a population in lock step: a loop each to see, choose and step
    "anthill": ("schritte", "", "runde"),  # the same with dictionaries and comprehensions
    "boards": ("zuege", "", ""),  # the same with lists; what it counts as games may be anything
    "dyna": ("env_steps", "ep_count", "n_updates"),  # one loop, and a helper function for what it sees
}


def stage_of_lines(parts: list[NamedFunction]) -> dict[int, str]:
    """Line → its stage, the innermost part that has it."""
    found: dict[int, str] = {}
    for part in sorted(parts, key=lambda one: (one.first, -one.last)):
        found |= dict.fromkeys(range(part.first, part.last + 1), part.stage)
    return found


@pytest.mark.parametrize("game", COUNTERS)
def test_each_line_has_the_stage_that_its_remark_says(game: str) -> None:
    text = (GAMES / f"{game}.txt").read_text()
    parts = decide([read(text, "/program/train.py")])
    found = stage_of_lines(parts)
    for number, line in enumerate(text.splitlines(), 1):
        assert found.get(number, "") == line.partition("  # ")[2], (number, line)
    assert COUNTERS[game] in {one.own_counters for one in parts}


RACE = """
    import random
    import numpy as np
    w = np.zeros((3, 90))
    kept, best = [], 0
    laps = 0
    while laps < 900:
        x = 0.0
        for t in range(50):
            if random.random() < 0.1:                      # act
                a = random.randrange(3)                    # act
            else:                                          # act
                a = int(np.argmax(w[:, int(x)]))           # act
            y = x + a - 1                                  # env.step
            for _ in range(4):                             # env.step
                y *= 0.99                                  # env.step
            r = -abs(y)
            kept.append((x, a, r, y))                      # replay.add
            some = random.sample(kept, 1)                  # replay.sample
            for s, b, g, n in some:                        # learn.loss
                w[b, int(s)] += g + w[:, int(n)].max()     # learn.loss
            x = y
        laps += 1
        if laps % 40 == 0:                                 # eval
            z = 0.0                                        # eval
            for t in range(50):                            # eval
                z += np.argmax(w[:, int(z)]) - 1           # eval
            if z > best:                                   # eval
                np.save("best.npy", w)                     # checkpoint
"""


@pytest.mark.parametrize("inside", ["", "def main():\n"])
def test_a_memory_a_test_and_a_file_beside_the_game(inside: str) -> None:
    text = textwrap.dedent(RACE)
    if inside:
        text = inside + textwrap.indent(text, "    ") + "main()\n"
    parts = decide([read(text, "/program/train.py")])
    found = stage_of_lines([one for one in parts if one.own_counters is not None])
    known = {ACT, ENV_STEP, REPLAY_ADD, REPLAY_SAMPLE, LEARN_LOSS, EVAL, CHECKPOINT}
    for number, line in enumerate(text.splitlines(), 1):
        if (stage := line.partition("  # ")[2]) in known:
            assert found.get(number) == stage, (number, line)


@pytest.mark.parametrize(
    "learning",
    [
        "n += 1",  # nothing is learned
        "grid[x] = 0",  # the game is changed, and set anew
        "chance = max(0.1, chance * 0.9)",  # a number that decays is nothing that is learned
    ],
)
def test_a_game_at_random_without_anything_learned_is_not_read(learning: str) -> None:
    text = textwrap.dedent(f"""
        import random
        chance, n = 0.5, 0
        for game in range(100):
            grid = [1] * 9
            x = 0
            for t in range(50):
                if random.random() < chance:
                    a = random.randrange(3)
                else:
                    a = max(range(3), key=lambda k: grid[k])
                for k in range(9):
                    x = (x + a) % 9
                {learning}
    """)
    assert decide([read(text, "/program/train.py")]) == []
