"""A game in plain Python with many short calls: the most expensive thing to watch call by call."""

from __future__ import annotations

import random

from clocks import Truth, program_arguments


class Skirmish:
    """Units on a grid that look for each other each turn."""

    def __init__(self) -> None:
        self.walls = {(3, 4), (7, 7)}
        self.units = [(i, 2 * i % 11) for i in range(8)]
        self.turn = 0

    def reset(self) -> list[float]:
        self.turn = 0
        return self.observe()

    def distance(self, a: tuple[int, int], b: tuple[int, int]) -> int:
        return max(abs(a[0] - b[0]), abs(a[1] - b[1]))

    def sees(self, a: tuple[int, int], b: tuple[int, int]) -> bool:
        length = self.distance(a, b)
        return not any(
            (a[0] + (b[0] - a[0]) * i // length, a[1] + (b[1] - a[1]) * i // length) in self.walls
            for i in range(1, length)
        )

    def observe(self) -> list[float]:
        return [float(self.sees(a, b)) for a in self.units for b in self.units[:3]]

    def step(self, action: int) -> tuple[list[float], float, bool, bool, dict[str, int]]:
        self.turn += 1
        x, y = self.units[action]
        self.units[action] = ((x + random.randrange(3) - 1) % 12, y)
        score = sum(self.distance(a, b) for a in self.units for b in self.units)
        return self.observe(), float(score), self.turn >= 60, False, {}


def main() -> None:
    args = program_arguments("a game of many short calls").parse_args()
    random.seed(args.seed)
    truth, game, steps = Truth("deep_game", args.seconds, args.steps), Skirmish(), 0
    game.reset()
    while truth.keep_going():
        steps += 1
        if game.step(steps % 8)[2]:
            game.reset()


if __name__ == "__main__":
    main()
