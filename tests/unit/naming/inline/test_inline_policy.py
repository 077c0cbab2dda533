"""A script without functions and without a framework: the line that draws the action shows the others."""

from __future__ import annotations

from goldsplit.model.stage import ACT, ENV_OBSERVE, ENV_RESET, ENV_STEP, LEARN_LOSS, REPLAY_ADD
from goldsplit.naming.reading.source import read
from goldsplit.naming.roles import decide

SCRIPT = """import numpy as np
W = np.zeros((3, 4))
b = np.zeros(4)
moves = games = 0
kept = []
while games < 100:
    me = 0                                  # begins
    wall = [0] * 9                          # begins
    over = False                            # begins
    while not over:
        seen = []                           # sees
        for k in range(9):                  # sees
            seen.append(wall[k] - me)       # sees
        h = np.array(seen) @ W + b          # acts
        a = int(np.random.choice(4, p=h))   # acts
        if a < 2:                           # steps
            me += 1                         # steps
        for k in range(9):                  # steps
            wall[k] += 1                    # steps
        over = me > 9                       # steps
        moves += 1
        kept.append((seen, a))              # keeps
    games += 1
    if len(kept) > 99:                      # learns
        for w, g in ((W, 1.0), (b, 2.0)):   # learns
            w -= g                          # learns
        kept = []                           # learns
"""
STAGES = {"begins": ENV_RESET, "sees": ENV_OBSERVE, "acts": ACT, "steps": ENV_STEP, "learns": LEARN_LOSS}
STAGES["keeps"] = REPLAY_ADD


def test_each_line_has_its_stage() -> None:
    found = decide([read(SCRIPT, "/program/train.py")])
    for number, line in enumerate(SCRIPT.splitlines(), 1):
        told = {one.stage for one in found if one.first <= number <= one.last}
        word = line.partition("# ")[2]
        assert told <= ({STAGES[word]} if word else {ENV_OBSERVE}), (number, line)
        assert told or not word or word == "sees", (number, line)
    assert ("moves", "games", "") in {one.own_counters for one in found}
