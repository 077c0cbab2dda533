import os
import random
import time

import numpy as np

import clock
from caravan import MOVES, WIDTH, Caravan
from clock import tick

LESSONS = ["village", "road", "empire"]


class Mind:
    def __init__(self, hidden=64, rate=0.005, gamma=0.95):
        dice = np.random.default_rng(2)
        self.one = dice.normal(0, 1 / np.sqrt(WIDTH), (WIDTH, hidden))
        self.two = dice.normal(0, 0.05, (hidden, MOVES))
        self.rate, self.gamma, self.fits = rate, gamma, 0

    def guess(self, view):
        deep = np.maximum(view @ self.one, 0)
        return deep, deep @ self.two

    def think(self, view, mask, luck):
        if random.random() < luck:
            return int(random.choice(np.flatnonzero(mask)))
        return int(np.where(mask, self.guess(view)[1], -1e9).argmax())

    def fit(self, view, move, reward, after, mask, done):
        goal = reward if done else reward + self.gamma * np.where(mask, self.guess(after)[1], -1e9).max()
        deep, worth = self.guess(view)
        error = np.clip(worth[move] - goal, -1, 1)
        back = error * self.two[:, move] * (deep > 0)
        self.two[:, move] -= self.rate * error * deep
        self.one -= self.rate * np.outer(view, back)
        self.fits += 1
        return abs(error)


def play(game, mind, lesson, luck):
    game.start(LESSONS[lesson])
    view, mask = game.gather(), game.allowed()
    total, steps, wrong, done = 0.0, 0, 0.0, False
    while not done:
        tick(6)
        move = mind.think(view, mask, luck)
        tick(0)
        reward, done = game.turn(move)
        after, free = game.gather(), game.allowed()
        tick(7)
        wrong += mind.fit(view, move, reward, after, free, done)
        tick(0)
        view, mask = after, free
        total += reward
        steps += 1
    return total, steps, wrong / steps


def main():
    random.seed(2)
    limit = float(os.environ.get("WILD_SECONDS", 20))
    game, mind = Caravan(2), Mind()
    lesson = games = steps = 0
    luck, recent = 0.5, []
    clock.zero()
    begin = time.monotonic()
    while time.monotonic() - begin < limit:
        total, count, wrong = play(game, mind, lesson, luck)
        games += 1
        steps += count
        recent.append(total)
        luck = max(0.05, luck * 0.995)
        if len(recent) >= 40 and lesson < 2 and (np.mean(recent[-40:]) > 2.5 or len(recent) >= 150):
            lesson += 1
            recent, luck = [], 0.3
        if games % 25 == 0:
            tick(8)
            print(f"game {games} lesson {LESSONS[lesson]} reward {np.mean(recent[-25:] or [0]):.2f} error {wrong:.3f} purse {game.names['purse']:.0f}")
            tick(0)
    wall, parts = clock.save(steps, games, mind.fits)
    print(f"{wall:.1f}s", {k: f"{100 * v / wall:.1f}%" for k, v in parts.items()})


main()
