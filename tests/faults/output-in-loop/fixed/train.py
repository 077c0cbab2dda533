"""Tabular Q-learning on one skirmish, in a plain loop that prints its progress."""

import time

import numpy as np
from game import SIZE, Skirmish

SECONDS = 4.0
EXPLORE = 0.1


def main() -> None:
    rng = np.random.default_rng(0)
    game = Skirmish(seed=0)
    table = np.zeros((SIZE * SIZE, 4))
    place, steps, total = cell(game.reset()), 0, 0.0
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        action = select_action(table, place, rng)
        state, reward, ended = game.step(action)
        following = cell(state)
        best = 0.0 if ended else table[following].max()
        table[place, action] += 0.1 * (reward + 0.95 * best - table[place, action])
        place = cell(game.reset()) if ended else following
        steps += 1
        total += reward
        if steps % 5000 == 0:
            print(f"step {steps} action {action} reward {reward:+.3f} mean {total / steps:+.3f}", flush=True)


def select_action(table: np.ndarray, place: int, rng: np.random.Generator) -> int:
    if rng.random() < EXPLORE:
        return int(rng.integers(4))
    return int(table[place].argmax())


def cell(state: np.ndarray) -> int:
    return int(state[0] * SIZE + 0.5) * SIZE + int(state[1] * SIZE + 0.5)


if __name__ == "__main__":
    main()
