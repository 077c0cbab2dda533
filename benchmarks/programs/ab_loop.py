"""A game of fixed work per step, for ab_bars.py: WORK sets the cost of a step, WIN_RATE how often it is
won."""

from __future__ import annotations

import os
import random
import sys

import goldsplit

WORK = int(os.environ.get("WORK", "1300"))
WIN_RATE = float(os.environ.get("WIN_RATE", "0.5"))


class Game:
    """Wins and losses are drawn; a turn only counts."""

    def reset(self) -> int:
        self.turn = 0
        return 0

    def step(self, action: int) -> tuple[int, float, bool, dict[str, int]]:
        self.turn += 1
        total = action
        for number in range(WORK):
            total += number
        return total, 1.0, self.turn >= 10, {}


def main(steps: int, seed: int) -> None:
    draw = random.Random(seed)
    game = Game()
    game.reset()
    for _ in range(steps):
        *_, done, _ = game.step(draw.randrange(4))
        if done:
            goldsplit.episode(reward=10.0, win=draw.random() < WIN_RATE)
            game.reset()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
